/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * outputs.h: the files that dmd-derive writes.
 */
#ifndef DMD_DERIVE_PROGRAM_OUTPUTS_H
#define DMD_DERIVE_PROGRAM_OUTPUTS_H

#include "base/strbuf.h"

/* Writes the text to the file, whole or not at all; NULL: standard output. A file that has this
 * text already is left alone, so that nothing is compiled anew for it. False, with one line on
 * standard error, when it cannot be written. */
bool dmd_derive_output(const char *name, const dmd_strbuf_t *text);

/* Whether the file has exactly this text. */
bool dmd_derive_is_output(const char *name, const dmd_strbuf_t *text);

/* Adds a rule for make: the target depends on what is added after it. */
void dmd_derive_depend(dmd_strbuf_t *rule, const char *name);

#endif
