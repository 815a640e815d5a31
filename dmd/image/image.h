/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * image.h: what `dmdv view` puts into a page: profiles and typed heap graphs in one string of
 * bytes, which the core in the page uses where it lies.
 *
 *   header     "dmdimage", the version (4 bytes), 0 (4 bytes)
 *   sections   each from a multiple of 8 on; what is between them is 0
 *   table      of each section: kind and index (4 bytes each), offset and size (8 each)
 *   end        offset of the table (8 bytes), sections in it (4), "dmdi"
 *
 * All numbers are little endian. The table stands at the end so that an image is written in one
 * pass. A section is one of dmd_image_kind_t; its index tells several of a kind apart: it is the
 * number of the profile or graph that it belongs to. Sections of kinds that are not known are
 * passed over.
 *
 *   profiles   are documents (profile/json.h): there is no second format to be kept in step
 *   graphs     have their large columns as arrays, which are used in place, and the rest as numbers
 *              of 7 bits a byte and strings with their lengths in front (imagecursor.h)
 *
 * An image may come from strangers. dmd_image_map checks the container and its small sections, and
 * dmd_image_open_graph checks a graph: whatever a reader of it relies on. What is wrong is said in
 * words; no memory is taken out of proportion to the bytes.
 *
 * Analyses that take edges out for a while (graph/edgemask.h) write where the arrays lie. So the
 * bytes must be the image's own, from a multiple of 8 on, until it is destroyed, and of each graph
 * one may be open at a time.
 *
 * Call order: dmd_image_map; then files, settings, source lines and profiles in any order;
 * dmd_image_open_graph, dmd_image_close_graph; dmd_image_destroy.
 */
#ifndef DMD_IMAGE_IMAGE_H
#define DMD_IMAGE_IMAGE_H

#include "base/strbuf.h"
#include "graph/knownvariables.h"
#include "graph/typing.h"

enum { DMD_IMAGE_VERSION = 1 };

#define DMD_IMAGE_MAGIC "dmdimage"
#define DMD_IMAGE_END "dmdi"

enum {
  DMD_IMAGE_HEADER_SZB = 16,
  DMD_IMAGE_ENTRY_SZB = 24, /* of the table */
  DMD_IMAGE_END_SZB = 16,
  DMD_IMAGE_MAX_SECTIONS = 1 << 14 /* which are looked for one after the other */
};

typedef enum {
  DMD_IMAGE_FILES = 1, /* dmd_image_file_t of each file */
  DMD_IMAGE_SETTINGS,  /* dmd_image_settings_t */
  DMD_IMAGE_PROFILE,   /* a document */
  /* Of a graph: what is beside the arrays, then these. */
  DMD_IMAGE_GRAPH,
  DMD_IMAGE_FIRST,       /* dmd_graph_t.first */
  DMD_IMAGE_TARGET,      /* .target */
  DMD_IMAGE_OFFSET,      /* .offset */
  DMD_IMAGE_SIZE,        /* .size */
  DMD_IMAGE_BLOCKS,      /* dmd_graph_block_t */
  DMD_IMAGE_INTERIORS,   /* dmd_graph_interior_t */
  DMD_IMAGE_FIRST_WORDS, /* dmd_graph_first_word_t */
  DMD_IMAGE_TYPED,       /* dmd_typed_t, by node */
  /* Of the whole image. */
  DMD_IMAGE_SOURCES, /* lines of source files (imagesource.h) */
  /* Of a graph; may be missing. */
  DMD_IMAGE_VARIABLES, /* names for proposals (imagevariables.h) */
  /* Of the whole image; may be missing (imagehistory.h). */
  DMD_IMAGE_HISTORY,        /* builds, curves, alarms */
  DMD_IMAGE_HISTORY_RECORDS /* what stacks held */
} dmd_image_kind_t;

typedef enum { DMD_IMAGE_IS_PROFILE, DMD_IMAGE_IS_GRAPH } dmd_image_file_kind_t;

/* What was left out of a file so that a page can show it, or became part of a sum; all 0: nothing.
 */
typedef struct dmd_image_reduced {
  uint64_t records; /* of a profile: allocation stacks that became one with others */
  uint64_t bytes;   /* theirs */
  uint64_t nodes;   /* of a graph: blocks that became one with others */
} dmd_image_reduced_t;

/* A file that was given, or found beside one. */
typedef struct dmd_image_file {
  const char *name;
  dmd_image_file_kind_t kind;
  uint32_t index;  /* of the profile, or of the graph */
  uint32_t beside; /* of a graph: the profile that it was written with; DMD_IMAGE_ALONE: none. Of a
                      profile the graph, likewise */
  dmd_image_reduced_t reduced;
} dmd_image_file_t;

#define DMD_IMAGE_ALONE UINT32_MAX

/* How whoever wrote the image wants it to be shown at first. */
typedef struct dmd_image_settings {
  uint32_t max_frames;
  dmd_frame_view_t frame_view; /* for all profiles; those of graphs have it */
} dmd_image_settings_t;

typedef struct dmd_image {
  const dmd_env_t *env;
  char *bytes;
  size_t n;
  dmd_pool_t sections;  /* see image.c */
  dmd_intern_t strings; /* of all that follows */
  dmd_pool_t files;     /* dmd_image_file_t */
  dmd_pool_t alloc_fns; /* uint32_t, of strings */
  const char **alloc_fn_list;
  dmd_image_settings_t settings;
  dmd_pool_t lines; /* of sources */
  dmd_table_t line_index;
  uint32_t n_profiles, n_graphs;
} dmd_image_t;

/* False, with the reason, where the bytes are no image of this version. It must stay where it is,
 * and be destroyed either way. */
bool dmd_image_map(dmd_image_t *image, const dmd_env_t *env, void *bytes, size_t n,
                   dmd_strbuf_t *why);
void dmd_image_destroy(dmd_image_t *image);

/* How many files there are, and the i-th, from 0. */
static inline uint32_t dmd_image_n_files(const dmd_image_t *image) {
  return image->files.last;
}

static inline const dmd_image_file_t *dmd_image_file(const dmd_image_t *image, uint32_t i) {
  return DMD_POOL_AT(&image->files, const dmd_image_file_t, i + 1);
}

/* The document of profile i, from 0 to n_profiles - 1: *n bytes, with no NUL behind them. */
const char *dmd_image_profile(const dmd_image_t *image, uint32_t i, size_t *n);

/* The text of a line, from 1 on, of a source file, as frames name it; NULL where the image does not
 * have it. May be cut off, and need not be UTF-8. */
const char *dmd_image_source_line(const dmd_image_t *image, const char *file, uint64_t line);

/* A graph with the types of its nodes, as reader/command/typedgraph.h has it. */
typedef struct dmd_image_graph {
  dmd_heapgraph_t heap;
  dmd_types_t types;
  dmd_typing_t typing;
  dmd_knownvariables_t variables;
} dmd_image_graph_t;

/* Graph i, from 0 to n_graphs - 1. False, with the reason and nothing to close, where it is
 * damaged. It must stay where it is, and be closed before the image is destroyed. */
bool dmd_image_open_graph(dmd_image_graph_t *graph, const dmd_image_t *image, uint32_t i,
                          dmd_strbuf_t *why);
void dmd_image_close_graph(dmd_image_graph_t *graph);

#endif
