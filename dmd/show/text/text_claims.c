/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/text_claims.h"

#include "base/format.h"
#include "base/jsonout.h"
#include "base/sort.h"
#include "base/str.h"
#include "show/text/print.h"
#include "show/text/record_json.h"

static const char *const scopes[DMD_N_CLAIM_SCOPES] = {"block", "owned", "retained"};
static const char *const defects[] = {[DMD_DEFECT_UNIT] = "unit",
                                      [DMD_DEFECT_MISSING] = "missing",
                                      [DMD_DEFECT_MISSING_OWN] = "missing-itself",
                                      [DMD_DEFECT_MISSING_BELOW] = "missing-below",
                                      [DMD_DEFECT_TWICE] = "twice",
                                      [DMD_DEFECT_TWICE_OWN] = "twice-itself",
                                      [DMD_DEFECT_SHARED] = "shared",
                                      [DMD_DEFECT_EACH] = "for-each",
                                      [DMD_DEFECT_AS] = "each-as",
                                      [DMD_DEFECT_RATIO] = "ratio",
                                      [DMD_DEFECT_CONSTANT] = "constant",
                                      [DMD_DEFECT_NOTHING] = "nothing",
                                      [DMD_DEFECT_WRAPPED] = "wrapped",
                                      [DMD_DEFECT_STALE] = "stale",
                                      [DMD_DEFECT_NOT_SEEN] = "not-seen",
                                      [DMD_DEFECT_UNEXPLAINED] = "unexplained"};

static const dmd_claim_function_sums_t *sums_of(const dmd_claimrules_t *rules, uint32_t id) {
  return DMD_POOL_AT(&rules->cases->functions, const dmd_claim_function_sums_t, id);
}

/* The part of the finding's example with this defect; NULL: none. */
static const dmd_claim_part_t *part_of(const dmd_claimrules_t *rules,
                                       const dmd_claim_finding_t *finding,
                                       const dmd_defect_t *defect) {
  return dmd_claimcases_find(rules->cases, dmd_claimcases_at(rules->cases, finding->outliers[0]),
                             defect->part);
}

/* ---- Text. ---- */

static void print_name(dmd_out_t *out, const dmd_claimrules_t *rules, uint32_t name) {
  dmd_print_types(out, rules->cases->env, dmd_claimcases_name(rules->cases, name));
}

/* set: what the function counts if that is not an object; else DMD_NONE. */
static void print_rule(dmd_out_t *out, const dmd_claimrules_t *rules, const dmd_claim_rule_t *rule,
                       uint32_t set) {
  static const char *const meanings[DMD_N_CLAIM_SCOPES] = {
      "the object's own block", "what the object owns, without other objects that are asked",
      "all that the object retains"};
  dmd_out_str(out, set != DMD_NONE ? "the bytes of " : meanings[rule->scope]);
  if (set != DMD_NONE)
    print_name(out, rules, set);
  dmd_out_str(out, rule->is_usable ? ", in usable bytes" : ", in requested bytes");
  if (rule->constant != 0) {
    dmd_out_str(out, rule->constant > 0 ? ", plus " : ", less ");
    dmd_print_bytes(out, dmd_magnitude(rule->constant));
  }
}

static void print_calls(dmd_out_t *out, uint64_t n) {
  dmd_print_count(out, (int64_t)n, false, "call", "calls");
}

/* `32 bytes too few`, `17 to 280 bytes too many` */
static void print_range(dmd_out_t *out, const dmd_claim_finding_t *f) {
  if (f->least < 0 && f->most > 0) {
    dmd_print_unsigned(out, dmd_magnitude(f->least));
    dmd_out_str(out, " bytes too few to ");
    dmd_print_bytes(out, dmd_magnitude(f->most));
    dmd_out_str(out, " too many");
    return;
  }
  uint64_t a = dmd_magnitude(f->least), b = dmd_magnitude(f->most);
  if (a != b) {
    dmd_print_unsigned(out, a < b ? a : b);
    dmd_out_str(out, " to ");
  }
  dmd_print_bytes(out, a < b ? b : a);
  dmd_out_str(out, f->most > 0 ? " too many" : " too few");
}

