/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reads "blockList", "peakBlockList" and "recentPeakBlockList".
 *
 * An element is read in one of two ways: directly from the text if it has the common shape
 * (jsonvalue.h), otherwise from a tree. Both only fill in a block_t and do not touch
 * the profile. Everything after that is shared, so the two ways can differ in nothing else.
 */
#include "base/limits.h"
#include "base/mem.h"
#include "files/profile/profilereader.h"
#include "files/profile/readerstate.h"

/* An owner of a shared block. */
typedef struct {
  dmd_span_t trace, reporter;
} sharer_t;

/* The members of an element. */
typedef struct {
  dmd_group_t group; /* without stack, reports and tag */
  dmd_span_t alloc, tag;
  uint64_t n_reports; /* 0: not given */
  int n_reps;
  dmd_span_t reps[DMD_REPORTS_KEPT];
  dmd_span_t reporters[DMD_REPORTS_KEPT];
  uint32_t n_sharers;             /* in the reader's list, */
  const dmd_jsonvalue_t *sharers; /* in a tree */
  uint64_t addr;                  /* in scan mode; 0: not given */
  uint32_t n_words;               /* its contents: in the reader's list, */
  const dmd_jsonvalue_t *words;   /* or in a tree */
} block_t;

static const block_t no_block = {.group = {.req = UINT64_MAX, .num = 1, .thread = 1}};

/* State kept from block to block. */
typedef struct {
  dmd_readerstate_t *l;
  dmd_groups_t *to;      /* of the profile */
  dmd_group_t ready[64]; /* groups waiting to be added in one batch */
  int n_ready;
  sharer_t *sharers; /* of the block being read */
  uint32_t max_sharers;
  uint64_t *words; /* its contents */
  uint32_t max_words;
} reader_t;

/* Known members. */
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
  AFTER_PEAK,
  NEVER_MEASURED,
  ADDR,
  CONTENTS,
  UNKNOWN
} member_t;

static bool is(dmd_span_t key, const char *name, size_t n) {
  return key.n == n && dmd_mem_equal(key.at, name, n);
}

#define IS(key, name) is(key, name, sizeof name - 1)

static member_t member_of(dmd_span_t key) {
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
    return IS(key, "alloc")       ? ALLOC
           : IS(key, "addr")      ? ADDR
           : IS(key, "afterPeak") ? AFTER_PEAK
                                  : UNKNOWN;
  case 't':
    return IS(key, "tag") ? TAG : IS(key, "thread") ? THREAD : UNKNOWN;
  case 'n':
    return IS(key, "num") ? NUM : IS(key, "neverMeasured") ? NEVER_MEASURED : UNKNOWN;
  case 'c':
    return IS(key, "contents") ? CONTENTS : UNKNOWN;
  default:
    return UNKNOWN;
  }
}

/* ---- Reading from the text. ---- */

/* An array of one or two strings or, with or_null, nulls, which name nothing. *n becomes how
 * many. */
static const char *scan_names(const char *p, const char *end, bool or_null,
                              dmd_span_t names[DMD_REPORTS_KEPT], int *n) {
  bool more = true;
  p = dmd_jsonscan_space(dmd_jsonscan_char(p, end, '['), end);
  for (*n = 0; more && *n < DMD_REPORTS_KEPT; ++*n) {
    p = dmd_jsonscan_space(p, end);
    bool is_null = or_null && p != NULL && p < end && *p == 'n';
    p = is_null ? dmd_jsonscan_word(p, end, "null") : dmd_jsonscan_string(p, end, &names[*n]);
    p = dmd_jsonscan_more(p, end, ']', &more);
  }
  return more ? NULL : p;
}

static const char *scan_sharer(const char *p, const char *end, sharer_t *sharer) {
  *sharer = (sharer_t){.trace = {0}};
  bool more;
  p = dmd_jsonscan_char(p, end, '{');
  do {
    dmd_span_t key;
    p = dmd_jsonscan_key(p, end, &key);
    if (p == NULL)
      return NULL;
    if (IS(key, "at") && sharer->trace.at == NULL) {
      p = dmd_jsonscan_string(p, end, &sharer->trace);
    } else if (IS(key, "reporter") && sharer->reporter.at == NULL) {
      p = dmd_jsonscan_string(p, end, &sharer->reporter);
    } else {
      return NULL;
    }
    p = dmd_jsonscan_more(p, end, '}', &more);
  } while (more);
  return sharer->trace.at != NULL ? p : NULL;
}

