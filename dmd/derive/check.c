/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "derive/check.h"

#include "base/str.h"
#include "derive/model.h"
#include "derive/reach.h"

typedef struct check {
  const dmd_derive_model_t *model;
  dmd_derive_complain_fn complain;
  void *ctx;
  unsigned n_faults;
  const dmd_derive_record_t *record; /* the measured one */
} check_t;

/* The subject of a fault. */
typedef struct subject {
  const dmd_derive_scope_t *scope;
  const dmd_derive_member_t *member;
} subject_t;

/* Reports a fault of a member: the texts up to a NULL, joined. */
static void fault(check_t *check, const subject_t *subject, const char *const *texts) {
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, check->model->env);
  dmd_strbuf_str(&text, check->record->name);
  dmd_strbuf_str(&text, ".");
  dmd_strbuf_str(&text, subject->member->name[0] != '\0' ? subject->member->name : "(no name)");
  dmd_strbuf_str(&text, " ");
  for (; *texts != NULL; texts++)
    dmd_strbuf_str(&text, *texts);
  check->complain(check->ctx, &subject->member->place, text.text);
  check->n_faults++;
  dmd_strbuf_destroy(&text);
}
#define FAULT(check, subject, ...)                                                                 \
  fault((check), (subject), (const char *const[]){__VA_ARGS__, NULL})

static void check_members(check_t *check, const dmd_derive_scope_t *scope);
static void check_value(check_t *check, const subject_t *subject, const dmd_derive_type_t *type,
                        unsigned level);

/* ---- Expressions ---- */

static void check_count(check_t *check, const subject_t *subject, const dmd_derive_word_t *word) {
  const char *name = dmd_derive_word_name(word->kind);
  const dmd_derive_scope_t *at;
  if (word->text[0] == '\0') {
    FAULT(check, subject, "has ", name, " without a count");
    return;
  }
  if (!dmd_derive_is_name(word->text))
    return; /* an expression, which the compiler will check */
  const dmd_derive_member_t *count =
      dmd_derive_resolve(subject->scope, word->text, dmd_str_length(word->text), &at);
  if (count == NULL && dmd_derive_global(check->model, word->text) != NULL)
    return;
  if (count == NULL)
    FAULT(check, subject, "has ", name, "(", word->text, "), but ", check->record->spelling,
          " has no member ", word->text);
  else if (count->type->kind != DMD_DERIVE_INTEGER)
    FAULT(check, subject, "has ", name, "(", word->text, "), but ", word->text,
          " is not an integer: it is ", count->type->spelling);
}

/* ---- Words about pointers ---- */

static bool has_text(check_t *check, const subject_t *subject, const dmd_derive_word_t *word) {
  if (dmd_str_span(word->text, " \t") < dmd_str_length(word->text))
    return true;
  FAULT(check, subject, "has ", dmd_derive_word_name(word->kind),
        " with an empty reason: say why nothing is measured there");
  return false;
}

static void check_function(check_t *check, const subject_t *subject, const char *name) {
  const dmd_derive_function_t *function = dmd_derive_function(check->model, name);
  if (function == NULL)
    FAULT(check, subject, "has DMD_MEASURED_BY(", name,
          "), but the headers do not declare that function: size_t ", name, "(const ",
          subject->member->type->spelling, ")");
  else if (!function->returns_size)
    FAULT(check, subject, "has DMD_MEASURED_BY(", name,
          "), but that function is not one that takes one argument and returns size_t");
}

/* The last word about levels must belong to an existing level. */
static void check_rest(check_t *check, const subject_t *subject, unsigned level, const char *why) {
  const dmd_derive_word_t *word = dmd_derive_level(subject->member, level);
  if (word != NULL)
    FAULT(check, subject, "has ", dmd_derive_word_name(word->kind), why);
}

static void check_owned_record(check_t *check, const subject_t *subject,
                               const dmd_derive_type_t *type, const dmd_derive_word_t *word,
                               unsigned level) {
  const char *name = type->record->spelling;
  check_rest(check, subject, level, ", but there is no further pointer");
  if (!type->record->is_complete)
    FAULT(check, subject, "points to ", name,
          ", whose members the headers do not show: put DMD_MEASURED_BY(function), "
          "DMD_OWNS_BLOCK(\"reason\") or DMD_IGNORES(\"reason\")");
  else if (!dmd_derive_is_measured(type->record) && dmd_derive_has_pointer(type))
    FAULT(check, subject, "owns ", name,
          ", which holds pointers and is not measured: put DMD_MEASURED between struct and its "
          "name, or DMD_MEASURED_BY(function) or DMD_OWNS_BLOCK(\"reason\") here");
  else if (word->kind == DMD_DERIVE_SHARES && !type->record->is_wanted &&
           dmd_derive_record_owns(type->record))
    FAULT(check, subject, "shares ", name,
          ", of a header that is not on the command line: put that there, since what hangs off a "
          "shared object is shared, too");
}

