/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * containers.h: capacity of containers that is not in use.
 *
 * A table has an entry for each container: two members that are pointers, such as those to the
 * start of its memory and to the end of the part in use. The graph has pointers and no numbers: so
 * containers that keep their size as a number, such as std::string and those of GLib, are not
 * found. A pointer to the end of a full container is behind its memory, and not in the graph.
 */
#ifndef DMD_ANALYSE_WASTE_CONTAINERS_H
#define DMD_ANALYSE_WASTE_CONTAINERS_H

#include "analyse/waste/findings.h"

void dmd_waste_find_containers(dmd_waste_t *waste);

#endif
