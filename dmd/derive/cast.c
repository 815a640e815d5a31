/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "derive/cast.h"

#include "base/str.h"

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
