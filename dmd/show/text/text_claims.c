/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/text_claims.h"

#include "base/format.h"
#include "base/jsonout.h"
#include "base/sort.h"
#include "base/str.h"
#include "show/text/print.h"

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
  return dmd_claimcases_find(rules->cases, dmd_claimcases_at(rules->cases, finding->example),
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
    [DMD_DEFECT_WRAPPED] = {"keeps only the lower 32 bits", "", false},
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
  const dmd_claim_case_t *c = dmd_claimcases_at(rules->cases, f->example);
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

static void print_not_judged(dmd_out_t *out, const dmd_claim_function_sums_t *sums) {
  const struct {
    uint64_t n;
    const char *why;
  } all[] = {{sums->n_outdated, "the object changed before a heap graph was written"},
             {sums->n_no_block, "the argument is not in a block"},
             {sums->n_unmeasured, "adding up the blocks each time would have taken too long"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (all[i].n == 0)
      continue;
    dmd_out_str(out, "  ");
    print_calls(out, all[i].n);
    dmd_out_str(out, " not judged: ");
    dmd_out_str(out, all[i].why);
    dmd_out_char(out, '\n');
  }
}

static void print_function(dmd_out_t *out, const dmd_claimrules_t *rules, uint32_t id,
                           uint32_t max_rows) {
  const dmd_claim_verdict_t *v = dmd_claimrules_at(rules, id);
  print_name(out, rules, v->function);
  dmd_out_str(out, ": ");
  print_calls(out, v->count);
  dmd_out_char(out, '\n');
  if (v->n_cases > 0) {
    dmd_out_str(out, v->has_rule ? "  returns " : "  never right, compared with ");
    print_rule(out, rules, &v->rule, sums_of(rules, id)->set);
    if (v->has_rule) {
      dmd_out_str(out, ": right in ");
      print_calls(out, v->n_right);
    }
    dmd_out_char(out, '\n');
  }
  for (uint32_t i = 0; i < v->n_findings && (max_rows == 0 || i < max_rows); i++)
    print_finding(out, rules, v, dmd_claimrules_finding(rules, v, i));
  if (max_rows != 0 && v->n_findings > max_rows)
    dmd_print_left_out(out, v->n_findings, max_rows, "more kind of wrong call",
                       "more kinds of wrong calls");
  print_not_judged(out, sums_of(rules, id));
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

static void write_defects(dmd_jsonout_t *j, const dmd_claimrules_t *rules,
                          const dmd_claim_finding_t *f) {
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
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
}

static void write_example(dmd_jsonout_t *j, const dmd_claimrules_t *rules,
                          const dmd_claim_verdict_t *v, const dmd_claim_finding_t *f) {
  const dmd_claim_case_t *c = dmd_claimcases_at(rules->cases, f->example);
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

static void write_findings(dmd_jsonout_t *j, const dmd_claimrules_t *rules,
                           const dmd_claim_verdict_t *v) {
  dmd_jsonout_key(j, "findings");
  dmd_jsonout_array(j, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < v->n_findings; i++) {
    const dmd_claim_finding_t *f = dmd_claimrules_finding(rules, v, i);
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    dmd_jsonout_key_u64(j, "calls", f->count);
    key_i64(j, "least", f->least);
    key_i64(j, "most", f->most);
    write_defects(j, rules, f);
    write_example(j, rules, v, f);
    dmd_jsonout_end(j);
  }
  dmd_jsonout_end(j);
}

static void write_function(dmd_jsonout_t *j, const dmd_claimrules_t *rules, uint32_t id) {
  const dmd_claim_verdict_t *v = dmd_claimrules_at(rules, id);
  dmd_jsonout_object(j, DMD_JSONOUT_LINES);
  write_name(j, "function", rules, v->function);
  write_name(j, "set", rules, sums_of(rules, id)->set);
  dmd_jsonout_key_u64(j, "calls", v->count);
  dmd_jsonout_key_u64(j, "right", v->n_right);
  dmd_jsonout_key_u64(j, "changed", sums_of(rules, id)->n_outdated);
  dmd_jsonout_key_u64(j, "notInABlock", sums_of(rules, id)->n_no_block);
  dmd_jsonout_key_u64(j, "notMeasured", sums_of(rules, id)->n_unmeasured);
  if (v->n_cases > 0) {
    dmd_jsonout_key(j, "rule");
    dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
    dmd_jsonout_key_str(j, "counts",
                        sums_of(rules, id)->set != DMD_NONE ? "set" : scopes[v->rule.scope]);
    dmd_jsonout_key_str(j, "bytes", v->rule.is_usable ? "usable" : "requested");
    key_i64(j, "constant", v->rule.constant);
    dmd_jsonout_key_bool(j, "explains", v->has_rule);
    dmd_jsonout_end(j);
  }
  write_findings(j, rules, v);
  dmd_jsonout_end(j);
}

void dmd_claims_json(dmd_out_t *out, const dmd_claimrules_t *rules) {
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  dmd_jsonout_key(&j, "functions");
  dmd_jsonout_array(&j, DMD_JSONOUT_LINES);
  for (uint32_t id = 1; id <= rules->verdicts.last; id++)
    write_function(&j, rules, id);
  dmd_jsonout_end(&j);
  dmd_jsonout_end(&j);
}
