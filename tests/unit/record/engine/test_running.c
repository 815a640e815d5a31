/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "enginehost.h"

#include "record/engine/running.h"

/* Functions, some of which have a second place. `bare` has no name. */
enum {
  DUMP = 1,
  F,
  F_LATER,
  G,
  MAIN,
  MAIN_LATER,
  START,
  BARE,
  GUARD,
  OTHER,
  CORO,
  CORO_LATER,
  RESUME,
  CREATE,
  BODY,
  DESTROY,
  UNGUARD,
  STORE,
  PART,
  NO_PART
};

static void begin(enginehost_t *h, dmd_running_t *running) {
  enginehost_init(h);
  enginehost_code(h, DUMP, "/bin/app", "", "dump");
  enginehost_code(h, F, "/bin/app", "", "inlined (a.c:1)|f (a.c:10)");
  enginehost_code(h, F_LATER, "/bin/app", "", "f (a.c:20)");
  enginehost_code(h, G, "/bin/app", "", "g (a.c:30)");
  enginehost_code(h, MAIN, "/bin/app", "", "main (a.c:40)");
  enginehost_code(h, MAIN_LATER, "/bin/app", "", "main (a.c:50)");
  enginehost_code(h, START, "/bin/app", "", "(below main)");
  enginehost_code(h, BARE, "/bin/app", "", "");
  enginehost_code(h, GUARD, "/bin/app", "", "Guard::Guard(int)");
  enginehost_code(h, OTHER, "/bin/app", "", "other");
  enginehost_code(h, CORO, "/bin/app", "", "walk(walk(int)::Frame*) [clone .actor] (a.cc:60)");
  enginehost_code(h, CORO_LATER, "/bin/app", "",
                  "walk(walk(int)::Frame*) [clone .actor] (a.cc:70)");
  enginehost_code(h, RESUME, "/bin/app", "", "resume");
  enginehost_code(h, CREATE, "/bin/app", "", "run(int) (a.cc:80)");
  enginehost_code(h, BODY, "/bin/app", "", "run(int) [clone .resume] (a.cc:90)");
  enginehost_code(h, DESTROY, "/bin/app", "", "run(int) [clone .destroy] (a.cc:99)");
  enginehost_code(h, UNGUARD, "/bin/app", "", "Guard::~Guard()");
  enginehost_code(h, STORE, "/bin/app", "", "std::optional<Guard>::emplace(int)");
  enginehost_code(h, PART, "/bin/app", "",
                  "~Guard (a.h:5)|lazy (a.cc:110)|resume (coroutine:242)|main (a.cc:120)");
  enginehost_code(h, NO_PART, "/bin/app", "",
                  "~Guard (a.h:5)|lazy (a.cc:110)|resume (a.cc:7)|main (a.cc:130)");
  dmd_running_init(running, &h->host.env, &h->engine_host);
}

static void end(enginehost_t *h, dmd_running_t *running) {
  dmd_running_destroy(running);
  enginehost_done(h);
}

typedef uint64_t stack_t_[6]; /* up to the first 0 */

static uint32_t stack_of(enginehost_t *h, const uint64_t *ips) {
  uint32_t n = 0;
  while (n < 6 && ips[n] != 0)
    n++;
  return enginehost_stack(h, n, ips[0], ips[1], ips[2], ips[3], ips[4], ips[5]);
}

static void each_state(void **state) {
  (void)state;
  static const struct {
    stack_t_ begun, now;
    dmd_begin_state_t expected;
  } cases[] = {
      /* It runs: it called the dump itself, or a function that it called did. */
      {{F, MAIN, START}, {F_LATER, MAIN, START}, DMD_BEGIN_RUNNING},
      {{F, MAIN, START}, {DUMP, F_LATER, MAIN, START}, DMD_BEGIN_RUNNING},
      {{MAIN, START}, {DUMP, MAIN_LATER, START}, DMD_BEGIN_RUNNING},
      /* It does not run, but its caller does, for which it may have begun the scope. */
      {{F, MAIN, START}, {MAIN_LATER, START}, DMD_BEGIN_UNKNOWN},
      {{F, G, MAIN, START}, {DUMP, G, MAIN, START}, DMD_BEGIN_UNKNOWN},
      /* Neither it nor its caller runs. */
      {{F, G, MAIN, START}, {DUMP, MAIN_LATER, START}, DMD_BEGIN_LEFT},
      {{F, G, MAIN, START}, {OTHER, MAIN, START}, DMD_BEGIN_LEFT},
      /* A constructor begins a scope for its caller. */
      {{GUARD, MAIN, START}, {MAIN_LATER, START}, DMD_BEGIN_RUNNING},
      {{GUARD, GUARD, F, MAIN, START}, {F_LATER, MAIN, START}, DMD_BEGIN_RUNNING},
      {{GUARD, F, MAIN, START}, {MAIN_LATER, START}, DMD_BEGIN_UNKNOWN},
      {{GUARD, F, G, MAIN, START}, {MAIN_LATER, START}, DMD_BEGIN_LEFT},
      /* Stacks that were cut, and a stack of another thread. */
      {{F, G, MAIN}, {DUMP, OTHER}, DMD_BEGIN_UNKNOWN},
      {{F, G}, {DUMP, OTHER, MAIN, START}, DMD_BEGIN_UNKNOWN},
      {{F, G, MAIN}, {DUMP, OTHER, MAIN, START}, DMD_BEGIN_LEFT},
      /* Functions without a name, and frames below the one that starts a thread. */
      {{BARE, G, MAIN, START}, {DUMP, MAIN, START}, DMD_BEGIN_UNKNOWN},
      {{F, BARE, MAIN, START}, {DUMP, MAIN, START}, DMD_BEGIN_UNKNOWN},
      {{BARE, BARE}, {DUMP, BARE}, DMD_BEGIN_UNKNOWN},
      {{F, G, START, BARE}, {DUMP, START, BARE}, DMD_BEGIN_LEFT},
      /* Coroutines are suspended, not left. */
      {{GUARD, CORO, RESUME, MAIN, START}, {DUMP, MAIN, START}, DMD_BEGIN_RUNNING},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    enginehost_t h;
    dmd_running_t running;
    begin(&h, &running);
    uint32_t begun = stack_of(&h, cases[i].begun), now = stack_of(&h, cases[i].now);
    if (dmd_running_ask(&running, begun, now) != cases[i].expected)
      fail_msg("case %zu", i);
    end(&h, &running);
  }
}

