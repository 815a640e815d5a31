/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fuzz_graph_export: the file of a heap graph from a stranger, exported as snapshots for browsers,
 * whole and cut to a few nodes. One is JSON, the other protocol buffers. In both, every reference
 * has a target, and the nodes add up to the heap.
 */
#include "fuzz.h"

#include "dmdv/input/profilefile.h"
#include "host/process.h"
#include "model/graph/nesting.h"
#include "show/export/heapsnapshot.h"

#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

/* Numbers of a row, as the format's readers find them. */
enum { NODE_NAME = 1, NODE_SIZE = 3, NODE_EDGES = 4, NODE_FIELDS = 7 };
enum { EDGE_TYPE = 0, EDGE_NAME = 1, EDGE_TO = 2, EDGE_FIELDS = 3, EDGE_PROPERTY = 2 };
enum { MAX_FRAMES = 90 };

/* What a snapshot must add up to. */
typedef struct {
  uint32_t n_nodes;
  uint64_t szB;
  bool is_cut_off; /* some sizes were written as the format's maximum */
} whole_t;

/* ---- Chrome's. ---- */

static uint64_t count_of(const cJSON *object, const char *key) {
  const cJSON *number = cJSON_GetObjectItemCaseSensitive(object, key);
  FUZZ_CHECK(cJSON_IsNumber(number) && number->valuedouble >= 0);
  return (uint64_t)number->valuedouble;
}

/* The next row of an array of numbers; *at is its first one, and becomes the next row's. */
static bool next_row(const cJSON **at, uint64_t *row, int n) {
  if (*at == NULL)
    return false;
  for (int i = 0; i < n; i++, *at = (*at)->next) {
    FUZZ_CHECK(cJSON_IsNumber(*at) && (*at)->valuedouble >= 0);
    row[i] = (uint64_t)(*at)->valuedouble;
  }
  return true;
}

static const cJSON *list(const cJSON *json, const char *key) {
  const cJSON *array = cJSON_GetObjectItemCaseSensitive(json, key);
  FUZZ_CHECK(cJSON_IsArray(array));
  return array->child;
}

/* Of both roots of the format, the first is its own. */
static void check_chrome(const cJSON *json, const whole_t *whole) {
  const cJSON *about = cJSON_GetObjectItemCaseSensitive(json, "snapshot");
  uint64_t n_strings = 0, n_nodes = 0, n_edges = 0, szB = 0, owned = 0, row[NODE_FIELDS];
  for (const cJSON *string = list(json, "strings"); string != NULL; string = string->next) {
    FUZZ_CHECK(cJSON_IsString(string));
    n_strings++;
  }
  for (const cJSON *at = list(json, "nodes"); next_row(&at, row, NODE_FIELDS); n_nodes++) {
    FUZZ_CHECK(row[NODE_NAME] < n_strings && row[NODE_SIZE] <= UINT32_MAX);
    szB += row[NODE_SIZE];
    owned += row[NODE_EDGES];
  }
  for (const cJSON *at = list(json, "edges"); next_row(&at, row, EDGE_FIELDS); n_edges++) {
    FUZZ_CHECK(row[EDGE_TO] % NODE_FIELDS == 0 && row[EDGE_TO] / NODE_FIELDS < n_nodes);
    FUZZ_CHECK(row[EDGE_TYPE] != EDGE_PROPERTY || row[EDGE_NAME] < n_strings);
  }
  FUZZ_CHECK(n_nodes == whole->n_nodes + 1 && n_nodes == count_of(about, "node_count"));
  FUZZ_CHECK(n_edges == owned && n_edges == count_of(about, "edge_count"));
  FUZZ_CHECK(whole->is_cut_off ? szB < whole->szB : szB == whole->szB);
}

/* ---- Firefox's. ---- */

typedef struct {
  const uint8_t *at, *end;
} bytes_t;

/* A field of a message; bytes.at is NULL where it is a number. */
typedef struct {
  uint64_t field, number;
  bytes_t bytes;
} field_t;

