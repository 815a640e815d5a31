/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Blocks allocated on unusual stacks: in constructors before main, destructors after it, frames
 * that an exception passed, and stacks that the program made itself. `odd chroot FOLDER` calls
 * chroot before it ends.
 */
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <ucontext.h>
#include <unistd.h>
#include <valgrind/dmd.h>

static void *kept[64];

__attribute__((noinline)) static void before_main() {
  kept[0] = std::malloc(1001);
}

__attribute__((noinline)) static void after_main() {
  kept[1] = std::malloc(1002);
}

struct Around {
  Around() { before_main(); }
  ~Around() { after_main(); }
};
static Around around;

/* ---- Exceptions. ---- */

__attribute__((noinline)) static void deep(int n) {
  std::string local(static_cast<size_t>(50 + n), 'x');
  if (n == 0)
    throw std::runtime_error(local);
  deep(n - 1);
  kept[2] = nullptr;
}

__attribute__((noinline)) static void after_the_exception(int i) {
  kept[10 + i] = std::malloc(1003);
}

static void exceptions() {
  for (int i = 0; i < 20; i++) {
    try {
      deep(i * i * 2);
    } catch (const std::exception &) {
      after_the_exception(i);
    }
  }
}

/* ---- Stacks of one's own. ---- */

static ucontext_t home, away;
static char stack[64 * 1024];

__attribute__((noinline)) static void on_another_stack(int i) {
  kept[40 + i] = std::malloc(1004);
}

static void wander() {
  for (int i = 0;; i++) {
    DMD_REPORTER_BEGIN("explicit/away");
    on_another_stack(i);
    DMD_REPORTER_END(DMD_REPORT(kept[40 + i]));
    swapcontext(&away, &home);
  }
}

__attribute__((noinline)) static void between(int i) {
  kept[50 + i] = std::malloc(1005);
}

static void contexts() {
  getcontext(&away);
  away.uc_stack.ss_sp = stack;
  away.uc_stack.ss_size = sizeof stack;
  makecontext(&away, wander, 0);
  for (int i = 0; i < 5; i++) {
    swapcontext(&home, &away);
    between(i);
  }
}

int main(int argc, char **argv) {
  exceptions();
  contexts();
  if (argc > 2 && std::strcmp(argv[1], "chroot") == 0 && (chroot(argv[2]) != 0 || chdir("/") != 0))
    return 9;
  return 0;
}
