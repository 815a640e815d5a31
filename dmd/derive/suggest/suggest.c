/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "derive/suggest/suggest.h"

#include "base/format.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "derive/suggest/evidence.h"

/* ---- Numbers of elements. ---- */

/* What a name suggests: a number of elements of the array with this name or of anything, or a
 * capacity, which counts only if there is nothing better. Better ones have higher values. */
enum { NOTHING, ROOM, ROOM_OF_IT, NUMBER, CONSTANT, NUMBER_OF_IT };

static bool is_one_of(const char *word, size_t n, const char *const *words) {
  while (*words != NULL && !(dmd_str_length(*words) == n && dmd_str_equal_n(*words, word, n)))
    words++;
  return *words != NULL;
}

/* True if the name is the array's or its singular: "postings" and "posting". */
static bool names_array(const char *name, size_t n, const char *array) {
  size_t length = dmd_str_length(array);
  if (n == length || (n + 1 == length && array[n] == 's'))
    return n > 0 && dmd_str_equal_n(name, array, n);
  return false;
}

/* Where the last word of a name begins: "postings_count", "postingsCount". */
static size_t last_word(const char *name, size_t n) {
  for (size_t i = n; i-- > 1;)
    if (name[i - 1] == '_' || (name[i] >= 'A' && name[i] <= 'Z'))
      return i;
  return 0;
}

static size_t first_word(const char *name, size_t n) {
  for (size_t i = 1; i < n; i++)
    if (name[i] == '_' || (name[i] >= 'A' && name[i] <= 'Z'))
      return i;
  return n;
}

static bool says(const char *word, size_t n, const char *const *words) {
  char lower[16];
  if (n >= sizeof lower)
    return false;
  for (size_t i = 0; i < n; i++)
    lower[i] = (char)(word[i] >= 'A' && word[i] <= 'Z' ? word[i] - 'A' + 'a' : word[i]);
  return is_one_of(lower, n, words);
}

static int judge(const char *name, const char *array) {
  static const char *const numbers[] = {"n",    "num",  "count", "len",    "length",
                                        "size", "used", "nr",    "number", NULL};
  static const char *const rooms[] = {"capacity", "cap", "max", "alloc", "allocated", "room", NULL};
  size_t n = dmd_str_length(name), last = last_word(name, n), first = first_word(name, n);
  size_t end = last > 0 && name[last - 1] == '_' ? last - 1 : last;
  size_t begin = first < n && name[first] == '_' ? first + 1 : first;
  bool of_it = names_array(name, end, array) || names_array(name + begin, n - begin, array);
  bool is_number = says(name + last, n - last, numbers) || says(name, first, numbers);
  if (!is_number && name[0] == 'n' && names_array(name + 1, n - 1, array))
    return NUMBER_OF_IT;
  if (is_number)
    return of_it ? NUMBER_OF_IT : last == 0 ? NUMBER : NOTHING;
  if (says(name + last, n - last, rooms) || says(name, first, rooms))
    return of_it ? ROOM_OF_IT : last == 0 ? ROOM : NOTHING;
  return NOTHING;
}

const char *dmd_derive_guess_count(const dmd_derive_model_t *model,
                                   const dmd_derive_record_t *record,
                                   const dmd_derive_member_t *array, uint64_t least,
                                   uint64_t most) {
  const char *best = NULL;
  int best_judgement = NOTHING;
  for (const dmd_derive_member_t *member = record->members; member != NULL; member = member->next) {
    int judgement =
        member->type->kind == DMD_DERIVE_INTEGER ? judge(member->name, array->name) : NOTHING;
    if (judgement > best_judgement) {
      best = member->name;
      best_judgement = judgement;
    }
  }
  for (const dmd_derive_global_t *constant = model->globals;
       best_judgement < CONSTANT && constant != NULL; constant = constant->next)
    if (constant->is_constant && constant->is_wanted && least == most && constant->value == most &&
        most > 1) {
      best = constant->name;
      best_judgement = CONSTANT;
    }
  return best;
}

/* ---- Owners. ---- */

/* Decides by the rules of suggest.h whether a slot owns the blocks that it leads to. */

