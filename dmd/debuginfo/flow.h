/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * flow.h: data flow analysis of machine code for x86-64 and AArch64: where the result of a call
 * goes.
 *
 * The analysis begins with the register that has the result of a call, and tracks the registers and
 * the places on the stack that hold the result, or an address inside its block. It follows all
 * paths on which the result is not NULL, past other calls, up to the return or to the first
 * instruction that it does not know. It is conservative: it may miss facts, but everything reported
 * is true whenever the program gets there.
 */
#ifndef DMD_DEBUGINFO_FLOW_H
#define DMD_DEBUGINFO_FLOW_H

#include "debuginfo/flowstate.h"

/* The processor with this number in ELF headers; NULL: its code is not known. */
const dmdv_flow_machine_t *dmdv_flow_machine(unsigned e_machine);

/* Tracks the result of the call that returns to pc. */
void dmdv_flow_follow(const dmdv_flow_machine_t *machine, const dmdv_code_t *code, uint64_t pc,
                      const dmdv_flow_watcher_t *watcher);

/* Tracks the first argument of the function that begins at pc. */
void dmdv_flow_follow_argument(const dmdv_flow_machine_t *machine, const dmdv_code_t *code,
                               uint64_t pc, const dmdv_flow_watcher_t *watcher);

#endif
