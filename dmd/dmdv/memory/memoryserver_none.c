/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Stands in for memoryserver.c in a build without libmicrohttpd.
 */
#include "dmdv/memory/memoryserver.h"

#include "host/process.h"

int dmdv_serve_metrics(const char *address, dmdv_metrics_fn metrics, void *ctx) {
  (void)address, (void)metrics, (void)ctx;
  dmdv_error("memory: this dmdv was built without libmicrohttpd, which --listen needs");
  return 2;
}
