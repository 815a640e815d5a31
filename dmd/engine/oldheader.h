/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * oldheader.h: whether code makes dmd's requests of Valgrind alone, as what was compiled with a
 * dmd.h of before the native engine does.
 *
 * Such code has the instructions by which Valgrind knows a request, and the number of a request of
 * dmd's: in an instruction nearby or, where a compiler prefers that, as a word of constant data.
 * What was compiled with a later dmd.h has both, too, and is known by its note (dmd.h).
 *
 * Concurrency: pure.
 */
#ifndef DMD_ENGINE_OLDHEADER_H
#define DMD_ENGINE_OLDHEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dmd_oldheader {
  bool has_request, has_number; /* 0 at first */
} dmd_oldheader_t;

/* Pieces of code must overlap by so many bytes. */
enum { DMD_OLDHEADER_OVERLAP = 320 };

/* Looks at n bytes of an object, aligned to 8: code, or data that never changes. */
void dmd_oldheader_look(dmd_oldheader_t *found, const uint8_t *bytes, size_t n, bool is_code);

static inline bool dmd_oldheader_is_there(const dmd_oldheader_t *found) {
  return found->has_request && found->has_number;
}

#endif
