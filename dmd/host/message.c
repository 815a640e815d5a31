/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/message.h"

#include "base/out.h"
#include "host/progress.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *dmdv_program = "dmdv";

static bool write_stderr(void *ctx, const char *bytes, size_t n) {
  (void)ctx;
  return fwrite(bytes, 1, n, stderr) == n;
}

static void print_line(const char *text) {
  dmd_out_t out;
  dmdv_work_end();
  dmd_out_init(&out, write_stderr, NULL);
  dmd_out_str(&out, dmdv_program);
  dmd_out_str(&out, ": ");
  dmd_out_safe(&out, text);
  dmd_out_char(&out, '\n');
  dmd_out_flush(&out);
}

static void print_formatted(const char *format, va_list args) {
  char few[512], *text = few;
  va_list again;
  va_copy(again, args);
  int n = vsnprintf(few, sizeof few, format, args);
  /* Without memory the message is truncated. */
  if (n >= (int)sizeof few && (text = malloc((size_t)n + 1)) != NULL)
    vsnprintf(text, (size_t)n + 1, format, again);
  print_line(text != NULL ? text : few);
  if (text != few)
    free(text);
  va_end(again);
}

void dmdv_note(const char *format, ...) {
  va_list args;
  va_start(args, format);
  print_formatted(format, args);
  va_end(args);
}

bool dmdv_error(const char *format, ...) {
  va_list args;
  va_start(args, format);
  print_formatted(format, args);
  va_end(args);
  return false;
}

bool dmdv_error_in(const char *name, const dmd_fail_t *fail) {
  const char *shown = strcmp(name, "-") == 0 ? "(standard input)" : name;
  if (fail->line == 0 && fail->has_byte)
    return dmdv_error("%s: %s (byte %" PRIu64 ")", shown, fail->reason, fail->byte);
  if (fail->line == 0)
    return dmdv_error("%s: %s", shown, fail->reason);
  return dmdv_error("%s:%" PRIu64 ": %s (byte %" PRIu64 ")", shown, fail->line, fail->reason,
                    fail->byte);
}