typedef enum {
  DMD_DERIVE_NOT_SEEN,  /* the graph has no such object */
  DMD_DERIVE_NOWHERE,   /* no pointer leads to a block */
  DMD_DERIVE_BACK,      /* they lead to the object's own referrer */
  DMD_DERIVE_OTHERS,    /* another slot or an unknown referrer owns the blocks */
  DMD_DERIVE_SHARED,    /* shared with other objects */
  DMD_DERIVE_ALONE,     /* at least some blocks have no other referrer */
  DMD_DERIVE_LIKELIEST, /* other slots also lead to all of the blocks, but are less likely to own
                           them */
} dmd_derive_verdict_t;

/* Scores for how likely a slot owns blocks with several referrers. */
enum { IS_ALONE = 8, IS_CONST = -4, IS_AGAIN = -4, IS_NAMED_BACK = -2, IS_NAMED_ON = 1 };

enum { FEW = 10 }; /* one in this many */

static bool is_named(const char *name, const char *const *names) {
  while (*names != NULL && !dmd_str_equal_ignoring_case(name, *names))
    names++;
  return *names != NULL;
}

static int by_name(const char *name) {
  static const char *const back[] = {"prev",    "previous",  "parent", "tail", "last",
                                     "owner",   "container", "back",   "up",   "end",
                                     "current", "cursor",    "iter",   NULL};
  static const char *const on[] = {"next", "head",  "first", "child", "children",
                                   "left", "right", "root",  NULL};
  return is_named(name, back) ? IS_NAMED_BACK : is_named(name, on) ? IS_NAMED_ON : 0;
}

/* True if n is too few to be typical, such as one key of many that two tables refer to. */
static bool are_few(uint64_t n, const dmd_derive_seen_t *seen) {
  return n <= seen->n_pointers / FEW;
}

static int likelihood(const dmd_derive_slots_t *slots, const dmd_derive_evidence_t *evidence,
                      uint32_t id) {
  const dmd_derive_slot_t *slot = dmd_derive_slot(slots, id);
  const dmd_derive_seen_t *seen = dmd_derive_seen(evidence, id);
  return (seen->n_alone > 0 ? IS_ALONE : 0) + (slot->pointer->of->is_const ? IS_CONST : 0) +
         by_name(slot->member->name) + (are_few(seen->n_again, seen) ? 0 : IS_AGAIN);
}

/* The likeliest owner among the other slots that lead to the same blocks; or DMD_NONE. */
static uint32_t best_rival(const dmd_derive_slots_t *slots, const dmd_derive_evidence_t *evidence,
                           uint32_t slot) {
  uint32_t best = DMD_NONE;
  for (uint32_t id = 1; id <= evidence->n_slots; id++)
    if (id != slot && dmd_derive_rivals(evidence, slot, id) > 0 &&
        (best == DMD_NONE || likelihood(slots, evidence, id) > likelihood(slots, evidence, best)))
      best = id;
  return best;
}

/* The other slot that leads to most of the same blocks; or DMD_NONE. */
static uint32_t greatest_rival(const dmd_derive_evidence_t *evidence, uint32_t slot) {
  uint32_t greatest = DMD_NONE, n = 0;
  for (uint32_t id = 1; id <= evidence->n_slots; id++)
    if (id != slot && dmd_derive_rivals(evidence, slot, id) > n) {
      n = dmd_derive_rivals(evidence, slot, id);
      greatest = id;
    }
  return greatest;
}

/* *other: the slot that owns the blocks, or another one that leads to them; DMD_NONE: none. */
static dmd_derive_verdict_t judge_slot(const dmd_derive_slots_t *slots,
                                       const dmd_derive_evidence_t *evidence, uint32_t slot,
                                       uint32_t *other) {
  const dmd_derive_seen_t *seen = dmd_derive_seen(evidence, slot);
  *other = best_rival(slots, evidence, slot);
  if (seen->n_places == 0)
    return DMD_DERIVE_NOT_SEEN;
  if (seen->n_pointers == 0)
    return DMD_DERIVE_NOWHERE;
  if (are_few(seen->n_pointers - seen->n_back, seen))
    return DMD_DERIVE_BACK;
  int own = likelihood(slots, evidence, slot);
  int rival = *other != DMD_NONE ? likelihood(slots, evidence, *other) : 0;
  if (seen->n_alone > 0 && are_few(seen->n_again, seen)) {
    *other = greatest_rival(evidence, slot);
    return DMD_DERIVE_ALONE;
  }
  if (*other != DMD_NONE && (rival > own || (rival == own && *other < slot)))
    return DMD_DERIVE_OTHERS;
  if (own < 0 && *other == DMD_NONE && seen->n_elsewhere > 0 && seen->n_again == 0)
    return DMD_DERIVE_OTHERS;
  return seen->n_again > 0 ? DMD_DERIVE_SHARED : DMD_DERIVE_LIKELIEST;
}

