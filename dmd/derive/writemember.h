/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * writemember.h: the code that measures what a record's members own.
 *
 * It stands in a function which has `self`, a pointer to the record, `size`, the sum so far, and
 * `walk` (dmd-derived.h). Where the record leads to itself, it stands in a loop, and `next` is the
 * object to go on with.
 */
#ifndef DMD_DERIVE_WRITEMEMBER_H
#define DMD_DERIVE_WRITEMEMBER_H

#include "base/strbuf.h"
#include "derive/reach.h"

typedef struct dmd_derive_writer {
  const dmd_derive_model_t *model;
  const dmd_derive_reach_t *reach;
  const dmd_derive_record_t *record; /* whose function it is */
  bool shares;                       /* some member of the model has DMD_SHARES */
  unsigned n_names;                  /* of variables in the function so far */
  bool may_have_next;                /* something before in the function may have set `next` */
  unsigned indent;
  dmd_strbuf_t *out;
} dmd_derive_writer_t;

/* Adds a line of these texts, up to a NULL. */
void dmd_derive_line(dmd_derive_writer_t *writer, const char *const *texts);
#define DMD_DERIVE_LINE(writer, ...)                                                               \
  dmd_derive_line((writer), (const char *const[]){__VA_ARGS__, NULL})

/* Whether a member of the record points to one like it, which the loop goes on with. */
bool dmd_derive_goes_on(const dmd_derive_record_t *record, const dmd_derive_record_t *self);

void dmd_derive_write_members(dmd_derive_writer_t *writer);

#endif
