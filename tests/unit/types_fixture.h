/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * types_fixture.h: types of a made-up program, each in a line.
 *
 *   uint32_t entry = struct_of(&types, "entry", 24);
 *   members_of(&types, entry, (const member_t[]){{"key", text, 0}, {"next", to_entry, 8}}, 2);
 */
#ifndef TESTS_UNIT_TYPES_FIXTURE_H
#define TESTS_UNIT_TYPES_FIXTURE_H

#include "host.h"

#include "model/graph/types.h"

typedef struct {
  const char *name; /* NULL: none */
  uint32_t type;
  uint64_t offset;
} member_t;

uint32_t base_of(dmd_types_t *types, dmd_type_kind_t kind, const char *name, uint64_t szB);
uint32_t struct_of(dmd_types_t *types, const char *name, uint64_t szB);
uint32_t union_of(dmd_types_t *types, const char *name, uint64_t szB);
uint32_t array_of(dmd_types_t *types, uint32_t element, uint64_t count);
void members_of(dmd_types_t *types, uint32_t type, const member_t *members, uint32_t n);

/* The type's name, in a static buffer. */
const char *type_text(const dmd_types_t *types, uint32_t type);

/* "path: type" of the member at an offset of a value of the type, or "nothing"; likewise. */
const char *found_at(dmd_types_t *types, uint32_t type, uint64_t offset);

#endif
