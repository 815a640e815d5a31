/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _POSIX_C_SOURCE 200809L
#include "host.h"

#include <stdio.h>

#include "process.h"
#include "record/unwind/ehframe.h"

/* Compares our reading of the unwind information of loaded objects with readelf's, row by row. */

typedef struct {
  const char *path;
  uintptr_t base;
  dmd_code_range_t range;
} object_t;

static object_t object_of(uintptr_t ip) {
  object_t object;
  assert_true(process_object(ip, &object.range, &object.path, &object.base));
  return object;
}

/* "rsp+16", "c-8", "u", "s", "exp": as readelf writes them. */
static void spell_cfa(const dmd_frame_row_t *row, char *text, size_t szB) {
  static const char *const names[] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp"};
  if (row->cfa_register == DMD_REGISTER_NONE)
    snprintf(text, szB, "exp");
  else if (row->cfa_register < COUNT_OF(names))
    snprintf(text, szB, "%s%+d", names[row->cfa_register], (int)row->cfa_offset);
  else
    snprintf(text, szB, "r%u%+d", row->cfa_register, (int)row->cfa_offset);
}

static void spell_saved(const dmd_register_rule_t *rule, char *text, size_t szB) {
  switch (rule->how) {
  case DMD_SAVED_SAME:
    snprintf(text, szB, "u");
    break;
  case DMD_SAVED_AT_CFA:
    snprintf(text, szB, "c%+d", (int)rule->offset);
    break;
  case DMD_SAVED_AT:
    snprintf(text, szB, "exp");
    break;
  case DMD_SAVED_VALUE:
    snprintf(text, szB, "vexp");
    break;
  case DMD_SAVED_UNDEFINED:
    snprintf(text, szB, "u");
    break;
  default:
    snprintf(text, szB, "?");
  }
}

/* The words of a line, without those such as "(rdx)", which names the r1 before it. */
enum { MAX_COLUMNS = 40 };

static int split(char *line, char **columns) {
  int n = 0;
  for (char *word = strtok(line, " \n"); word != NULL && n < MAX_COLUMNS;
       word = strtok(NULL, " \n"))
    if (word[0] != '(')
      columns[n++] = word;
  return n;
}

/* "?": saved in another register or computed, which we do not support. */
static bool is_right(const char *spelled, const char *expected) {
  return strcmp(spelled, "?") == 0 ? expected[0] == 'r' || expected[0] == 'v'
                                   : strcmp(spelled, expected) == 0;
}

/* Registers without a column keep their value. readelf writes a column for each register in the
 * function's program, with "u" until the program mentions it. */
static void check_row(const object_t *object, uintptr_t ip, char *const *columns, int fp, int ra) {
  dmd_frame_row_t row;
  char cfa[40], saved_fp[40], saved_ip[40];
  if (!dmd_ehframe_find(&object->range, ip, &row))
    fail_msg("%s: nothing at %lx", object->path, (unsigned long)(ip - object->base));
  spell_cfa(&row, cfa, sizeof cfa);
  spell_saved(&row.fp, saved_fp, sizeof saved_fp);
  spell_saved(&row.ip, saved_ip, sizeof saved_ip);
  const char *expected_fp = fp < 0 || strcmp(columns[fp], "s") == 0 ? "u" : columns[fp];
  if (strcmp(cfa, columns[1]) != 0 || !is_right(saved_fp, expected_fp) ||
      (ra >= 0 && !is_right(saved_ip, columns[ra])))
    fail_msg("%s: at %lx cfa is %s and not %s, rbp %s and not %s, ra %s", object->path,
             (unsigned long)(ip - object->base), cfa, columns[1], saved_fp, expected_fp, saved_ip);
}

/* Checks a function, from its heading to an empty line. A row holds up to the next row's address.
 * Returns the number of rows. */
