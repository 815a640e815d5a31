/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz.h"

#include "profile/json.h"
#include "reader/host/host.h"
#include "reader/input/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void fuzz_failed(const char *what, const char *file, int line) {
  fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
  abort();
}

char *fuzz_string(const uint8_t *data, size_t n) {
  char *s = malloc(n + 1);
  FUZZ_CHECK(s != NULL);
  if (n > 0)
    memcpy(s, data, n);
  s[n] = '\0';
  return s;
}

bool fuzz_drop(void *ctx, const char *bytes, size_t n) {
  (void)ctx, (void)bytes, (void)n;
  return true;
}

bool fuzz_keep(void *ctx, const char *bytes, size_t n) {
  fuzz_text_t *text = ctx;
  if (text->n + n > text->room) {
    text->room = (text->n + n) * 2;
    text->bytes = realloc(text->bytes, text->room);
    FUZZ_CHECK(text->bytes != NULL);
  }
  memcpy(text->bytes + text->n, bytes, n);
  text->n += n;
  return true;
}

void fuzz_text_free(fuzz_text_t *text) {
  free(text->bytes);
  *text = (fuzz_text_t){0};
}

void fuzz_check_equal(const fuzz_text_t *a, const fuzz_text_t *b) {
  size_t i = 0, n = a->n < b->n ? a->n : b->n;
  while (i < n && a->bytes[i] == b->bytes[i])
    i++;
  if (i == a->n && i == b->n)
    return;
  size_t from = i < 60 ? 0 : i - 60;
  fprintf(stderr, "texts differ from byte %zu on:\n%.*s\n-- and --\n%.*s\n", i,
          (int)(a->n - from < 120 ? a->n - from : 120), a->bytes + from,
          (int)(b->n - from < 120 ? b->n - from : 120), b->bytes + from);
  abort();
}

void fuzz_write_json(fuzz_text_t *text, const dmd_profile_t *profile) {
  dmd_out_t out;
  dmd_out_init(&out, fuzz_keep, text);
  dmd_json_write(&out, profile);
  FUZZ_CHECK(dmd_out_flush(&out));
}

bool fuzz_load(dmd_profile_t *profile, const void *bytes, size_t n, size_t piece,
               dmd_fail_t *fail) {
  dmd_load_options_t options = {.contents = true};
  dmd_profile_init(profile, &dmdv_env);
  dmdv_input_t *input = dmdv_input_open_memory(bytes, n, piece, fail);
  FUZZ_CHECK(input != NULL);
  bool good = dmdv_load_input(profile, input, &options, fail);
  dmdv_input_close(input);
  return good;
}

void fuzz_check_same_fail(const uint8_t *data, size_t n, const dmd_fail_t *a, const dmd_fail_t *b) {
  FUZZ_CHECK(a->reason[0] != '\0' && b->reason[0] != '\0');
  if (n >= 2 && data[0] == 0x1f && data[1] == 0x8b)
    return;
  if (strcmp(a->reason, b->reason) == 0 && a->line == b->line && a->byte == b->byte)
    return;
  fprintf(stderr, "%llu (%llu): %s\n-- and --\n%llu (%llu): %s\n", (unsigned long long)a->line,
          (unsigned long long)a->byte, a->reason, (unsigned long long)b->line,
          (unsigned long long)b->byte, b->reason);
  abort();
}
