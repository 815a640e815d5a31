/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fuzz_memory_reports: a file of about:memory, plain or gzipped. Read whole and in small pieces it
 * prints the same text; the difference from itself is empty.
 */
#include "fuzz.h"

#include "dmdv/input/profilefile.h"
#include "host/process.h"
#include "show/text/text_tree.h"

#include <string.h>

static bool load(dmd_amounts_t *m, const uint8_t *data, size_t n, size_t piece, bool for_diff,
                 dmd_fail_t *fail) {
  dmd_amounts_init(m, &dmdv_env, for_diff);
  dmdv_input_t *input = dmdv_input_open_memory(data, n, piece, fail);
  FUZZ_CHECK(input != NULL);
  bool good = dmdv_load_reports_input(m, input, fail);
  dmdv_input_close(input);
  if (good)
    dmd_amounts_complete(m);
  return good;
}

static void print(fuzz_text_t *text, dmd_amounts_t *m, bool verbose) {
  const char *path = NULL;
  const char *why = dmd_amounts_settle(m, &path);
  dmd_out_t out;
  dmd_out_init(&out, fuzz_keep, text);
  if (why != NULL) {
    FUZZ_CHECK(path != NULL);
    dmd_out_str(&out, why);
  } else
    dmd_tree_print(&out, m, "a note\n", verbose);
  FUZZ_CHECK(dmd_out_flush(&out));
  fuzz_check_safe(text);
}

static void subtract(const uint8_t *data, size_t n) {
  dmd_amounts_t new, old;
  dmd_fail_t fail = {0};
  const char *path = NULL;
  /* Names made equal may come in different units, which are then refused. */
  bool good = load(&new, data, n, SIZE_MAX, true, &fail);
  FUZZ_CHECK(load(&old, data, n, SIZE_MAX, true, &fail) == good);
  if (good) {
    FUZZ_CHECK(dmd_amounts_subtract(&new, &old, &path) == NULL);
    FUZZ_CHECK(dmd_amounts_settle(&new, &path) == NULL);
    FUZZ_CHECK(new.n_order == 0);
  }
  dmd_amounts_destroy(&old);
  dmd_amounts_destroy(&new);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  dmd_amounts_t whole, pieces;
  dmd_fail_t fail_whole = {0}, fail_pieces = {0};
  bool good = load(&whole, data, n, SIZE_MAX, false, &fail_whole);
  FUZZ_CHECK(load(&pieces, data, n, 2 + n % 37, false, &fail_pieces) == good);
  if (good) {
    bool verbose = n % 2 == 0;
    fuzz_text_t a = {0}, b = {0};
    print(&a, &whole, verbose);
    print(&b, &pieces, verbose);
    fuzz_check_equal(&a, &b);
    fuzz_text_free(&b);
    fuzz_text_free(&a);
    subtract(data, n);
  } else {
    fuzz_check_same_fail(data, n, &fail_whole, &fail_pieces);
  }
  dmd_amounts_destroy(&pieces);
  dmd_amounts_destroy(&whole);
  return 0;
}
