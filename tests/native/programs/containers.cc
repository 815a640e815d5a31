/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Containers, strings, streams, exceptions: everything that calls operators new and delete.
 */
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

std::map<int, std::string> numbers;

struct alignas(64) Wide {
  char bytes[200];
};

int *left() {
  return new int[100];
}

Wide *left_aligned() {
  return new Wide();
}

void thrown(int depth) {
  std::vector<int> some(depth);
  if (depth == 0)
    throw std::string("a string that is too long for the object itself");
  thrown(depth - 1);
}

} // namespace

int main() {
  for (int i = 0; i < 1000; i++)
    numbers[i] = std::string(static_cast<size_t>(i), 'x');
  int *kept = left();
  Wide *wide = left_aligned();
  try {
    thrown(20);
  } catch (const std::string &what) {
    std::cout << what << std::endl;
  }
  std::unique_ptr<Wide> gone(new Wide());
  kept[0] = 0;
  return kept[0] + wide->bytes[0];
}
