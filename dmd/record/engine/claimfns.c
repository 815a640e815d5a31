/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/claimfns.h"

#include "base/fnname.h"
#include "base/str.h"
#include "show/text/escape.h"

enum {
  MAX_CLAIMS = 1 << 20, /* that wait for a graph; further ones are not kept */
  MAX_NEEDED = 1 << 20,
  MAX_WALK = 4096,        /* blocks of a walk */
  MAX_WALK_SZB = 1 << 20, /* bytes read in a walk */
  MANY_CLAIMS = 10000,    /* from this many claims on walks are shorter */
  MAX_SHORT_WALK = 256,   /* blocks */
  FREE_GRAPHS = 8,        /* graphs before frees until the number of claims has to double */
  FIRST_DIFFERENCES = 4,  /* of a set, until their number has to double */
  MAX_INLINED = 8,        /* names of inlined functions in the message */
  PROMPT_GRAPHS = 32      /* graphs after claims of functions whose claims were outdated, or differ
                             from the sum of a set */
};

/* Claims of a function. */
typedef struct {
  uint64_t n;
  bool are_outdated;    /* some were, at a graph */
  uint32_t option;      /* its number */
  uint64_t differences; /* of the latest claim, from requested and from usable bytes of a set */
  uint64_t n_different; /* times that these were others than before */
} count_t;

typedef struct {
  uint64_t argument, value, signature;
  uint32_t function, stack, count;
  uint32_t max_walk; /* the limit of its walk */
  bool is_measured;  /* the sum of the set is known */
  dmd_graph_sum_t sum;
} claim_t;

static const dmd_claim_fn_t *option_at(const dmd_claimfns_t *fns, uint32_t number) {
  return DMD_POOL_AT(&fns->options->claim_fns, const dmd_claim_fn_t, number);
}

/* The option that a function matched. */
static const dmd_claim_fn_t *option_of(const dmd_claimfns_t *fns, uint32_t function) {
  return option_at(fns, DMD_POOL_AT(&fns->counts, const count_t, function)->option);
}

static bool same_claim(const void *owner, uint32_t id, const void *key) {
  const claim_t *a = DMD_POOL_AT(&((const dmd_claimfns_t *)owner)->claims, const claim_t, id);
  const claim_t *b = key;
  return a->argument == b->argument && a->value == b->value && a->signature == b->signature &&
         a->function == b->function && a->stack == b->stack && a->max_walk == b->max_walk &&
         a->is_measured == b->is_measured && a->sum.blocks == b->sum.blocks &&
         a->sum.req == b->sum.req && a->sum.usable == b->sum.usable;
}

static bool same_address(const void *owner, uint32_t id, const void *key) {
  return *DMD_POOL_AT((const dmd_pool_t *)owner, const uint64_t, id) == *(const uint64_t *)key;
}

void dmd_claimfns_init(dmd_claimfns_t *fns, const dmd_env_t *env, const dmd_engine_host_t *host,
                       const dmd_options_t *options, dmd_live_t *live) {
  *fns = (dmd_claimfns_t){.env = env, .host = host, .options = options, .blocks = live->blocks};
  dmd_claimsets_init(&fns->sets, env, host, live);
  dmd_pool_init(&fns->set_of, env, "dmd.claimfns.sets", sizeof(uint32_t));
  dmd_intern_init(&fns->functions, env, "dmd.claimfns.functions");
  dmd_pool_init(&fns->used, env, "dmd.claimfns.used", sizeof(uint32_t));
  dmd_intern_init(&fns->inlined, env, "dmd.claimfns.inlined");
  dmd_pool_init(&fns->counts, env, "dmd.claimfns.counts", sizeof(count_t));
  dmd_pool_init(&fns->claims, env, "dmd.claimfns.claims", sizeof(claim_t));
  dmd_table_init(&fns->index, env, "dmd.claimfns.index", same_claim, fns);
  dmd_pool_init(&fns->walked, env, "dmd.claimfns.walked", sizeof(uint64_t));
  dmd_table_init(&fns->walked_index, env, "dmd.claimfns.walked", same_address, &fns->walked);
  dmd_pool_init(&fns->needed, env, "dmd.claimfns.needed", sizeof(uint64_t));
  dmd_table_init(&fns->needed_index, env, "dmd.claimfns.needed", same_address, &fns->needed);
  dmd_pool_reach(&fns->used, options->claim_fns.last);
  dmd_pool_reach(&fns->set_of, options->claim_fns.last);
  for (uint32_t i = 1; i <= options->claim_fns.last; i++) {
    const char *set = option_at(fns, i)->set;
    if (set != NULL)
      *DMD_POOL_AT(&fns->set_of, uint32_t, i) = dmd_claimsets_add(&fns->sets, set);
  }
}

