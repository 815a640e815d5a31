/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "record/heap/stack.h"

enum { PAGE = 1 << DMD_STACK_PAGE_SHIFT };

static void random_against_a_list(void **state) {
  (void)state;
  enum { MAX = 2000 };
  static struct {
    uint32_t id;
    uintptr_t handle;
  } list[MAX];
  size_t n = 0;
  dice_t dice = {101};
  host_t host;
  host_init(&host);
  dmd_stacks_t stacks;
  dmd_stacks_init(&stacks, &host.env);
  for (int step = 0; step < 2 * MAX; step++) {
    /* Dense ids, ids around the ends of pages, and ids in pages far apart. */
    uint32_t id = (uint32_t)(dice_below(&dice, 2) ? 1 + dice_below(&dice, 800)
                                                  : dice_below(&dice, 300) * PAGE +
                                                        (dice_below(&dice, 2) ? PAGE - 1 : 1));
    size_t i = 0;
    while (i < n && list[i].id != id)
      i++;
    assert_true(dmd_stacks_get(&stacks, id) == (i < n ? list[i].handle : 0));
    if (i == n && n < MAX)
      n++;
    list[i].id = id;
    list[i].handle = (uintptr_t)dice_u64(&dice) | 1;
    dmd_stacks_set(&stacks, id, list[i].handle);
    assert_true(dmd_stacks_get(&stacks, id) == list[i].handle);
  }
  assert_true(n > 1000);
  for (size_t i = 0; i < n; i++)
    assert_true(dmd_stacks_get(&stacks, list[i].id) == list[i].handle);
  dmd_stacks_destroy(&stacks);
  host_done(&host);
}

static void what_was_not_set_is_nothing(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  dmd_stacks_t stacks;
  dmd_stacks_init(&stacks, &host.env);
  assert_true(dmd_stacks_get(&stacks, 0) == 0);
  assert_true(dmd_stacks_get(&stacks, UINT32_MAX) == 0);
  dmd_stacks_set(&stacks, UINT32_MAX, 7);
  assert_true(dmd_stacks_get(&stacks, UINT32_MAX) == 7);
  assert_true(dmd_stacks_get(&stacks, UINT32_MAX - 1) == 0);
  assert_true(dmd_stacks_get(&stacks, 1) == 0);
  dmd_stacks_destroy(&stacks);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  (void)arg;
  dmd_stacks_t stacks;
  dmd_stacks_init(&stacks, &host->env);
  for (uint32_t page = 0; page < 33; page++)
    dmd_stacks_set(&stacks, page * PAGE + 1, page + 1);
  assert_true(dmd_stacks_get(&stacks, 32 * PAGE + 1) == 33);
  dmd_stacks_destroy(&stacks);
}

/* 33 pages, and lists for 16, 32 and 64 of them. */
static void out_of_memory(void **state) {
  (void)state;
  assert_int_equal(host_fail_everywhere(use, NULL), 33 + 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_against_a_list),
      cmocka_unit_test(what_was_not_set_is_nothing),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