static unsigned check_function(const object_t *object, FILE *rows, uintptr_t end) {
  char line[1000], next[1000] = "", *columns[MAX_COLUMNS];
  int fp = -1, ra = -1;
  unsigned n_rows = 0;
  if (fgets(line, sizeof line, rows) == NULL || strstr(line, "LOC") == NULL)
    return 0;
  int n = split(line, columns);
  for (int i = 0; i < n; i++) {
    fp = strcmp(columns[i], "rbp") == 0 ? i : fp;
    ra = strcmp(columns[i], "ra") == 0 ? i : ra;
  }
  bool has_next = fgets(next, sizeof next, rows) != NULL && next[0] != '\n';
  while (has_next) {
    memcpy(line, next, sizeof line);
    has_next = fgets(next, sizeof next, rows) != NULL && next[0] != '\n';
    uintptr_t last = (has_next ? strtoul(next, NULL, 16) : end) - 1;
    assert_true(split(line, columns) >= n);
    uintptr_t first = strtoul(columns[0], NULL, 16);
    if (last + 1 == first)
      continue; /* the row has no instruction */
    check_row(object, object->base + first, columns, fp, ra);
    check_row(object, object->base + last, columns, fp, ra);
    n_rows++;
  }
  return n_rows;
}

/* Checks the object that contains this address. */
static unsigned check_object(uintptr_t ip) {
  const object_t object = object_of(ip);
  char command[5000], line[1000];
  bool is_own = strcmp(object.path, "/proc/self/exe") == 0;
  snprintf(command, sizeof command, "LC_ALL=C exec readelf -W --debug-dump=frames-interp %s 2>&1",
           is_own ? "/proc/$PPID/exe" : object.path);
  FILE *rows = popen(command, "r");
  assert_non_null(rows);
  unsigned n = 0;
  while (fgets(line, sizeof line, rows) != NULL) {
    const char *pc = strstr(line, " pc=");
    /* .eh_frame comes first. */
    if (strstr(line, ".debug_frame section") != NULL)
      break;
    if (pc == NULL)
      continue;
    char *end;
    strtoul(pc + 4, &end, 16);
    n += check_function(&object, rows, strtoul(end + 2, NULL, 16));
  }
  pclose(rows);
  return n;
}

#if defined(__x86_64__)

static void rows_are_those_of_readelf(void **state) {
  (void)state;
  if (system("readelf --version >/dev/null 2>&1") != 0)
    skip();
  unsigned n_own = check_object((uintptr_t)check_row), n_libc = check_object((uintptr_t)qsort);
  print_message("%u rows here, %u in the C library\n", n_own, n_libc);
  assert_true(n_own > 50);
  assert_true(n_libc > 1000);
}

/* Flips one bit of each byte of a copy, one at a time: nothing outside of the copy is read,
 * whatever the result is. */
static void garbage_is_read_within_its_bounds(void **state) {
  (void)state;
  const object_t object = object_of((uintptr_t)check_row);
  size_t szB = object.range.end - object.range.eh_frame_hdr;
  szB = szB < 60000 ? szB : 60000;
  unsigned char *copy = malloc(szB);
  unsigned char *original = malloc(szB);
  assert_true(copy != NULL && original != NULL);
  /* Sanitizers keep memory between objects from being copied in the common way. */
  assert_true(process_read(object.range.eh_frame_hdr, original, szB));
  uintptr_t moved = (uintptr_t)copy - object.range.eh_frame_hdr;
  dmd_code_range_t range = {
      .start = (uintptr_t)copy, .end = (uintptr_t)copy + szB, .eh_frame_hdr = (uintptr_t)copy};
  dice_t dice = {1};
  unsigned n_found = 0;
  for (int i = 0; i < 20000; i++) {
    size_t at = dice_below(&dice, i % 2 == 0 ? 2000 : szB);
    size_t left = 1 + dice_below(&dice, szB);
    memcpy(copy, original, szB);
    copy[at] ^= (unsigned char)(1 << dice_below(&dice, 8));
    range.end = i % 3 == 0 ? range.start + left : range.start + szB;
    uintptr_t ip = (uintptr_t)garbage_is_read_within_its_bounds + dice_below(&dice, 4000);
    dmd_frame_row_t row;
    n_found += dmd_ehframe_find(&range, ip + moved, &row);
  }
  assert_true(n_found > 0);
  free(copy);
  free(original);
}

#else

static void rows_are_those_of_readelf(void **state) {
  (void)state;
  skip();
}

static void garbage_is_read_within_its_bounds(void **state) {
  (void)state;
  skip();
}

#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_those_of_readelf),
      cmocka_unit_test(garbage_is_read_within_its_bounds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
