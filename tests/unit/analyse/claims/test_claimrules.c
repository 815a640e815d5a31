/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rules and defects against a naive model: heap graphs with random objects, and size functions that
 * add up what they were told to, by one of several conventions. Some of them make a known mistake
 * for some objects: those that have an extra member.
 */
#include "fixture.h"

#include "analyse/claims/claimgraph.h"
#include "analyse/claims/claimrules.h"

enum { CASES = 1000, LEAST_RIGHT = 950, MAX_OBJECTS = 40, MAX_ENTRIES = 30, N_MISTAKES = 20 };

/* The parts of an object. A tree has branches, which hold a leaf each. */
typedef enum { OBJECT, TITLE, TABLE, ENTRY, TEXT, BRANCH, LEAF, EXTRA, SHARED, N_PARTS } part_t;

static const char *const makers[N_PARTS] = {"object_new", "title_new", "table_new",
                                            "entry_new",  "text_new",  "branch_new",
                                            "leaf_new",   "extra_new", "shared_new"};

typedef enum {
  NO_MISTAKE,
  NO_TITLE,       /* a member is forgotten */
  NO_BRANCHES,    /* with what it leads to */
  NO_ENTRIES,     /* the entries themselves; their texts are counted */
  TITLE_TWICE,    /* counted twice */
  BRANCHES_TWICE, /* with what they lead to */
  TABLE_TWICE,    /* a large block */
  WITH_SHARED,    /* what others refer to, too, is counted whole */
  ENTRY_AS_BYTE,  /* entries for bytes */
  ENTRY_AS_POINTER,
  MORE_FOR_ENTRY,
  LESS_FOR_ENTRY,
  TABLE_ELEMENTS, /* elements of an array for bytes */
  OTHER_UNIT,     /* sizeof for malloc_usable_size, or the reverse */
  CONSTANT_MORE,
  CONSTANT_LESS,
  WRAPPED, /* 32 bits */
  STALE,   /* not updated since the object grew */
  TWO_MEMBERS,
  NOTHING, /* returns 0 */
  AT_RANDOM
} mistake_t;

typedef struct {
  uint32_t first[N_PARTS], n[N_PARTS]; /* nodes */
  bool is_wrong;
  uint64_t claimed;
} object_t;

typedef struct {
  dice_t *dice;
  bool is_usable; /* the convention */
  int64_t constant;
  mistake_t mistake;
  uint32_t n_objects, n_nodes, each, ratio;
  object_t objects[MAX_OBJECTS];
  uint64_t req[MAX_OBJECTS * (4 * MAX_ENTRIES + 16)];
  uint32_t slop[MAX_OBJECTS * (4 * MAX_ENTRIES + 16)];
} model_t;

/* ---- Objects. ---- */

static void throw_blocks(model_t *m, object_t *o, part_t part, uint32_t n, uint64_t req) {
  o->first[part] = m->n_nodes;
  o->n[part] = n;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t szB = req != 0 ? req : 1 + dice_below(m->dice, 300);
    m->req[m->n_nodes] = szB;
    m->slop[m->n_nodes++] = (uint32_t)(((szB + 8 + 15) & ~15ul) - 8 - szB);
  }
}

/* Wrong objects have the extra member; every mistake shows in each of them. */
static void throw_object(model_t *m, object_t *o, uint32_t place) {
  *o = (object_t){.is_wrong = place % 3 == 0};
  uint32_t n_entries = 1 + (uint32_t)dice_below(m->dice, MAX_ENTRIES);
  uint64_t huge = m->mistake == WRAPPED && o->is_wrong ? UINT64_C(5) << 32 : 0;
  throw_blocks(m, o, OBJECT, 1, 80);
  throw_blocks(m, o, TITLE, 1, 0);
  throw_blocks(m, o, TABLE, 1, huge + 8 * (40 + dice_below(m->dice, 1000)));
  throw_blocks(m, o, ENTRY, n_entries, 37);
  throw_blocks(m, o, TEXT, n_entries, 0);
  throw_blocks(m, o, BRANCH, 1 + (uint32_t)dice_below(m->dice, 5), 0);
  throw_blocks(m, o, LEAF, o->n[BRANCH], 0);
  throw_blocks(m, o, EXTRA, o->is_wrong, 0);
  throw_blocks(m, o, SHARED, place % 2 == 0, 0);
}

