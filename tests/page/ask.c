/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ask FILE QUERY: prints the page's answer about this file, computed here, for comparison with the
 * answer of the same code in WebAssembly. For a file that cannot be read, it prints the page's
 * error. Without arguments: prints the available queries, one per line.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/jsonout.h"
#include "dmdv/input/input.h"
#include "host/process.h"
#include "show/page/asks.h"
#include "show/page/pagedata.h"

static bool write_out(void *ctx, const char *bytes, size_t n) {
  return fwrite(bytes, 1, n, ctx) == n;
}

static bool next(void *ctx, const char **bytes, size_t *n, dmd_fail_t *fail) {
  return dmdv_input_next(ctx, bytes, n, fail);
}

static bool rewind_input(void *ctx, dmd_fail_t *fail) {
  return dmdv_input_rewind(ctx, fail);
}

static double number(const char *text) {
  return strtod(text, NULL);
}

static void write_error(dmd_out_t *out, const char *why) {
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_str(&j, "message", why);
  dmd_jsonout_end(&j);
}

static void answer(const char *name, const char *query, dmd_out_t *out) {
  dmd_fail_t fail;
  dmdv_input_t *input = dmdv_input_open(name, &fail);
  if (input == NULL || !dmdv_input_keep(input, &fail)) {
    fprintf(stderr, "ask: %s: %s\n", name, fail.reason);
    exit(2);
  }
  const dmd_source_t source = {
      .next = next, .rewind = rewind_input, .ctx = input, .number = number};
  dmd_session_data_t data;
  dmd_session_t page;
  dmd_strbuf_t why;
  dmd_session_data_init(&data, &dmdv_env);
  dmd_session_init(&page, &dmdv_env);
  dmd_strbuf_init(&why, &dmdv_env);
  if (dmd_session_add_file(&page, &data, "file", &source, &why))
    dmd_session_ask(&page, query, out);
  else
    write_error(out, why.text);
  dmd_strbuf_destroy(&why);
  dmd_session_destroy(&page);
  dmd_session_data_destroy(&data);
  dmdv_input_close(input);
}

int main(int argc, char **argv) {
  dmdv_host_init();
  if (argc != 3) {
    for (const dmd_ask_t *ask = dmd_asks; ask->name != NULL; ask++)
      puts(ask->name);
    return 0;
  }
  dmd_out_t out;
  dmd_out_init(&out, write_out, stdout);
  answer(argv[1], argv[2], &out);
  return dmd_out_flush(&out) ? 0 : 2;
}
