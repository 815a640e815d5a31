/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "types_fixture.h"

#include <stdio.h>

uint32_t base_of(dmd_types_t *types, dmd_type_kind_t kind, const char *name, uint64_t szB) {
  uint32_t id = name == NULL ? DMD_NONE : dmd_intern_str(&types->names, name);
  return dmd_types_add(types, &(dmd_type_t){.kind = (uint8_t)kind, .name = id, .szB = szB});
}

uint32_t struct_of(dmd_types_t *types, const char *name, uint64_t szB) {
  return base_of(types, DMD_TYPE_STRUCT, name, szB);
}

uint32_t union_of(dmd_types_t *types, const char *name, uint64_t szB) {
  return base_of(types, DMD_TYPE_UNION, name, szB);
}

uint32_t array_of(dmd_types_t *types, uint32_t element, uint64_t count) {
  return dmd_types_add(types,
                       &(dmd_type_t){.kind = DMD_TYPE_ARRAY, .target = element, .count = count});
}

void members_of(dmd_types_t *types, uint32_t type, const member_t *members, uint32_t n) {
  dmd_type_member_t made[16];
  assert_true(n <= COUNT_OF(made));
  for (uint32_t i = 0; i < n; i++)
    made[i] = (dmd_type_member_t){
        .name = members[i].name == NULL ? DMD_NONE : dmd_intern_str(&types->names, members[i].name),
        .type = members[i].type,
        .offset = members[i].offset};
  dmd_types_set_members(types, type, made, n);
}

const char *type_text(const dmd_types_t *types, uint32_t type) {
  static char text[200];
  dmd_strbuf_t buf;
  dmd_strbuf_init(&buf, types->env);
  dmd_type_name(types, type, &buf);
  snprintf(text, sizeof text, "%s", buf.text);
  dmd_strbuf_destroy(&buf);
  return text;
}

const char *found_at(dmd_types_t *types, uint32_t type, uint64_t offset) {
  static char text[500];
  dmd_strbuf_t buf;
  dmd_strbuf_init(&buf, types->env);
  uint32_t found = dmd_type_find(types, type, offset, &buf);
  if (found == DMD_NONE)
    snprintf(text, sizeof text, "nothing%s", buf.text);
  else
    snprintf(text, sizeof text, "%s: %s", buf.text, type_text(types, found));
  dmd_strbuf_destroy(&buf);
  return text;
}
