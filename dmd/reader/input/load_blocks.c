/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * "blockList".
 *
 * An element is read in one of two ways: where it has the common shape, from the text; else out of
 * a tree that cJSON makes of it. Both fill in a block_t, without any effect on the profile, and
 * what they found is kept in the same way, so that they cannot differ in more than that.
 */
#include "base/limits.h"
#include "base/mem.h"
#include "reader/input/loader.h"

#include <string.h>

/* An owner of a shared block. */
typedef struct {
  dmdv_span_t trace, reporter;
} sharer_t;

/* What the members of an element say. */
typedef struct {
  dmd_group_t group; /* without stack, reports and tag */
  dmdv_span_t alloc, tag;
  uint64_t n_reports; /* 0: not given */
  int n_reps;
  dmdv_span_t reps[DMD_REPORTS_KEPT];
  dmdv_span_t reporters[DMD_REPORTS_KEPT];
  uint32_t n_sharers;   /* of the reader's list */
  const cJSON *sharers; /* in a tree */
  uint64_t addr;        /* in scan mode; 0: not given */
  uint32_t n_words;     /* of its contents: of the reader's list, */
  const cJSON *words;   /* and in a tree */
} block_t;

static const block_t no_block = {.group = {.req = UINT64_MAX, .num = 1, .thread = 1}};

/* What is kept from block to block. */
typedef struct {
  dmdv_loader_t *l;
  dmd_group_t ready[64]; /* groups, to be added together */
  int n_ready;
  sharer_t *sharers; /* of the block being read */
  uint32_t max_sharers;
  uint64_t *words; /* of its contents */
  uint32_t max_words;
} reader_t;

/* The members that are known. */
typedef enum {
  REQ,
  SLOP,
  NUM,
  ALLOC,
  REPS,
  REPORTERS,
  SHARERS,
  REPORTS,
  TAG,
  THREAD,
  SAMPLED,
  ADDR,
  CONTENTS,
  UNKNOWN
} member_t;

static bool is(dmdv_span_t key, const char *name, size_t n) {
  return key.n == n && memcmp(key.at, name, n) == 0;
}

#define IS(key, name) is(key, name, sizeof name - 1)

static member_t member_of(dmdv_span_t key) {
  switch (key.n > 0 ? key.at[0] : '\0') {
  case 'r':
    return IS(key, "req")         ? REQ
           : IS(key, "reps")      ? REPS
           : IS(key, "reporters") ? REPORTERS
           : IS(key, "reports")   ? REPORTS
                                  : UNKNOWN;
  case 's':
    return IS(key, "slop")      ? SLOP
           : IS(key, "sharers") ? SHARERS
           : IS(key, "sampled") ? SAMPLED
                                : UNKNOWN;
  case 'a':
    return IS(key, "alloc") ? ALLOC : IS(key, "addr") ? ADDR : UNKNOWN;
  case 't':
    return IS(key, "tag") ? TAG : IS(key, "thread") ? THREAD : UNKNOWN;
  case 'n':
    return IS(key, "num") ? NUM : UNKNOWN;
  case 'c':
    return IS(key, "contents") ? CONTENTS : UNKNOWN;
  default:
    return UNKNOWN;
  }
}

/* ---- From the text. ---- */

/* An array of one or two strings; with or_null also of nulls, which then name nothing. Returns how
 * many in *n. */
static const char *scan_names(const char *p, const char *end, bool or_null,
                              dmdv_span_t names[DMD_REPORTS_KEPT], int *n) {
  bool more = true;
  p = dmdv_scan_space(dmdv_scan_char(p, end, '['), end);
  for (*n = 0; more && *n < DMD_REPORTS_KEPT; ++*n) {
    p = dmdv_scan_space(p, end);
    bool is_null = or_null && p != NULL && p < end && *p == 'n';
    p = is_null ? dmdv_scan_word(p, end, "null") : dmdv_scan_string(p, end, &names[*n]);
    p = dmdv_scan_more(p, end, ']', &more);
  }
  return more ? NULL : p;
}

/* "num" is how often the owner reported the block, which earlier versions of dmd wrote; it changes
 * nothing. */
