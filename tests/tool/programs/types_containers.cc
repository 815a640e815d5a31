// SPDX-License-Identifier: GPL-2.0-or-later
//
// A typical heap of a C++ program: containers of the library, some of which hold others.
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <dmd.h>

struct Shape {
  virtual ~Shape() {}
  virtual double area() const = 0;
  std::string name = std::string(30, 's');
};

struct Square : Shape {
  double side = 1;
  double area() const override { return side * side; }
};

struct Circle : Shape {
  double radius = 1;
  std::vector<int> hits = std::vector<int>(20);
  double area() const override { return 3 * radius * radius; }
};

struct Record {
  long id;
  std::string text;
  std::shared_ptr<Shape> shape;
};

struct Shop {
  std::vector<std::string> names;
  std::map<std::string, std::vector<double>> prices;
  std::unordered_map<long, Record> records;
  std::unordered_set<std::string> words;
  std::list<std::pair<int, std::string>> log;
  std::deque<Record> queue;
  std::set<std::string> sorted;
  std::multimap<int, std::unique_ptr<Shape>> shapes;
  std::vector<std::function<int(int)>> calls;
  std::vector<std::vector<char>> buffers;
};

static std::string text(int i) {
  return "the text of number " + std::to_string(i);
}

static void fill(Shop *shop) {
  for (int i = 0; i < 2000; i++) {
    std::shared_ptr<Shape> circle = std::make_shared<Circle>();
    shop->names.push_back(text(i));
    shop->prices[text(i)].resize(10 + i % 7);
    shop->records[i] = Record{i, text(i), circle};
    shop->words.insert(text(i));
    shop->log.emplace_back(i, text(i));
    shop->queue.push_back(Record{i, text(i), std::shared_ptr<Shape>(new Square)});
    shop->sorted.insert(text(i));
    shop->shapes.emplace(i, std::make_unique<Square>());
    std::string captured = text(i);
    shop->calls.push_back([captured](int x) { return x + (int)captured.size(); });
    shop->buffers.emplace_back(100);
  }
}

int main() {
  Shop *shop = new Shop;
  fill(shop);
  DMD_GRAPH("containers");
  delete shop;
  return 0;
}
