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
