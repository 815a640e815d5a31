/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "derive/writemember.h"

#include "base/str.h"
#include "derive/model.h"

/* The value that the current code looks at. */
typedef struct at {
  const dmd_derive_scope_t *scope;
  const dmd_derive_member_t *member;
  const char *access; /* the value as a C expression */
  const char *index;  /* index into an array in the struct; or NULL */
  unsigned level;
  bool is_first; /* the value is the member itself */
} at_t;

static void write_value(dmd_derive_writer_t *writer, const at_t *at, const dmd_derive_type_t *type);
static void write_scope(dmd_derive_writer_t *writer, const dmd_derive_scope_t *scope);

void dmd_derive_line(dmd_derive_writer_t *writer, const char *const *texts) {
  for (unsigned i = 0; i < writer->indent; i++)
    dmd_strbuf_str(writer->out, "  ");
  for (; *texts != NULL; texts++)
    dmd_strbuf_str(writer->out, *texts);
  dmd_strbuf_str(writer->out, "\n");
}
#define LINE DMD_DERIVE_LINE

/* Joins texts; the caller frees the result with the writer's env. */
static char *joined(const dmd_derive_writer_t *writer, const char *a, const char *b, const char *c,
                    const char *d) {
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, writer->model->env);
  dmd_strbuf_str(&text, a);
  dmd_strbuf_str(&text, b);
  dmd_strbuf_str(&text, c);
  dmd_strbuf_str(&text, d);
  return dmd_strbuf_take(&text);
}

static const char *block_macro(const dmd_derive_writer_t *writer) {
  return writer->shares ? "size += DMD_WALK_REPORT_(walk, " : "size += DMD_REPORT(";
}

/* A new variable name in this function: a letter and a number. */
static char *new_name(dmd_derive_writer_t *writer, const char *letter) {
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, writer->model->env);
  dmd_strbuf_str(&text, letter);
  dmd_strbuf_u64(&text, ++writer->n_names);
  return dmd_strbuf_take(&text);
}

static void write_function_call(dmd_derive_writer_t *writer, const char *function,
                                const char *argument) {
  LINE(writer, "size += ", function, "(", argument, ");");
}

/* ---- Records ---- */

/* Makes the object that `access` points to the next one of the function's loop. */
static void write_next(dmd_derive_writer_t *writer, const char *access) {
  if (writer->may_have_next) {
    LINE(writer, "if (next)");
    writer->indent++;
    LINE(writer, "dmd_walk_later_(walk, next, dmd_walk_", writer->record->name,
         ", DMD_WALK_IS_BLOCK_);");
    writer->indent--;
  }
  writer->may_have_next = true;
  LINE(writer, "next = ", access, ";");
}

/* Measures what a record owns; its block was measured. is_pointer_edge: a pointer leads to it, so
 * it is not part of the outer record. */
static void write_record_walk(dmd_derive_writer_t *writer, const dmd_derive_record_t *record,
                              const char *pointer, bool is_pointer_edge) {
  if (!dmd_derive_is_measured(record) || !dmd_derive_record_owns(record))
    return;
  if (!record->is_wanted)
    LINE(writer, "size += ", record->name, "_size_of(", pointer, ");");
  else if (is_pointer_edge && dmd_derive_leads(writer->reach, record, writer->record))
    LINE(writer, "dmd_walk_later_(walk, ", pointer, ", dmd_walk_", record->name, ", 0);");
  else
    LINE(writer, "dmd_walk_", record->name, "(", pointer, ", walk);");
}

static void write_record(dmd_derive_writer_t *writer, const at_t *at,
                         const dmd_derive_type_t *type) {
  const dmd_derive_record_t *record = type->record;
  const dmd_derive_word_t *word = at->level == 0 ? dmd_derive_level(at->member, 0) : NULL;
  bool is_cast = type->is_volatile && word == NULL;
  char *pointer = is_cast ? joined(writer, "(const ", record->spelling, " *)&", at->access)
                          : joined(writer, "&", at->access, "", "");
  char *inner = joined(writer, at->access, ".", "", "");
  bool has_name = at->member->name[0] != '\0';
  if (word != NULL && word->kind == DMD_DERIVE_MEASURED_BY)
    write_function_call(writer, word->text, pointer);
  else if (dmd_derive_is_inside(record))
    write_scope(writer,
                &(dmd_derive_scope_t){record, has_name ? inner : at->scope->access, at->scope});
  else
    write_record_walk(writer, record, pointer, at->level > 0);
  dmd_env_free(writer->model->env, inner);
  dmd_env_free(writer->model->env, pointer);
}