/* Frames count from 1, the innermost; frames without a name do not count, nor does a function's
 * second frame. */
static void where_it_is(void **state) {
  (void)state;
  static const struct {
    stack_t_ begun, now;
    dmd_begin_frame_t expected;
  } cases[] = {
      {{GUARD, F, MAIN, START}, {DUMP, BARE, F_LATER, MAIN, START}, {DMD_FRAME_ON_STACK, 2, false}},
      {{GUARD, F, MAIN, START},
       {DUMP, DUMP, F_LATER, F, MAIN, START},
       {DMD_FRAME_ON_STACK, 2, false}},
      {{F, MAIN, START}, {DUMP, MAIN_LATER, START}, {DMD_FRAME_ON_STACK, 2, false}},
      {{F}, {G}, {DMD_FRAME_UNKNOWN, 0, false}},
      {{GUARD, BARE, MAIN, START}, {DUMP, MAIN, START}, {DMD_FRAME_UNKNOWN, 0, false}},
      {{GUARD, CORO, MAIN, START}, {DUMP, CORO_LATER, RESUME, MAIN}, {DMD_FRAME_ON_STACK, 2, true}},
      {{GUARD, CORO, MAIN, START}, {DUMP, MAIN_LATER, START}, {DMD_FRAME_SUSPENDED, 0, false}},
      {{CORO, RESUME, MAIN, START}, {G, RESUME, OTHER, START}, {DMD_FRAME_SUSPENDED, 0, false}},
      {{F, CORO, MAIN, START}, {MAIN, START}, {DMD_FRAME_SUSPENDED, 0, false}},
      {{CORO, MAIN, START}, {G, OTHER}, {DMD_FRAME_UNKNOWN, 0, false}}, /* that may have been cut */
  };
  enginehost_t h;
  dmd_running_t running;
  begin(&h, &running);
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    uint32_t begun = stack_of(&h, cases[i].begun), now = stack_of(&h, cases[i].now);
    for (int again = 0; again < 2; again++) {
      dmd_begin_frame_t at = dmd_running_where(&running, begun, now);
      if (at.where != cases[i].expected.where || at.frame != cases[i].expected.frame)
        fail_msg("case %zu", i);
    }
  }
  assert_int_equal(dmd_running_where(&running, DMD_NONE, DMD_NONE).where, DMD_FRAME_UNKNOWN);
  end(&h, &running);
}

/* A function that creates a coroutine is recognised as part of it once another part was seen. */
static void parts_of_one_coroutine(void **state) {
  (void)state;
  enginehost_t h;
  dmd_running_t running;
  begin(&h, &running);
  uint32_t created = stack_of(&h, (stack_t_){GUARD, CREATE, F, MAIN, START}),
           plainly = stack_of(&h, (stack_t_){DUMP, MAIN, START}),
           body = stack_of(&h, (stack_t_){G, BODY, MAIN, START}),
           destroyed = stack_of(&h, (stack_t_){UNGUARD, DESTROY, MAIN, START});
  assert_int_equal(dmd_running_where(&running, created, plainly).where, DMD_FRAME_ON_STACK);
  assert_false(dmd_running_in_coroutine(&running, created));
  dmd_begin_frame_t at = dmd_running_where(&running, created, body);
  assert_true(at.where == DMD_FRAME_ON_STACK && at.frame == 2 && at.is_coroutine);
  assert_int_equal(dmd_running_where(&running, created, plainly).where, DMD_FRAME_SUSPENDED);
  at = dmd_running_where(&running, created, destroyed);
  assert_true(at.where == DMD_FRAME_ON_STACK && at.frame == 2 && at.is_coroutine);
  assert_true(dmd_running_in_coroutine(&running, created));
  end(&h, &running);
}

