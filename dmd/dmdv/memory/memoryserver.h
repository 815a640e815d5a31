/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * memoryserver.h: answers programs that collect metrics, such as Prometheus, and browsers over
 * HTTP.
 *
 *   /metrics       OpenMetrics
 *   /memory.json   about:memory's format, measured anew; this and the next only with a page
 *   /old.json      a file to compare with, if there is one
 *   /              the page of dmdv view, which fetches these files
 *
 * Only GET and HEAD are answered, one after the other, by a thread of libmicrohttpd. A request
 * whose Host is neither the address nor localhost is refused: it comes from a page in a browser
 * whose name resolves to this machine.
 */
#ifndef DMD_DMDV_MEMORY_MEMORYSERVER_H
#define DMD_DMDV_MEMORY_MEMORYSERVER_H

#include "base/strbuf.h"

/* Appends an answer. False: there is nothing to show. */
typedef bool (*dmdv_serve_fn)(void *ctx, dmd_strbuf_t *text);

typedef struct dmdv_served {
  void *ctx;
  dmdv_serve_fn metrics, memory;
  const dmd_strbuf_t *page; /* NULL: no page */
  const dmd_strbuf_t *old;  /* of /old.json; NULL: none */
  uint32_t every;           /* seconds after which the page fetches the memory again; 0: never */
  /* Called with the page's address before anything is served; NULL: not called. */
  void (*ready)(const char *address);
} dmdv_served_t;

/* Listens on "A.B.C.D:PORT", says so on standard output, and serves until a signal ends dmdv. Port
 * 0 lets the system choose. Returns the exit status, after a line on stderr, if that is
 * impossible. */
int dmdv_serve_memory(const char *address, const dmdv_served_t *served);

#endif
