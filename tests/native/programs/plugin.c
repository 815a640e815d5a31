/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What loading_forks.c loads.
 */
#include <stdlib.h>

void *plugin_block(size_t szB);

void *plugin_block(size_t szB) {
  return malloc(szB);
}
