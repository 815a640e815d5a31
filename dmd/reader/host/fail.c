/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/host/fail.h"

#include <stdarg.h>
#include <stdio.h>

bool dmdv_fail(dmdv_fail_t *fail, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(fail->reason, sizeof fail->reason, format, args);
  va_end(args);
  fail->line = fail->byte = 0;
  fail->has_byte = false;
  return false;
}
