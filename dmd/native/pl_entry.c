/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "native/pl_entry.h"

#include <stddef.h>

#define FROM_LINKER __attribute__((visibility("hidden")))

/* The bounds of the section; the linker names them. */
extern const pl_function_t __start_pl_functions[] FROM_LINKER, __stop_pl_functions[] FROM_LINKER;

const char *pl_function_name(uint64_t address) {
  for (const pl_function_t *f = __start_pl_functions; f < __stop_pl_functions; f++)
    if (f->address == address)
      return f->name;
  return NULL;
}