/* ---- Arrays ---- */

/* Writes a loop over an array, at->access, that measures what each element owns. count: an
 * expression for the number of elements; NULL: the array ends at a null pointer. */
static void write_elements(dmd_derive_writer_t *writer, const at_t *at,
                           const dmd_derive_type_t *element, const char *count, bool is_index) {
  char *i = new_name(writer, "i");
  char *access = joined(writer, at->access, "[", i, "]");
  LINE(writer, "for (size_t ", i, " = 0; ", count != NULL ? i : access, count != NULL ? " < " : "",
       count != NULL ? count : "", "; ", i, "++) {");
  writer->indent++;
  writer->may_have_next = true; /* by the loop's earlier rounds */
  at_t inner = *at;
  inner.access = access;
  inner.index = is_index ? i : at->index;
  write_value(writer, &inner, element);
  writer->indent--;
  LINE(writer, "}");
  dmd_env_free(writer->model->env, access);
  dmd_env_free(writer->model->env, i);
}

/* Like write_elements, with a count given as an expression in the header. */
static void write_counted(dmd_derive_writer_t *writer, const at_t *at,
                          const dmd_derive_type_t *element, const char *expression, bool is_index) {
  char *n = new_name(writer, "n");
  dmd_strbuf_t count;
  dmd_strbuf_init(&count, writer->model->env);
  dmd_derive_expression(at->scope, expression, at->index, &count);
  LINE(writer, "const size_t ", n, " = DMD_WALK_COUNT_(", count.text, ");");
  write_elements(writer, at, element, n, is_index);
  dmd_strbuf_destroy(&count);
  dmd_env_free(writer->model->env, n);
}

static void write_array(dmd_derive_writer_t *writer, const at_t *at,
                        const dmd_derive_type_t *type) {
  const dmd_derive_word_t *holds = dmd_derive_find(at->member->words, DMD_DERIVE_HOLDS);
  at_t inner = *at;
  inner.is_first = false;
  if (at->is_first && holds != NULL) {
    LINE(writer, "{");
    writer->indent++;
    write_counted(writer, &inner, type->of, holds->text, true);
    writer->indent--;
    LINE(writer, "}");
    return;
  }
  dmd_strbuf_t count;
  dmd_strbuf_init(&count, writer->model->env);
  dmd_strbuf_u64(&count, type->n);
  write_elements(writer, &inner, type->of, count.text, at->is_first);
  dmd_strbuf_destroy(&count);
}

/* ---- Pointers ---- */

/* Measures what the target of a pointer owns. */
static void write_pointee(dmd_derive_writer_t *writer, const at_t *at, const dmd_derive_type_t *to,
                          const dmd_derive_word_t *word) {
  at_t inner = *at;
  inner.level++;
  inner.is_first = false;
  if (!dmd_derive_value_owns(at->member, to, inner.level))
    return;
  if (word->kind == DMD_DERIVE_OWNS_ARRAY) {
    write_counted(writer, &inner, to, word->text, false);
  } else if (word->kind == DMD_DERIVE_OWNS_LIST) {
    write_elements(writer, &inner, to, NULL, false);
  } else if (to->kind == DMD_DERIVE_RECORD) {
    write_record_walk(writer, to->record, at->access, true);
  } else {
    char *access = joined(writer, "(*", at->access, ")", "");
    inner.access = access;
    write_value(writer, &inner, to);
    dmd_env_free(writer->model->env, access);
  }
}

static bool is_walked(const dmd_derive_type_t *to, const dmd_derive_word_t *word) {
  return word->kind != DMD_DERIVE_OWNS_ARRAY && to->kind == DMD_DERIVE_RECORD &&
         to->record->is_wanted && dmd_derive_is_measured(to->record) &&
         dmd_derive_record_owns(to->record);
}