/* A block without a type is named "from" the function that allocated it. */
static void print_part(dmd_out_t *out, const dmd_claimrules_t *rules,
                       const dmd_claim_part_t *part) {
  bool is_nameless = dmd_str_begins(dmd_claimcases_name(rules->cases, part->name), "from ");
  dmd_out_str(out, is_nameless ? "a block " : "");
  print_name(out, rules, part->name);
  if (part->path != DMD_NONE && !part->is_shared) {
    dmd_out_str(out, ", as ->");
    print_name(out, rules, part->path);
  }
  if (part->site != DMD_NONE && !is_nameless) {
    dmd_out_str(out, ", allocated in ");
    print_name(out, rules, part->site);
  }
}

/* Words before and after the part, and whether the number of bytes comes first. */
static const struct {
  const char *before, *after;
  bool has_bytes;
} words[] = {
    [DMD_DEFECT_MISSING] = {"leaves out ", ", and what it leads to", false},
    [DMD_DEFECT_MISSING_OWN] = {"leaves out ", ", but counts what it leads to", false},
    [DMD_DEFECT_MISSING_BELOW] = {"counts ", ", but leaves out what it leads to", false},
    [DMD_DEFECT_TWICE] = {"counts once too often ", ", and what it leads to", false},
    [DMD_DEFECT_TWICE_OWN] = {"counts once too often ", "", false},
    [DMD_DEFECT_SHARED] = {"counts ", ", which also belongs to others", false},
    [DMD_DEFECT_UNIT] = {"", "", false},
    [DMD_DEFECT_EACH] = {" for each block of ", "", true},
    [DMD_DEFECT_AS] = {" is what it counts for each block of ", "", true},
    [DMD_DEFECT_RATIO] = {" are counted as one of ", "", true},
    [DMD_DEFECT_CONSTANT] = {"", "", true},
    [DMD_DEFECT_NOTHING] = {"returns 0", "", false},
    [DMD_DEFECT_WRAPPED] = {"keeps only the lower ", "", false},
    [DMD_DEFECT_STALE] = {"repeats what was true earlier", "", false},
    [DMD_DEFECT_NOT_SEEN] = {"no heap graph shows what the blocks were at that moment", "", false},
    [DMD_DEFECT_UNEXPLAINED] = {"no part explains this", "", false},
};

static void print_defect_words(dmd_out_t *out, const dmd_claimrules_t *rules,
                               const dmd_claim_verdict_t *v, const dmd_claim_finding_t *f,
                               const dmd_defect_t *defect) {
  bool is_signed = defect->kind == DMD_DEFECT_EACH || defect->kind == DMD_DEFECT_CONSTANT;
  const dmd_claim_part_t *part = part_of(rules, f, defect);
  if (words[defect->kind].has_bytes) {
    dmd_print_bytes(out, dmd_magnitude(defect->bytes));
    if (is_signed)
      dmd_out_str(out, defect->bytes > 0 ? " too many" : " too few");
  }
  dmd_out_str(out, words[defect->kind].before);
  if (defect->kind == DMD_DEFECT_WRAPPED) {
    dmd_print_unsigned(out, defect->bytes == 0 ? 32 : 8 * (uint64_t)defect->bytes);
    dmd_out_str(out, defect->bytes == 0 ? " bits" : " bits, all that its result has");
  }
  if (defect->kind == DMD_DEFECT_UNIT)
    dmd_out_str(out, v->rule.is_usable ? "counts only the requested bytes of "
                                       : "counts the usable bytes of ");
  if (part != NULL)
    print_part(out, rules, part);
  bool leads = part != NULL && part->whole.blocks > part->own.blocks;
  if (leads || (defect->kind != DMD_DEFECT_MISSING && defect->kind != DMD_DEFECT_TWICE))
    dmd_out_str(out, words[defect->kind].after);
}