static uint64_t size_of(const model_t *m, const object_t *o, part_t part, bool is_usable) {
  uint64_t szB = 0;
  for (uint32_t i = o->first[part]; i < o->first[part] + o->n[part]; i++)
    szB += m->req[i] + (is_usable ? m->slop[i] : 0);
  return szB;
}

static uint64_t truth_of(const model_t *m, const object_t *o) {
  uint64_t szB = (uint64_t)m->constant;
  for (int part = 0; part < SHARED; part++)
    szB += size_of(m, o, (part_t)part, m->is_usable);
  return szB;
}

/* What the mistake adds. */
static uint64_t error_of(const model_t *m, const object_t *o) {
#define SIZE(part) size_of(m, o, part, m->is_usable)
  switch (m->mistake) {
  case NO_TITLE:
    return 0 - SIZE(TITLE);
  case NO_BRANCHES:
    return 0 - SIZE(BRANCH) - SIZE(LEAF);
  case NO_ENTRIES:
    return 0 - SIZE(ENTRY);
  case TITLE_TWICE:
    return SIZE(TITLE);
  case BRANCHES_TWICE:
    return SIZE(BRANCH) + SIZE(LEAF);
  case TABLE_TWICE:
    return SIZE(TABLE);
  case WITH_SHARED:
    return SIZE(SHARED);
  case ENTRY_AS_BYTE:
    return o->n[ENTRY] - SIZE(ENTRY);
  case ENTRY_AS_POINTER:
    return 8 * o->n[ENTRY] - SIZE(ENTRY);
  case MORE_FOR_ENTRY:
    return (uint64_t)m->each * o->n[ENTRY];
  case LESS_FOR_ENTRY:
    return 0 - (uint64_t)m->each * o->n[ENTRY];
  case TABLE_ELEMENTS:
    return size_of(m, o, TABLE, false) / m->ratio - SIZE(TABLE);
  case OTHER_UNIT:
    return size_of(m, o, ENTRY, !m->is_usable) - SIZE(ENTRY);
  case CONSTANT_MORE:
    return 1000 + m->each;
  case CONSTANT_LESS:
    return 0ul - 24 - m->each;
  case TWO_MEMBERS:
    return 0 - SIZE(TITLE) - SIZE(TABLE);
  case NOTHING:
    return 0 - truth_of(m, o);
  case AT_RANDOM:
    return 100000 + dice_below(m->dice, 100000);
  default:
    return 0;
  }
#undef SIZE
}

static uint64_t claim_of(const model_t *m, const object_t *o) {
  uint64_t claim = truth_of(m, o) + (o->is_wrong ? error_of(m, o) : 0);
  return m->mistake == WRAPPED && o->is_wrong ? (uint32_t)claim : claim;
}

static void throw_model(model_t *m, dice_t *dice, mistake_t mistake) {
  *m = (model_t){.dice = dice, .mistake = mistake, .is_usable = dice_below(dice, 2) == 0};
  m->constant = dice_below(dice, 3) == 0 ? (int64_t)(8 + 8 * dice_below(dice, 20)) : 0;
  m->n_objects = 12 + (uint32_t)dice_below(dice, MAX_OBJECTS - 12);
  m->each = 8 * (1 + (uint32_t)dice_below(dice, 4)) + (uint32_t)dice_below(dice, 8);
  m->ratio = 4u << dice_below(dice, 3);
  m->n_nodes = 2; /* 0: everything; 1: the root */
  for (uint32_t i = 0; i < m->n_objects; i++) {
    throw_object(m, &m->objects[i], i);
    m->objects[i].claimed = claim_of(m, &m->objects[i]);
  }
}

/* ---- The graph. ---- */

typedef struct {
  dmd_heapgraph_t graph;
  uint32_t stacks[N_PARTS];
} built_t;

static void add_block(built_t *b, const model_t *m, uint32_t node, part_t part) {
  dmd_graph_block_t block = {.addr = UINT64_C(0x10000000000) * node,
                             .slop = m->slop[node],
                             .stack = b->stacks[part],
                             .thread = 1};
  dmd_heapgraph_add_block(&b->graph, &block, m->req[node] + m->slop[node]);
}