/* A block with several owners: measured once per walk, with everything that it owns. */
static void write_shared(dmd_derive_writer_t *writer, const at_t *at, const dmd_derive_type_t *to,
                         const dmd_derive_word_t *word) {
  LINE(writer, "if (", at->access, " && dmd_walk_meets_(walk, ", at->access, ")) {");
  writer->indent++;
  if (is_walked(to, word)) {
    LINE(writer, "dmd_walk_later_(walk, ", at->access, ", dmd_walk_", to->record->name,
         ", DMD_WALK_IS_BLOCK_ | DMD_WALK_IS_SHARED_);");
  } else {
    char *was = new_name(writer, "was");
    LINE(writer, "const int ", was, " = walk->is_shared;");
    LINE(writer, "walk->is_shared = 1;");
    LINE(writer, block_macro(writer), at->access, ");");
    write_pointee(writer, at, to, word);
    LINE(writer, "walk->is_shared = ", was, ";");
    dmd_env_free(writer->model->env, was);
  }
  writer->indent--;
  LINE(writer, "}");
}

static void write_owned(dmd_derive_writer_t *writer, const at_t *at, const dmd_derive_type_t *to,
                        const dmd_derive_word_t *word) {
  LINE(writer, "if (", at->access, ") {");
  writer->indent++;
  if (is_walked(to, word) && to->record == writer->record) {
    write_next(writer, at->access);
  } else if (is_walked(to, word) && dmd_derive_leads(writer->reach, to->record, writer->record)) {
    LINE(writer, "dmd_walk_later_(walk, ", at->access, ", dmd_walk_", to->record->name,
         ", DMD_WALK_IS_BLOCK_);");
  } else {
    LINE(writer, block_macro(writer), at->access, ");");
    if (word->kind != DMD_DERIVE_OWNS_BLOCK)
      write_pointee(writer, at, to, word);
  }
  writer->indent--;
  LINE(writer, "}");
}

static void write_pointer(dmd_derive_writer_t *writer, const at_t *at,
                          const dmd_derive_type_t *type);

/* The name of a type for a cast that drops volatile. */
static char *quiet_name(const dmd_derive_writer_t *writer, const dmd_derive_type_t *type) {
  if (type->kind != DMD_DERIVE_POINTER)
    return joined(writer, type->kind == DMD_DERIVE_RECORD ? type->record->spelling : "void", "", "",
                  "");
  const char *star = dmd_str_find_last_char(type->spelling, '*'); /* the qualifiers follow it */
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, writer->model->env);
  dmd_strbuf_bytes(&text, type->spelling, star != NULL ? (size_t)(star - type->spelling) + 1 : 0);
  return dmd_strbuf_take(&text);
}

/* A pointer that has another type in C. */
static void write_cast_pointer(dmd_derive_writer_t *writer, const at_t *at,
                               const dmd_derive_type_t *type) {
  char *name = quiet_name(writer, type->of);
  char *to = joined(writer, "((const ", name, " *)", "");
  char *access = joined(writer, to, at->access, ")", "");
  dmd_derive_type_t plain = *type, of = *type->of;
  plain.is_cast = of.is_volatile = false;
  plain.of = &of;
  at_t inner = *at;
  inner.access = access;
  write_pointer(writer, &inner, &plain);
  dmd_env_free(writer->model->env, access);
  dmd_env_free(writer->model->env, to);
  dmd_env_free(writer->model->env, name);
}

static void write_pointer(dmd_derive_writer_t *writer, const at_t *at,
                          const dmd_derive_type_t *type) {
  const dmd_derive_word_t *word = dmd_derive_level(at->member, at->level);
  bool is_volatile = type->of->is_volatile && word->kind != DMD_DERIVE_MEASURED_BY;
  if (type->is_cast || is_volatile) {
    write_cast_pointer(writer, at, type);
  } else if (word->kind == DMD_DERIVE_MEASURED_BY) {
    LINE(writer, "if (", at->access, ")");
    writer->indent++;
    write_function_call(writer, word->text, at->access);
    writer->indent--;
  } else if (word->kind == DMD_DERIVE_SHARES) {
    write_shared(writer, at, type->of, word);
  } else {
    write_owned(writer, at, type->of, word);
  }
}

