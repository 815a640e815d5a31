/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * namelookup.h: resolves names in annotations.
 *
 * DMD_OWNS_ARRAY(count), DMD_HOLDS(count) and DMD_WHEN(condition) take a C expression in which the
 * struct's members are named like variables. A scope is a struct, perhaps within an outer one;
 * members of the inner struct come first. Members of anonymous structs and unions are found as in
 * C.
 *
 * Names that are not members (constants, macros, functions) stay as they are. DMD_INDEX is the
 * index of the element if the member is an array in the struct.
 */
#ifndef DMD_DERIVE_NAMELOOKUP_H
#define DMD_DERIVE_NAMELOOKUP_H

#include "base/strbuf.h"
#include "derive/model.h"

typedef struct dmd_derive_scope {
  const dmd_derive_record_t *record;
  const char *access;                   /* prefix for access to a member: "self->", "self->u." */
  const struct dmd_derive_scope *outer; /* or NULL */
} dmd_derive_scope_t;

/* Finds a member by name in the record or in an anonymous record within it; NULL if not found. */
const dmd_derive_member_t *dmd_derive_member(const dmd_derive_record_t *record, const char *name,
                                             size_t n);

/* The member named by n bytes, and in *at the scope that has it; NULL if not found. */
const dmd_derive_member_t *dmd_derive_resolve(const dmd_derive_scope_t *scope, const char *name,
                                              size_t n, const dmd_derive_scope_t **at);

/* True if the text is exactly one C identifier. */
bool dmd_derive_is_name(const char *text);

/* Appends the expression as C code. index: the value of DMD_INDEX; NULL: none. */
void dmd_derive_expression(const dmd_derive_scope_t *scope, const char *text, const char *index,
                           dmd_strbuf_t *out);

#endif
