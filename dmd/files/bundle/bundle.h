/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * bundle.h: the bundle that `dmdv view` puts into a page: profiles and typed heap graphs in one
 * byte string, which the core in the page uses in place.
 *
 *   header     "dmdimage", the version (4 bytes), 0 (4 bytes)
 *   sections   each aligned to 8 bytes; padding is 0
 *   table      for each section: kind and index (4 bytes each), offset and size (8 each)
 *   end        offset of the table (8 bytes), number of sections (4), "dmdi"
 *
 * All numbers are little endian. The table is at the end so that a bundle can be written in one
 * pass. The kind of a section is a dmd_bundle_kind_t; its index is the number of the profile or
 * graph that it belongs to. Sections of unknown kinds are ignored.
 *
 *   profiles   are JSON documents (files/profile/profilewriter.h), so no second format has to be
 *              maintained
 *   graphs     have their large columns as arrays, which are used in place, and the rest as varints
 *              and length-prefixed strings (bundlecursor.h)
 *
 * A bundle need not be trusted. dmd_bundle_map checks the container and its small sections;
 * dmd_bundle_open_graph checks all properties of a graph that its users rely on. Errors are
 * described in words, and memory stays proportional to the size of the bundle.
 *
 * Analyses that remove edges temporarily (analyse/graph/edgemask.h) write to the arrays in place.
 * So the bytes must be writable, aligned to 8, and used by nobody else until the bundle is
 * destroyed, and each graph may be open only once at a time.
 *
 * Call order: dmd_bundle_map; then files, settings, source lines and profiles in any order;
 * dmd_bundle_open_graph, dmd_bundle_close_graph; dmd_bundle_destroy.
 */
#ifndef DMD_FILES_BUNDLE_BUNDLE_H
#define DMD_FILES_BUNDLE_BUNDLE_H

#include "analyse/graph/proposal.h"
#include "analyse/graph/typing.h"
#include "base/strbuf.h"
#include "model/profile/profile.h"

enum { DMD_BUNDLE_VERSION = 1 };

#define DMD_BUNDLE_MAGIC "dmdimage"
#define DMD_BUNDLE_END "dmdi"

enum {
  DMD_BUNDLE_HEADER_SZB = 16,
  DMD_BUNDLE_ENTRY_SZB = 24, /* of a section, in the table */
  DMD_BUNDLE_END_SZB = 16,
  DMD_BUNDLE_MAX_SECTIONS = 1 << 14 /* the search is linear */
};

typedef enum {
  DMD_BUNDLE_FILES = 1, /* dmd_bundle_file_t of each file */
  DMD_BUNDLE_SETTINGS,  /* dmd_bundle_settings_t */
  DMD_BUNDLE_PROFILE,   /* a document */
  /* For each graph: everything but the arrays, then the arrays. */
  DMD_BUNDLE_GRAPH,
  DMD_BUNDLE_FIRST,       /* dmd_graph_t.first */
  DMD_BUNDLE_TARGET,      /* .target */
  DMD_BUNDLE_OFFSET,      /* .offset */
  DMD_BUNDLE_SIZE,        /* .size */
  DMD_BUNDLE_BLOCKS,      /* dmd_graph_block_t */
  DMD_BUNDLE_INTERIORS,   /* dmd_graph_interior_t */
  DMD_BUNDLE_FIRST_WORDS, /* dmd_graph_first_word_t */
  DMD_BUNDLE_TYPED,       /* dmd_typed_t, by node */
  /* One per bundle. */
  DMD_BUNDLE_SOURCES, /* lines of source files */
  /* For each graph; optional. */
  DMD_BUNDLE_VARIABLES, /* names for proposals (bundletypes.h) */
  /* One per bundle; optional (bundlehistory.h). */
  DMD_BUNDLE_HISTORY,         /* builds, curves, alarms */
  DMD_BUNDLE_HISTORY_RECORDS, /* the records of builds */
  /* For each graph whose contents were compared; optional. */
  DMD_BUNDLE_CONTENTS, /* dmd_graph_contents_t */
  /* For each graph with types that have bit fields; optional. */
  DMD_BUNDLE_BIT_FIELDS, /* their bytes (bundletypes.h) */
  /* For each graph with known resident pages; optional. */
  DMD_BUNDLE_RESIDENTS, /* dmd_graph_resident_t */
  /* For each graph with numbers; optional. */
  DMD_BUNDLE_NUMBERS, /* dmd_graph_number_t */
  /* For each file, by its place in DMD_BUNDLE_FILES; optional. */
  DMD_BUNDLE_CLAIMS, /* a document: what dmdv claims says of the run, or of a graph alone */
  /* For each graph whose new blocks were filled. */
  DMD_BUNDLE_FILL /* with which byte */
} dmd_bundle_kind_t;

