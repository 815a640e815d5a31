/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * write.h: writes measuring functions in C for a model without faults (check.h).
 *
 * For each wanted record `struct item`, it writes two functions,
 *
 *   size_t item_size_of(const struct item *item)             what hangs off it
 *   size_t item_size_of_including(const struct item *item)   its own block, too
 *
 * and a static function that measures what its members own. That one calls those of other records,
 * but is never recursive, not even through others: a pointer that leads back to its origin is
 * followed in a loop, or queued in the walk (dmd-derived.h, which the text includes) until the rest
 * is done.
 *
 * Equal models give equal text.
 */
#ifndef DMD_DERIVE_WRITE_H
#define DMD_DERIVE_WRITE_H

#include "base/strbuf.h"
#include "derive/model.h"

typedef struct dmd_derive_written {
  const char *command;         /* the command line, for a comment */
  const char *const *includes; /* files that the text includes with #include "..." */
  size_t n_includes;
} dmd_derive_written_t;

/* Writes the text of the .c file. */
void dmd_derive_write(const dmd_derive_model_t *model, const dmd_derive_written_t *written,
                      dmd_strbuf_t *out);

/* Writes the text of a header that declares the functions. name: the header's. */
void dmd_derive_write_header(const dmd_derive_model_t *model, const dmd_derive_written_t *written,
                             const char *name, dmd_strbuf_t *out);

/* Escapes text for a comment or a string literal, so that it cannot end the comment or string. */
void dmd_derive_write_in_comment(dmd_strbuf_t *out, const char *text);
void dmd_derive_write_string(dmd_strbuf_t *out, const char *text);

#endif
