/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * scope.h: what a name in an annotation means.
 *
 * DMD_OWNS_ARRAY(count), DMD_HOLDS(count) and DMD_WHEN(condition) have an expression of C in which
 * the struct's members are named as if they were variables. A scope is where it stands: in a
 * struct, or in one within it, whose members come first. Members of a struct or union without a
 * name are found as C finds them.
 *
 * A name that is no member stays as it is: a constant, a macro, a function. DMD_INDEX is the number
 * of the element, where the member is an array in the struct.
 */
#ifndef DMD_DERIVE_SCOPE_H
#define DMD_DERIVE_SCOPE_H

#include "base/strbuf.h"
#include "derive/model.h"

typedef struct dmd_derive_scope {
  const dmd_derive_record_t *record;
  const char *access;                   /* how code reaches a member: "self->", "self->u." */
  const struct dmd_derive_scope *outer; /* NULL: none */
} dmd_derive_scope_t;

/* A member of the record, or of one without a name in it; NULL if it has none of this name. */
const dmd_derive_member_t *dmd_derive_member(const dmd_derive_record_t *record, const char *name,
                                             size_t n);

/* The member that the n bytes of name mean, and in *at the scope that has it; NULL: none. */
const dmd_derive_member_t *dmd_derive_resolve(const dmd_derive_scope_t *scope, const char *name,
                                              size_t n, const dmd_derive_scope_t **at);

/* Whether the text is one name of C and nothing else. */
bool dmd_derive_is_name(const char *text);

/* Adds the expression as code has it. index: what DMD_INDEX is; NULL: nothing. */
void dmd_derive_expression(const dmd_derive_scope_t *scope, const char *text, const char *index,
                           dmd_strbuf_t *out);

#endif
