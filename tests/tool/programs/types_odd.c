/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A program with a unit of debug information that no compiler writes: the DIEs after each of its 60
 * structs are also its children. A walk that follows every reference takes 2^60 steps.
 */
#include <stdio.h>
#include <stdlib.h>

#include <dmd.h>

__asm__(".pushsection .debug_abbrev,\"\",@progbits\n"
        "odd_abbrev:\n"
        "  .uleb128 1, 0x11\n" /* DW_TAG_compile_unit with children */
        "  .byte 1, 0, 0\n"
        "  .uleb128 2, 0x13\n" /* DW_TAG_structure_type with children */
        "  .byte 1\n"
        "  .uleb128 0x01, 0x13\n" /* DW_AT_sibling, a reference */
        "  .byte 0, 0, 0\n"
        ".popsection\n"
        ".pushsection .debug_info,\"\",@progbits\n"
        "odd_unit:\n"
        "  .4byte odd_end - odd_begin\n"
        "odd_begin:\n"
        "  .2byte 4\n"
        "  .4byte odd_abbrev\n"
        "  .byte 8\n"
        "  .uleb128 1\n"
        ".rept 60\n"
        "  .uleb128 2\n"
        "  .4byte . + 4 - odd_unit\n"
        ".endr\n"
        ".rept 62\n"
        "  .byte 0\n"
        ".endr\n"
        "odd_end:\n"
        ".popsection\n");

int main(void) {
  long *numbers = malloc(3 * sizeof *numbers);
  printf("block %p long int[]\n", (void *)numbers);
  DMD_GRAPH("odd");
  free(numbers);
  return 0;
}