/* Replaces a full list with one twice as long. */
static void *grow(const reader_t *r, void *list, uint32_t *max, size_t element_szB) {
  const dmd_env_t *env = r->l->profile->env;
  uint32_t n = *max == 0 ? 64 : 2 * *max;
  void *grown = dmd_env_alloc(env, "dmd.load.list", n * element_szB);
  dmd_mem_copy(grown, list, *max * element_szB);
  dmd_env_free(env, list);
  *max = n;
  return grown;
}

static const char *scan_sharers(reader_t *r, const char *p, const char *end, uint32_t *n) {
  bool more = true;
  p = dmd_jsonscan_char(p, end, '[');
  for (*n = 0; more && p != NULL; ++*n) {
    if (*n == r->max_sharers)
      r->sharers = grow(r, r->sharers, &r->max_sharers, sizeof *r->sharers);
    p = scan_sharer(p, end, &r->sharers[*n]);
    p = dmd_jsonscan_more(p, end, ']', &more);
  }
  return p;
}

/* An array of strings of hexadecimal digits. An empty array does not have the common shape. */
static const char *scan_words(reader_t *r, const char *p, const char *end, uint32_t *n) {
  bool more = true;
  p = dmd_jsonscan_char(p, end, '[');
  for (*n = 0; more && p != NULL; ++*n) {
    dmd_span_t word;
    if (*n == r->max_words)
      r->words = grow(r, r->words, &r->max_words, sizeof *r->words);
    p = dmd_jsonscan_string(p, end, &word);
    if (p != NULL && !dmd_span_hex(word, &r->words[*n]))
      return NULL;
    p = dmd_jsonscan_more(p, end, ']', &more);
  }
  return p;
}

static const char *scan_addr(const char *p, const char *end, uint64_t *addr) {
  dmd_span_t digits;
  p = dmd_jsonscan_string(p, end, &digits);
  return p != NULL && dmd_span_hex(digits, addr) ? p : NULL;
}

static const char *scan_member(reader_t *r, block_t *b, member_t member, const char *p,
                               const char *end) {
  uint64_t v = 0;
  int n;
  switch (member) {
  case REQ:
    return dmd_jsonscan_number(p, end, &b->group.req);
  case SLOP:
    return dmd_jsonscan_number(p, end, &b->group.slop);
  case NUM:
    p = dmd_jsonscan_number(p, end, &b->group.num);
    return b->group.num > 0 ? p : NULL;
  case ALLOC:
    return dmd_jsonscan_string(p, end, &b->alloc);
  case REPS:
    return scan_names(p, end, false, b->reps, &b->n_reps);
  case REPORTERS:
    return scan_names(p, end, true, b->reporters, &n);
  case SHARERS:
    return scan_sharers(r, p, end, &b->n_sharers);
  case REPORTS:
    p = dmd_jsonscan_number(p, end, &b->n_reports);
    return b->n_reports > 0 ? p : NULL;
  case TAG:
    return dmd_jsonscan_string(p, end, &b->tag);
  case THREAD:
    p = dmd_jsonscan_number(p, end, &v);
    b->group.thread = dmd_thread_number(v);
    return p;
  case SAMPLED:
    b->group.sampled = true;
    return dmd_jsonscan_word(p, end, "true");
  case AFTER_PEAK:
    b->group.after_peak = true;
    return dmd_jsonscan_word(p, end, "true");
  case NEVER_MEASURED:
    b->group.never_measured = true;
    return dmd_jsonscan_word(p, end, "true");
  case ADDR:
    return scan_addr(p, end, &b->addr);
  case CONTENTS:
    if (r->l->options->contents)
      return scan_words(r, p, end, &b->n_words);
    break;
  case UNKNOWN:
    break;
  }
  return dmd_jsonscan_any(p, end, DMD_MAX_JSON_DEPTH - r->l->cutter.depth - 1);
}

/* Returns where the block ends; NULL if it does not have the common shape, such as with a duplicate
 * key. */
