/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * amount.h: amounts of memory reports as text, as about:memory shows them.
 *
 * Halves are rounded away from zero.
 */
#ifndef DMD_SHOW_TEXT_AMOUNT_H
#define DMD_SHOW_TEXT_AMOUNT_H

#include "model/profile/memreports.h"

/* Buffer size for any amount or share. */
enum { DMD_AMOUNT_MAX = 64 };

/* An amount for people, e.g. "1,234.56 MB"; verbose: "1,294,526,055 B". Amounts that would be 0.00
 * MB are in KB, and those that would be 0.00 KB in bytes, so that only zero looks like zero.
 * Returns the length. */
size_t dmd_format_amount(char buf[DMD_AMOUNT_MAX], int64_t amount, dmd_memreport_units_t units,
                         bool verbose);

/* A part of a whole: "05.40%"; "100.0%" from 99.995% on or if the whole is 0. */
void dmd_format_share(char buf[DMD_AMOUNT_MAX], int64_t part, int64_t whole);

#endif
