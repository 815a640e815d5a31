/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "dmdv/input/profilefile.h"

#include "files/graph/graphwriter.h"
#include "host/process.h"
#include "host/progress.h"

#include <stdlib.h>
#include <string.h>

/* An input as a source, with its progress. */
typedef struct {
  dmd_source_t source;
  dmdv_input_t *input;
  dmdv_progress_t progress;
  uint64_t bytes;   /* returned so far */
  const char *verb; /* the participle for progress; NULL: "read" */
} reading_t;

static bool next(void *ctx, const char **bytes, size_t *n, dmd_fail_t *fail) {
  reading_t *reading = ctx;
  bool good = dmdv_input_next(reading->input, bytes, n, fail);
  dmdv_progress_update(&reading->progress, &(dmdv_read_t){.bytes = reading->bytes,
                                                          .at = dmdv_input_at(reading->input),
                                                          .total = dmdv_input_total(reading->input),
                                                          .verb = reading->verb});
  reading->bytes += good ? *n : 0;
  return good;
}

/* A heap graph is read twice: first to count, then to load. */
static bool rewind_input(void *ctx, dmd_fail_t *fail) {
  reading_t *reading = ctx;
  reading->bytes = 0;
  reading->verb = NULL;
  return dmdv_input_rewind(reading->input, fail);
}

static double number(const char *text) {
  return strtod(text, NULL);
}

static const dmd_source_t *begin(reading_t *reading, dmdv_input_t *input) {
  *reading = (reading_t){
      .source = {.next = next, .rewind = rewind_input, .ctx = reading, .number = number},
      .input = input};
  dmdv_progress_start(&reading->progress);
  return &reading->source;
}

static void end(reading_t *reading) {
  dmdv_progress_end(&reading->progress);
}

bool dmdv_load_input(dmd_profile_t *profile, dmdv_input_t *input, const dmd_load_options_t *options,
                     dmd_fail_t *fail) {
  reading_t reading;
  bool good = dmd_load_profile(profile, begin(&reading, input), options, fail);
  end(&reading);
  return good;
}

bool dmdv_load_reports_input(dmd_amounts_t *amounts, dmdv_input_t *input, dmd_fail_t *fail) {
  reading_t reading;
  bool good = dmd_load_reports(amounts, begin(&reading, input), fail);
  end(&reading);
  return good;
}

/* Rejects heap graphs and histories, and closes their input. */
static dmdv_input_t *check_document(dmdv_input_t *input, dmd_fail_t *fail) {
  const char *bytes;
  size_t n;
  bool good = input != NULL && dmdv_input_peek(input, &bytes, &n, fail);
  if (good && dmd_graphwriter_is(bytes, n))
    good = dmd_fail(fail, "is a heap graph: give the profile that was written with it, or use dmdv "
                          "census or another command for heap graphs (dmdv help all)");
  if (good && dmd_source_is_history(bytes, n))
    good = dmd_fail(fail, DMD_SOURCE_IS_HISTORY);
  if (input != NULL && !good)
    dmdv_input_close(input);
  return good ? input : NULL;
}

static dmdv_input_t *open_document(const char *name, dmd_fail_t *fail) {
  return check_document(dmdv_input_open(name, fail), fail);
}

static bool load_and_close(dmd_profile_t *profile, dmdv_input_t *input,
                           const dmd_load_options_t *options, dmd_fail_t *fail) {
  if (input == NULL)
    return false;
  bool good = dmdv_load_input(profile, input, options, fail);
  dmdv_input_close(input);
  return good;
}

bool dmdv_load(dmd_profile_t *profile, const char *name, const dmd_load_options_t *options,
               dmd_fail_t *fail) {
  return load_and_close(profile, open_document(name, fail), options, fail);
}

bool dmdv_load_fd(dmd_profile_t *profile, int fd, const dmd_load_options_t *options,
                  dmd_fail_t *fail) {
  return load_and_close(profile, check_document(dmdv_input_open_fd(fd, fail), fail), options, fail);
}

