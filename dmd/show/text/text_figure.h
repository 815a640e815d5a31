/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * text_figure.h: what a number that a program printed leaves out, as text.
 */
#ifndef DMD_SHOW_TEXT_TEXT_FIGURE_H
#define DMD_SHOW_TEXT_TEXT_FIGURE_H

#include "analyse/claims/figure.h"
#include "base/out.h"

/* title: what the number is, such as `used_memory:([0-9]+)`; set: as given to dmd_figure_init. */
void dmd_figure_print(dmd_out_t *out, const dmd_figure_t *figure, const dmd_profile_t *profile,
                      const char *title, const char *set);

#endif