static void add_blocks(built_t *b, const model_t *m, const object_t *o, part_t part, part_t to) {
  for (uint32_t i = 0; i < o->n[part]; i++) {
    add_block(b, m, o->first[part] + i, part);
    if (part == ENTRY && i + 1 < o->n[part])
      dmd_heapgraph_add_edge(&b->graph, o->first[part] + i + 1, 0);
    if (to != N_PARTS)
      dmd_heapgraph_add_edge(&b->graph, o->first[to] + i, 8);
    dmd_heapgraph_end_node(&b->graph);
  }
}

static void add_object(built_t *b, const model_t *m, const object_t *o) {
  static const part_t members[] = {TITLE, TABLE, ENTRY, EXTRA, SHARED};
  uint32_t offset = 0;
  add_block(b, m, o->first[OBJECT], OBJECT);
  for (size_t i = 0; i < sizeof members / sizeof *members; i++, offset += 8)
    if (o->n[members[i]] > 0)
      dmd_heapgraph_add_edge(&b->graph, o->first[members[i]], offset);
  for (uint32_t i = 0; i < o->n[BRANCH]; i++, offset += 8)
    dmd_heapgraph_add_edge(&b->graph, o->first[BRANCH] + i, offset);
  dmd_heapgraph_end_node(&b->graph);
  add_blocks(b, m, o, TITLE, N_PARTS);
  add_blocks(b, m, o, TABLE, N_PARTS);
  add_blocks(b, m, o, ENTRY, TEXT);
  add_blocks(b, m, o, TEXT, N_PARTS);
  add_blocks(b, m, o, BRANCH, LEAF);
  add_blocks(b, m, o, LEAF, N_PARTS);
  add_blocks(b, m, o, EXTRA, N_PARTS);
  add_blocks(b, m, o, SHARED, N_PARTS);
}

static void add_roots(built_t *b, const model_t *m) {
  dmd_graph_root_t root = {.kind = DMD_ROOT_DATA, .addr = 64, .szB = 4096, .name = "objects"};
  dmd_heapgraph_add_root(&b->graph, &root);
  for (uint32_t i = 0; i < m->n_objects; i++) {
    dmd_heapgraph_add_edge(&b->graph, m->objects[i].first[OBJECT], 16 * i);
    if (m->objects[i].n[SHARED] > 0)
      dmd_heapgraph_add_edge(&b->graph, m->objects[i].first[SHARED], 16 * i + 8);
  }
  dmd_heapgraph_end_node(&b->graph);
}

static void add_claims(built_t *b, const model_t *m) {
  uint32_t function = dmd_intern_str(&b->graph.claim_functions, "object_size");
  for (uint32_t i = 0; i < m->n_objects; i++)
    dmd_heapgraph_add_claim(&b->graph, &(dmd_graph_claim_t){.argument = UINT64_C(0x10000000000) *
                                                                        m->objects[i].first[OBJECT],
                                                            .value = m->objects[i].claimed,
                                                            .function = function,
                                                            .count = 1});
}

static void add_graph(dmd_claimcases_t *cases, const model_t *m, const dmd_env_t *env) {
  built_t b;
  dmd_types_t types;
  dmd_typing_t typing;
  dmd_kinds_t kinds;
  dmd_heapgraph_init(&b.graph, env, 1, m->n_nodes - 2, 8 * m->n_nodes);
  for (int part = 0; part < N_PARTS; part++) {
    uint32_t frame = dmd_frames_read_text(&b.graph.profile.frames, makers[part]);
    uint32_t code = dmd_heapgraph_add_code(&b.graph, DMD_NONE, 16, &frame, 1);
    b.stacks[part] = dmd_heapgraph_add_stack(&b.graph, &code, 1);
  }
  add_roots(&b, m);
  for (uint32_t i = 0; i < m->n_objects; i++)
    add_object(&b, m, &m->objects[i]);
  add_claims(&b, m);
  dmd_types_init(&types, env, 8);
  dmd_typing_init(&typing, &b.graph, &types);
  dmd_kinds_init(&kinds, &typing);
  dmd_claimcases_add_graph(cases, &b.graph, &kinds, 0, NULL);
  dmd_kinds_destroy(&kinds);
  dmd_typing_destroy(&typing);
  dmd_types_destroy(&types);
  dmd_heapgraph_destroy(&b.graph);
}

/* ---- What should be found. ---- */

typedef struct {
  dmd_defect_kind_t kind;
  part_t part; /* N_PARTS: none */
} expected_t;

