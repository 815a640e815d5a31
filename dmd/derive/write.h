/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * write.h: measuring functions in C, of a model without faults (check.h).
 *
 * Of each wanted record `struct item` two functions are written,
 *
 *   size_t item_size_of(const struct item *item)             what hangs off it
 *   size_t item_size_of_including(const struct item *item)   its own block, too
 *
 * and a static one that measures what its members own. That one calls those of other records, but
 * never itself, not even by way of others: what leads back to where it comes from is gone on with
 * in a loop, or waits in the walk (dmd-derived.h, which the text includes) until the rest is done.
 *
 * Equal models make equal text.
 */
#ifndef DMD_DERIVE_WRITE_H
#define DMD_DERIVE_WRITE_H

#include "base/strbuf.h"
#include "derive/model.h"

typedef struct dmd_derive_written {
  const char *command;         /* what made it, for a comment */
  const char *const *includes; /* files that the text includes, as in #include "..." */
  size_t n_includes;
} dmd_derive_written_t;

/* The text of the .c file. */
void dmd_derive_write(const dmd_derive_model_t *model, const dmd_derive_written_t *written,
                      dmd_strbuf_t *out);

/* The text of a header that declares what the .c file has. name: the header's. */
void dmd_derive_write_header(const dmd_derive_model_t *model, const dmd_derive_written_t *written,
                             const char *name, dmd_strbuf_t *out);

/* A comment's text, and a string literal's: nothing in it ends the comment or the string. */
void dmd_derive_write_in_comment(dmd_strbuf_t *out, const char *text);
void dmd_derive_write_string(dmd_strbuf_t *out, const char *text);

#endif
