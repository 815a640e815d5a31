/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "derive/model.h"

#include "base/mem.h"
#include "base/str.h"

struct dmd_derive_chunk {
  struct dmd_derive_chunk *next;
  max_align_t memory[];
};

void dmd_derive_model_init(dmd_derive_model_t *model, const dmd_env_t *env) {
  *model = (dmd_derive_model_t){.env = env};
}

void dmd_derive_model_destroy(dmd_derive_model_t *model) {
  while (model->chunks != NULL) {
    struct dmd_derive_chunk *chunk = model->chunks;
    model->chunks = chunk->next;
    dmd_env_free(model->env, chunk);
  }
}

void *dmd_derive_new(dmd_derive_model_t *model, size_t szB) {
  struct dmd_derive_chunk *chunk =
      dmd_env_alloc(model->env, "dmd.derive", sizeof(struct dmd_derive_chunk) + szB);
  chunk->next = model->chunks;
  model->chunks = chunk;
  dmd_mem_zero(chunk->memory, szB);
  return chunk->memory;
}

const char *dmd_derive_copy(dmd_derive_model_t *model, const char *text, size_t n) {
  char *copy = dmd_derive_new(model, n + 1);
  dmd_mem_copy(copy, text, n);
  return copy;
}

/* The names of words in annotations and in dmd.h. */
static const struct {
  const char *spelled, *name;
} words[] = {
    [DMD_DERIVE_OWNS] = {"owns", "DMD_OWNS"},
    [DMD_DERIVE_OWNS_ARRAY] = {"owns_array", "DMD_OWNS_ARRAY"},
    [DMD_DERIVE_OWNS_LIST] = {"owns_list", "DMD_OWNS_LIST"},
    [DMD_DERIVE_OWNS_BLOCK] = {"owns_block", "DMD_OWNS_BLOCK"},
    [DMD_DERIVE_OWNS_AS] = {"owns_as", "DMD_OWNS_AS"},
    [DMD_DERIVE_SHARES] = {"shares", "DMD_SHARES"},
    [DMD_DERIVE_IGNORES] = {"ignores", "DMD_IGNORES"},
    [DMD_DERIVE_MEASURED_BY] = {"measured_by", "DMD_MEASURED_BY"},
    [DMD_DERIVE_HOLDS] = {"holds", "DMD_HOLDS"},
    [DMD_DERIVE_WHEN] = {"when", "DMD_WHEN"},
    [DMD_DERIVE_MEASURED] = {"measured", "DMD_MEASURED"},
    [DMD_DERIVE_MEASURED_AS] = {"measured_as", "DMD_MEASURED_AS"},
    [DMD_DERIVE_UNKNOWN] = {"", "a word of a newer dmd.h"},
};

dmd_derive_word_t *dmd_derive_word_of(dmd_derive_model_t *model, const char *annotation) {
  if (!dmd_str_begins(annotation, "dmd:"))
    return NULL;
  const char *spelled = annotation + dmd_str_length("dmd:");
  const char *end = dmd_str_find_char(spelled, ':');
  size_t n = end != NULL ? (size_t)(end - spelled) : dmd_str_length(spelled);
  unsigned kind = 0;
  while (kind < DMD_DERIVE_UNKNOWN && !(dmd_str_length(words[kind].spelled) == n &&
                                        dmd_str_equal_n(words[kind].spelled, spelled, n)))
    kind++;
  dmd_derive_word_t *word = dmd_derive_new(model, sizeof *word);
  word->kind = kind;
  word->text = end != NULL ? dmd_derive_copy(model, end + 1, dmd_str_length(end + 1)) : "";
  return word;
}

const char *dmd_derive_word_name(dmd_derive_word_kind_t kind) {
  return words[kind].name;
}

const dmd_derive_word_t *dmd_derive_find(const dmd_derive_word_t *word,
                                         dmd_derive_word_kind_t kind) {
  while (word != NULL && word->kind != kind)
    word = word->next;
  return word;
}

const dmd_derive_word_t *dmd_derive_level(const dmd_derive_member_t *member, unsigned level) {
  for (const dmd_derive_word_t *word = member->words; word != NULL; word = word->next)
    if (word->kind <= DMD_DERIVE_MEASURED_BY && level-- == 0)
      return word;
  return NULL;
}

bool dmd_derive_is_measured(const dmd_derive_record_t *record) {
  return dmd_derive_find(record->words, DMD_DERIVE_MEASURED) != NULL ||
         dmd_derive_find(record->words, DMD_DERIVE_MEASURED_AS) != NULL;
}

bool dmd_derive_has_pointer(const dmd_derive_type_t *type) {
  while (type->kind == DMD_DERIVE_ARRAY)
    type = type->of;
  if (type->kind != DMD_DERIVE_RECORD)
    return type->kind == DMD_DERIVE_POINTER;
  for (const dmd_derive_member_t *member = type->record->members; member != NULL;
       member = member->next)
    if (dmd_derive_has_pointer(member->type))
      return true;
  return false;
}

bool dmd_derive_is_inside(const dmd_derive_record_t *record) {
  return record->outer != NULL && !dmd_derive_is_measured(record);
}

const dmd_derive_function_t *dmd_derive_function(const dmd_derive_model_t *model,
                                                 const char *name) {
  const dmd_derive_function_t *function = model->functions;
  while (function != NULL && !dmd_str_equal(function->name, name))
    function = function->next;
  return function;
}

const dmd_derive_global_t *dmd_derive_global(const dmd_derive_model_t *model, const char *name) {
  const dmd_derive_global_t *global = model->globals;
  while (global != NULL && !dmd_str_equal(global->name, name))
    global = global->next;
  return global;
}