static const char *scan_sharer(const char *p, const char *end, sharer_t *sharer) {
  *sharer = (sharer_t){.trace = {0}};
  uint64_t num = 1;
  bool more, has_num = false;
  p = dmdv_scan_char(p, end, '{');
  do {
    dmdv_span_t key;
    p = dmdv_scan_key(p, end, &key);
    if (p == NULL)
      return NULL;
    if (IS(key, "at") && sharer->trace.at == NULL) {
      p = dmdv_scan_string(p, end, &sharer->trace);
    } else if (IS(key, "reporter") && sharer->reporter.at == NULL) {
      p = dmdv_scan_string(p, end, &sharer->reporter);
    } else if (IS(key, "num") && !has_num) {
      p = dmdv_scan_number(p, end, &num);
      has_num = true;
    } else {
      return NULL;
    }
    p = dmdv_scan_more(p, end, '}', &more);
  } while (more);
  return sharer->trace.at != NULL && num > 0 ? p : NULL;
}

/* A list with room for twice as many as *max elements, in place of one that is full. */
static void *grow(const reader_t *r, void *list, uint32_t *max, size_t element_szB) {
  const dmd_env_t *env = r->l->profile->env;
  uint32_t n = *max == 0 ? 64 : 2 * *max;
  void *grown = dmd_env_alloc(env, "dmdv.load.list", n * element_szB);
  dmd_mem_copy(grown, list, *max * element_szB);
  dmd_env_free(env, list);
  *max = n;
  return grown;
}

static const char *scan_sharers(reader_t *r, const char *p, const char *end, uint32_t *n) {
  bool more = true;
  p = dmdv_scan_char(p, end, '[');
  for (*n = 0; more && p != NULL; ++*n) {
    if (*n == r->max_sharers)
      r->sharers = grow(r, r->sharers, &r->max_sharers, sizeof *r->sharers);
    p = scan_sharer(p, end, &r->sharers[*n]);
    p = dmdv_scan_more(p, end, ']', &more);
  }
  return p;
}

/* Strings of hexadecimal digits. An empty array is not of the common shape. */
static const char *scan_words(reader_t *r, const char *p, const char *end, uint32_t *n) {
  bool more = true;
  p = dmdv_scan_char(p, end, '[');
  for (*n = 0; more && p != NULL; ++*n) {
    dmdv_span_t word;
    if (*n == r->max_words)
      r->words = grow(r, r->words, &r->max_words, sizeof *r->words);
    p = dmdv_scan_string(p, end, &word);
    if (p != NULL && !dmdv_span_hex(word, &r->words[*n]))
      return NULL;
    p = dmdv_scan_more(p, end, ']', &more);
  }
  return p;
}

static const char *scan_addr(const char *p, const char *end, uint64_t *addr) {
  dmdv_span_t digits;
  p = dmdv_scan_string(p, end, &digits);
  return p != NULL && dmdv_span_hex(digits, addr) ? p : NULL;
}

static const char *scan_member(reader_t *r, block_t *b, member_t member, const char *p,
                               const char *end) {
  uint64_t v = 0;
  int n;
  switch (member) {
  case REQ:
    return dmdv_scan_number(p, end, &b->group.req);
  case SLOP:
    return dmdv_scan_number(p, end, &b->group.slop);
  case NUM:
    p = dmdv_scan_number(p, end, &b->group.num);
    return b->group.num > 0 ? p : NULL;
  case ALLOC:
    return dmdv_scan_string(p, end, &b->alloc);
  case REPS:
    return scan_names(p, end, false, b->reps, &b->n_reps);
  case REPORTERS:
    return scan_names(p, end, true, b->reporters, &n);
  case SHARERS:
    return scan_sharers(r, p, end, &b->n_sharers);
  case REPORTS:
    p = dmdv_scan_number(p, end, &b->n_reports);
    return b->n_reports > 0 ? p : NULL;
  case TAG:
    return dmdv_scan_string(p, end, &b->tag);
  case THREAD:
    p = dmdv_scan_number(p, end, &v);
    b->group.thread = dmd_thread_number(v);
    return p;
  case SAMPLED:
    b->group.sampled = true;
    return dmdv_scan_word(p, end, "true");
  case ADDR:
    return scan_addr(p, end, &b->addr);
  case CONTENTS:
    if (r->l->options->contents)
      return scan_words(r, p, end, &b->n_words);
    break;
  case UNKNOWN:
    break;
  }
  return dmdv_scan_any(p, end, DMD_MAX_JSON_DEPTH - r->l->cutter.depth - 1);
}