typedef enum { DMD_BUNDLE_IS_PROFILE, DMD_BUNDLE_IS_GRAPH } dmd_bundle_file_kind_t;

/* Data left out of a file or merged to make it small enough for a page; all 0: nothing. */
typedef struct dmd_bundle_reduced {
  uint64_t records; /* profile: allocation stacks that were merged */
  uint64_t bytes;   /* bytes of these */
  uint64_t nodes;   /* graph: blocks that were merged */
} dmd_bundle_reduced_t;

/* A file that was given to dmdv view, or found beside such a file. */
typedef struct dmd_bundle_file {
  const char *name;
  dmd_bundle_file_kind_t kind;
  uint32_t index;  /* index of the profile or graph */
  uint32_t beside; /* for a graph: the profile that it was written with, for a profile: its graph;
                      DMD_BUNDLE_ALONE: none */
  dmd_bundle_reduced_t reduced;
} dmd_bundle_file_t;

#define DMD_BUNDLE_ALONE UINT32_MAX

/* Initial settings of the page. */
typedef struct dmd_bundle_settings {
  uint32_t max_frames;
  dmd_frame_view_t frame_view; /* for all profiles; already set in those of graphs */
  dmd_moment_choice_t moment;  /* with which profiles that have both open: end, peak or auto */
} dmd_bundle_settings_t;

typedef struct dmd_bundle {
  const dmd_env_t *env;
  char *bytes;
  size_t n;
  dmd_pool_t sections;  /* see bundle.c */
  dmd_intern_t strings; /* used by everything below */
  dmd_pool_t files;     /* dmd_bundle_file_t */
  dmd_pool_t alloc_fns; /* uint32_t, ids in `strings` */
  const char **alloc_fn_list;
  dmd_bundle_settings_t settings;
  dmd_pool_t lines; /* of source files */
  dmd_table_t line_index;
  uint32_t n_profiles, n_graphs;
} dmd_bundle_t;

/* On failure returns false with the reason: not a bundle of this version, or damaged. The struct
 * must not be moved in memory. Destroy it either way. */
bool dmd_bundle_map(dmd_bundle_t *image, const dmd_env_t *env, void *bytes, size_t n,
                    dmd_strbuf_t *why);
void dmd_bundle_destroy(dmd_bundle_t *image);

/* The number of files, and the i-th, from 0. */
static inline uint32_t dmd_bundle_n_files(const dmd_bundle_t *image) {
  return image->files.last;
}

static inline const dmd_bundle_file_t *dmd_bundle_file(const dmd_bundle_t *image, uint32_t i) {
  return DMD_POOL_AT(&image->files, const dmd_bundle_file_t, i + 1);
}

/* The document of profile i, from 0 to n_profiles - 1: *n bytes, not NUL-terminated. */
const char *dmd_bundle_profile(const dmd_bundle_t *image, uint32_t i, size_t *n);

/* The document about the claims of file i, likewise and unchecked; NULL if the bundle has no such
 * document. */
const char *dmd_bundle_claims(const dmd_bundle_t *image, uint32_t i, size_t *n);

/* The text of a line (from 1) of a source file, named as in frames; NULL if the bundle does not
 * have it. May be cut off, and need not be UTF-8. */
const char *dmd_bundle_source_line(const dmd_bundle_t *image, const char *file, uint64_t line);

/* A graph with the types of its nodes, as in dmdv/graph/typedgraph.h. */
typedef struct dmd_bundle_graph {
  dmd_heapgraph_t heap;
  dmd_types_t types;
  dmd_typing_t typing;
  dmd_knownvariables_t variables;
} dmd_bundle_graph_t;

/* Graph i, from 0 to n_graphs - 1. If it is damaged, returns false with the reason, and there is
 * nothing to close. The struct must not be moved in memory. Close it before the bundle is
 * destroyed. */
bool dmd_bundle_open_graph(dmd_bundle_graph_t *graph, const dmd_bundle_t *image, uint32_t i,
                           dmd_strbuf_t *why);
void dmd_bundle_close_graph(dmd_bundle_graph_t *graph);

/* ---- Sections of a mapped bundle, for files/bundle only. ---- */

typedef struct dmd_bundle_section {
  uint32_t kind, index;
  char *bytes; /* aligned to 8 */
  size_t n;
} dmd_bundle_section_t;

/* Finds a section by kind and index; NULL if not found. */
const dmd_bundle_section_t *dmd_bundle_find(const dmd_bundle_t *image, dmd_bundle_kind_t kind,
                                            uint32_t index);

#endif