static void print_defect(dmd_out_t *out, const dmd_claimrules_t *rules,
                         const dmd_claim_verdict_t *v, const dmd_claim_finding_t *f,
                         const dmd_defect_t *defect) {
  dmd_out_str(out, "    ");
  print_defect_words(out, rules, v, f, defect);
  dmd_out_char(out, '\n');
}

static void print_example(dmd_out_t *out, const dmd_claimrules_t *rules,
                          const dmd_claim_verdict_t *v, const dmd_claim_finding_t *f) {
  const dmd_claim_case_t *c = dmd_claimcases_at(rules->cases, f->outliers[0]);
  char address[DMD_FORMAT_MAX];
  dmd_format_hex(address, c->argument);
  dmd_out_str(out, c->is_of_set ? "    such as " : "    such as 0x");
  if (!c->is_of_set) {
    dmd_out_str(out, address);
    dmd_out_str(out, " (");
    print_name(out, rules, dmd_claimcases_part(rules->cases, c, c->object_part)->name);
    dmd_out_str(out, "): ");
  }
  dmd_print_unsigned(out, c->value);
  dmd_out_str(out, " claimed, ");
  dmd_print_unsigned(out, dmd_claim_truth(&v->rule, c));
  dmd_out_str(out, " true\n");
}

static void print_finding(dmd_out_t *out, const dmd_claimrules_t *rules,
                          const dmd_claim_verdict_t *v, const dmd_claim_finding_t *f) {
  dmd_out_str(out, "  ");
  print_calls(out, f->count);
  dmd_out_str(out, ": ");
  print_range(out, f);
  dmd_out_char(out, '\n');
  for (int i = 0; i < DMD_MAX_DEFECTS && f->defects[i].kind != DMD_DEFECT_NONE; i++)
    print_defect(out, rules, v, f, &f->defects[i]);
  print_example(out, rules, v, f);
}

void dmd_claims_print_defects(dmd_out_t *out, const dmd_claimrules_t *rules, uint32_t id,
                              const dmd_claim_finding_t *f) {
  for (int i = 0; i < DMD_MAX_DEFECTS && f->defects[i].kind != DMD_DEFECT_NONE; i++) {
    dmd_out_str(out, i == 0 ? "" : "; ");
    print_defect_words(out, rules, dmd_claimrules_at(rules, id), f, &f->defects[i]);
  }
}

void dmd_claims_print_sentence(dmd_out_t *out, const dmd_claimrules_t *rules, uint32_t id,
                               const dmd_claim_finding_t *f) {
  dmd_out_str(out, "Returns ");
  print_range(out, f);
  dmd_out_str(out, " in ");
  print_calls(out, f->count);
  dmd_out_str(out, ": ");
  dmd_claims_print_defects(out, rules, id, f);
  dmd_out_char(out, '.');
}

/* `returns all that the object retains, in requested bytes: right in 6 calls` */
static void print_meaning(dmd_out_t *out, const dmd_claimrules_t *rules, uint32_t id) {
  const dmd_claim_verdict_t *v = dmd_claimrules_at(rules, id);
  dmd_out_str(out, v->has_rule ? "returns " : "never right, compared with ");
  print_rule(out, rules, &v->rule, sums_of(rules, id)->set);
  if (!v->has_rule)
    return;
  dmd_out_str(out, ": right in ");
  print_calls(out, v->n_right);
}

enum { N_REASONS = 3 };

/* `2 calls not judged: why`, for one of N_REASONS reasons. False if it holds for no call. */
static bool print_not_judged(dmd_out_t *out, const dmd_claim_function_sums_t *sums, int reason,
                             const char *indent) {
  const struct {
    uint64_t n;
    const char *why;
  } all[N_REASONS] = {
      {sums->n_outdated, "the object changed before a heap graph was written"},
      {sums->n_no_block, "the argument is not in a block"},
      {sums->n_unmeasured, "adding up the blocks each time would have taken too long"}};
  if (all[reason].n == 0)
    return false;
  dmd_out_str(out, indent);
  print_calls(out, all[reason].n);
  dmd_out_str(out, " not judged: ");
  dmd_out_str(out, all[reason].why);
  return true;
}