void dmd_claimfns_destroy(dmd_claimfns_t *fns) {
  dmd_table_destroy(&fns->needed_index);
  dmd_pool_destroy(&fns->needed);
  dmd_table_destroy(&fns->walked_index);
  dmd_pool_destroy(&fns->walked);
  dmd_table_destroy(&fns->index);
  dmd_pool_destroy(&fns->claims);
  dmd_pool_destroy(&fns->counts);
  dmd_pool_destroy(&fns->used);
  dmd_intern_destroy(&fns->inlined);
  dmd_intern_destroy(&fns->functions);
  dmd_pool_destroy(&fns->set_of);
  dmd_claimsets_destroy(&fns->sets);
}

/* ---- Functions. ---- */

bool dmd_claimfns_match(dmd_claimfns_t *fns, const char *name, dmd_claim_function_t *function) {
  for (uint32_t i = 1; i <= fns->options->claim_fns.last; i++) {
    const dmd_claim_fn_t *fn = option_at(fns, i);
    if (!dmd_fnname_matches(fn->glob, name))
      continue;
    ++*DMD_POOL_AT(&fns->used, uint32_t, i);
    *function = (dmd_claim_function_t){.name = dmd_intern_text(&fns->functions, name),
                                       .argument = fn->argument};
    dmd_pool_reach(&fns->counts, function->name);
    DMD_POOL_AT(&fns->counts, count_t, function->name)->option = i;
    return true;
  }
  return false;
}

/* ---- Inlined calls. ---- */

/* Appends a function's name, or a pattern of it, without arguments, class and namespace. */
static void append_last(dmd_strbuf_t *to, const char *name) {
  dmd_strbuf_t bare;
  dmd_strbuf_init(&bare, to->env);
  dmd_fnname_bare(&bare, name, dmd_str_length(name));
  size_t first = 0;
  for (size_t i = 0; i + 1 < bare.n; i++)
    if (bare.text[i] == ':' && bare.text[i + 1] == ':')
      first = i + 2;
  dmd_strbuf_bytes(to, bare.text + first, bare.n - first);
  dmd_strbuf_destroy(&bare);
}

/* Whether the last part of a name or pattern matches. */
static bool has_last(const dmd_env_t *env, const char *name, const char *wanted) {
  dmd_strbuf_t last;
  dmd_strbuf_init(&last, env);
  append_last(&last, name);
  bool has = last.n > 0 && !dmd_str_equal(last.text, "*") && dmd_glob_matches(last.text, wanted);
  dmd_strbuf_destroy(&last);
  return has;
}

static bool matches_inlined(const dmd_claimfns_t *fns, uint32_t option, const char *name) {
  const char *glob = option_at(fns, option)->glob;
  return dmd_fnname_matches(glob, name) || has_last(fns->env, glob, name);
}

void dmd_claimfns_note_inlined(dmd_claimfns_t *fns, const char *name) {
  bool is_meant = false;
  for (uint32_t i = 1; i <= fns->used.last && !is_meant; i++)
    is_meant = matches_inlined(fns, i, name);
  if (is_meant)
    dmd_intern_str(&fns->inlined, name);
}

/* Whether there is a function of this name that is not inlined everywhere. */
static bool is_function(const dmd_claimfns_t *fns, const char *name) {
  for (uint32_t id = 1; id <= dmd_intern_count(&fns->functions); id++)
    if (has_last(fns->env, dmd_intern_get_str(&fns->functions, id), name))
      return true;
  return false;
}

static void say_inlined(dmd_claimfns_t *fns, const char *name) {
  dmd_strbuf_t line;
  dmd_strbuf_init(&line, fns->env);
  dmd_strbuf_str(&line, "dmd: --claim-fn: the compiler inlined ");
  if (is_function(fns, name))
    dmd_strbuf_str(&line, "some calls of ");
  dmd_escape_append(&line, name);
  dmd_strbuf_str(&line, is_function(fns, name) ? ", which are not counted"
                                               : " wherever it ran, so that no call was seen");
  dmd_strbuf_str(&line, ": declare it __attribute__((noinline)), or compile with -fno-inline");
  fns->host->say(fns->host->ctx, line.text);
  dmd_strbuf_destroy(&line);
}

static bool has_inlined(const dmd_claimfns_t *fns, uint32_t option) {
  for (uint32_t id = 1; id <= dmd_intern_count(&fns->inlined); id++)
    if (matches_inlined(fns, option, dmd_intern_get_str(&fns->inlined, id)))
      return true;
  return false;
}

