/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fuzz_memory_answer: what a process answers to dmdv memory. Whatever it is, there is a tree that
 * can be printed safely, the notes too. The values cannot stand for what the system says. As
 * OpenMetrics no series is there twice.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "fuzz.h"

#include "base/intern.h"
#include "dmdv/memory/askreporters.h"
#include "dmdv/memory/systemtrees.h"
#include "host/process.h"
#include "show/export/export.h"
#include "show/text/text_tree.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_INPUT = 64 << 10 }; /* fits into a socket's buffer */

/* Reads the bytes as the answer of "app (pid 7)". */
static void read_answer(dmd_amounts_t *m, const uint8_t *data, size_t n) {
  int sockets[2];
  fuzz_text_t said = {0};
  dmd_strbuf_t notes;
  dmd_strbuf_init(&notes, &dmdv_env);
  FUZZ_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
  FUZZ_CHECK(send(sockets[1], data, n, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)n);
  close(sockets[1]);
  dmdv_read_reporters(m, sockets[0], "app (pid 7)", 60, &notes);
  close(sockets[0]);
  fuzz_keep(&said, notes.text, notes.n);
  fuzz_take_safe(&said);
  dmd_strbuf_destroy(&notes);
}

static void check_metrics(const dmd_amounts_t *m) {
  fuzz_text_t text = {0};
  dmd_intern_t seen;
  dmd_out_t out;
  uint32_t n = 0;
  dmd_out_init(&out, fuzz_keep, &text);
  dmd_export_amounts_openmetrics(m, &out);
  FUZZ_CHECK(dmd_out_flush(&out));
  dmd_intern_init(&seen, &dmdv_env, "fuzz");
  for (const char *at = text.bytes, *end;
       (end = memchr(at, '\n', text.n - (size_t)(at - text.bytes))) != NULL; at = end + 1) {
    const char *blank = memrchr(at, ' ', (size_t)(end - at));
    FUZZ_CHECK(blank != NULL);
    if (at[0] != '#')
      FUZZ_CHECK(dmd_intern_bytes(&seen, at, (size_t)(blank - at)) == ++n);
  }
  FUZZ_CHECK(n == m->n_order);
  dmd_intern_destroy(&seen);
  fuzz_take_safe(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  dmd_amounts_t m;
  const char *path;
  fuzz_text_t text = {0};
  dmd_out_t out;
  if (n > MAX_INPUT)
    return 0;
  dmd_amounts_init(&m, &dmdv_env, false);
  read_answer(&m, data, n);
  dmd_amounts_complete(&m);
  FUZZ_CHECK(dmd_amounts_settle(&m, &path) == NULL);
  for (uint32_t i = 0; i < m.n_order; i++)
    FUZZ_CHECK(!dmdv_system_measures(dmd_amounts_path(&m, m.order[i])));
  dmd_out_init(&out, fuzz_keep, &text);
  dmd_tree_print(&out, &m, "", n % 2 == 0);
  FUZZ_CHECK(dmd_out_flush(&out));
  fuzz_take_safe(&text);
  check_metrics(&m);
  dmd_amounts_destroy(&m);
  return 0;
}
