/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pagedata.h: how files come into a page: in an image (image/image.h), which dmdv made of them, or
 * one by one as documents (load/load.h), as they are dropped on it.
 *
 * Files of an image refer to it. So the data that a page was given outlives it:
 * dmd_page_data_init, dmd_page_init; then adding and asking; dmd_page_destroy,
 * dmd_page_data_destroy.
 */
#ifndef DMD_PAGE_PAGEDATA_H
#define DMD_PAGE_PAGEDATA_H

#include "load/source.h"
#include "page/page.h"

typedef struct dmd_page_data {
  const dmd_env_t *env;
  dmd_pool_t images; /* dmd_image_t *, that were mapped */
  dmd_pool_t graphs; /* dmd_image_graph_t *, that were opened */
} dmd_page_data_t;

void dmd_page_data_init(dmd_page_data_t *data, const dmd_env_t *env);
void dmd_page_data_destroy(dmd_page_data_t *data);

/* Adds what is in an image. The bytes, from a multiple of 8 on, must stay, and are the image's to
 * write to. False, with the reason, where they are no image, or a damaged one; the page may then
 * have got some of its files. */
bool dmd_page_add_image(dmd_page_t *page, dmd_page_data_t *data, void *bytes, size_t n,
                        dmd_number_fn number, dmd_strbuf_t *why);

/* Adds a profile. False, with the reason in the words of dmdv, "NAME:LINE: why (byte N)", where it
 * is none. */
bool dmd_page_add_profile(dmd_page_t *page, const char *name, const dmd_source_t *source,
                          dmd_strbuf_t *why);

#endif
