/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Flags: -std=c++20 -pthread
 *
 * Coroutines that run at once, up to their first suspension, and which compilers may inline; that
 * continue in another thread; and that wait while the program dumps. All claims but one are
 * right.
 */
#include <coroutine>
#include <cstdlib>
#include <pthread.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(block_size_of)

class task {
public:
  struct promise_type {
    task get_return_object() {
      return task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_never initial_suspend() { return {}; }
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

static void *blocks[24];
void *tagged[3];

static task cookies() {
  dmd::ReporterScope outer("explicit/cookies");
  dmd::TagScope tag("cookies");
  outer.claim(block_size_of(blocks[0]));
  co_await std::suspend_always{};
  outer.claim(block_size_of(blocks[1]));
  tagged[0] = malloc(1000);
  co_await std::suspend_always{};
  outer.claim(block_size_of(blocks[2]));
}

static task fonts() {
  dmd::ReporterScope outer("explicit/fonts");
  dmd::TagScope tag("fonts");
  outer.claim(block_size_of(blocks[3]));
  co_await std::suspend_always{};
  dmd::ReporterScope inner("explicit/fonts/table");
  inner.claim(outer.claim(block_size_of(blocks[4])));
  tagged[1] = malloc(2000);
  co_await std::suspend_always{};
  inner.claim(outer.claim(block_size_of(blocks[5])));
}

/* The one that begins first ends first. */
static void two_that_take_turns() {
  task a = cookies(), b = fonts();
  a.step();
  b.step_from_further_in(3);
  a.step_from_further_in(5);
  b.step();
}

/* And last. */
static void nested() {
  task a = cookies(), b = fonts();
  b.step();
  a.step();
  b.step();
  a.step();
}

static task measures_and_waits(const char *path, void *first, void *second) {
  dmd::ReporterScope reporter(path);
  reporter.claim(block_size_of(first));
  co_await std::suspend_always{};
  reporter.claim(block_size_of(second));
}

/* Each claims its own measurements. */
static void around_plain_guards() {
  task a = measures_and_waits("explicit/around", blocks[6], blocks[7]);
  {
    dmd::ReporterScope plain("explicit/plain");
    plain.claim(block_size_of(blocks[8]));
    a.step();
  }
  {
    dmd::ReporterScope plain("explicit/plain/later");
    plain.claim(block_size_of(blocks[9]));
  }
}

/* A coroutine that outlives the plain reporter within which it began. */
static void out_of_a_plain_guard() {
  task *a;
  {
    dmd::ReporterScope plain("explicit/begins");
    a = new task(measures_and_waits("explicit/outlives", blocks[10], blocks[11]));
    plain.claim(block_size_of(blocks[12]) + DMD_NATIVE_USABLE_SIZE(blocks[10]));
  }
  a->step();
  delete a;
}

static void *step_elsewhere(void *arg) {
  task *a = static_cast<task *>(arg);
  dmd::ReporterScope own("explicit/elsewhere");
  a->step();
  own.claim(block_size_of(blocks[13]));
  return nullptr;
}

static void run_thread(void *(*run)(void *), void *arg) {
  pthread_t thread;
  pthread_create(&thread, nullptr, run, arg);
  pthread_join(thread, nullptr);
}

/* It begins here, and ends in another thread, which has a reporter of its own. */
static void goes_on_in_a_thread() {
  task a = measures_and_waits("explicit/travels", blocks[14], blocks[15]);
  run_thread(step_elsewhere, &a);
}

static task long_way() {
  dmd::ReporterScope reporter("explicit/long-way");
  dmd::TagScope tag("long-way");
  reporter.claim(block_size_of(blocks[16]));
  co_await std::suspend_always{};
  reporter.claim(block_size_of(blocks[17]));
  co_await std::suspend_always{};
  reporter.claim(block_size_of(blocks[18]));
  tagged[2] = malloc(3000);
  co_await std::suspend_always{};
}

static void *begin_long_way(void *to) {
  *static_cast<task **>(to) = new task(long_way());
  return nullptr;
}

static void *step_plainly(void *arg) {
  static_cast<task *>(arg)->step();
  return nullptr;
}

/* Coroutines move from a thread that ends to two others. */
static void goes_from_thread_to_thread() {
  task *a;
  run_thread(begin_long_way, &a);
  run_thread(step_plainly, a);
  a->step();
  run_thread(step_plainly, a);
  delete a;
}

static task carries_a_tag() {
  dmd::TagScope tag("waits");
  co_await std::suspend_always{};
}

/* A tag may be open at a dump, wherever its coroutine is. */
static void waits_at_a_dump() {
  task a = carries_a_tag();
  DMD_DUMP("a coroutine waits");
  a.step();
}

/* No other guard is open: this is reported. */
static void wrong() {
  dmd::ReporterScope reporter("explicit/wrong");
  reporter.claim(block_size_of(blocks[19]) + 40);
}

int main() {
  for (int i = 0; i < 24; i++)
    blocks[i] = malloc(10 + 16 * i);
  two_that_take_turns();
  nested();
  around_plain_guards();
  out_of_a_plain_guard();
  goes_on_in_a_thread();
  goes_from_thread_to_thread();
  wrong();
  waits_at_a_dump();
  return 0;
}
