/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ask FILE QUERY: what a page with this file answers, computed here, to be compared with what
 * the same code answers in WebAssembly. A file that cannot be read is the answer that the page's
 * program gives. Without arguments: the questions that there are, a line each.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/jsonout.h"
#include "page/asks.h"
#include "page/pagedata.h"
#include "reader/host/host.h"
#include "reader/input/input.h"

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
  dmd_page_data_t data;
  dmd_page_t page;
  dmd_strbuf_t why;
  dmd_page_data_init(&data, &dmdv_env);
  dmd_page_init(&page, &dmdv_env);
  dmd_strbuf_init(&why, &dmdv_env);
  if (dmd_page_add_file(&page, &data, "file", &source, &why))
    dmd_page_ask(&page, query, out);
  else
    write_error(out, why.text);
  dmd_strbuf_destroy(&why);
  dmd_page_destroy(&page);
  dmd_page_data_destroy(&data);
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