/* ---- Casts. ---- */

/* A measured record with this name, which may begin with "struct"; or NULL. */
static const dmd_derive_record_t *measured_record(const dmd_derive_model_t *model,
                                                  const char *name) {
  for (const dmd_derive_record_t *record = model->records; record != NULL; record = record->next)
    if (dmd_derive_is_measured(record) &&
        (dmd_str_equal(record->name, name) || dmd_str_equal(record->spelling, name)))
      return record;
  return NULL;
}

/* A copy of the type in which the pointer of this level leads to the record; NULL if there is no
 * pointer of this level. */
static dmd_derive_type_t *cast_type(dmd_derive_model_t *model, const dmd_derive_type_t *type,
                                    unsigned level, const dmd_derive_record_t *to) {
  if (type == NULL)
    return NULL;
  dmd_derive_type_t *copy = dmd_derive_new(model, sizeof *copy), *of;
  *copy = *type;
  if (type->kind == DMD_DERIVE_POINTER && level == 0) {
    copy->is_cast = true;
    of = dmd_derive_new(model, sizeof *of);
    *of = (dmd_derive_type_t){
        .kind = DMD_DERIVE_RECORD, .spelling = to->spelling, .record = to, .szB = to->szB};
  } else {
    of = cast_type(model, type->of, type->kind == DMD_DERIVE_POINTER ? level - 1 : level, to);
  }
  copy->of = of;
  return of != NULL ? copy : NULL;
}

static void cast_member(dmd_derive_model_t *model, dmd_derive_member_t *member) {
  const dmd_derive_word_t *word;
  for (unsigned level = 0; (word = dmd_derive_level(member, level)) != NULL; level++) {
    const dmd_derive_record_t *to =
        word->kind == DMD_DERIVE_OWNS_AS ? measured_record(model, word->text) : NULL;
    const dmd_derive_type_t *type = to != NULL ? cast_type(model, member->type, level, to) : NULL;
    if (type != NULL) {
      member->type = type;
      ((dmd_derive_word_t *)word)->kind = DMD_DERIVE_OWNS;
    }
  }
}

void dmd_derive_cast(dmd_derive_model_t *model) {
  for (const dmd_derive_record_t *record = model->records; record != NULL; record = record->next)
    for (const dmd_derive_member_t *member = record->members; member != NULL; member = member->next)
      if (dmd_derive_find(member->words, DMD_DERIVE_OWNS_AS) != NULL)
        cast_member(model, (dmd_derive_member_t *)member);
}

/* ---- Names in annotations. ---- */

static bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static size_t name_length(const char *text) {
  size_t n = 0;
  if (begins_name(text[0]))
    while (begins_name(text[n]) || is_digit(text[n]))
      n++;
  return n;
}

bool dmd_derive_is_name(const char *text) {
  size_t n = name_length(text);
  return n > 0 && text[n] == '\0';
}

static bool is_text(const char *bytes, size_t n, const char *text) {
  return dmd_str_length(text) == n && dmd_str_equal_n(bytes, text, n);
}

const dmd_derive_member_t *dmd_derive_member(const dmd_derive_record_t *record, const char *name,
                                             size_t n) {
  for (const dmd_derive_member_t *member = record->members; member != NULL; member = member->next) {
    if (is_text(name, n, member->name))
      return member;
    const dmd_derive_member_t *within = NULL;
    if (member->name[0] == '\0' && member->type->kind == DMD_DERIVE_RECORD)
      within = dmd_derive_member(member->type->record, name, n);
    if (within != NULL)
      return within;
  }
  return NULL;
}

const dmd_derive_member_t *dmd_derive_resolve(const dmd_derive_scope_t *scope, const char *name,
                                              size_t n, const dmd_derive_scope_t **at) {
  for (; scope != NULL; scope = scope->outer) {
    const dmd_derive_member_t *member = dmd_derive_member(scope->record, name, n);
    if (member != NULL) {
      *at = scope;
      return member;
    }
  }
  return NULL;
}

/* The length of the token at the start of the text that is not a name: a number, a string or a
 * character, which may contain letters; or else one byte. */
static size_t other_length(const char *text) {
  size_t n = 1;
  if (is_digit(text[0])) {
    while (begins_name(text[n]) || is_digit(text[n]) || text[n] == '.')
      n++;
  } else if (text[0] == '"' || text[0] == '\'') {
    while (text[n] != '\0' && text[n] != text[0])
      n += text[n] == '\\' && text[n + 1] != '\0' ? 2 : 1;
    n += text[n] != '\0';
  }
  return n;
}

void dmd_derive_expression(const dmd_derive_scope_t *scope, const char *text, const char *index,
                           dmd_strbuf_t *out) {
  bool is_after_point = false; /* then the name is a member of another struct */
  while (*text != '\0') {
    size_t n = name_length(text);
    const dmd_derive_scope_t *at;
    if (n == 0) {
      n = other_length(text);
      if (*text != ' ')
        is_after_point = *text == '.' || (*text == '>' && out->n > 0 && text[-1] == '-');
      dmd_strbuf_bytes(out, text, n);
    } else {
      if (index != NULL && is_text(text, n, "DMD_INDEX")) {
        dmd_strbuf_str(out, index);
      } else {
        if (!is_after_point && dmd_derive_resolve(scope, text, n, &at) != NULL)
          dmd_strbuf_str(out, at->access);
        dmd_strbuf_bytes(out, text, n);
      }
      is_after_point = false;
    }
    text += n;
  }
}