/* ---- Members ---- */

static void write_value(dmd_derive_writer_t *writer, const at_t *at,
                        const dmd_derive_type_t *type) {
  if (!dmd_derive_value_owns(at->member, type, at->level))
    return;
  if (type->kind == DMD_DERIVE_ARRAY)
    write_array(writer, at, type);
  else if (type->kind == DMD_DERIVE_POINTER)
    write_pointer(writer, at, type);
  else if (type->kind == DMD_DERIVE_RECORD)
    write_record(writer, at, type);
}

static void write_member(dmd_derive_writer_t *writer, const dmd_derive_scope_t *scope,
                         const dmd_derive_member_t *member) {
  if (!dmd_derive_value_owns(member, member->type, 0))
    return;
  const dmd_derive_word_t *when = dmd_derive_find(member->words, DMD_DERIVE_WHEN);
  if (when != NULL) {
    dmd_strbuf_t condition;
    dmd_strbuf_init(&condition, writer->model->env);
    dmd_derive_expression(scope, when->text, NULL, &condition);
    LINE(writer, "if (", condition.text, ") {");
    writer->indent++;
    dmd_strbuf_destroy(&condition);
  }
  char *access = joined(writer, scope->access, member->name, "", "");
  write_value(writer, &(at_t){.scope = scope, .member = member, .access = access, .is_first = true},
              member->type);
  dmd_env_free(writer->model->env, access);
  if (when != NULL) {
    writer->indent--;
    LINE(writer, "}");
  }
}

/* The loop continues with the last pointer found; the others are queued. So a list's next object
 * comes before a tree's branches, and the queue is no longer than the tree is deep. Branches are
 * handled from the last to the first: a tree is walked mostly in allocation order, which is
 * faster. */
static bool is_next(const dmd_derive_member_t *member) {
  return dmd_str_find(member->name, "next") != NULL;
}

static bool is_branch(const dmd_derive_writer_t *writer, const dmd_derive_member_t *member) {
  const dmd_derive_type_t *type = member->type;
  return type->kind == DMD_DERIVE_POINTER && type->of->record == writer->record;
}

static void write_branches(dmd_derive_writer_t *writer, const dmd_derive_scope_t *scope,
                           const dmd_derive_member_t *member) {
  if (member == NULL)
    return;
  write_branches(writer, scope, member->next);
  if (!is_next(member) && is_branch(writer, member))
    write_member(writer, scope, member);
}

static void write_scope(dmd_derive_writer_t *writer, const dmd_derive_scope_t *scope) {
  const dmd_derive_member_t *member;
  for (member = scope->record->members; member != NULL; member = member->next)
    if (is_next(member))
      write_member(writer, scope, member);
  for (member = scope->record->members; member != NULL; member = member->next)
    if (!is_next(member) && !is_branch(writer, member))
      write_member(writer, scope, member);
  write_branches(writer, scope, scope->record->members);
}

void dmd_derive_write_members(dmd_derive_writer_t *writer) {
  write_scope(writer, &(dmd_derive_scope_t){writer->record, "self->", NULL});
}

bool dmd_derive_goes_on(const dmd_derive_record_t *record, const dmd_derive_record_t *self) {
  for (const dmd_derive_member_t *member = record->members; member != NULL; member = member->next) {
    const dmd_derive_type_t *type = member->type;
    const dmd_derive_word_t *word = NULL;
    unsigned level = 0;
    for (; type->kind == DMD_DERIVE_ARRAY || type->kind == DMD_DERIVE_POINTER; type = type->of)
      if (type->kind == DMD_DERIVE_POINTER) {
        word = dmd_derive_level(member, level++);
        if (word == NULL || word->kind > DMD_DERIVE_OWNS_LIST)
          break;
      }
    if (type->kind != DMD_DERIVE_RECORD)
      continue;
    if (word == NULL && dmd_derive_is_inside(type->record)
            ? dmd_derive_goes_on(type->record, self)
            : word != NULL && word->kind == DMD_DERIVE_OWNS && type->record == self)
      return true;
  }
  return false;
}
