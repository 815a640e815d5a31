/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * elfimage.h: reads the description of a mapped program or library.
 *
 * Reads the ELF header and the program headers, which are in the first page of the mapping, the
 * notes and the dynamic section; does not open the file. The data is not trusted: each loadable
 * segment must be mapped from the same file at the place that the header gives.
 */
#ifndef DMD_RECORD_UNWIND_ELFIMAGE_H
#define DMD_RECORD_UNWIND_ELFIMAGE_H

#include "model/profile/frame.h"
#include "record/heap/mappings.h"
#include "record/heap/pages.h"

enum {
  DMD_MAX_BUILD_ID = DMD_MAX_BUILD_ID_TEXT / 2, /* bytes */
  DMD_MAX_SONAME = 256                          /* bytes, with the NUL */
};

typedef struct dmd_elfimage {
  uint64_t start, end; /* of all loaded segments, in whole pages */
  uint64_t last_start; /* of the segments after the last hole, in which other memory may be */
  uint64_t bias;       /* subtract this from an address in the program to get one in the file */
  uint8_t build_id[DMD_MAX_BUILD_ID];
  uint32_t n_build_id;             /* 0: no build id */
  char soname[DMD_MAX_SONAME];     /* "": missing, or too long */
  uint64_t tls_szB, tls_alignment; /* its share of each thread's storage; 0: none */
} dmd_elfimage_t;

/* Reads the image whose first segment is this mapping, at the start of its file, in a program with
 * words of this size. Returns false if it is not an image. */
bool dmd_elfimage_read(dmd_elfimage_t *image, const dmd_memory_t *memory,
                       const dmd_mappings_t *mappings, const dmd_mapping_t *first,
                       uint64_t word_szB);

/* Reads only the build id of the image whose file header is at this address; false without one. */
bool dmd_elfimage_read_build_id(dmd_elfimage_t *image, const dmd_memory_t *memory, uint64_t start,
                                uint64_t word_szB);

#endif