static expected_t expected_of(mistake_t mistake) {
  static const expected_t all[] = {
      [NO_TITLE] = {DMD_DEFECT_MISSING, TITLE},
      [NO_BRANCHES] = {DMD_DEFECT_MISSING, BRANCH},
      [NO_ENTRIES] = {DMD_DEFECT_MISSING_OWN, ENTRY},
      [TITLE_TWICE] = {DMD_DEFECT_TWICE, TITLE},
      [BRANCHES_TWICE] = {DMD_DEFECT_TWICE, BRANCH},
      [TABLE_TWICE] = {DMD_DEFECT_TWICE, TABLE},
      [WITH_SHARED] = {DMD_DEFECT_SHARED, SHARED},
      [ENTRY_AS_BYTE] = {DMD_DEFECT_AS, ENTRY},
      [ENTRY_AS_POINTER] = {DMD_DEFECT_AS, ENTRY},
      [MORE_FOR_ENTRY] = {DMD_DEFECT_EACH, ENTRY},
      [LESS_FOR_ENTRY] = {DMD_DEFECT_EACH, ENTRY},
      [TABLE_ELEMENTS] = {DMD_DEFECT_RATIO, TABLE},
      [OTHER_UNIT] = {DMD_DEFECT_UNIT, ENTRY},
      [CONSTANT_MORE] = {DMD_DEFECT_CONSTANT, N_PARTS},
      [CONSTANT_LESS] = {DMD_DEFECT_CONSTANT, N_PARTS},
      [WRAPPED] = {DMD_DEFECT_WRAPPED, N_PARTS},
      [STALE] = {DMD_DEFECT_STALE, N_PARTS},
      [TWO_MEMBERS] = {DMD_DEFECT_MISSING, TITLE},
      [NOTHING] = {DMD_DEFECT_NOTHING, N_PARTS},
      [AT_RANDOM] = {DMD_DEFECT_UNEXPLAINED, N_PARTS},
  };
  return all[mistake];
}

/* An entry and its text have the same number, so what is too much for each may be either's. */
static bool is_part(const char *name, part_t part) {
  return strstr(name, makers[part]) != NULL ||
         (part == ENTRY && strstr(name, makers[TEXT]) != NULL);
}

/* Whether a finding has a defect of this kind, for this part. */
static bool has_defect(const dmd_claimrules_t *rules, const dmd_claim_finding_t *f,
                       expected_t expected) {
  const dmd_claim_case_t *c = dmd_claimcases_at(rules->cases, f->outliers[0]);
  for (int i = 0; i < DMD_MAX_DEFECTS; i++) {
    const dmd_claim_part_t *part = dmd_claimcases_find(rules->cases, c, f->defects[i].part);
    if (f->defects[i].kind == expected.kind &&
        (expected.part == N_PARTS ||
         (part != NULL && is_part(dmd_claimcases_name(rules->cases, part->name), expected.part))))
      return true;
  }
  return false;
}

/* The number of wrong calls, and the range of what they have too much. */
typedef struct {
  uint32_t n;
  int64_t least, most;
} range_t;

static range_t range_of(const model_t *m) {
  range_t range = {0};
  for (uint32_t i = 0; i < m->n_objects; i++) {
    int64_t error = (int64_t)(m->objects[i].claimed - truth_of(m, &m->objects[i]));
    if (error == 0)
      continue;
    range.least = range.n == 0 || error < range.least ? error : range.least;
    range.most = range.n == 0 || error > range.most ? error : range.most;
    range.n++;
  }
  return range;
}

/* Whether the findings are those of the model: the mistake, the calls, the amounts. */
static bool is_told(const dmd_claimrules_t *rules, const model_t *m) {
  const dmd_claim_verdict_t *v = dmd_claimrules_at(rules, 1);
  range_t range = range_of(m), told = {0};
  bool has_kind = true;
  for (uint32_t i = 0; i < v->n_findings; i++) {
    const dmd_claim_finding_t *f = dmd_claimrules_finding(rules, v, i);
    has_kind = has_kind && has_defect(rules, f, expected_of(m->mistake));
    told.least = i == 0 || f->least < told.least ? f->least : told.least;
    told.most = i == 0 || f->most > told.most ? f->most : told.most;
    told.n += f->n_cases;
  }
  return has_kind && told.n == range.n && told.least == range.least && told.most == range.most;
}

