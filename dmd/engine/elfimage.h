/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * elfimage.h: what a program or library says of itself where it is mapped.
 *
 * Read are the ELF header and the program headers, which lie in the first page of the mapping,
 * notes and the dynamic section. The file itself is not opened. Whatever lies there is not trusted:
 * each part that is to be loaded must be mapped from the same file, at the place where the header
 * wants it.
 */
#ifndef DMD_ENGINE_ELFIMAGE_H
#define DMD_ENGINE_ELFIMAGE_H

#include "live/mappings.h"
#include "live/memory.h"
#include "profile/frame.h"

enum {
  DMD_MAX_BUILD_ID = DMD_MAX_BUILD_ID_TEXT / 2, /* bytes */
  DMD_MAX_SONAME = 256                          /* with its NUL */
};

typedef struct dmd_elfimage {
  uint64_t start, end; /* of all that is loaded, whole pages */
  uint64_t bias;       /* to be subtracted from an address there to get one of the file's */
  uint8_t build_id[DMD_MAX_BUILD_ID];
  uint32_t n_build_id;             /* 0: it has none */
  char soname[DMD_MAX_SONAME];     /* "": it has none, or a longer one */
  uint64_t tls_szB, tls_alignment; /* of its part of each thread's storage; 0: it has none */
} dmd_elfimage_t;

/* The image whose first part is this mapping, at its file's start, in a program of such words.
 * False where it is not one. */
bool dmd_elfimage_read(dmd_elfimage_t *image, const dmd_memory_t *memory,
                       const dmd_mappings_t *mappings, const dmd_mapping_t *first,
                       uint64_t word_szB);

#endif