/* ---- Suggestions. ---- */

typedef struct {
  const dmd_derive_model_t *model;
  dmd_derive_slots_t slots;
  dmd_derive_evidence_t evidence;
  dmd_derive_propose_fn propose;
  void *ctx;
} work_t;

/* The proposal for one member. */
typedef struct {
  dmd_strbuf_t words, evidence;
} said_t;

static void number(dmd_strbuf_t *to, uint64_t n) {
  char text[DMD_FORMAT_MAX];
  dmd_strbuf_bytes(to, text, dmd_format_commas(text, (int64_t)n));
}

static void slot_name(const work_t *w, uint32_t id, dmd_strbuf_t *to) {
  const dmd_derive_slot_t *slot = dmd_derive_slot(&w->slots, id);
  dmd_strbuf_str(to, slot->record->name);
  dmd_strbuf_str(to, ".");
  dmd_strbuf_str(to, slot->member->name);
  for (unsigned i = 0; i < slot->level; i++)
    dmd_strbuf_str(to, "[]");
}

static void ignore(said_t *said, const char *reason, const char *name) {
  dmd_strbuf_str(&said->words, "DMD_IGNORES(\"");
  dmd_strbuf_str(&said->words, reason);
  dmd_strbuf_str(&said->words, name);
  dmd_strbuf_str(&said->words, "\")");
}

/* ---- Evidence ---- */

/* "all 3,206 point", "3,200 of 3,206 point", "it points" */
static void say_share(dmd_strbuf_t *to, uint64_t n, uint64_t total) {
  if (total == 1) {
    dmd_strbuf_str(to, "it points");
    return;
  }
  dmd_strbuf_str(to, n == total ? "all " : "");
  number(to, n);
  if (n != total) {
    dmd_strbuf_str(to, " of ");
    number(to, total);
  }
  dmd_strbuf_str(to, " point");
}

static void say_referrers(const work_t *w, uint32_t other, const dmd_derive_seen_t *seen,
                          dmd_strbuf_t *to) {
  if (other != DMD_NONE) {
    dmd_strbuf_str(to, ", others also from ");
    slot_name(w, other, to);
  } else if (seen->n_elsewhere > 0) {
    dmd_strbuf_str(to, ", others also from elsewhere");
  }
}

static void say_verdict(const work_t *w, dmd_derive_verdict_t verdict, uint32_t other,
                        const dmd_derive_seen_t *seen, dmd_strbuf_t *to) {
  switch (verdict) {
  case DMD_DERIVE_NOT_SEEN:
    dmd_strbuf_str(to, "there is no such object in the graph");
    return;
  case DMD_DERIVE_NOWHERE:
    dmd_strbuf_str(to, "none of ");
    number(to, seen->n_places);
    dmd_strbuf_str(to, " points to a block of the heap");
    return;
  case DMD_DERIVE_BACK:
    say_share(to, seen->n_back, seen->n_pointers);
    dmd_strbuf_str(to, " to what holds their own object");
    return;
  case DMD_DERIVE_ALONE:
    say_share(to, seen->n_alone, seen->n_pointers);
    dmd_strbuf_str(to, " to blocks that only this member reaches");
    if (seen->n_alone < seen->n_pointers)
      say_referrers(w, other, seen, to);
    return;
  case DMD_DERIVE_SHARED:
    say_share(to, seen->n_again, seen->n_pointers);
    dmd_strbuf_str(to, " to blocks that other such objects hold, too");
    return;
  case DMD_DERIVE_OTHERS:
  case DMD_DERIVE_LIKELIEST:
    say_share(to, seen->n_pointers, seen->n_pointers);
    dmd_strbuf_str(to, " to blocks that are also reached from ");
    if (other != DMD_NONE)
      slot_name(w, other, to);
    else
      dmd_strbuf_str(to, "elsewhere");
    return;
  }
}