static void print_function(dmd_out_t *out, const dmd_claimrules_t *rules, uint32_t id,
                           uint32_t max_rows) {
  const dmd_claim_verdict_t *v = dmd_claimrules_at(rules, id);
  print_name(out, rules, v->function);
  dmd_out_str(out, ": ");
  print_calls(out, v->count);
  dmd_out_char(out, '\n');
  if (v->n_cases > 0) {
    dmd_out_str(out, "  ");
    print_meaning(out, rules, id);
    dmd_out_char(out, '\n');
  }
  for (uint32_t i = 0; i < v->n_findings && (max_rows == 0 || i < max_rows); i++)
    print_finding(out, rules, v, dmd_claimrules_finding(rules, v, i));
  if (max_rows != 0 && v->n_findings > max_rows)
    dmd_print_left_out(out, v->n_findings, max_rows, "more kind of wrong call",
                       "more kinds of wrong calls");
  for (int reason = 0; reason < N_REASONS; reason++)
    if (print_not_judged(out, sums_of(rules, id), reason, "  "))
      dmd_out_char(out, '\n');
}

void dmd_claims_print(dmd_out_t *out, const dmd_claimrules_t *rules, uint32_t max_rows) {
  for (uint32_t id = 1; id <= rules->verdicts.last; id++) {
    if (id > 1)
      dmd_out_char(out, '\n');
    print_function(out, rules, id, max_rows);
  }
  if (rules->verdicts.last == 0)
    dmd_out_str(out, "no claims: was the program run with --claim-fn?\n");
}

/* ---- JSON. ---- */

static void key_i64(dmd_jsonout_t *j, const char *key, int64_t v) {
  dmd_jsonout_key_any(j, key);
  dmd_jsonout_i64(j, v);
}

static void write_name(dmd_jsonout_t *j, const char *key, const dmd_claimrules_t *rules,
                       uint32_t name) {
  if (name != DMD_NONE)
    dmd_jsonout_key_str(j, key, dmd_claimcases_name(rules->cases, name));
}

/* The state of the writer. */
typedef struct {
  const dmd_claimrules_t *rules;
  const dmd_profile_t *stacks;
  dmd_strbuf_t text; /* of the current sentence */
  dmd_out_t sentence;
  dmd_jsonout_t json;
} writer_t;

/* Writes what was printed to the sentence. key: NULL in an array. */
static void write_sentence(writer_t *w, const char *key) {
  dmd_out_flush(&w->sentence);
  if (key != NULL)
    dmd_jsonout_key(&w->json, key);
  dmd_jsonout_str(&w->json, w->text.text);
  dmd_strbuf_cut(&w->text, 0);
}

