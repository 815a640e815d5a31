/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * contents.h: waste that shows in what blocks contain: duplicates, constant blocks, and blocks
 * whose end was perhaps never written. The engine compared contents when it wrote the graph; a
 * graph of an engine that did not has none of these.
 */
#ifndef DMD_ANALYSE_WASTE_CONTENTS_H
#define DMD_ANALYSE_WASTE_CONTENTS_H

#include "analyse/waste/findings.h"

void dmd_waste_find_contents(dmd_waste_t *waste);

#endif