/* ---- Words ---- */

static uint64_t elements(const dmd_derive_type_t *type, uint64_t szB) {
  return type->szB > 0 ? szB / type->szB : 0;
}

/* True if blocks hold several values of the target type, so that their number must be given. */
static bool is_array(const dmd_derive_slot_t *slot, const dmd_derive_seen_t *seen) {
  const dmd_derive_type_t *of = slot->pointer->of;
  if (of->kind == DMD_DERIVE_RECORD)
    for (const dmd_derive_member_t *m = of->record->members; m != NULL; m = m->next)
      if (m->next == NULL && m->type->kind == DMD_DERIVE_ARRAY && m->type->n == 0)
        return false; /* one struct, of any length */
  return of->szB > 1 && elements(of, seen->most_szB) > 1;
}

/* True if only a function, which cannot be guessed, can measure what the blocks own. */
static bool wants_function(const dmd_derive_slot_t *slot, const dmd_derive_seen_t *seen) {
  const dmd_derive_type_t *of = slot->pointer->of;
  if (seen->n_inside > 0)
    return true;
  if (of->kind == DMD_DERIVE_VOID)
    return seen->n_leading > 0;
  if (of->kind != DMD_DERIVE_RECORD)
    return false;
  return !of->record->is_complete || (!of->record->is_wanted && dmd_derive_has_pointer(of) &&
                                      !dmd_derive_is_measured(of->record));
}

static void say_count(const work_t *w, const dmd_derive_slot_t *slot, const dmd_derive_seen_t *seen,
                      said_t *said) {
  const dmd_derive_type_t *of = slot->pointer->of;
  uint64_t least = elements(of, seen->least_szB), most = elements(of, seen->most_szB);
  const char *count =
      slot->level == 0 ? dmd_derive_guess_count(w->model, slot->record, slot->member, least, most)
                       : NULL;
  if (count == NULL && !dmd_derive_has_pointer(of)) {
    dmd_strbuf_str(&said->words, "DMD_OWNS"); /* nothing is known but the block */
    return;
  }
  dmd_strbuf_str(&said->words, "DMD_OWNS_ARRAY(");
  dmd_strbuf_str(&said->words, count != NULL ? count : "COUNT");
  dmd_strbuf_str(&said->words, ")");
  dmd_strbuf_str(&said->evidence, ", with room for ");
  number(&said->evidence, least);
  if (most != least) {
    dmd_strbuf_str(&said->evidence, " to ");
    number(&said->evidence, most);
  }
  dmd_strbuf_str(&said->evidence, " elements");
  if (count == NULL)
    dmd_strbuf_str(&said->evidence, "; write for COUNT how many there are");
}

static void say_owned(const work_t *w, const dmd_derive_slot_t *slot, const dmd_derive_seen_t *seen,
                      dmd_derive_verdict_t verdict, said_t *said) {
  if (wants_function(slot, seen)) {
    dmd_strbuf_str(&said->words, "DMD_MEASURED_BY(FUNCTION)");
    dmd_strbuf_str(&said->evidence, seen->n_inside > 0 ? ", at some bytes from their start" : "");
    dmd_strbuf_str(&said->evidence, "; write for FUNCTION one that measures what is there");
  } else if (verdict == DMD_DERIVE_SHARED) {
    dmd_strbuf_str(&said->words, "DMD_SHARES");
  } else if (is_array(slot, seen)) {
    say_count(w, slot, seen, said);
  } else {
    dmd_strbuf_str(&said->words, "DMD_OWNS");
  }
}

