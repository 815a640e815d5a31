/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where the page was not built.
 */
#include "reader/command/page.h"

const char *dmdv_built_page(size_t *n) {
  *n = 0;
  return NULL;
}