void dmd_claimfns_say_unused(dmd_claimfns_t *fns) {
  dmd_strbuf_t line;
  dmd_strbuf_init(&line, fns->env);
  for (uint32_t i = 1; i <= fns->used.last; i++) {
    if (*DMD_POOL_AT(&fns->used, const uint32_t, i) > 0 || has_inlined(fns, i))
      continue;
    dmd_strbuf_cut(&line, 0);
    dmd_strbuf_str(&line, "dmd: no function that ran matches --claim-fn=");
    dmd_escape_append(&line, option_at(fns, i)->glob);
    dmd_strbuf_str(&line, "; calls that the compiler inlined cannot be seen");
    fns->host->say(fns->host->ctx, line.text);
  }
  for (uint32_t id = 1; id <= dmd_intern_count(&fns->inlined) && id <= MAX_INLINED; id++)
    say_inlined(fns, dmd_intern_get_str(&fns->inlined, id));
  dmd_strbuf_destroy(&line);
}

/* ---- Walks. ---- */

/* Notes a block; false if it was noted before. */
static bool note(dmd_pool_t *pool, dmd_table_t *table, uint64_t addr) {
  uint32_t n = pool->last;
  dmd_table_find_or_add(table, pool, dmd_table_hash(table, addr), &addr);
  return pool->last > n;
}

/* The order of the blocks does not count: a pointer that is cleared may change it. */
static void walk_word(dmd_claimfns_t *fns, uint64_t word, uint64_t *signature) {
  uint64_t start;
  const dmd_block_t *block = dmd_blocks_find_containing(fns->blocks, word, &start);
  if (block != NULL && note(&fns->walked, &fns->walked_index, start))
    *signature += dmd_hash_u64(start ^ dmd_hash_u64(block->req));
}

/* The words of a block that may be read; 0: none. */
static uint64_t readable_words(dmd_claimfns_t *fns, uint64_t addr) {
  const dmd_block_t *block = dmd_blocks_find(fns->blocks, addr);
  uint64_t szB = block == NULL || (block->flags & DMD_BLOCK_ANNOUNCED) ? 0 : block->req;
  bool is_readable = szB > 0 && addr % fns->host->word_szB == 0 &&
                     fns->host->is_readable(fns->host->ctx, addr, szB);
  return is_readable ? szB / fns->host->word_szB : 0;
}

/* The signature of what an argument leads to. */
static uint64_t walk(dmd_claimfns_t *fns, uint64_t argument, uint32_t max_walk) {
  uint64_t signature = 0, left = MAX_WALK_SZB / fns->host->word_szB;
  dmd_table_clear(&fns->walked_index);
  dmd_pool_rewind(&fns->walked);
  walk_word(fns, argument, &signature);
  for (uint32_t i = 1; i <= fns->walked.last && i <= max_walk && left > 0; i++) {
    uint64_t addr = *DMD_POOL_AT(&fns->walked, const uint64_t, i);
    uint64_t n = readable_words(fns, addr);
    n = n < left ? n : left;
    left -= n;
    for (uint64_t k = 0; k < n; k++)
      walk_word(fns,
                dmd_word_at((const char *)(uintptr_t)(addr + k * fns->host->word_szB),
                            fns->host->word_szB),
                &signature);
  }
  return signature;
}

static void need_walked(dmd_claimfns_t *fns) {
  for (uint32_t i = 1; i <= fns->walked.last && fns->needed.last < MAX_NEEDED; i++)
    note(&fns->needed, &fns->needed_index, *DMD_POOL_AT(&fns->walked, const uint64_t, i));
}

/* ---- Claims. ---- */

static bool is_power_of_two(uint64_t n) {
  return n != 0 && (n & (n - 1)) == 0;
}

/* Counts a claim. Returns whether a graph should follow: for the first claims of a function, when
 * their number doubles, and if earlier ones were outdated. */
static bool count(dmd_claimfns_t *fns, uint32_t function) {
  count_t *of = DMD_POOL_AT(&fns->counts, count_t, function);
  fns->n_claims++;
  of->n++;
  if (!fns->is_due && of->are_outdated && fns->n_prompt < PROMPT_GRAPHS) {
    fns->n_prompt++;
    return true;
  }
  return is_power_of_two(of->n) && __builtin_ctzll(of->n) % 3 == 0;
}