/* Checks what an owned pointer leads to. */
static void check_pointee(check_t *check, const subject_t *subject, const dmd_derive_type_t *type,
                          const dmd_derive_word_t *word, unsigned level) {
  const char *name = dmd_derive_word_name(word->kind);
  const dmd_derive_type_t *to = type->of;
  while (to->kind == DMD_DERIVE_ARRAY)
    to = to->of;
  if (to->kind == DMD_DERIVE_FUNCTION)
    FAULT(check, subject, "points to a function, which nobody owns: put DMD_IGNORES(\"reason\")");
  else if (word->kind == DMD_DERIVE_OWNS_AS)
    FAULT(check, subject, "has DMD_OWNS_AS(", word->text,
          "), but the headers define no struct of this name that has DMD_MEASURED");
  else if (word->kind == DMD_DERIVE_OWNS_LIST && to->kind != DMD_DERIVE_POINTER)
    FAULT(check, subject, "has ", name,
          ", but it points to no pointers, of which one could be null");
  else if (to->kind == DMD_DERIVE_VOID && word->kind == DMD_DERIVE_OWNS_ARRAY)
    FAULT(check, subject, "has ", name, ", but void has no size: put DMD_OWNS for the block");
  else if (to->kind == DMD_DERIVE_RECORD)
    check_owned_record(check, subject, to, word, level + 1);
  else
    check_value(check, subject, to, level + 1);
}

static void check_pointer(check_t *check, const subject_t *subject, const dmd_derive_type_t *type,
                          unsigned level) {
  const dmd_derive_word_t *word = dmd_derive_level(subject->member, level);
  if (word == NULL && type->of->kind == DMD_DERIVE_FUNCTION) {
    FAULT(check, subject,
          "points to a function, and nothing says so: put DMD_IGNORES(\"reason\") "
          "or DMD_MEASURED_BY(function) in front of it");
  } else if (word == NULL) {
    FAULT(check, subject, level == 0 ? "is a pointer" : "leads to further pointers",
          ", and nothing says whose the memory is: put DMD_OWNS, DMD_OWNS_ARRAY(count), "
          "DMD_SHARES, DMD_MEASURED_BY(function) or DMD_IGNORES(\"reason\") ",
          level == 0 ? "in front of it" : "behind the word that it has");
  } else if (word->kind == DMD_DERIVE_IGNORES || word->kind == DMD_DERIVE_OWNS_BLOCK) {
    has_text(check, subject, word);
    if (word->kind == DMD_DERIVE_OWNS_BLOCK && type->of->kind == DMD_DERIVE_FUNCTION)
      FAULT(check, subject, "points to a function, which nobody owns");
  } else if (word->kind == DMD_DERIVE_MEASURED_BY) {
    check_function(check, subject, word->text);
  } else {
    if (word->kind == DMD_DERIVE_OWNS_ARRAY)
      check_count(check, subject, word);
    check_pointee(check, subject, type, word, level);
  }
}

/* ---- Values ---- */

static void check_record(check_t *check, const subject_t *subject, const dmd_derive_type_t *type,
                         unsigned level) {
  const dmd_derive_record_t *record = type->record;
  const dmd_derive_word_t *word = dmd_derive_level(subject->member, level);
  if (word != NULL && word->kind == DMD_DERIVE_IGNORES)
    has_text(check, subject, word);
  else if (word != NULL && word->kind == DMD_DERIVE_MEASURED_BY)
    check_function(check, subject, word->text);
  else if (word != NULL)
    FAULT(check, subject, "has ", dmd_derive_word_name(word->kind), ", but it is not a pointer");
  else if (dmd_derive_is_inside(record))
    check_members(check, &(dmd_derive_scope_t){record, "", subject->scope});
  else if (!dmd_derive_is_measured(record) && dmd_derive_has_pointer(type))
    FAULT(check, subject, "is a ", record->spelling,
          ", which holds pointers and is not measured: put DMD_MEASURED between struct and its "
          "name, or DMD_MEASURED_BY(function) or DMD_IGNORES(\"reason\") here");
}