/* Where the block ends; NULL where it has not the common shape. A key that comes twice has not. */
static const char *scan_block(reader_t *r, block_t *b, const char *p, const char *end) {
  unsigned seen = 1u << UNKNOWN;
  bool more;
  p = dmdv_scan_char(p, end, '{');
  do {
    dmdv_span_t key;
    p = dmdv_scan_key(p, end, &key);
    if (p == NULL)
      return NULL;
    member_t member = member_of(key);
    if (member != UNKNOWN && seen & 1u << member)
      return NULL;
    seen |= 1u << member;
    p = dmdv_scan_more(scan_member(r, b, member, p, end), end, '}', &more);
  } while (more);
  return seen & 1u << REQ ? p : NULL;
}

/* ---- From a tree. ---- */

static void take_addr(dmdv_loader_t *l, const cJSON *item, block_t *b) {
  const char *digits = dmdv_load_string_in(l, item, item->string);
  if (digits != NULL && !dmdv_span_hex(dmdv_span_of(digits), &b->addr))
    dmdv_cutter_reject(&l->cutter, "\"addr\" is not a hexadecimal number of 64 bits");
}

/* reps, reporters: where members are put that belong together. */
static void take_member(dmdv_loader_t *l, const cJSON *item, block_t *b, const cJSON **reps,
                        const cJSON **reporters) {
  switch (member_of(dmdv_span_of(item->string))) {
  case REQ:
    b->group.req = dmdv_load_number_in(l, item, item->string, 0);
    break;
  case SLOP:
    b->group.slop = dmdv_load_number_in(l, item, item->string, 0);
    break;
  case NUM:
    b->group.num = dmdv_load_number_in(l, item, item->string, 1);
    break;
  case ALLOC:
    b->alloc = dmdv_span_of(dmdv_load_string_in(l, item, item->string));
    break;
  case REPS:
    *reps = item;
    break;
  case REPORTERS:
    *reporters = item;
    break;
  case SHARERS:
    b->sharers = item;
    break;
  case REPORTS:
    b->n_reports = dmdv_load_number_in(l, item, item->string, 1);
    break;
  case TAG:
    b->tag = dmdv_span_of(dmdv_load_string_in(l, item, item->string));
    break;
  case THREAD:
    b->group.thread = dmd_thread_number(dmdv_load_number_in(l, item, item->string, 0));
    break;
  case SAMPLED:
    b->group.sampled = cJSON_IsTrue(item);
    break;
  case ADDR:
    take_addr(l, item, b);
    break;
  case CONTENTS:
    b->words = l->options->contents ? item : NULL;
    break;
  case UNKNOWN:
    break;
  }
}

static bool take_reps(dmdv_loader_t *l, const cJSON *reps, const cJSON *reporters, block_t *b) {
  b->n_reps = cJSON_IsArray(reps) ? cJSON_GetArraySize(reps) : 0;
  if (b->n_reps < 1 || b->n_reps > DMD_REPORTS_KEPT)
    return dmdv_cutter_reject(&l->cutter, "\"reps\" is not an array of one or two trace ids");
  for (int i = 0; i < b->n_reps; i++) {
    const cJSON *rep = cJSON_GetArrayItem(reps, i);
    const cJSON *reporter = cJSON_GetArrayItem(reporters, i);
    if (!cJSON_IsString(rep))
      return dmdv_cutter_reject(&l->cutter, "\"reps\" holds something that is not a trace id");
    b->reps[i] = dmdv_span_of(rep->valuestring);
    if (cJSON_IsString(reporter))
      b->reporters[i] = dmdv_span_of(reporter->valuestring);
  }
  return true;
}

