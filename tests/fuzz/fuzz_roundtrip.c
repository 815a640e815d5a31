/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fuzz_roundtrip: the bytes are random numbers, from which a profile is made. Written and read, it
 * prints the same records; written again, it is the same document.
 */
#include "fuzz.h"

#include "host/process.h"
#include "profiles/random.h"
#include "show/text/text.h"

typedef struct {
  const uint8_t *data;
  size_t n;
} bytes_t;

/* Takes as many bytes as n has; 0 at the end of the input. */
static uint64_t take(void *ctx, uint64_t n) {
  bytes_t *bytes = ctx;
  uint64_t value = 0;
  for (uint64_t most = n - 1; most > 0 && bytes->n > 0; most >>= 8, bytes->n--)
    value = value << 8 | *bytes->data++;
  return value % n;
}

static void print(fuzz_text_t *text, dmd_profile_t *profile) {
  dmd_records_t records;
  dmd_text_options_t options = {.title = "fuzz"};
  dmd_out_t out;
  dmd_out_init(&out, fuzz_keep, text);
  dmd_records_init(&records, profile, 4, DMD_SORT_USABLE);
  dmd_text_print(&out, &records, &options);
  FUZZ_CHECK(dmd_out_flush(&out));
  fuzz_check_safe(text);
  dmd_records_destroy(&records);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  bytes_t bytes = {data, n};
  random_dice_t dice = {take, &bytes};
  dmd_profile_t profile, again, once_more;
  fuzz_text_t first = {0}, second = {0}, third = {0}, text_first = {0}, text_second = {0};
  dmd_fail_t fail;
  dmd_profile_init(&profile, &dmdv_env);
  random_profile(&profile, &dice);
  random_peak(&profile, &dice);
  random_timeline(&profile, &dice);
  fuzz_write_json(&first, &profile);
  FUZZ_CHECK(fuzz_load(&again, first.bytes, first.n, 2 + n % 61, &fail));
  fuzz_write_json(&second, &again);
  FUZZ_CHECK(fuzz_load(&once_more, second.bytes, second.n, SIZE_MAX, &fail));
  fuzz_write_json(&third, &once_more);
  fuzz_check_equal(&second, &third);
  print(&text_first, &profile);
  print(&text_second, &again);
  fuzz_check_equal(&text_first, &text_second);
  fuzz_text_free(&text_second);
  fuzz_text_free(&text_first);
  fuzz_text_free(&third);
  fuzz_text_free(&second);
  fuzz_text_free(&first);
  dmd_profile_destroy(&once_more);
  dmd_profile_destroy(&again);
  dmd_profile_destroy(&profile);
  return 0;
}