/* State of a reader: what it keeps of earlier messages. */
typedef struct {
  uint64_t *ids; /* of all nodes, ascending */
  uint32_t n_ids;
  uint64_t n_strings, szB;
  uint8_t *has_frame; /* by id */
  uint64_t n_frames;  /* elements of it */
} firefox_t;

static uint64_t take_number(bytes_t *from) {
  uint64_t v = 0;
  for (unsigned shift = 0;; shift += 7) {
    FUZZ_CHECK(from->at < from->end && shift < 70);
    v |= (uint64_t)(*from->at & 127) << shift;
    if (*from->at++ < 128)
      return v;
  }
}

static bytes_t take_bytes(bytes_t *from) {
  uint64_t n = take_number(from);
  FUZZ_CHECK(n <= (uint64_t)(from->end - from->at));
  bytes_t taken = {from->at, from->at + n};
  from->at += n;
  return taken;
}

static bool next_field(bytes_t *from, field_t *field) {
  *field = (field_t){0};
  if (from->at == from->end)
    return false;
  uint64_t key = take_number(from);
  field->field = key >> 3;
  FUZZ_CHECK((key & 7) == 0 || (key & 7) == 2);
  if ((key & 7) == 0)
    field->number = take_number(from);
  else
    field->bytes = take_bytes(from);
  return true;
}

/* Finds the only field with this number; returns false if it is missing. */
static bool find(bytes_t message, uint64_t number, field_t *found) {
  int n = 0;
  for (field_t field; next_field(&message, &field);)
    if (field.field == number) {
      *found = field;
      n++;
    }
  FUZZ_CHECK(n <= 1);
  return n == 1;
}

/* A string, or in the next field the number of an earlier string. */
static bool take_string(firefox_t *f, bytes_t message, uint64_t number) {
  field_t field;
  if (find(message, number + 1, &field)) {
    FUZZ_CHECK(field.bytes.at == NULL && field.number < f->n_strings);
    FUZZ_CHECK(!find(message, number, &field));
    return true;
  }
  if (!find(message, number, &field))
    return false;
  FUZZ_CHECK(field.bytes.at != NULL && (field.bytes.end - field.bytes.at) % 2 == 0);
  f->n_strings++;
  return true;
}

static void add_frame(firefox_t *f, uint64_t id) {
  FUZZ_CHECK(id < 1 << 24);
  if (id >= f->n_frames) {
    f->has_frame = realloc(f->has_frame, 2 * id + 1);
    FUZZ_CHECK(f->has_frame != NULL);
    memset(f->has_frame + f->n_frames, 0, 2 * id + 1 - f->n_frames);
    f->n_frames = 2 * id + 1;
  }
  FUZZ_CHECK(!f->has_frame[id]);
  f->has_frame[id] = 1;
}

/* From the innermost frame outwards, to the first known one. */
static void take_stack(firefox_t *f, bytes_t frame) {
  for (int depth = 0;; depth++) {
    field_t data, id, field;
    FUZZ_CHECK(depth <= MAX_FRAMES);
    if (!find(frame, 1, &data)) {
      FUZZ_CHECK(find(frame, 2, &id) && id.number < f->n_frames && f->has_frame[id.number]);
      return;
    }
    FUZZ_CHECK(find(data.bytes, 1, &id) && find(data.bytes, 3, &field) &&
               find(data.bytes, 4, &field));
    FUZZ_CHECK(take_string(f, data.bytes, 5) && take_string(f, data.bytes, 7));
    FUZZ_CHECK(find(data.bytes, 9, &field) && find(data.bytes, 10, &field));
    add_frame(f, id.number);
    if (!find(data.bytes, 2, &field))
      return;
    frame = field.bytes;
  }
}

