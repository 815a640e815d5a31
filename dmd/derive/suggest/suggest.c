/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "derive/suggest/suggest.h"

#include "base/format.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "derive/suggest/count.h"
#include "derive/suggest/ownership.h"

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

static void say_holders(const work_t *w, uint32_t other, const dmd_derive_seen_t *seen,
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
      say_holders(w, other, seen, to);
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
  dmd_derive_verdict_t verdict = dmd_derive_judge(&w->slots, &w->evidence, id, &other);
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
