/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pagedata.h: adds files to a page: in a bundle made by dmdv (files/bundle/bundle.h), or one by one
 * as original files (files/profile/profilereader.h, files/graph/graphreader.h) that people drop on
 * the page.
 *
 * Files in a bundle refer to its bytes, so the data must outlive the page: dmd_session_data_init,
 * dmd_session_init; then adding and asking; dmd_session_destroy, dmd_session_data_destroy.
 */
#ifndef DMD_SHOW_PAGE_PAGEDATA_H
#define DMD_SHOW_PAGE_PAGEDATA_H

#include "analyse/history/history.h"
#include "files/profile/source.h"
#include "show/page/session.h"

typedef struct dmd_session_data {
  const dmd_env_t *env;
  dmd_pool_t images;      /* dmd_bundle_t *, mapped bundles */
  dmd_pool_t graphs;      /* dmd_bundle_graph_t *, opened or read */
  dmd_history_t *history; /* from a bundle; or NULL */
} dmd_session_data_t;

void dmd_session_data_init(dmd_session_data_t *data, const dmd_env_t *env);
void dmd_session_data_destroy(dmd_session_data_t *data);

/* Adds the files of a bundle. The bytes must be aligned to 8 and stay valid; the bundle may write
 * to them. On failure returns false with the reason: not a bundle, or damaged. Some of its files
 * may have been added by then. */
bool dmd_session_add_image(dmd_session_t *page, dmd_session_data_t *data, void *bytes, size_t n,
                           dmd_number_fn number, dmd_strbuf_t *why);

/* Adds a profile, a heap graph or a file of memory reports, depending on its contents. On failure
 * returns false with the reason, worded as by dmdv: "NAME:LINE: why (byte N)". For a graph, the
 * source is rewound twice.
 *
 * A graph belongs to the profile with its name ("a.graph.gz" to "a.json.gz"), whichever comes
 * first. Its blocks have no types: these need debug information, which a page does not have. */
bool dmd_session_add_file(dmd_session_t *page, dmd_session_data_t *data, const char *name,
                          const dmd_source_t *source, dmd_strbuf_t *why);

#endif