static void guards_of_coroutines(void **state) {
  (void)state;
  static const struct {
    stack_t_ stack;
    bool expected;
  } cases[] = {
      {{GUARD, CORO, MAIN}, true},     {{GUARD, STORE, GUARD, BODY, MAIN}, true},
      {{UNGUARD, BODY, MAIN}, true},   {{DESTROY, MAIN}, true},
      {{GUARD, F, CORO, MAIN}, false}, {{F, MAIN}, false},
      {{GUARD, BARE, CORO}, false},    {{GUARD}, false},
      {{PART, START}, true},           {{GUARD, PART, START}, true},
      {{NO_PART, START}, false},
  };
  enginehost_t h;
  dmd_running_t running;
  begin(&h, &running);
  for (size_t i = 0; i < COUNT_OF(cases); i++)
    for (int again = 0; again < 2; again++)
      if (dmd_running_in_coroutine(&running, stack_of(&h, cases[i].stack)) != cases[i].expected)
        fail_msg("case %zu", i);
  assert_false(dmd_running_in_coroutine(&running, DMD_NONE));
  end(&h, &running);
}

static void other_coroutines(void **state) {
  (void)state;
  static const struct {
    stack_t_ begun, now;
    bool expected;
  } cases[] = {
      {{GUARD, MAIN}, {F, CORO, MAIN}, true},
      {{GUARD, MAIN}, {F, G, MAIN}, false},
      {{GUARD, CORO, MAIN}, {F, CORO_LATER, MAIN}, false},
      {{GUARD, CORO, MAIN}, {F, BODY, CORO_LATER, MAIN}, true},
  };
  enginehost_t h;
  dmd_running_t running;
  begin(&h, &running);
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    uint32_t begun = stack_of(&h, cases[i].begun), now = stack_of(&h, cases[i].now);
    if (dmd_running_has_other_coroutine(&running, begun, now) != cases[i].expected)
      fail_msg("case %zu", i);
  }
  assert_false(dmd_running_has_other_coroutine(&running, DMD_NONE, DMD_NONE));
  end(&h, &running);
}

static void without_stacks(void **state) {
  (void)state;
  enginehost_t h;
  dmd_running_t running;
  begin(&h, &running);
  uint32_t stack = enginehost_stack(&h, 1, (uint64_t)MAIN);
  assert_int_equal(dmd_running_ask(&running, DMD_NONE, stack), DMD_BEGIN_UNKNOWN);
  assert_int_equal(dmd_running_ask(&running, stack, DMD_NONE), DMD_BEGIN_UNKNOWN);
  end(&h, &running);
}

/* Another current stack gives another answer; repeating a query costs nothing. */
static void asked_again(void **state) {
  (void)state;
  enginehost_t h;
  dmd_running_t running;
  begin(&h, &running);
  uint32_t begun = stack_of(&h, (stack_t_){F, G, MAIN, START});
  uint32_t inside = stack_of(&h, (stack_t_){DUMP, F_LATER, G, MAIN, START});
  uint32_t outside = stack_of(&h, (stack_t_){DUMP, MAIN_LATER, START});
  for (int i = 0; i < 3; i++) {
    assert_int_equal(dmd_running_ask(&running, begun, inside), DMD_BEGIN_RUNNING);
    assert_int_equal(dmd_running_ask(&running, begun, outside), DMD_BEGIN_LEFT);
  }
  unsigned n = h.codes[F - 1].n_asked;
  for (int i = 0; i < 1000; i++)
    assert_int_equal(dmd_running_ask(&running, begun, outside), DMD_BEGIN_LEFT);
  assert_int_equal(h.codes[F - 1].n_asked, n);
  end(&h, &running);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  static enginehost_t h;
  static uint32_t begun, now;
  if (h.n_codes == 0) {
    enginehost_init(&h);
    enginehost_code(&h, F, "/bin/app", "", "f");
    enginehost_code(&h, G, "/bin/app", "", "g");
    enginehost_code(&h, MAIN, "/bin/app", "", "main");
    begun = enginehost_stack(&h, 3, (uint64_t)F, (uint64_t)G, (uint64_t)MAIN);
    now = enginehost_stack(&h, 1, (uint64_t)MAIN);
  }
  dmd_running_t running;
  dmd_running_init(&running, &host->env, &h.engine_host);
  assert_int_equal(dmd_running_ask(&running, begun, now), DMD_BEGIN_LEFT);
  dmd_running_destroy(&running);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) > 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_state),
      cmocka_unit_test(where_it_is),
      cmocka_unit_test(parts_of_one_coroutine),
      cmocka_unit_test(guards_of_coroutines),
      cmocka_unit_test(other_coroutines),
      cmocka_unit_test(without_stacks),
      cmocka_unit_test(asked_again),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
