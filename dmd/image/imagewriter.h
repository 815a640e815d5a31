/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * imagewriter.h: writes an image (image.h) front to back.
 *
 * dmd_imagewriter_init; profiles, graphs and the rest in any order; dmd_imagewriter_end, which
 * destroys the writer. Nothing but the table of sections, and of files, is kept in memory.
 */
#ifndef DMD_IMAGE_IMAGEWRITER_H
#define DMD_IMAGE_IMAGEWRITER_H

#include "base/out.h"
#include "image/image.h"

typedef struct dmd_imagewriter {
  const dmd_env_t *env;
  dmd_write_fn write;
  void *ctx;
  dmd_out_t out;
  uint64_t written; /* handed to write */
  dmd_pool_t sections;
  dmd_strbuf_t files;   /* the section, as far as it is made */
  dmd_strbuf_t scratch; /* a number on its way */
  uint32_t n_profiles, n_graphs, n_files;
} dmd_imagewriter_t;

/* Must stay where it is until it has ended. */
void dmd_imagewriter_init(dmd_imagewriter_t *w, const dmd_env_t *env, dmd_write_fn write,
                          void *ctx);

/* False when any write failed. */
bool dmd_imagewriter_end(dmd_imagewriter_t *w);

/* These return the index. What is read of types' members is read now: the image has those of all
 * types that occur, by value, in what nodes hold. */
uint32_t dmd_imagewriter_add_profile(dmd_imagewriter_t *w, const dmd_profile_t *profile);
uint32_t dmd_imagewriter_add_graph(dmd_imagewriter_t *w, const dmd_heapgraph_t *heap,
                                   dmd_types_t *types, const dmd_typing_t *typing);

void dmd_imagewriter_add_file(dmd_imagewriter_t *w, const dmd_image_file_t *file);

/* Once; without it max_frames is 0, and there are no patterns. */
void dmd_imagewriter_add_settings(dmd_imagewriter_t *w, const dmd_image_settings_t *settings);

/* ---- For the parts of the writer. ---- */

void dmd_imagewriter_begin(dmd_imagewriter_t *w, dmd_image_kind_t kind, uint32_t index);
void dmd_imagewriter_end_section(dmd_imagewriter_t *w);

/* As dmd_imagecursor_t reads them. */
void dmd_imagewriter_number(dmd_imagewriter_t *w, uint64_t v);
void dmd_imagewriter_bytes(dmd_imagewriter_t *w, const char *bytes, size_t n);
void dmd_imagewriter_string(dmd_imagewriter_t *w, const char *s); /* NULL: none */
void dmd_imagewriter_interned(dmd_imagewriter_t *w, const dmd_intern_t *in);

/* The lowest n bytes of a number, little endian. */
static inline void dmd_imagewriter_fixed(dmd_imagewriter_t *w, uint64_t v, unsigned n) {
  for (; n > 0; n--, v >>= 8)
    dmd_out_char(&w->out, (char)v);
}

#endif