static void write_defects(writer_t *w, const dmd_claim_verdict_t *v, const dmd_claim_finding_t *f) {
  const dmd_claimrules_t *rules = w->rules;
  dmd_jsonout_t *j = &w->json;
  dmd_jsonout_key(j, "defects");
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  for (int i = 0; i < DMD_MAX_DEFECTS && f->defects[i].kind != DMD_DEFECT_NONE; i++) {
    const dmd_defect_t *defect = &f->defects[i];
    const dmd_claim_part_t *part = part_of(rules, f, defect);
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    dmd_jsonout_key_str(j, "kind", defects[defect->kind]);
    if (part != NULL) {
      write_name(j, "part", rules, part->name);
      write_name(j, "path", rules, part->path);
      write_name(j, "allocatedAt", rules, part->site);
    }
    if (words[defect->kind].has_bytes)
      key_i64(j, "bytes", defect->bytes);
    print_defect_words(&w->sentence, rules, v, f, defect);
    write_sentence(w, "sentence");
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
}

static void write_example(writer_t *w, const dmd_claim_verdict_t *v, const dmd_claim_finding_t *f) {
  const dmd_claimrules_t *rules = w->rules;
  dmd_jsonout_t *j = &w->json;
  const dmd_claim_case_t *c = dmd_claimcases_at(rules->cases, f->outliers[0]);
  dmd_jsonout_key(j, "example");
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  if (!c->is_of_set)
    dmd_jsonout_key_address(j, "address", c->argument);
  dmd_jsonout_key_u64(j, "claimed", c->value);
  dmd_jsonout_key_u64(j, "true", dmd_claim_truth(&v->rule, c));
  dmd_jsonout_key(j, "parts");
  dmd_jsonout_array(j, DMD_JSONOUT_INLINE);
  for (uint32_t i = 0; i < c->n_parts; i++) {
    const dmd_claim_part_t *part = dmd_claimcases_part(rules->cases, c, i);
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    write_name(j, "part", rules, part->name);
    write_name(j, "path", rules, part->path);
    write_name(j, "allocatedAt", rules, part->site);
    dmd_jsonout_key_u64(j, "blocks", part->own.blocks);
    dmd_jsonout_key_u64(j, "requested", part->own.req);
    dmd_jsonout_key_u64(j, "usable", part->own.usable);
    dmd_jsonout_key_bool(j, "shared", part->is_shared);
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
  dmd_jsonout_end(j);
}

/* The part with whose blocks the difference grows; NULL: it does not grow with a number. */
static const dmd_claim_part_t *elements_of(const dmd_claimrules_t *rules,
                                           const dmd_claim_finding_t *f,
                                           const dmd_claim_case_t *c) {
  for (int i = 0; i < DMD_MAX_DEFECTS; i++)
    if (f->defects[i].kind == DMD_DEFECT_EACH || f->defects[i].kind == DMD_DEFECT_AS)
      return dmd_claimcases_find(rules->cases, c, f->defects[i].part);
  return NULL;
}

static void write_outlier(writer_t *w, const dmd_claim_verdict_t *v, const dmd_claim_finding_t *f,
                          const dmd_claim_case_t *c) {
  dmd_jsonout_t *j = &w->json;
  const dmd_claim_part_t *elements = elements_of(w->rules, f, c);
  size_t n;
  const uint32_t *frames = dmd_profile_frames(w->stacks, c->stack, &n);
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  if (!c->is_of_set) {
    dmd_jsonout_key_address(j, "address", c->argument);
    write_name(j, "object", w->rules,
               dmd_claimcases_part(w->rules->cases, c, c->object_part)->name);
  }
  dmd_jsonout_key_u64(j, "calls", c->count);
  dmd_jsonout_key_u64(j, "claimed", c->value);
  dmd_jsonout_key_u64(j, "true", dmd_claim_truth(&v->rule, c));
  if (elements != NULL)
    dmd_jsonout_key_u64(j, "elements", elements->own.blocks);
  dmd_jsonout_key(j, "askedAt");
  dmd_json_write_frames(j, w->stacks, frames, n);
  dmd_jsonout_end(j);
}

static void write_outliers(writer_t *w, const dmd_claim_verdict_t *v,
                           const dmd_claim_finding_t *f) {
  dmd_jsonout_key(&w->json, "outliers");
  dmd_jsonout_array(&w->json, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < dmd_claim_n_outliers(f); i++)
    write_outlier(w, v, f, dmd_claimcases_at(w->rules->cases, f->outliers[i]));
  dmd_jsonout_end(&w->json);
}

static void write_findings(writer_t *w, uint32_t id, const dmd_claim_verdict_t *v) {
  dmd_jsonout_t *j = &w->json;
  dmd_jsonout_key(j, "findings");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < v->n_findings; i++) {
    const dmd_claim_finding_t *f = dmd_claimrules_finding(w->rules, v, i);
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    dmd_jsonout_key_u64(j, "calls", f->count);
    dmd_jsonout_key_u64(j, "bytes", f->bytes);
    key_i64(j, "least", f->least);
    key_i64(j, "most", f->most);
    print_range(&w->sentence, f);
    write_sentence(w, "difference");
    dmd_claims_print_sentence(&w->sentence, w->rules, id, f);
    write_sentence(w, "sentence");
    write_defects(w, v, f);
    write_example(w, v, f);
    write_outliers(w, v, f);
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
}

static void write_rule(writer_t *w, uint32_t id) {
  const dmd_claim_verdict_t *v = dmd_claimrules_at(w->rules, id);
  uint32_t set = sums_of(w->rules, id)->set;
  dmd_jsonout_t *j = &w->json;
  dmd_jsonout_key(j, "rule");
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_str(j, "counts", set != DMD_NONE ? "set" : scopes[v->rule.scope]);
  dmd_jsonout_key_str(j, "bytes", v->rule.is_usable ? "usable" : "requested");
  key_i64(j, "constant", v->rule.constant);
  dmd_jsonout_key_bool(j, "explains", v->has_rule);
  dmd_jsonout_end(j);
}

/* What the function returns, and which calls were not judged. */
static void write_sentences(writer_t *w, uint32_t id) {
  if (dmd_claimrules_at(w->rules, id)->n_cases > 0) {
    print_rule(&w->sentence, w->rules, &dmd_claimrules_at(w->rules, id)->rule,
               sums_of(w->rules, id)->set);
    write_sentence(w, "returns");
  }
  dmd_jsonout_key(&w->json, "sentences");
  dmd_jsonout_array(&w->json, DMD_JSONOUT_INLINE);
  if (dmd_claimrules_at(w->rules, id)->n_cases > 0) {
    print_meaning(&w->sentence, w->rules, id);
    write_sentence(w, NULL);
  }
  for (int reason = 0; reason < N_REASONS; reason++)
    if (print_not_judged(&w->sentence, sums_of(w->rules, id), reason, ""))
      write_sentence(w, NULL);
  dmd_jsonout_end(&w->json);
}

static void write_function(writer_t *w, uint32_t id) {
  const dmd_claim_verdict_t *v = dmd_claimrules_at(w->rules, id);
  const dmd_claim_function_sums_t *sums = sums_of(w->rules, id);
  dmd_jsonout_t *j = &w->json;
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  write_name(j, "function", w->rules, v->function);
  write_name(j, "set", w->rules, sums->set);
  dmd_jsonout_key_u64(j, "calls", v->count);
  dmd_jsonout_key_u64(j, "right", v->n_right);
  dmd_jsonout_key_u64(j, "changed", sums->n_outdated);
  dmd_jsonout_key_u64(j, "notInABlock", sums->n_no_block);
  dmd_jsonout_key_u64(j, "notMeasured", sums->n_unmeasured);
  if (v->n_cases > 0)
    write_rule(w, id);
  write_sentences(w, id);
  write_findings(w, id, v);
  dmd_jsonout_end(j);
}

void dmd_claims_json(dmd_out_t *out, const dmd_claimrules_t *rules, const dmd_profile_t *stacks) {
  writer_t w = {.rules = rules, .stacks = stacks};
  dmd_strbuf_init(&w.text, rules->cases->env);
  dmd_out_init(&w.sentence, dmd_strbuf_write, &w.text);
  dmd_jsonout_init(&w.json, out);
  dmd_jsonout_object(&w.json, DMD_JSONOUT_LINES);
  dmd_jsonout_key(&w.json, "functions");
  dmd_jsonout_array(&w.json, DMD_JSONOUT_LINES);
  for (uint32_t id = 1; id <= rules->verdicts.last; id++)
    write_function(&w, id);
  dmd_jsonout_end(&w.json);
  dmd_jsonout_end(&w.json);
  dmd_strbuf_destroy(&w.text);
}