static int compare_ids(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static void take_node(firefox_t *f, bytes_t message) {
  field_t field;
  FUZZ_CHECK(take_string(f, message, 2) && find(message, 4, &field));
  f->szB += field.number;
  for (bytes_t rest = message; next_field(&rest, &field);) {
    field_t referent;
    if (field.field != 5)
      continue;
    FUZZ_CHECK(find(field.bytes, 1, &referent));
    FUZZ_CHECK(bsearch(&referent.number, f->ids, f->n_ids, sizeof *f->ids, compare_ids) != NULL);
    take_string(f, field.bytes, 2);
  }
  if (find(message, 6, &field))
    take_stack(f, field.bytes);
}

static void take_id(firefox_t *f, bytes_t message, const whole_t *whole) {
  field_t id;
  FUZZ_CHECK(f->n_ids < whole->n_nodes && find(message, 1, &id));
  FUZZ_CHECK(id.number > 0 && id.number < UINT64_C(1) << 53);
  FUZZ_CHECK(f->n_ids == 0 || id.number > f->ids[f->n_ids - 1]);
  f->ids[f->n_ids++] = id.number;
}

static void check_firefox(bytes_t file, const whole_t *whole) {
  firefox_t f = {.ids = calloc(whole->n_nodes, sizeof(uint64_t))};
  FUZZ_CHECK(f.ids != NULL);
  take_bytes(&file);
  for (bytes_t rest = file; rest.at < rest.end;)
    take_id(&f, take_bytes(&rest), whole);
  while (file.at < file.end)
    take_node(&f, take_bytes(&file));
  FUZZ_CHECK(f.n_ids == whole->n_nodes && f.szB == whole->szB);
  free(f.ids);
  free(f.has_frame);
}

/* ---- Both. ---- */

static whole_t whole_of(const dmd_heapgraph_t *graph, const dmd_heapsnapshot_t *snapshot) {
  whole_t whole = {.n_nodes = snapshot->shown.n_nodes};
  dmd_nesting_sizes_t sizes;
  dmd_nesting_init(&sizes, graph);
  for (uint32_t node = dmd_heapgraph_first_block(graph); node < graph->graph.n_nodes; node++)
    whole.szB += dmd_nesting_own(&sizes, node).szB;
  dmd_nesting_destroy(&sizes);
  return whole;
}

static void write_as(fuzz_text_t *text, dmd_heapsnapshot_t *snapshot,
                     dmd_export_heapsnapshot_fn export) {
  dmd_out_t out;
  dmd_out_init(&out, fuzz_keep, text);
  export(snapshot, &out);
  FUZZ_CHECK(dmd_out_flush(&out));
}

static void export_both(const dmd_heapgraph_t *graph, dmd_typing_t *typing, uint64_t max_nodes) {
  dmd_heapsnapshot_t snapshot;
  dmd_heapsnapshot_init(&snapshot, graph, typing, max_nodes);
  whole_t whole = whole_of(graph, &snapshot);
  fuzz_text_t chrome = {0}, firefox = {0};
  write_as(&firefox, &snapshot, dmd_export_fxsnapshot);
  const uint8_t *bytes = (const uint8_t *)firefox.bytes;
  check_firefox((bytes_t){bytes, bytes + firefox.n}, &whole);
  write_as(&chrome, &snapshot, dmd_export_heapsnapshot);
  cJSON *json = cJSON_ParseWithLength(chrome.bytes, chrome.n);
  FUZZ_CHECK(json != NULL);
  whole.is_cut_off = snapshot.n_too_large > 0;
  check_chrome(json, &whole);
  cJSON_Delete(json);
  fuzz_text_free(&chrome);
  fuzz_text_free(&firefox);
  dmd_heapsnapshot_destroy(&snapshot);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  dmd_heapgraph_t graph;
  dmd_fail_t fail = {0};
  const dmd_load_graph_options_t options = {.cutter = NULL};
  dmdv_input_t *input = dmdv_input_open_memory(data, n, SIZE_MAX, &fail);
  FUZZ_CHECK(input != NULL);
  bool good = dmdv_load_graph_input(&graph, input, &options, &fail);
  dmdv_input_close(input);
  if (!good)
    return 0;
  dmd_types_t types;
  dmd_typing_t typing;
  dmd_types_init(&types, &dmdv_env, graph.profile.run.word_szB);
  dmd_typing_init(&typing, &graph, &types);
  export_both(&graph, &typing, DMD_HEAPSNAPSHOT_MAX_NODES);
  export_both(&graph, &typing, 1 + n % 7);
  dmd_typing_destroy(&typing);
  dmd_types_destroy(&types);
  dmd_heapgraph_destroy(&graph);
  return 0;
}