bool dmdv_load_silently(dmd_profile_t *profile, const char *name, const dmd_load_options_t *options,
                        dmd_fail_t *fail) {
  dmdv_input_t *input = open_document(name, fail);
  if (input == NULL)
    return false;
  reading_t reading = {.input = input};
  const dmd_source_t source = {
      .next = next, .rewind = rewind_input, .ctx = &reading, .number = number};
  bool good = dmd_load_profile(profile, &source, options, fail);
  dmdv_input_close(input);
  return good;
}

bool dmdv_load_either(dmd_profile_t *profile, dmd_amounts_t *amounts, const char *name,
                      const dmd_load_options_t *options, bool *is_profile, dmd_fail_t *fail) {
  dmdv_input_t *input = open_document(name, fail);
  if (input == NULL)
    return false;
  reading_t reading;
  bool good = dmd_load_either(profile, amounts, begin(&reading, input), options, is_profile, fail);
  end(&reading);
  dmdv_input_close(input);
  return good;
}

bool dmdv_load_reports(dmd_amounts_t *amounts, const char *name, dmd_fail_t *fail) {
  dmd_profile_t profile;
  bool is_profile;
  dmd_profile_init(&profile, &dmdv_env);
  bool good =
      dmdv_load_either(&profile, amounts, name, &(dmd_load_options_t){0}, &is_profile, fail);
  if (good && is_profile)
    good = dmd_fail(fail, "is a profile, not a file of memory reports, which about:memory and "
                          "dmdv memory --output write");
  dmd_profile_destroy(&profile);
  if (good)
    dmd_amounts_complete(amounts);
  return good;
}

bool dmdv_has_reports(const char *name) {
  static const char KEY[] = "\"hasMozMallocUsableSize\"";
  dmd_fail_t fail = {0};
  const char *bytes;
  size_t n;
  dmdv_input_t *input = dmdv_input_open(name, &fail);
  if (input == NULL)
    return false;
  bool is_there =
      dmdv_input_peek(input, &bytes, &n, &fail) && memmem(bytes, n, KEY, sizeof KEY - 1) != NULL;
  dmdv_input_close(input);
  return is_there;
}

bool dmdv_load_history_input(const dmd_history_taker_t *taker, void *ctx, dmdv_input_t *input,
                             dmd_fail_t *fail) {
  reading_t reading;
  bool good = dmd_load_history(taker, ctx, &dmdv_env, begin(&reading, input), fail);
  end(&reading);
  return good;
}

bool dmdv_load_history(const dmd_history_taker_t *taker, void *ctx, const char *name,
                       dmd_fail_t *fail) {
  dmdv_input_t *input = open_document(name, fail);
  if (input == NULL)
    return false;
  bool good = dmdv_load_history_input(taker, ctx, input, fail);
  dmdv_input_close(input);
  return good;
}

/* ---- Heap graphs. ---- */

bool dmdv_load_graph_input(dmd_heapgraph_t *graph, dmdv_input_t *input,
                           const dmd_load_graph_options_t *options, dmd_fail_t *fail) {
  reading_t reading;
  begin(&reading, input);
  reading.verb = "counted";
  reading.source.memory_szB = dmdv_memory_available();
  bool good = dmd_load_graph(graph, &dmdv_env, &reading.source, options, fail);
  end(&reading);
  return good;
}

bool dmdv_load_graph(dmd_heapgraph_t *graph, const char *name,
                     const dmd_load_graph_options_t *options, dmd_fail_t *fail) {
  dmdv_input_t *input = dmdv_input_open(name, fail);
  if (input == NULL)
    return false;
  bool good =
      dmdv_input_for_graph(input, fail) && dmdv_load_graph_input(graph, input, options, fail);
  dmdv_input_close(input);
  return good;
}