static bool take_block(dmdv_loader_t *l, const cJSON *block, block_t *b) {
  if (!cJSON_IsObject(block))
    return dmdv_cutter_reject(&l->cutter, "an element of \"blockList\" is not an object");
  const cJSON *item, *reps = NULL, *reporters = NULL;
  cJSON_ArrayForEach(item, block) take_member(l, item, b, &reps, &reporters);
  if (b->group.req == UINT64_MAX)
    return dmdv_cutter_reject(&l->cutter, "a block has no \"req\"");
  if (reps != NULL && b->sharers == NULL)
    take_reps(l, reps, reporters, b);
  return !dmdv_cutter_failed(&l->cutter);
}

/* ---- What is kept. ---- */

static uint32_t keep_name(dmd_intern_t *names, dmdv_span_t name) {
  return name.at == NULL ? DMD_NONE : dmd_intern_bytes(names, name.at, name.n);
}

static dmd_report_t sharer_of_spans(dmdv_loader_t *l, const sharer_t *sharer) {
  return (dmd_report_t){.stack = dmdv_ids_number(&l->traces, sharer->trace),
                        .reporter = keep_name(&l->profile->names, sharer->reporter),
                        .flags = DMD_REPORT_SHARED};
}

static dmd_report_t sharer_of_tree(dmdv_loader_t *l, const cJSON *sharer) {
  dmd_report_t report = {.stack = dmdv_load_get_trace(l, sharer, "at"),
                         .reporter = dmdv_load_get_name(l, sharer, "reporter"),
                         .flags = DMD_REPORT_SHARED};
  if (report.stack == DMD_NONE)
    dmdv_cutter_reject(&l->cutter, "a sharer has no \"at\"");
  dmdv_load_get_times(l, sharer, "num"); /* see scan_sharer */
  return report;
}

/* After the first sharer a file has the newest first. */
static void put_in_order(dmd_report_t *list, uint32_t n) {
  for (uint32_t i = 1, k = n - 1; i < k; i++, k--) {
    dmd_report_t sharer = list[i];
    list[i] = list[k];
    list[k] = sharer;
  }
}

static uint32_t keep_sharers(reader_t *r, const block_t *b) {
  dmdv_loader_t *l = r->l;
  const dmd_env_t *env = l->profile->env;
  const cJSON *array = cJSON_IsArray(b->sharers) ? b->sharers : NULL, *sharer;
  uint32_t n = b->n_sharers + (uint32_t)cJSON_GetArraySize(array), n_found = 0, id = DMD_NONE;
  dmd_report_t *list = dmd_env_alloc(env, "dmdv.load.sharers", (n + 1) * sizeof *list);
  while (n_found < b->n_sharers) {
    list[n_found] = sharer_of_spans(l, &r->sharers[n_found]);
    n_found++;
  }
  cJSON_ArrayForEach(sharer, array) list[n_found++] = sharer_of_tree(l, sharer);
  if (n == 0)
    dmdv_cutter_reject(&l->cutter, "\"sharers\" is not an array with reports");
  else
    put_in_order(list, n);
  if (n > 0 && !dmdv_cutter_failed(&l->cutter))
    id = dmd_reports_intern_sharers(&l->profile->reports, list, n);
  dmd_env_free(env, list);
  return id;
}

static uint32_t keep_reports(reader_t *r, const block_t *b) {
  if (b->sharers != NULL || b->n_sharers > 0)
    return keep_sharers(r, b);
  if (b->n_reps == 0)
    return DMD_NONE;
  dmd_report_set_t set = {.count = (uint32_t)b->n_reps};
  for (int i = 0; i < b->n_reps; i++) {
    set.report[i].stack = dmdv_ids_number(&r->l->traces, b->reps[i]);
    set.report[i].reporter = keep_name(&r->l->profile->names, b->reporters[i]);
  }
  if (b->n_reps == DMD_REPORTS_KEPT && b->n_reports > DMD_REPORTS_KEPT)
    set.count = b->n_reports > DMD_REPORTS_COUNTED ? DMD_REPORTS_COUNTED : (uint32_t)b->n_reports;
  return dmd_reports_intern(&r->l->profile->reports, &set);
}

/* Blocks are added to the profile some at a time, see dmd_groups_add_all. */
static void add_ready(reader_t *r) {
  dmd_groups_add_all(&r->l->profile->groups, r->ready, (size_t)r->n_ready);
  r->n_ready = 0;
}