static const char *scan_block(reader_t *r, block_t *b, const char *p, const char *end) {
  unsigned seen = 1u << UNKNOWN;
  bool more;
  p = dmd_jsonscan_char(p, end, '{');
  do {
    dmd_span_t key;
    p = dmd_jsonscan_key(p, end, &key);
    if (p == NULL)
      return NULL;
    member_t member = member_of(key);
    if (member != UNKNOWN && seen & 1u << member)
      return NULL;
    seen |= 1u << member;
    p = dmd_jsonscan_more(scan_member(r, b, member, p, end), end, '}', &more);
  } while (more);
  return seen & 1u << REQ ? p : NULL;
}

/* ---- Reading from a tree. ---- */

static void take_addr(dmd_readerstate_t *l, const dmd_jsonvalue_t *item, block_t *b) {
  const char *digits = dmd_load_string_in(l, item, item->key);
  if (digits != NULL && !dmd_span_hex(dmd_span_of(digits), &b->addr))
    dmd_jsoncutter_reject(&l->cutter, "\"addr\" is not a hexadecimal number of 64 bits");
}

/* reps, reporters: receive members that must be read together. */
static void take_member(dmd_readerstate_t *l, const dmd_jsonvalue_t *item, block_t *b,
                        const dmd_jsonvalue_t **reps, const dmd_jsonvalue_t **reporters) {
  switch (member_of(dmd_span_of(item->key))) {
  case REQ:
    b->group.req = dmd_load_number_in(l, item, item->key, 0);
    break;
  case SLOP:
    b->group.slop = dmd_load_number_in(l, item, item->key, 0);
    break;
  case NUM:
    b->group.num = dmd_load_number_in(l, item, item->key, 1);
    break;
  case ALLOC:
    b->alloc = dmd_span_of(dmd_load_string_in(l, item, item->key));
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
    b->n_reports = dmd_load_number_in(l, item, item->key, 1);
    break;
  case TAG:
    b->tag = dmd_span_of(dmd_load_string_in(l, item, item->key));
    break;
  case THREAD:
    b->group.thread = dmd_thread_number(dmd_load_number_in(l, item, item->key, 0));
    break;
  case SAMPLED:
    b->group.sampled = dmd_jsonvalue_is(item, DMD_JSONVALUE_TRUE);
    break;
  case AFTER_PEAK:
    b->group.after_peak = dmd_jsonvalue_is(item, DMD_JSONVALUE_TRUE);
    break;
  case NEVER_MEASURED:
    b->group.never_measured = dmd_jsonvalue_is(item, DMD_JSONVALUE_TRUE);
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

static bool take_reps(dmd_readerstate_t *l, const dmd_jsonvalue_t *reps,
                      const dmd_jsonvalue_t *reporters, block_t *b) {
  b->n_reps = dmd_jsonvalue_is(reps, DMD_JSONVALUE_ARRAY) ? dmd_jsonvalue_count(reps) : 0;
  if (b->n_reps < 1 || b->n_reps > DMD_REPORTS_KEPT)
    return dmd_jsoncutter_reject(&l->cutter, "\"reps\" is not an array of one or two trace ids");
  for (int i = 0; i < b->n_reps; i++) {
    const dmd_jsonvalue_t *rep = dmd_jsonvalue_at(reps, i);
    const dmd_jsonvalue_t *reporter = dmd_jsonvalue_at(reporters, i);
    if (!dmd_jsonvalue_is(rep, DMD_JSONVALUE_STRING))
      return dmd_jsoncutter_reject(&l->cutter, "\"reps\" holds something that is not a trace id");
    b->reps[i] = dmd_span_of(rep->string);
    if (dmd_jsonvalue_is(reporter, DMD_JSONVALUE_STRING))
      b->reporters[i] = dmd_span_of(reporter->string);
  }
  return true;
}

static bool take_block(dmd_readerstate_t *l, const dmd_jsonvalue_t *block, block_t *b) {
  if (!dmd_jsonvalue_is(block, DMD_JSONVALUE_OBJECT))
    return dmd_jsoncutter_reject(&l->cutter, "an element of \"blockList\" is not an object");
  const dmd_jsonvalue_t *reps = NULL, *reporters = NULL;
  DMD_JSONVALUE_EACH(item, block) take_member(l, item, b, &reps, &reporters);
  if (b->group.req == UINT64_MAX)
    return dmd_jsoncutter_reject(&l->cutter, "a block has no \"req\"");
  if (reps != NULL && b->sharers == NULL)
    take_reps(l, reps, reporters, b);
  return !dmd_jsoncutter_failed(&l->cutter);
}

/* ---- Adding to the profile. ---- */

static uint32_t keep_name(dmd_intern_t *names, dmd_span_t name) {
  return name.at == NULL ? DMD_NONE : dmd_intern_bytes(names, name.at, name.n);
}

static dmd_report_t sharer_of_spans(dmd_readerstate_t *l, const sharer_t *sharer) {
  return (dmd_report_t){.stack = dmd_ids_number(&l->traces, sharer->trace),
                        .reporter = keep_name(&l->profile->names, sharer->reporter),
                        .flags = DMD_REPORT_SHARED};
}

static dmd_report_t sharer_of_tree(dmd_readerstate_t *l, const dmd_jsonvalue_t *sharer) {
  dmd_report_t report = {.stack = dmd_load_get_trace(l, sharer, "at"),
                         .reporter = dmd_load_get_name(l, sharer, "reporter"),
                         .flags = DMD_REPORT_SHARED};
  if (report.stack == DMD_NONE)
    dmd_jsoncutter_reject(&l->cutter, "a sharer has no \"at\"");
  return report;
}

/* Files list the first sharer, then the others from newest to oldest. Restores the original
 * order. */
static void put_in_order(dmd_report_t *list, uint32_t n) {
  for (uint32_t i = 1, k = n - 1; i < k; i++, k--) {
    dmd_report_t sharer = list[i];
    list[i] = list[k];
    list[k] = sharer;
  }
}

static uint32_t keep_sharers(reader_t *r, const block_t *b) {
  dmd_readerstate_t *l = r->l;
  const dmd_env_t *env = l->profile->env;
  const dmd_jsonvalue_t *array =
      dmd_jsonvalue_is(b->sharers, DMD_JSONVALUE_ARRAY) ? b->sharers : NULL;
  uint32_t n = b->n_sharers + (uint32_t)dmd_jsonvalue_count(array), n_found = 0, id = DMD_NONE;
  dmd_report_t *list = dmd_env_alloc(env, "dmd.load.sharers", (n + 1) * sizeof *list);
  while (n_found < b->n_sharers) {
    list[n_found] = sharer_of_spans(l, &r->sharers[n_found]);
    n_found++;
  }
  DMD_JSONVALUE_EACH(sharer, array) list[n_found++] = sharer_of_tree(l, sharer);
  if (n == 0)
    dmd_jsoncutter_reject(&l->cutter, "\"sharers\" is not an array with reports");
  else
    put_in_order(list, n);
  if (n > 0 && !dmd_jsoncutter_failed(&l->cutter))
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
    set.report[i].stack = dmd_ids_number(&r->l->traces, b->reps[i]);
    set.report[i].reporter = keep_name(&r->l->profile->names, b->reporters[i]);
  }
  if (b->n_reps == DMD_REPORTS_KEPT && b->n_reports > DMD_REPORTS_KEPT)
    set.count = b->n_reports > DMD_REPORTS_COUNTED ? DMD_REPORTS_COUNTED : (uint32_t)b->n_reports;
  return dmd_reports_intern(&r->l->profile->reports, &set);
}

/* Blocks are added to the profile in batches, see dmd_groups_add_all. */
static void add_ready(reader_t *r) {
  dmd_groups_add_all(r->to, r->ready, (size_t)r->n_ready);
  r->n_ready = 0;
}

static void keep_word(dmd_readerstate_t *l, uint64_t word) {
  dmd_scanned_t *scanned = &l->profile->scanned;
  if (scanned->words.last < UINT32_MAX - 1)
    dmd_scanned_add_word(scanned, word);
  else
    dmd_jsoncutter_reject(&l->cutter, "the blocks hold more than 2^32 words");
}

static void keep_words(reader_t *r, const block_t *b) {
  dmd_readerstate_t *l = r->l;
  uint64_t word;
  for (uint32_t i = 0; i < b->n_words; i++)
    keep_word(l, r->words[i]);
  if (b->words != NULL && !dmd_jsonvalue_is(b->words, DMD_JSONVALUE_ARRAY))
    dmd_jsoncutter_reject(&l->cutter, "\"contents\" is not an array");
  DMD_JSONVALUE_EACH(item, b->words) {
    if (dmd_jsonvalue_is(item, DMD_JSONVALUE_STRING) &&
        dmd_span_hex(dmd_span_of(item->string), &word))
      keep_word(l, word);
    else
      dmd_jsoncutter_reject(&l->cutter,
                            "\"contents\" holds something that is not a hexadecimal number of 64 "
                            "bits");
  }
}

/* A block with an address is a group of its own. From the first such block on, so is every block,
 * so that addresses can be found by group id. */
static void keep_group(reader_t *r, const block_t *b) {
  dmd_profile_t *profile = r->l->profile;
  bool has_words = b->n_words > 0 || b->words != NULL;
  bool is_plain = b->addr == 0 && !has_words && dmd_scanned_is_empty(&profile->scanned);
  if (is_plain || r->to != &profile->groups) {
    r->ready[r->n_ready++] = b->group;
    if (r->n_ready == sizeof r->ready / sizeof r->ready[0])
      add_ready(r);
    return;
  }
  add_ready(r);
  dmd_scanned_add(&profile->scanned, dmd_groups_append(&profile->groups, &b->group), b->addr);
  keep_words(r, b);
}

/* True if a * b <= most. (The compiler's built-in for this needs 128 bits.) */
static bool fits(uint64_t a, uint64_t b, uint64_t most) {
  return (a | b) >> 32 == 0 ? a * b <= most : b == 0 || a <= most / b;
}

static bool keep_block(reader_t *r, block_t *b) {
  dmd_readerstate_t *l = r->l;
  dmd_group_t *g = &b->group;
  if (b->alloc.at != NULL)
    g->stack = dmd_ids_number(&l->traces, b->alloc);
  uint32_t tag = keep_name(&l->profile->tags, b->tag);
  if (tag > DMD_MAX_TAGS)
    return dmd_jsoncutter_reject(&l->cutter, "more than %d different tags", DMD_MAX_TAGS);
  g->tag = (uint16_t)tag;
  if (r->to == &l->profile->groups)
    g->reports = keep_reports(r, b);
  l->blocks += g->num;
  if (l->blocks > DMD_MAX_COUNT)
    return dmd_jsoncutter_reject(&l->cutter, "more than " DMD_MAX_COUNT_TEXT " blocks");
  if (!fits(g->num, g->req + g->slop, DMD_MAX_TOTAL - l->total))
    return dmd_jsoncutter_reject(&l->cutter,
                                 "the sizes add up to more than " DMD_MAX_TOTAL_TEXT " bytes");
  l->total += g->num * (g->req + g->slop);
  if (!dmd_jsoncutter_failed(&l->cutter))
    keep_group(r, b);
  return !dmd_jsoncutter_failed(&l->cutter);
}

static bool load_block(reader_t *r) {
  dmd_readerstate_t *l = r->l;
  block_t b = no_block;
  const char *end, *p = dmd_jsoncutter_ready(&l->cutter, &end);
  p = scan_block(r, &b, p, end);
  if (p != NULL) {
    dmd_jsoncutter_pass(&l->cutter, p);
    return keep_block(r, &b);
  }
  b = no_block;
  const dmd_jsonvalue_t *block = dmd_jsoncutter_value(&l->cutter);
  bool good = block != NULL && take_block(l, block, &b) && keep_block(r, &b);
  return good;
}

static bool load_list(dmd_readerstate_t *l, dmd_groups_t *to) {
  reader_t r = {.l = l, .to = to};
  dmd_jsoncutter_enter(&r.l->cutter, '[');
  while (dmd_jsoncutter_next_element(&r.l->cutter) && load_block(&r))
    continue;
  add_ready(&r);
  dmd_env_free(r.l->profile->env, r.words);
  dmd_env_free(r.l->profile->env, r.sharers);
  return !dmd_jsoncutter_failed(&r.l->cutter);
}

bool dmd_load_blocks(void *ctx) {
  dmd_readerstate_t *l = ctx;
  return load_list(l, &l->profile->groups);
}

bool dmd_load_peak_blocks(void *ctx) {
  dmd_readerstate_t *l = ctx;
  l->profile->has_peak = true;
  return load_list(l, &l->profile->gone);
}

bool dmd_load_recent_blocks(void *ctx) {
  dmd_readerstate_t *l = ctx;
  l->profile->has_recent = true;
  return load_list(l, &l->profile->recent);
}
