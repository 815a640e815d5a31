/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * imagecursor.h: reads numbers and strings out of a section of an image.
 *
 * Numbers have 7 bits a byte (base/wire.h), strings their length in front. Once something is wrong
 * the cursor has failed: everything it gives from then on is 0 or empty, so that readers check at
 * the end of what they read, or where a number decides how much memory is taken.
 */
#ifndef DMD_IMAGE_IMAGECURSOR_H
#define DMD_IMAGE_IMAGECURSOR_H

#include "base/intern.h"

typedef struct dmd_imagecursor {
  const unsigned char *at, *end;
  bool failed;
} dmd_imagecursor_t;

dmd_imagecursor_t dmd_imagecursor_of(const char *bytes, size_t n);

/* Returns false. */
bool dmd_imagecursor_fail(dmd_imagecursor_t *c);

/* Whether all was read, and nothing was wrong. */
bool dmd_imagecursor_is_done(const dmd_imagecursor_t *c);

uint64_t dmd_imagecursor_number(dmd_imagecursor_t *c);

/* A number that is at most so large; another makes the cursor fail. */
uint64_t dmd_imagecursor_up_to(dmd_imagecursor_t *c, uint64_t most);
static inline uint32_t dmd_imagecursor_id(dmd_imagecursor_t *c, uint32_t most) {
  return (uint32_t)dmd_imagecursor_up_to(c, most);
}

/* How many elements follow, each of which takes a byte or more: no more than there are bytes, and
 * than have room in memory, 16 bytes each, where addresses have 32 bits. */
uint32_t dmd_imagecursor_count(dmd_imagecursor_t *c);

/* n bytes of the image itself. */
const char *dmd_imagecursor_bytes(dmd_imagecursor_t *c, size_t *n);

/* A string that may be missing (DMD_NONE), as an id of `in`. is_text: one that is not UTF-8, or
 * contains NUL, is wrong. */
uint32_t dmd_imagecursor_string(dmd_imagecursor_t *c, dmd_intern_t *in, bool is_text);

/* Fills an empty collection with what dmd_imagewriter_interned wrote; ids are the same again. */
void dmd_imagecursor_interned(dmd_imagecursor_t *c, dmd_intern_t *in, bool is_text);

#endif