/* Objects grow, and the function does not notice. */
static void grow(model_t *m) {
  for (uint32_t i = 0; i < m->n_objects; i++) {
    object_t *o = &m->objects[i];
    m->req[o->first[TITLE]] += 1600;
    o->claimed += o->is_wrong ? 0 : 1600;
  }
}

static bool try_mistake(dice_t *dice, mistake_t mistake, const dmd_env_t *env) {
  static model_t m;
  dmd_claimcases_t cases;
  dmd_claimrules_t rules;
  throw_model(&m, dice, mistake);
  dmd_claimcases_init(&cases, env);
  add_graph(&cases, &m, env);
  if (mistake == STALE) {
    grow(&m);
    add_graph(&cases, &m, env);
  }
  dmd_claimrules_init(&rules, &cases);
  bool is_right =
      mistake == NO_MISTAKE ? dmd_claimrules_at(&rules, 1)->n_findings == 0 : is_told(&rules, &m);
  if (mistake == NO_MISTAKE) {
    const dmd_claim_rule_t *rule = &dmd_claimrules_at(&rules, 1)->rule;
    assert_int_equal(rule->constant, m.constant);
    assert_int_equal(rule->is_usable, m.is_usable);
    assert_int_equal(rule->scope, DMD_CLAIM_RETAINED);
  }
  dmd_claimrules_destroy(&rules);
  dmd_claimcases_destroy(&cases);
  return is_right;
}

static void known_mistakes_are_told(void **state) {
  (void)state;
  dice_t dice = {32};
  host_t host;
  uint32_t n_right = 0, missed[N_MISTAKES + 1] = {0};
  host_init(&host);
  for (uint32_t i = 0; i < CASES; i++) {
    mistake_t mistake = (mistake_t)(1 + i % N_MISTAKES);
    bool is_right = try_mistake(&dice, mistake, &host.env);
    n_right += is_right;
    missed[mistake] += !is_right;
  }
  for (int i = 1; i <= N_MISTAKES; i++)
    if (missed[i] > 0)
      print_message("mistake %d: missed in %u of %d cases\n", i, missed[i], CASES / N_MISTAKES);
  assert_true(n_right >= LEAST_RIGHT);
  host_done(&host);
}

static void correct_functions_are_not_mentioned(void **state) {
  (void)state;
  dice_t dice = {77};
  host_t host;
  host_init(&host);
  for (uint32_t i = 0; i < CASES; i++)
    assert_true(try_mistake(&dice, NO_MISTAKE, &host.env));
  host_done(&host);
}

/* An object of 16 bytes that says 128, with or without a list of 112 bytes. */
static void add_plain_case(dmd_claimcases_t *cases, bool has_list) {
  dmd_claim_size_t object = {1, 16, 16}, list = {has_list, has_list * 112, has_list * 112};
  dmd_claim_size_t all = {1 + has_list, 16 + list.req, 16 + list.usable};
  dmd_claim_part_t parts[] = {
      {.name = dmd_intern_str(&cases->names, "object"), .own = object, .whole = all},
      {.name = dmd_intern_str(&cases->names, "list"), .own = list, .whole = list}};
  dmd_claim_case_t c = {.function = dmd_intern_str(&cases->names, "size"),
                        .value = 128,
                        .count = 1,
                        .size = {object, all, all}};
  dmd_claimcases_function(cases, c.function);
  dmd_claimcases_add(cases, &c, parts, 1 + has_list);
}

/* A constant that also explains the one object whose list has another owner is no better rule. */
static void rare_shapes_count_less(void **state) {
  (void)state;
  host_t host;
  dmd_claimcases_t cases;
  dmd_claimrules_t rules;
  host_init(&host);
  dmd_claimcases_init(&cases, &host.env);
  for (int i = 0; i < 99; i++)
    add_plain_case(&cases, true);
  add_plain_case(&cases, false);
  dmd_claimrules_init(&rules, &cases);
  const dmd_claim_verdict_t *v = dmd_claimrules_at(&rules, 1);
  assert_int_equal(v->rule.scope, DMD_CLAIM_RETAINED);
  assert_int_equal(v->rule.constant, 0);
  assert_int_equal(v->n_right, 99);
  dmd_claimrules_destroy(&rules);
  dmd_claimcases_destroy(&cases);
  host_done(&host);
}

