/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * bundlewriter.h: writes a bundle (bundle.h) front to back.
 *
 * Call order: dmd_bundlewriter_init; profiles, graphs and the rest in any order;
 * dmd_bundlewriter_end, which destroys the writer. Only the tables of sections and files are kept
 * in memory.
 */
#ifndef DMD_FILES_BUNDLE_BUNDLEWRITER_H
#define DMD_FILES_BUNDLE_BUNDLEWRITER_H

#include "base/out.h"
#include "files/bundle/bundle.h"

typedef struct dmd_bundlewriter {
  const dmd_env_t *env;
  dmd_write_fn write;
  void *ctx;
  dmd_out_t out;
  uint64_t written; /* bytes passed to write */
  dmd_pool_t sections;
  dmd_strbuf_t files;   /* the section so far */
  dmd_strbuf_t scratch; /* holds a number while it is written */
  uint32_t n_profiles, n_graphs, n_files;
} dmd_bundlewriter_t;

/* The writer must not be moved in memory until it has ended. */
void dmd_bundlewriter_init(dmd_bundlewriter_t *w, const dmd_env_t *env, dmd_write_fn write,
                           void *ctx);

/* False if any write failed. */
bool dmd_bundlewriter_end(dmd_bundlewriter_t *w);

/* These return the index. Adding a graph looks up the members of all types that its nodes contain
 * by value, since the bundle must have them. */
uint32_t dmd_bundlewriter_add_profile(dmd_bundlewriter_t *w, const dmd_profile_t *profile);
uint32_t dmd_bundlewriter_add_graph(dmd_bundlewriter_t *w, const dmd_heapgraph_t *heap,
                                    dmd_types_t *types, const dmd_typing_t *typing);

void dmd_bundlewriter_add_file(dmd_bundlewriter_t *w, const dmd_bundle_file_t *file);

/* What dmdv claims --json says, about the file that was added last. */
void dmd_bundlewriter_add_claims(dmd_bundlewriter_t *w, const dmd_strbuf_t *json);

/* At most once; without it max_frames is 0 and there are no patterns. */
void dmd_bundlewriter_add_settings(dmd_bundlewriter_t *w, const dmd_bundle_settings_t *settings);

/* ---- For the other files of the writer. ---- */

void dmd_bundlewriter_begin(dmd_bundlewriter_t *w, dmd_bundle_kind_t kind, uint32_t index);
void dmd_bundlewriter_end_section(dmd_bundlewriter_t *w);

/* In the encoding that dmd_bundlecursor_t reads. */
void dmd_bundlewriter_number(dmd_bundlewriter_t *w, uint64_t v);
void dmd_bundlewriter_bytes(dmd_bundlewriter_t *w, const char *bytes, size_t n);
void dmd_bundlewriter_string(dmd_bundlewriter_t *w, const char *s); /* NULL: missing */
void dmd_bundlewriter_interned(dmd_bundlewriter_t *w, const dmd_intern_t *in);

/* The lowest n bytes of a number, little endian. */
static inline void dmd_bundlewriter_fixed(dmd_bundlewriter_t *w, uint64_t v, unsigned n) {
  for (; n > 0; n--, v >>= 8)
    dmd_out_char(&w->out, (char)v);
}

#endif
