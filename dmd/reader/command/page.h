/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * page.h: the page of `dmdv view`: an HTML document with one empty element for an image.
 *
 *   <script type="text/plain" id="dmd-image"></script>
 *
 * What is written there is the image (image/image.h), gzipped, in base64. Which page: the one that
 * was built into dmdv, or the one in a file, which another dmdv wrote with --page-only. The page's
 * own policy forbids all network; only a page without an image, which can be put on a server, may
 * fetch what its address names (?url=).
 */
#ifndef DMD_READER_COMMAND_PAGE_H
#define DMD_READER_COMMAND_PAGE_H

#include "base/strbuf.h"
#include "reader/host/outfile.h"

/* The page that was built in; NULL: none. page_built.c or page_none.c. */
const char *dmdv_built_page(size_t *n);

typedef struct dmdv_page {
  const char *bytes;
  size_t n;
  size_t place;      /* of the element's contents */
  dmd_strbuf_t read; /* out of a file */
} dmdv_page_t;

/* The page in the file with this name, or where that is NULL the one that was built in. False, with
 * the reason on stderr, where there is none. Close it either way. */
bool dmdv_page_open(dmdv_page_t *page, const char *name);
void dmdv_page_close(dmdv_page_t *page);

/* What writes an image. False, after it has said why, when it cannot. */
typedef bool (*dmdv_page_fill_fn)(void *ctx, dmd_write_fn write, void *write_ctx);

/* Writes the page with an image. title: of the document, any text. */
bool dmdv_page_write(const dmdv_page_t *page, dmdv_outfile_t *file, const char *title,
                     dmdv_page_fill_fn fill, void *ctx);

/* Writes the page alone. */
void dmdv_page_write_alone(const dmdv_page_t *page, dmdv_outfile_t *file);

#endif
