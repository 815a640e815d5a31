/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * htmlpage.h: the page of `dmdv view`: an HTML document with one empty element for a bundle.
 *
 *   <script type="text/plain" id="dmd-image"></script>
 *
 * The bundle (files/bundle/bundle.h) is written there, gzipped and in base64. The page is the one
 * built into dmdv, or one in a file that another dmdv wrote with --page-only. The page's content
 * security policy forbids all network access; only a page without a bundle, which can be put on a
 * server, may fetch the files that its address names (?url=).
 */
#ifndef DMD_DMDV_VIEW_HTMLPAGE_H
#define DMD_DMDV_VIEW_HTMLPAGE_H

#include "base/strbuf.h"
#include "host/output.h"

/* The built-in page; NULL in a build without one. Defined in htmlpage_built.c or htmlpage_none.c.
 */
const char *dmdv_built_page(size_t *n);

typedef struct dmdv_page {
  const char *bytes;
  size_t n;
  size_t place;      /* of the element's contents */
  dmd_strbuf_t read; /* from a file */
} dmdv_page_t;

/* Opens the page in the file with this name, or the built-in page if name is NULL. False, with the
 * reason on stderr, if that fails. Close it either way. */
bool dmdv_page_open(dmdv_page_t *page, const char *name);
void dmdv_page_close(dmdv_page_t *page);

/* Writes a bundle. False, after reporting the reason, if that fails. */
typedef bool (*dmdv_page_fill_fn)(void *ctx, dmd_write_fn write, void *write_ctx);

/* Writes the page with a bundle. title: of the document, any text. */
bool dmdv_page_write(const dmdv_page_t *page, dmdv_output_t *file, const char *title,
                     dmdv_page_fill_fn fill, void *ctx);

/* Writes the page without a bundle. */
void dmdv_page_write_alone(const dmdv_page_t *page, dmd_write_fn write, void *ctx);

/* Opens a file, or an address, with the system's program for HTML. */
bool dmdv_page_show(const char *name);

#endif
