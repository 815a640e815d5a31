/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_rows.h: blocks added up by reporter, tag, thread, function or library, as a table.
 */
#ifndef DMD_TEXT_TEXT_ROWS_H
#define DMD_TEXT_TEXT_ROWS_H

#include "analysis/rows.h"
#include "base/out.h"

/* Prints the rows, so many at most (0: all). The name is last. */
void dmd_rows_print(dmd_out_t *out, const dmd_rows_t *rows, uint32_t max_rows);

#endif
