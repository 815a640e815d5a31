/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_code.h: Valgrind's knowledge of the program's code, for dmd_engine_host_t.
 */
#ifndef DMD_VALGRIND_DM_CODE_H
#define DMD_VALGRIND_DM_CODE_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

#include "record/host.h"

/* The places of a stack: addresses with Valgrind's epochs. */
const dmd_code_t *dm_codes(void *ctx, uint32_t stack, uint32_t *n);

/* Makes a translation count its instructions, if the user wants that, and how many have run. */
IRSB *dm_instructions_instrument(IRSB *sb);
uint64_t dm_instructions(void *ctx);

void dm_functions(void *ctx, dmd_code_t code, dmd_function_fn visit, void *visitor);
bool dm_object(void *ctx, dmd_code_t code, dmd_object_t *object);
dmd_code_kind_t dm_code_kind(void *ctx, dmd_code_t code);
void dm_objects(void *ctx, dmd_object_fn visit, void *visitor);
bool dm_object_defines(void *ctx, const char *soname, const char *function, bool if_unknown);
bool dm_object_replaced(void *ctx, const char *soname, const char *function, dmd_code_t *code);

/*--- The objects whose inlined calls Valgrind reads ---*/

/* Stacks need them for the program and its libraries. If the C library's debug information is
 * installed, reading its inlined calls takes a quarter of Valgrind's start-up time, and all that
 * they would show are calls between its private functions. So they are skipped, unless
 * --read-inline-info=yes was given. */

/* Call before the options are parsed. */
void dm_inlined_default(void);

/* Call after the options are parsed. */
void dm_inlined_init(void);

/* szB bytes of memory, which may be code, were mapped at a. di_handle is not 0 if the core has just
 * read an object of which this was the last part. */
void dm_inlined_mapped(Addr a, SizeT szB, Bool is_code, ULong di_handle);

#endif
