/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "record/engine/prefixed.h"

#include <stdio.h>

enum { RUST, REDIS, MIMALLOC, JUMP_SZB = 5 };

/* Expects the reason why the allocator cannot be replaced; NULL: it can. */
static void expect(const dmd_prefixed_t *found, uint32_t allocator, const char *reason) {
  host_t host;
  host_init(&host);
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &host.env);
  assert_int_equal(dmd_prefixed_check(found, allocator, JUMP_SZB, &why), reason == NULL);
  assert_string_equal(why.text, reason == NULL ? "" : reason);
  dmd_strbuf_destroy(&why);
  host_done(&host);
}

static void each_allocator_by_its_names(void **state) {
  (void)state;
  dmd_prefixed_t found = {.n = 0};
  dmd_prefixed_add(&found, "_rjem_calloc", 0x100, 40);
  dmd_prefixed_add(&found, "_rjem_sdallocx", 0x140, 5);
  dmd_prefixed_add(&found, "_rjem_malloc", 0x180, 40);
  dmd_prefixed_add(&found, "je_free", 0x200, 1);
  dmd_prefixed_add(&found, "_rjem_je_arena_malloc", 0x300, 1);
  dmd_prefixed_add(&found, "mi_heap_malloc", 0x400, 1);
  dmd_prefixed_add(&found, "mi_open", 0x500, 1);
  dmd_prefixed_add(&found, "", 0, 0);
  assert_int_equal(found.n, 4);
  assert_string_equal(dmd_prefixed_name(&found, RUST), "_rjem_malloc");
  assert_null(dmd_prefixed_name(&found, REDIS)); /* it does not allocate */
  assert_null(dmd_prefixed_name(&found, MIMALLOC));
  expect(&found, RUST, NULL);
}

static void functions_without_room_for_a_jump(void **state) {
  (void)state;
  dmd_prefixed_t found = {.n = 0};
  dmd_prefixed_add(&found, "mi_malloc", 0x100, 40);
  dmd_prefixed_add(&found, "mi_free", 0x200, 4);
  expect(&found, MIMALLOC, "its function mi_free is too short for a jump");
  expect(&found, RUST, NULL);
}

static void functions_that_share_code(void **state) {
  (void)state;
  static const uint64_t shared[] = {0x100, 0x104, 0xfc};
  for (size_t i = 0; i < COUNT_OF(shared); i++) {
    dmd_prefixed_t found = {.n = 0};
    dmd_prefixed_add(&found, "je_malloc", 0x100, 40);
    dmd_prefixed_add(&found, "je_calloc", shared[i], 40);
    char reason[100];
    snprintf(reason, sizeof reason, "its function %s has the code of another one",
             shared[i] < 0x100 ? "je_calloc" : "je_malloc");
    expect(&found, REDIS, reason);
  }
  dmd_prefixed_t found = {.n = 0};
  dmd_prefixed_add(&found, "je_malloc", 0x100, 5);
  dmd_prefixed_add(&found, "je_calloc", 0x105, 40);
  dmd_prefixed_add(&found, "je_malloc", 0x100, 5); /* the same symbol once more */
  dmd_prefixed_add(&found, "je_malloc", 0x200, 5); /* a second copy of the allocator */
  expect(&found, REDIS, NULL);
}

static void functions_without_a_replacement(void **state) {
  (void)state;
  static const char *const names[] = {"mi_heap_new", "mi_heap_new_in_arena", "mi_new", "mi_new_n",
                                      "mi_strdup",   "mi_malloc_aligned_at"};
  for (size_t i = 0; i < COUNT_OF(names); i++) {
    dmd_prefixed_t found = {.n = 0};
    char reason[100];
    dmd_prefixed_add(&found, "mi_malloc", 0x100, 40);
    dmd_prefixed_add(&found, names[i], 0x200, 40);
    snprintf(reason, sizeof reason, "dmd does not know its function %s", names[i]);
    expect(&found, MIMALLOC, reason);
  }
}

static void files_that_define_malloc(void **state) {
  (void)state;
  dmd_prefixed_t found = {.n = 0};
  dmd_prefixed_add(&found, "mi_malloc", 0x100, 40);
  dmd_prefixed_add(&found, "malloc", 0x100, 40);
  expect(&found, MIMALLOC, "the same file defines malloc");
}

static void names_and_tables_of_any_size(void **state) {
  (void)state;
  static dmd_prefixed_t found;
  char name[5000] = "_rjem_smallocx_";
  memset(name + strlen(name), 'x', sizeof name - 1 - strlen(name));
  dmd_prefixed_add(&found, name, 0x100, 40);
  expect(&found, RUST, "dmd does not know its function _rjem_smallocx_xxxxxxxxxxxxxxxx");
  for (uint64_t i = 0; i <= DMD_PREFIXED_MAX; i++)
    dmd_prefixed_add(&found, "je_malloc", 0x1000 * i, 40);
  assert_int_equal(found.n, DMD_PREFIXED_MAX);
  expect(&found, REDIS, "it has too many functions");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_allocator_by_its_names),
      cmocka_unit_test(functions_without_room_for_a_jump),
      cmocka_unit_test(functions_that_share_code),
      cmocka_unit_test(functions_without_a_replacement),
      cmocka_unit_test(files_that_define_malloc),
      cmocka_unit_test(names_and_tables_of_any_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