/* Takes the sum of the set that the claim is about, or walks its object. */
static void look_at(dmd_claimfns_t *fns, claim_t *claim) {
  count_t *of = DMD_POOL_AT(&fns->counts, count_t, claim->function);
  uint32_t set = *DMD_POOL_AT(&fns->set_of, const uint32_t, of->option);
  if (set == DMD_NONE) {
    claim->max_walk = fns->n_claims < MANY_CLAIMS ? MAX_WALK : MAX_SHORT_WALK;
    claim->signature = walk(fns, claim->argument, claim->max_walk);
    return;
  }
  claim->is_measured = dmd_claimsets_measure(&fns->sets, set, &claim->sum);
  uint64_t req = claim->value - claim->sum.req, usable = claim->value - claim->sum.usable;
  uint64_t differences = dmd_hash_u64(req ^ dmd_hash_u64(usable));
  bool is_new = claim->is_measured && req != 0 && usable != 0 && differences != of->differences;
  of->differences = differences;
  of->n_different += is_new;
  bool is_wanted = of->n_different <= FIRST_DIFFERENCES || is_power_of_two(of->n_different);
  if (is_new && is_wanted && !fns->is_due && fns->n_prompt < PROMPT_GRAPHS) {
    fns->n_prompt++;
    fns->is_due = true;
  }
}

void dmd_claimfns_add(dmd_claimfns_t *fns, const dmd_new_claim_t *claim) {
  fns->is_due = count(fns, claim->function) || fns->is_due;
  if (fns->claims.last >= MAX_CLAIMS)
    return;
  claim_t added = {.argument = claim->argument,
                   .value = claim->value,
                   .function = claim->function,
                   .stack = claim->stack};
  look_at(fns, &added);
  uint64_t hash = dmd_table_hash(&fns->index, added.argument);
  hash = dmd_hash_u64(hash ^ added.value);
  hash = dmd_hash_u64(hash ^ added.signature ^ added.sum.usable ^
                      ((uint64_t)added.function << 32 | added.stack));
  uint32_t id = dmd_table_find(&fns->index, hash, &added);
  if (id == DMD_NONE) {
    id = dmd_pool_add(&fns->claims);
    *DMD_POOL_AT(&fns->claims, claim_t, id) = added;
    dmd_table_add(&fns->index, hash, id);
    need_walked(fns);
  }
  if (DMD_POOL_AT(&fns->claims, claim_t, id)->count < UINT32_MAX)
    DMD_POOL_AT(&fns->claims, claim_t, id)->count++;
}

bool dmd_claimfns_need(const dmd_claimfns_t *fns, uint64_t addr) {
  bool may_write = fns->n_before_frees < FREE_GRAPHS || fns->n_claims >= 2 * fns->n_at_free;
  return may_write && dmd_table_find(&fns->needed_index, dmd_table_hash(&fns->needed_index, addr),
                                     &addr) != DMD_NONE;
}

void dmd_claimfns_note_graph(dmd_claimfns_t *fns) {
  if (!fns->is_due) {
    fns->n_before_frees++;
    fns->n_at_free = fns->n_claims;
  }
  fns->is_due = false;
}

void dmd_claimfns_number(dmd_claimfns_t *fns, dmd_numbering_t *stacks) {
  for (uint32_t i = 1; i <= fns->claims.last; i++)
    dmd_numbering_of(stacks, DMD_POOL_AT(&fns->claims, const claim_t, i)->stack);
}

static void forget(dmd_claimfns_t *fns) {
  fns->is_due = false;
  dmd_table_clear(&fns->index);
  dmd_pool_rewind(&fns->claims);
  dmd_table_clear(&fns->needed_index);
  dmd_pool_rewind(&fns->needed);
}

void dmd_claimfns_write(dmd_claimfns_t *fns, dmd_numbering_t *stacks, dmd_graphwriter_t *file) {
  if (fns->claims.last == 0)
    return;
  for (uint32_t i = 1; i <= fns->options->claim_fns.last; i++)
    if (option_at(fns, i)->set != NULL)
      dmd_intern_text(&fns->functions, option_at(fns, i)->set);
  for (uint32_t i = 1; i <= dmd_intern_count(&fns->functions); i++)
    dmd_graphwriter_claim_function(file, dmd_intern_get_str(&fns->functions, i));
  for (uint32_t i = 1; i <= fns->claims.last; i++) {
    const claim_t *claim = DMD_POOL_AT(&fns->claims, const claim_t, i);
    const char *set = option_of(fns, claim->function)->set;
    bool is_outdated = set != NULL
                           ? !claim->is_measured
                           : walk(fns, claim->argument, claim->max_walk) != claim->signature;
    if (is_outdated && set == NULL)
      DMD_POOL_AT(&fns->counts, count_t, claim->function)->are_outdated = true;
    dmd_graphwriter_claim(
        file,
        &(dmd_graph_claim_t){.argument = claim->argument,
                             .value = claim->value,
                             .function = claim->function,
                             .stack = dmd_numbering_of(stacks, claim->stack),
                             .count = claim->count,
                             .is_outdated = is_outdated,
                             .set = set == NULL ? DMD_NONE : dmd_intern_text(&fns->functions, set),
                             .sum = claim->sum});
  }
  forget(fns);
}
