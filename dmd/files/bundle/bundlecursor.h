/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * bundlecursor.h: reads numbers and strings from a section of a bundle.
 *
 * Numbers are varints (base/wire.h); strings are preceded by their length. After an error, the
 * cursor has failed and returns only 0 or empty values. So readers need to check only at the end,
 * and before a number determines how much memory is allocated.
 */
#ifndef DMD_FILES_BUNDLE_BUNDLECURSOR_H
#define DMD_FILES_BUNDLE_BUNDLECURSOR_H

#include "base/intern.h"

typedef struct dmd_bundlecursor {
  const unsigned char *at, *end;
  bool failed;
} dmd_bundlecursor_t;

dmd_bundlecursor_t dmd_bundlecursor_of(const char *bytes, size_t n);

/* Marks the cursor as failed. Returns false. */
bool dmd_bundlecursor_fail(dmd_bundlecursor_t *c);

/* True if everything was read without an error. */
bool dmd_bundlecursor_is_done(const dmd_bundlecursor_t *c);

uint64_t dmd_bundlecursor_number(dmd_bundlecursor_t *c);

/* A number that is at most `most`; the cursor fails if it is larger. */
uint64_t dmd_bundlecursor_up_to(dmd_bundlecursor_t *c, uint64_t most);
static inline uint32_t dmd_bundlecursor_id(dmd_bundlecursor_t *c, uint32_t most) {
  return (uint32_t)dmd_bundlecursor_up_to(c, most);
}

/* The number of elements that follow. As each takes a byte or more, the cursor fails if there are
 * more than bytes left; with 32-bit addresses also if 16 bytes each would not fit in memory. */
uint32_t dmd_bundlecursor_count(dmd_bundlecursor_t *c);

/* *n bytes, in place. */
const char *dmd_bundlecursor_bytes(dmd_bundlecursor_t *c, size_t *n);

/* A string, as an id of `in`; DMD_NONE if it is missing. With is_text, the cursor fails if it is
 * not UTF-8 or contains NUL. */
uint32_t dmd_bundlecursor_string(dmd_bundlecursor_t *c, dmd_intern_t *in, bool is_text);

/* Fills an empty collection with what dmd_bundlewriter_interned wrote, under the same ids. */
void dmd_bundlecursor_interned(dmd_bundlecursor_t *c, dmd_intern_t *in, bool is_text);

#endif
