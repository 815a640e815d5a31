/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz.h"

#include "dmdv/input/profilefile.h"
#include "files/profile/profilewriter.h"
#include "host/process.h"

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

bool fuzz_keep(void *ctx, const char *bytes, size_t n) {
  fuzz_text_t *text = ctx;
  if (n == 0)
    return true;
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

static bool is_safe(uint32_t code) {
  static const uint32_t unsafe[][2] = {{0, 0x09},        {0x0b, 0x1f},     {0x7f, 0x9f},
                                       {0x61c, 0x61c},   {0x200e, 0x200f}, {0x2028, 0x202e},
                                       {0x2066, 0x2069}, {0xd800, 0xdfff}, {0x110000, UINT32_MAX}};
  for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe; i++)
    if (code >= unsafe[i][0] && code <= unsafe[i][1])
      return false;
  return true;
}

void fuzz_check_safe(const fuzz_text_t *printed) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  for (size_t i = 0; i < printed->n;) {
    unsigned char c = (unsigned char)printed->bytes[i];
    size_t n = c < 0x80 ? 1 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
    FUZZ_CHECK(n <= printed->n - i && (c < 0x80 || c >= 0xc0));
    uint32_t code = n == 1 ? c : c & (0xffu >> (n + 1));
    for (size_t k = 1; k < n; k++) {
      FUZZ_CHECK((printed->bytes[i + k] & 0xc0) == 0x80);
      code = code << 6 | (printed->bytes[i + k] & 0x3f);
    }
    FUZZ_CHECK(code >= least[n] && is_safe(code));
    i += n;
  }
}

void fuzz_take_safe(fuzz_text_t *printed) {
  fuzz_check_safe(printed);
  fuzz_text_free(printed);
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
  dmd_profilewriter_write(&out, profile);
  FUZZ_CHECK(dmd_out_flush(&out));
}

bool fuzz_load(dmd_profile_t *profile, const void *bytes, size_t n, size_t piece,
               dmd_fail_t *fail) {
  dmd_load_options_t options = {.contents = true, .moment = DMD_MOMENT_ALL};
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
