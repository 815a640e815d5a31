/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/host/message.h"

#include <stdarg.h>
#include <stdio.h>

bool dmdv_error(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("dmdv: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  return false;
}
