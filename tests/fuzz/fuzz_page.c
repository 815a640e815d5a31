/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fuzz_page: queries of a page, one a line, up to a NUL. The bytes behind it are random numbers,
 * from which two profiles and a heap graph are made. Every query gets JSON as its answer, and the
 * same answer again when the data behind it was cached.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "host/process.h"
#include "profiles/random.h"
#include "profiles/randomgraph.h"
#include "show/page/asks.h"
#include "show/page/pagegraph.h"

enum { MAX_QUESTIONS = 16 };

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

/* A pattern is valid unless it is empty, and matches texts that begin with it. */
static bool is_good(void *ctx, const char *pattern) {
  (void)ctx;
  return pattern[0] != '\0';
}

static bool matches(void *ctx, const char *pattern, const char *text) {
  (void)ctx;
  return strncmp(text, pattern, strlen(pattern)) == 0;
}

static const dmd_session_patterns_t patterns = {is_good, matches, NULL};

static void ask(dmd_session_t *page, const char *query, fuzz_text_t *answer) {
  dmd_out_t out;
  dmd_out_init(&out, fuzz_keep, answer);
  dmd_session_ask(page, query, &out);
  FUZZ_CHECK(dmd_out_flush(&out));
  cJSON *json = cJSON_ParseWithLength(answer->bytes, answer->n);
  FUZZ_CHECK(json != NULL);
  cJSON_Delete(json);
}

/* Asks all queries, one after another. */
static void ask_all(dmd_session_t *page, const char *text, fuzz_text_t answers[MAX_QUESTIONS]) {
  char *lines = fuzz_string((const uint8_t *)text, strlen(text)), *line = lines;
  for (int i = 0; i < MAX_QUESTIONS && line != NULL; i++) {
    char *end = strchr(line, '\n');
    if (end != NULL)
      *end = '\0';
    ask(page, line, &answers[i]);
    line = end != NULL ? end + 1 : NULL;
  }
  free(lines);
}

static void compare(dmd_session_t *page, const char *text) {
  fuzz_text_t first[MAX_QUESTIONS] = {{0}}, second[MAX_QUESTIONS] = {{0}};
  ask_all(page, text, first);
  ask_all(page, text, second);
  for (int i = 0; i < MAX_QUESTIONS; i++) {
    fuzz_check_equal(&first[i], &second[i]);
    fuzz_text_free(&first[i]);
    fuzz_text_free(&second[i]);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  char *text = fuzz_string(data, n);
  size_t n_text = strlen(text);
  bytes_t bytes = {data + n_text, n - n_text};
  random_dice_t dice = {take, &bytes};
  dmd_session_t page;
  dmd_heapgraph_t graph;
  dmd_types_t types;
  dmd_typing_t typing;
  dmd_session_init(&page, &dmdv_env);
  dmd_session_set_patterns(&page, &patterns);
  for (int i = 0; i < 2; i++) {
    dmd_session_file_t *file = dmd_session_begin_file(&page, "file");
    random_profile(&file->profile, &dice);
    dmd_session_end_file(&page, file, true);
  }
  random_graph(&graph, &dmdv_env, &dice);
  dmd_types_init(&types, &dmdv_env, sizeof(uint64_t));
  dmd_typing_init(&typing, &graph, &types);
  dmd_session_add_graph(&page, "graph", 0, &graph, &typing);
  compare(&page, text);
  dmd_session_destroy(&page);
  dmd_typing_destroy(&typing);
  dmd_types_destroy(&types);
  dmd_heapgraph_destroy(&graph);
  free(text);
  return 0;
}
