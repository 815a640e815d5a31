/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Flags: -std=c++20
 *
 * Coroutines that take turns on one thread, each with guards of its own; and wrong claims beside
 * them.
 */
#include <coroutine>
#include <cstdlib>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(block_size_of)

class task {
public:
  struct promise_type {
    task get_return_object() {
      return task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::abort(); }
  };

  explicit task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  ~task() { handle_.destroy(); }
  void step() { handle_.resume(); }
  __attribute__((noinline)) void step_from_further_in(int calls) {
    if (calls > 0)
      step_from_further_in(calls - 1);
    else
      step();
  }

private:
  std::coroutine_handle<promise_type> handle_;
};

static void *blocks[16];
void *tagged[2];

static task cookies() {
  dmd::ReporterScope outer("explicit/cookies");
  dmd::TagScope tag("cookies");
  outer.claim(block_size_of(blocks[0]));
  co_await std::suspend_always{};
  {
    dmd::ReporterScope inner("explicit/cookies/table");
    inner.claim(outer.claim(block_size_of(blocks[1])));
    co_await std::suspend_always{};
    inner.claim(outer.claim(block_size_of(blocks[2])));
    tagged[0] = malloc(1000);
  }
  outer.claim(block_size_of(blocks[3]));
}

static task fonts() {
  dmd::ReporterScope outer("explicit/fonts");
  dmd::TagScope tag("fonts");
  co_await std::suspend_always{};
  {
    dmd::ReporterScope inner("explicit/fonts/table");
    inner.claim(outer.claim(block_size_of(blocks[4])));
    co_await std::suspend_always{};
    inner.claim(outer.claim(block_size_of(blocks[5])));
    tagged[1] = malloc(2000);
    co_await std::suspend_always{};
  }
  outer.claim(block_size_of(blocks[6]));
}

/* The one that begins first ends first; they are resumed from different depths. */
static void two_that_take_turns() {
  task a = cookies(), b = fonts();
  a.step();
  b.step_from_further_in(3);
  block_size_of(blocks[7]); /* outside of any reporter */
  a.step_from_further_in(5);
  b.step();
  a.step();
  b.step_from_further_in(1);
  b.step();
}

static task one_of(const char *path, void *first, void *second) {
  dmd::ReporterScope outer(path);
  outer.claim(block_size_of(first));
  co_await std::suspend_always{};
  dmd::ReporterScope inner("explicit/one-of/inner");
  inner.claim(outer.claim(block_size_of(second)));
  co_await std::suspend_always{};
}

/* Guards that the stack cannot distinguish. */
static void two_of_the_same() {
  task a = one_of("explicit/one-of", blocks[8], blocks[9]);
  task b = one_of("explicit/one-of", blocks[10], blocks[11]);
  a.step();
  b.step();
  a.step();
  b.step();
  a.step();
  b.step();
}

/* A guard that begins within a plain reporter is part of it. */
static void in_a_plain_guard() {
  dmd::ReporterScope plain("explicit/plain");
  task a = one_of("explicit/alone", blocks[12], blocks[13]);
  a.step();
  plain.claim(block_size_of(blocks[14]) + DMD_NATIVE_USABLE_SIZE(blocks[12]) +
              DMD_NATIVE_USABLE_SIZE(blocks[13]));
  a.step();
  a.step();
}

static task waits() {
  dmd::ReporterScope reporter("explicit/waits");
  co_await std::suspend_always{};
}

/* A waiting coroutine does not excuse others. */
static void wrong_beside_one() {
  task a = waits();
  a.step();
  {
    dmd::ReporterScope wrong("explicit/wrong");
    wrong.claim(block_size_of(blocks[15]) + 24);
  }
  a.step();
}

static task miscounts() {
  dmd::ReporterScope reporter("explicit/miscounts");
  co_await std::suspend_always{};
  reporter.claim(block_size_of(blocks[15]) + 40);
}

/* Nor does it excuse itself if no other one takes a turn. */
static void wrong_and_alone() {
  task a = miscounts();
  a.step();
  a.step();
}

int main() {
  for (int i = 0; i < 16; i++)
    blocks[i] = malloc(10 + 16 * i);
  two_that_take_turns();
  two_of_the_same();
  in_a_plain_guard();
  wrong_beside_one();
  wrong_and_alone();
  return 0;
}