/* Describes one level of a member. False if its next levels are not of interest. */
static bool say_level(const work_t *w, uint32_t id, said_t *said) {
  const dmd_derive_slot_t *slot = dmd_derive_slot(&w->slots, id);
  const dmd_derive_seen_t *seen = dmd_derive_seen(&w->evidence, id);
  uint32_t other;
  dmd_derive_verdict_t verdict = judge_slot(&w->slots, &w->evidence, id, &other);
  if (slot->level > 0) {
    dmd_strbuf_str(&said->words, " ");
    dmd_strbuf_str(&said->evidence, "; of the pointers there, ");
  }
  if (slot->pointer->of->kind == DMD_DERIVE_FUNCTION) {
    ignore(said, "a function", "");
    dmd_strbuf_str(&said->evidence, "a pointer to a function");
    return false;
  }
  say_verdict(w, verdict, other, seen, &said->evidence);
  switch (verdict) {
  case DMD_DERIVE_NOT_SEEN:
    dmd_strbuf_str(&said->words, slot->level > 0 ? "DMD_OWNS" : "");
    return false;
  case DMD_DERIVE_NOWHERE:
    ignore(said, "it points to nothing of the heap", "");
    return false;
  case DMD_DERIVE_BACK:
    ignore(said, "it leads back to its owner", "");
    return false;
  case DMD_DERIVE_OTHERS: {
    dmd_strbuf_t name;
    dmd_strbuf_init(&name, w->model->env);
    if (other != DMD_NONE)
      slot_name(w, other, &name);
    ignore(said, other != DMD_NONE ? "owned by " : "owned by others", name.text);
    dmd_strbuf_destroy(&name);
    return false;
  }
  case DMD_DERIVE_ALONE:
  case DMD_DERIVE_SHARED:
  case DMD_DERIVE_LIKELIEST:
    say_owned(w, slot, seen, verdict, said);
    return slot->has_next && !wants_function(slot, seen);
  }
  return false;
}

/* ---- All members ---- */

static bool has_no_words(const dmd_derive_slot_t *slot) {
  return slot->level == 0 && dmd_derive_level(slot->member, 0) == NULL;
}

static void say_member(const work_t *w, uint32_t id) {
  const dmd_derive_slot_t *slot = dmd_derive_slot(&w->slots, id);
  said_t said;
  dmd_strbuf_init(&said.words, w->model->env);
  dmd_strbuf_init(&said.evidence, w->model->env);
  for (uint32_t level = id; say_level(w, level, &said); level++)
    ;
  if (said.words.n > 0 && !dmd_str_begins(said.words.text, "DMD_IGNORES")) {
    if (slot->in_union)
      dmd_strbuf_str(&said.words, " DMD_WHEN(CONDITION)");
    if (slot->n == 0)
      dmd_strbuf_str(&said.words, " DMD_HOLDS(COUNT)");
  }
  w->propose(w->ctx, &(dmd_derive_proposal_t){slot->record, slot->member, said.words.text,
                                              said.evidence.text});
  dmd_strbuf_destroy(&said.evidence);
  dmd_strbuf_destroy(&said.words);
}

static void say_record(const work_t *w, uint32_t id) {
  const dmd_derive_slot_t *slot = dmd_derive_slot(&w->slots, id);
  uint64_t n = dmd_derive_seen(&w->evidence, id)->n_places / (slot->n > 0 ? slot->n : 1);
  dmd_strbuf_t evidence;
  dmd_strbuf_init(&evidence, w->model->env);
  number(&evidence, n);
  dmd_strbuf_str(&evidence, " in the graph");
  w->propose(w->ctx, &(dmd_derive_proposal_t){slot->record, NULL, "DMD_MEASURED", evidence.text});
  dmd_strbuf_destroy(&evidence);
}

void dmd_derive_suggest(const dmd_derive_model_t *model, dmd_typing_t *typing,
                        dmd_heapgraph_t *heap, dmd_derive_propose_fn propose, void *ctx) {
  work_t w = {.model = model, .propose = propose, .ctx = ctx};
  const dmd_derive_record_t *record = NULL;
  dmd_derive_slots_init(&w.slots, model, typing->types);
  dmd_derive_evidence_init(&w.evidence, &w.slots, typing, heap);
  for (uint32_t id = 1; id <= w.slots.slots.last; id++) {
    const dmd_derive_slot_t *slot = dmd_derive_slot(&w.slots, id);
    if (!has_no_words(slot))
      continue;
    if (slot->record != record && !dmd_derive_is_measured(slot->record))
      say_record(&w, id);
    record = slot->record;
    say_member(&w, id);
  }
  dmd_derive_evidence_destroy(&w.evidence);
  dmd_derive_slots_destroy(&w.slots);
}