/* A function that returns 300 whatever an object has does not mean the block, plus a constant. */
static void what_never_changes_is_no_rule(void **state) {
  (void)state;
  host_t host;
  dmd_claimcases_t cases;
  dmd_claimrules_t rules;
  host_init(&host);
  dmd_claimcases_init(&cases, &host.env);
  uint32_t function = dmd_intern_str(&cases.names, "size");
  dmd_claimcases_function(&cases, function);
  for (uint64_t n = 1; n <= 12; n++) {
    dmd_claim_size_t object = {1, 16, 16}, list = {1, 8 * n, 8 * n},
                     all = {2, 16 + 8 * n, 16 + 8 * n};
    dmd_claim_part_t parts[] = {
        {.name = dmd_intern_str(&cases.names, "object"), .own = object, .whole = all},
        {.name = dmd_intern_str(&cases.names, "list"), .own = list, .whole = list}};
    dmd_claim_case_t c = {
        .function = function, .value = 300, .count = 1, .size = {object, all, all}};
    dmd_claimcases_add(&cases, &c, parts, 2);
  }
  dmd_claimrules_init(&rules, &cases);
  const dmd_claim_verdict_t *v = dmd_claimrules_at(&rules, 1);
  assert_int_equal(v->rule.scope, DMD_CLAIM_RETAINED);
  assert_int_equal(v->n_right, 0);
  assert_int_equal(dmd_claimrules_finding(&rules, v, 0)->most, 300 - 24);
  dmd_claimrules_destroy(&rules);
  dmd_claimcases_destroy(&cases);
  host_done(&host);
}

/* An object of this type and 16 bytes, with a text and a list of 40 bytes. */
static void add_two_parts(dmd_claimcases_t *cases, const char *name, uint64_t text_szB,
                          bool is_right) {
  dmd_claim_size_t object = {1, 16, 16}, text = {1, text_szB, text_szB}, list = {1, 40, 40};
  dmd_claim_size_t all = {3, 56 + text_szB, 56 + text_szB};
  dmd_claim_part_t parts[] = {
      {.name = dmd_intern_str(&cases->names, name), .own = object, .whole = all},
      {.name = dmd_intern_str(&cases->names, "text"), .own = text, .whole = text},
      {.name = dmd_intern_str(&cases->names, "list"), .own = list, .whole = list}};
  dmd_claim_case_t c = {.function = dmd_intern_str(&cases->names, "size"),
                        .value = is_right ? all.req : object.req,
                        .count = 1,
                        .size = {object, all, all}};
  dmd_claimcases_function(cases, c.function);
  dmd_claimcases_add(cases, &c, parts, 3);
}

/* A function that returns only the struct of most types, but all of one type, leaves something out.
 */
static void right_for_few_types(void **state) {
  static const char *const types[] = {"a", "b", "c", "d", "e"};
  (void)state;
  host_t host;
  dmd_claimcases_t cases;
  dmd_claimrules_t rules;
  host_init(&host);
  dmd_claimcases_init(&cases, &host.env);
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < 3; k++)
      add_two_parts(&cases, types[i], (uint64_t)(100 + 10 * i + k), i == 0);
  dmd_claimrules_init(&rules, &cases);
  const dmd_claim_verdict_t *v = dmd_claimrules_at(&rules, 1);
  assert_int_equal(v->rule.scope, DMD_CLAIM_RETAINED);
  assert_int_equal(v->n_right, 3);
  assert_int_equal(v->n_findings, 4);
  const dmd_claim_finding_t *finding = dmd_claimrules_finding(&rules, v, 0);
  assert_int_equal(finding->defects[0].kind, DMD_DEFECT_MISSING_BELOW);
  assert_int_equal(finding->defects[1].kind, DMD_DEFECT_NONE);
  assert_int_equal(finding->least - finding->most, -2);
  dmd_claimrules_destroy(&rules);
  dmd_claimcases_destroy(&cases);
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  dice_t dice = {5};
  (void)arg;
  try_mistake(&dice, TWO_MEMBERS, &host->env);
}

static void out_of_memory(void **state) {
  (void)state;
  assert_true(host_fail_everywhere(use, NULL) >= 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_mistakes_are_told),
      cmocka_unit_test(correct_functions_are_not_mentioned),
      cmocka_unit_test(rare_shapes_count_less),
      cmocka_unit_test(what_never_changes_is_no_rule),
      cmocka_unit_test(right_for_few_types),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