static void keep_word(dmdv_loader_t *l, uint64_t word) {
  dmd_scanned_t *scanned = &l->profile->scanned;
  if (scanned->words.last < UINT32_MAX - 1)
    dmd_scanned_add_word(scanned, word);
  else
    dmdv_cutter_reject(&l->cutter, "the blocks hold more than 2^32 words");
}

static void keep_words(reader_t *r, const block_t *b) {
  dmdv_loader_t *l = r->l;
  const cJSON *item;
  uint64_t word;
  for (uint32_t i = 0; i < b->n_words; i++)
    keep_word(l, r->words[i]);
  if (b->words != NULL && !cJSON_IsArray(b->words))
    dmdv_cutter_reject(&l->cutter, "\"contents\" is not an array");
  cJSON_ArrayForEach(item, b->words) {
    if (cJSON_IsString(item) && dmdv_span_hex(dmdv_span_of(item->valuestring), &word))
      keep_word(l, word);
    else
      dmdv_cutter_reject(&l->cutter,
                         "\"contents\" holds something that is not a hexadecimal number of 64 "
                         "bits");
  }
}

/* Blocks with addresses are groups of their own, and from the first of them on all blocks are, so
 * that addresses are found by group id. */
static void keep_group(reader_t *r, const block_t *b) {
  dmd_profile_t *profile = r->l->profile;
  bool has_words = b->n_words > 0 || b->words != NULL;
  if (b->addr == 0 && !has_words && dmd_scanned_is_empty(&profile->scanned)) {
    r->ready[r->n_ready++] = b->group;
    if (r->n_ready == sizeof r->ready / sizeof r->ready[0])
      add_ready(r);
    return;
  }
  add_ready(r);
  dmd_scanned_add(&profile->scanned, dmd_groups_append(&profile->groups, &b->group), b->addr);
  keep_words(r, b);
}

static bool keep_block(reader_t *r, block_t *b) {
  dmdv_loader_t *l = r->l;
  dmd_group_t *g = &b->group;
  if (b->alloc.at != NULL)
    g->stack = dmdv_ids_number(&l->traces, b->alloc);
  uint32_t tag = keep_name(&l->profile->tags, b->tag);
  if (tag > DMD_MAX_TAGS)
    return dmdv_cutter_reject(&l->cutter, "more than %d different tags", DMD_MAX_TAGS);
  g->tag = (uint16_t)tag;
  g->reports = keep_reports(r, b);
  l->blocks += g->num;
  if (l->blocks > DMD_MAX_COUNT)
    return dmdv_cutter_reject(&l->cutter, "more than " DMD_MAX_COUNT_TEXT " blocks");
  uint64_t usable;
  if (__builtin_mul_overflow(g->num, g->req + g->slop, &usable) ||
      usable > DMD_MAX_TOTAL - l->total)
    return dmdv_cutter_reject(&l->cutter,
                              "the sizes add up to more than " DMD_MAX_TOTAL_TEXT " bytes");
  l->total += usable;
  if (!dmdv_cutter_failed(&l->cutter))
    keep_group(r, b);
  return !dmdv_cutter_failed(&l->cutter);
}

static bool load_block(reader_t *r) {
  dmdv_loader_t *l = r->l;
  block_t b = no_block;
  const char *end, *p = dmdv_cutter_ready(&l->cutter, &end);
  p = scan_block(r, &b, p, end);
  if (p != NULL) {
    dmdv_cutter_pass(&l->cutter, p);
    return keep_block(r, &b);
  }
  b = no_block;
  cJSON *block = dmdv_cutter_value(&l->cutter);
  bool good = block != NULL && take_block(l, block, &b) && keep_block(r, &b);
  cJSON_Delete(block);
  return good;
}

bool dmdv_load_blocks(void *ctx) {
  reader_t r = {.l = ctx};
  dmdv_cutter_enter(&r.l->cutter, '[');
  while (dmdv_cutter_next_element(&r.l->cutter) && load_block(&r))
    continue;
  add_ready(&r);
  dmd_env_free(r.l->profile->env, r.words);
  dmd_env_free(r.l->profile->env, r.sharers);
  return !dmdv_cutter_failed(&r.l->cutter);
}
