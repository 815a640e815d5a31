/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * writemember.h: writes the code that measures what a record's members own.
 *
 * The code is in a function with the variables `self`, a pointer to the record, `size`, the sum so
 * far, and `walk` (dmd-derived.h). If the record leads to itself, the code is in a loop, and `next`
 * is the object to continue with.
 */
#ifndef DMD_DERIVE_WRITEMEMBER_H
#define DMD_DERIVE_WRITEMEMBER_H

#include "base/strbuf.h"
#include "derive/reach.h"

typedef struct dmd_derive_writer {
  const dmd_derive_model_t *model;
  const dmd_derive_reach_t *reach;
  const dmd_derive_record_t *record; /* the function's record */
  bool shares;                       /* any member of the model has DMD_SHARES */
  unsigned n_names;                  /* variables in the function so far */
  bool may_have_next;                /* earlier code in the function may have set `next` */
  unsigned indent;
  dmd_strbuf_t *out;
} dmd_derive_writer_t;

/* Adds a line made of these texts, up to a NULL. */
void dmd_derive_line(dmd_derive_writer_t *writer, const char *const *texts);
#define DMD_DERIVE_LINE(writer, ...)                                                               \
  dmd_derive_line((writer), (const char *const[]){__VA_ARGS__, NULL})

/* True if a member of the record points to another one, which the loop continues with. */
bool dmd_derive_goes_on(const dmd_derive_record_t *record, const dmd_derive_record_t *self);

void dmd_derive_write_members(dmd_derive_writer_t *writer);

#endif
