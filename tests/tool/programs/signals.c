/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Signal handlers that measure while a reporter runs: they return, jump away, or run on a stack of
 * their own.
 */
#include <malloc.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(block_size_of)

static void *ours, *others, *handlers;
static sigjmp_buf back;

static void measure_in_handler(int signal) {
  (void)signal;
  DMD_REPORTER_BEGIN("explicit/handler");
  DMD_REPORTER_END(block_size_of(handlers));
}

static void jump_away(int signal) {
  (void)signal;
  siglongjmp(back, 1);
}

static void catch_with(int signal, void (*handler)(int), int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
  if (sigaction(signal, &action, NULL) != 0)
    abort();
}

static void interrupted(void) {
  DMD_REPORTER_BEGIN("explicit/interrupted");
  size_t size = block_size_of(ours);
  raise(SIGUSR1);
  DMD_REPORTER_END(size);
}

static void interrupted_on_another_stack(void) {
  stack_t stack = {.ss_size = 1 << 16};
  stack.ss_sp = malloc(stack.ss_size);
  if (sigaltstack(&stack, NULL) != 0)
    abort();
  catch_with(SIGUSR1, measure_in_handler, SA_ONSTACK);
  interrupted();
}

/* With less of the stack left than at the signal. */
__attribute__((noinline)) static size_t measure_further_in(void) {
  volatile char room[1 << 14];
  room[0] = 0;
  return block_size_of(ours) + (size_t)room[0];
}

static void interrupted_before_it_measures(void) {
  DMD_REPORTER_BEGIN("explicit/interrupted");
  raise(SIGUSR1);
  DMD_REPORTER_END(measure_further_in());
}

/* The program's size queries belong to the interrupted reporter, and so does the first report after
 * the handler. */
static void interrupted_before_it_asks(void) {
  DMD_REPORTER_BEGIN("explicit/asks");
  raise(SIGUSR1);
  size_t size = block_size_of(ours);
  DMD_REPORTER_END(size + malloc_usable_size(others));
}

static void jumped(void) {
  DMD_REPORTER_BEGIN("explicit/jumped");
  size_t size = block_size_of(ours);
  if (sigsetjmp(back, 1) == 0)
    raise(SIGUSR2);
  DMD_REPORTER_END(size);
}

int main(void) {
  ours = malloc(100);
  others = malloc(150);
  handlers = malloc(200);
  catch_with(SIGUSR1, measure_in_handler, 0);
  catch_with(SIGUSR2, jump_away, 0);
  interrupted();
  DMD_CLEAR_REPORTS();
  interrupted_before_it_measures();
  DMD_CLEAR_REPORTS();
  interrupted_on_another_stack();
  DMD_CLEAR_REPORTS();
  interrupted_before_it_measures();
  DMD_CLEAR_REPORTS();
  interrupted_before_it_asks();
  DMD_CLEAR_REPORTS();
  jumped();
  return 0;
}
