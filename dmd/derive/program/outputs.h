/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * outputs.h: the files that dmd-derive writes.
 */
#ifndef DMD_DERIVE_PROGRAM_OUTPUTS_H
#define DMD_DERIVE_PROGRAM_OUTPUTS_H

#include "base/strbuf.h"

/* Writes the text to the file, whole or not at all; NULL: standard output. Does not touch a file
 * that already has this text, so that nothing is recompiled. False, with one line on standard
 * error, if it cannot be written. */
bool dmd_derive_output(const char *name, const dmd_strbuf_t *text);

/* True if the file has exactly this text. */
bool dmd_derive_is_output(const char *name, const dmd_strbuf_t *text);

/* Adds a name to a rule for make: first the target, then its dependencies. */
void dmd_derive_depend(dmd_strbuf_t *rule, const char *name);

#endif