static void check_value(check_t *check, const subject_t *subject, const dmd_derive_type_t *type,
                        unsigned level) {
  while (type->kind == DMD_DERIVE_ARRAY)
    type = type->of;
  if (type->kind == DMD_DERIVE_POINTER)
    check_pointer(check, subject, type, level);
  else if (type->kind == DMD_DERIVE_RECORD && level == 0)
    check_record(check, subject, type, level);
  else
    check_rest(check, subject, level,
               level == 0 ? ", but it is not a pointer" : ", but there is no further pointer");
}

static void check_array(check_t *check, const subject_t *subject, const dmd_derive_word_t *holds) {
  const dmd_derive_type_t *type = subject->member->type;
  if (holds != NULL && type->kind != DMD_DERIVE_ARRAY)
    FAULT(check, subject, "has DMD_HOLDS, but it is not an array in the struct");
  else if (holds != NULL)
    check_count(check, subject, holds);
  else if (type->kind == DMD_DERIVE_ARRAY && type->n == 0 && dmd_derive_has_pointer(type))
    FAULT(check, subject,
          "is an array whose length nothing says: put DMD_HOLDS(count) in front "
          "of it");
}

static void check_member(check_t *check, const dmd_derive_scope_t *scope,
                         const dmd_derive_member_t *member) {
  const subject_t subject = {scope, member};
  const dmd_derive_word_t *when = dmd_derive_find(member->words, DMD_DERIVE_WHEN);
  const dmd_derive_word_t *ignored = dmd_derive_level(member, 0);
  bool is_ignored = ignored != NULL && ignored->kind == DMD_DERIVE_IGNORES;
  if (dmd_derive_find(member->words, DMD_DERIVE_UNKNOWN) != NULL)
    FAULT(check, &subject, "has a word that this dmd-derive does not know: it is older than dmd.h");
  if (when != NULL && when->text[0] == '\0')
    FAULT(check, &subject, "has DMD_WHEN without a condition");
  if (when == NULL && scope->record->is_union && !is_ignored &&
      dmd_derive_has_pointer(member->type))
    FAULT(check, &subject,
          "is in a union, and nothing says when it is the one in use: put "
          "DMD_WHEN(condition) in front of it, as in DMD_WHEN(kind == TEXT)");
  if (!is_ignored)
    check_array(check, &subject, dmd_derive_find(member->words, DMD_DERIVE_HOLDS));
  check_value(check, &subject, member->type, 0);
}

static void check_members(check_t *check, const dmd_derive_scope_t *scope) {
  for (const dmd_derive_member_t *member = scope->record->members; member != NULL;
       member = member->next)
    check_member(check, scope, member);
}

static void record_fault(check_t *check, const dmd_derive_record_t *record, const char *fault) {
  check->complain(check->ctx, &record->place, fault);
  check->n_faults++;
}

/* Checks the record's name and path, which its functions need. */
static void check_record_itself(check_t *check, const dmd_derive_record_t *record) {
  const dmd_derive_word_t *as = dmd_derive_find(record->words, DMD_DERIVE_MEASURED_AS);
  if (record->name[0] == '\0')
    record_fault(
        check, record,
        "a measured struct needs a name, its own or a typedef's, which its functions have");
  if (as != NULL && as->text[0] == '\0')
    record_fault(check, record, "DMD_MEASURED_AS has an empty path");
  for (const dmd_derive_record_t *other = check->model->records; other != record;
       other = other->next)
    if (dmd_derive_is_measured(other) && dmd_str_equal(other->name, record->name))
      record_fault(check, record,
                   "another measured struct has this name, too: their functions would have one");
}

unsigned dmd_derive_check(const dmd_derive_model_t *model, dmd_derive_complain_fn complain,
                          void *ctx) {
  check_t check = {.model = model, .complain = complain, .ctx = ctx};
  for (const dmd_derive_record_t *record = model->records; record != NULL; record = record->next)
    if (record->is_wanted && dmd_derive_is_measured(record)) {
      check.record = record;
      check_record_itself(&check, record);
      check_members(&check, &(dmd_derive_scope_t){record, "", NULL});
    }
  return check.n_faults;
}
