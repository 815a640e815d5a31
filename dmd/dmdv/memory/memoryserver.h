/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * memoryserver.h: answers programs that collect metrics, such as Prometheus, over HTTP.
 *
 * Only GET and HEAD of /metrics are answered, one after the other, by a thread of libmicrohttpd. A
 * request whose Host is neither the address nor localhost is refused: it comes from a page in a
 * browser whose name resolves to this machine.
 */
#ifndef DMD_DMDV_MEMORY_MEMORYSERVER_H
#define DMD_DMDV_MEMORY_MEMORYSERVER_H

#include "base/strbuf.h"

/* Appends the metrics. False: there is nothing to show. */
typedef bool (*dmdv_metrics_fn)(void *ctx, dmd_strbuf_t *text);

/* Listens on "A.B.C.D:PORT", says so on standard output, and serves until a signal ends dmdv. Port
 * 0 lets the system choose. Returns the exit status, after a line on stderr, if that is
 * impossible. */
int dmdv_serve_metrics(const char *address, dmdv_metrics_fn metrics, void *ctx);

#endif
