/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * containers.h: capacity of containers that is not in use.
 *
 * Tables have an entry for each container: two members that are pointers, such as those to the
 * start of its memory and to the end of the part in use; or a pointer and a number beside it, which
 * a graph has with --waste=yes. A pointer to the end of a full container is behind its memory, and
 * not in the graph.
 */
#ifndef DMD_ANALYSE_WASTE_CONTAINERS_H
#define DMD_ANALYSE_WASTE_CONTAINERS_H

#include "analyse/waste/findings.h"

void dmd_waste_find_containers(dmd_waste_t *waste);

#endif
