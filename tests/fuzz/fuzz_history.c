/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fuzz_history: an exported history from a stranger, plain or gzipped. Read whole and in small
 * pieces it has the same items, each within its bounds, or the same fault at the same place.
 */
#include "fuzz.h"

#include "analyse/records/record.h"
#include "dmdv/input/profilefile.h"

#include <string.h>

/* Everything that came, as text; and how many of each. */
typedef struct {
  dmd_out_t out;
  uint32_t environments, builds, stacks, runs, records, series;
  uint64_t next_run; /* of the series that came last */
} taken_t;

static void put_number(taken_t *t, int64_t number) {
  dmd_out_u64(&t->out, (uint64_t)number);
  dmd_out_str(&t->out, " ");
}

static void put_text(taken_t *t, const char *text, size_t most) {
  FUZZ_CHECK(strlen(text) <= most);
  dmd_out_str(&t->out, text);
  dmd_out_str(&t->out, "\n");
}

static const char *take_environment(void *ctx, const char *lines) {
  taken_t *t = ctx;
  t->environments++;
  put_text(t, lines, DMD_HISTORY_MAX_ENVIRONMENT);
  return NULL;
}

static const char *take_build(void *ctx, const dmd_history_item_build_t *build) {
  taken_t *t = ctx;
  t->builds++;
  put_number(t, build->time);
  put_text(t, build->name, DMD_HISTORY_MAX_NAME);
  put_text(t, build->branch, DMD_HISTORY_MAX_NAME);
  return NULL;
}

static const char *take_stack(void *ctx, const char *frames) {
  taken_t *t = ctx;
  size_t n_lines = 0;
  for (const char *c = frames; *c != '\0'; c++)
    n_lines += *c == '\n';
  FUZZ_CHECK(n_lines <= DMD_HISTORY_MAX_FRAMES);
  t->stacks++;
  put_text(t, frames, SIZE_MAX);
  return NULL;
}

static const char *take_run(void *ctx, const dmd_history_item_run_t *run) {
  taken_t *t = ctx;
  FUZZ_CHECK(run->build < t->builds && run->environment < t->environments);
  t->runs++;
  for (size_t i = 0; i < sizeof run->digest; i++)
    put_number(t, run->digest[i]);
  put_text(t, run->moment, DMD_HISTORY_MAX_NAME);
  put_text(t, run->process, DMD_HISTORY_MAX_NAME);
  put_text(t, run->launch, DMD_HISTORY_MAX_NAME);
  return NULL;
}

static const char *take_records(void *ctx, uint32_t run, const dmd_stack_record_t *records,
                                size_t n) {
  taken_t *t = ctx;
  FUZZ_CHECK(run == t->records && run < t->runs);
  t->records++;
  for (size_t i = 0; i < n; i++) {
    FUZZ_CHECK(records[i].stack >= 0 && records[i].stack < t->stacks &&
               records[i].section < DMD_N_SECTIONS);
    put_number(t, records[i].bytes);
    put_number(t, records[i].blocks);
  }
  return NULL;
}

static const char *take_series(void *ctx, const char *kind, const char *name) {
  taken_t *t = ctx;
  t->series++;
  t->next_run = 0;
  put_text(t, kind, DMD_HISTORY_MAX_NAME);
  put_text(t, name, DMD_HISTORY_MAX_NAME);
  return NULL;
}

static const char *take_value(void *ctx, uint32_t run, int64_t value) {
  taken_t *t = ctx;
  FUZZ_CHECK(run < t->runs && run >= t->next_run && t->series > 0);
  t->next_run = (uint64_t)run + 1;
  put_number(t, value);
  return value == 4711 ? "is refused by whoever takes it" : NULL;
}

static const char *take_alarm(void *ctx, const dmd_history_item_alarm_t *alarm) {
  taken_t *t = ctx;
  FUZZ_CHECK(alarm->series < t->series && alarm->build < t->builds &&
             alarm->environment < t->environments);
  put_text(t, alarm->process, DMD_HISTORY_MAX_NAME);
  put_text(t, alarm->moment, DMD_HISTORY_MAX_NAME);
  put_text(t, alarm->state, DMD_HISTORY_MAX_NAME);
  put_text(t, alarm->reason, SIZE_MAX);
  return NULL;
}

static const dmd_history_taker_t taker = {take_environment, take_build,  take_stack, take_run,
                                          take_records,     take_series, take_value, take_alarm};

static bool load(fuzz_text_t *text, const uint8_t *data, size_t n, size_t piece, dmd_fail_t *fail) {
  taken_t taken = {.environments = 0};
  dmd_out_init(&taken.out, fuzz_keep, text);
  dmdv_input_t *input = dmdv_input_open_memory(data, n, piece, fail);
  FUZZ_CHECK(input != NULL);
  bool good = dmdv_load_history_input(&taker, &taken, input, fail);
  dmdv_input_close(input);
  FUZZ_CHECK(!good || taken.records == taken.runs);
  FUZZ_CHECK(dmd_out_flush(&taken.out));
  return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  fuzz_text_t whole = {0}, pieces = {0};
  dmd_fail_t fail_whole = {0}, fail_pieces = {0};
  bool good = load(&whole, data, n, SIZE_MAX, &fail_whole);
  FUZZ_CHECK(load(&pieces, data, n, 2 + n % 37, &fail_pieces) == good);
  if (good)
    fuzz_check_equal(&whole, &pieces);
  else
    fuzz_check_same_fail(data, n, &fail_whole, &fail_pieces);
  fuzz_text_free(&pieces);
  fuzz_text_free(&whole);
  return 0;
}
