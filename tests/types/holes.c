/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * holes FILE: prints the padding of each struct in the debug information of a file, one a line:
 *   NAME SIZE HOLES BYTES-IN-HOLES BYTES-BEHIND
 */
#include "analyse/waste/padding.h"
#include "debuginfo/dwarftypes.h"
#include "host/process.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static void print_struct(dmdv_dwarftypes_t *found, Dwarf_Die *die) {
  if (dwarf_tag(die) != DW_TAG_structure_type || dwarf_diename(die) == NULL)
    return;
  uint32_t type = dmdv_dwarftypes_type(found, die);
  if (type == DMD_NONE)
    return;
  dmd_padding_t padding = dmd_padding_of(found->types, type);
  if (padding.szB > 0)
    printf("%s %llu %u %llu %llu\n", dwarf_diename(die), (unsigned long long)padding.szB,
           padding.n_holes, (unsigned long long)padding.holes_szB,
           (unsigned long long)padding.tail_szB);
}

int main(int argc, char **argv) {
  int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
  Dwarf *dwarf = fd >= 0 ? dwarf_begin(fd, DWARF_C_READ) : NULL;
  if (dwarf == NULL)
    return 1;
  dmd_types_t types;
  dmdv_dwarftypes_t found;
  Dwarf_CU *unit = NULL;
  Dwarf_Die top, die;
  dmd_types_init(&types, &dmdv_env, sizeof(uint64_t));
  dmdv_dwarftypes_init(&found, &types);
  while (dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &top, NULL) == 0) {
    if (dwarf_child(&top, &die) != 0)
      continue;
    do
      print_struct(&found, &die);
    while (dwarf_siblingof(&die, &die) == 0);
  }
  dmdv_dwarftypes_destroy(&found);
  dmd_types_destroy(&types);
  dwarf_end(dwarf);
  close(fd);
  return 0;
}
