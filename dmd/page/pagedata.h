/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pagedata.h: how files come into a page: in an image (image/image.h), which dmdv made of them, or
 * one by one as they are (load/load.h, load/load_graph.h), as people drop them on it.
 *
 * Files of an image refer to it. So the data that a page was given outlives it:
 * dmd_page_data_init, dmd_page_init; then adding and asking; dmd_page_destroy,
 * dmd_page_data_destroy.
 */
#ifndef DMD_PAGE_PAGEDATA_H
#define DMD_PAGE_PAGEDATA_H

#include "analysis/history.h"
#include "load/source.h"
#include "page/page.h"

typedef struct dmd_page_data {
  const dmd_env_t *env;
  dmd_pool_t images;      /* dmd_image_t *, that were mapped */
  dmd_pool_t graphs;      /* dmd_image_graph_t *, that were opened or read */
  dmd_history_t *history; /* of an image; NULL: none */
} dmd_page_data_t;

void dmd_page_data_init(dmd_page_data_t *data, const dmd_env_t *env);
void dmd_page_data_destroy(dmd_page_data_t *data);

/* Adds what is in an image. The bytes, from a multiple of 8 on, must stay, and are the image's to
 * write to. False, with the reason, where they are no image, or a damaged one; the page may then
 * have got some of its files. */
bool dmd_page_add_image(dmd_page_t *page, dmd_page_data_t *data, void *bytes, size_t n,
                        dmd_number_fn number, dmd_strbuf_t *why);

/* Adds a profile, a heap graph or a file of memory reports: its contents tell which. False, with
 * the reason in the words of dmdv, "NAME:LINE: why (byte N)", where it is none of them. The source
 * is rewound once its first bytes show that it is a graph, and once more.
 *
 * A graph lies beside the profile that has its name, "a.graph.gz" beside "a.json.gz", whichever
 * comes first. It is read without types of blocks: they stand in debug information, which a page
 * does not have. */
bool dmd_page_add_file(dmd_page_t *page, dmd_page_data_t *data, const char *name,
                       const dmd_source_t *source, dmd_strbuf_t *why);

#endif
