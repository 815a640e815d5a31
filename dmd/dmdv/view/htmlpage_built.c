/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Embeds the page, which the assembler finds in the folder viewer of the build or of a release. The
 * page is empty if npm could not fetch the packages that it is built with.
 */
#include "dmdv/view/htmlpage.h"

__asm__(".pushsection .rodata\n"
        "dmdv_page_begin: .incbin \"page.html\"\n"
        "dmdv_page_end: .byte 0\n"
        ".popsection\n");

extern const char begin[] __asm__("dmdv_page_begin"), end[] __asm__("dmdv_page_end");

const char *dmdv_built_page(size_t *n) {
  *n = (size_t)(end - begin);
  return *n > 0 ? begin : NULL;
}
