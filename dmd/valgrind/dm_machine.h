/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_machine.h: what the tool must know of the processor.
 *
 * Each processor has a folder with a file of this name, which defines:
 *
 *   dm_guest_t                   the registers of a thread, as Valgrind keeps them
 *   DM_REQUEST, DM_ANSWER        the registers with a client request's arguments and its result, as
 *                                valgrind.h compiles it
 *   DM_IP, DM_SP, DM_FP          instruction, stack and frame pointer
 *   DM_FP_OFFSET                 where the frame pointer is in the guest state; -1: there is none
 *   DM_STORAGE_OFFSET            where the thread pointer is there; -1: unknown
 *   DM_FINDS_WORDS               1 if a return address is just below its caller's stack pointer
 *   DM_GETS_GUEST                1 if Valgrind can pass the guest state to functions of the tool
 *   DM_ANSWERS_CALLS             1 if calls of malloc and the like are answered at their entry
 *   dm_ticks                     a function: a counter that advances with time and is cheap to read
 *
 * and, for the last one:
 *
 *   DM_FIRST, DM_SECOND, DM_RESULT   the registers of a call's arguments and its result
 *   DM_RETURN                        the register of the return address; not defined: it is the
 *                                    word at the stack pointer
 *
 *   DM_SEES_CLAIMS                   1 if functions are seen to return (dm_claims.h); it needs the
 *                                    former, and:
 *   DM_ARGUMENT_OFFSETS              where the first six arguments are in the guest state
 *   DM_RETURN_SZB                    what a return adds to the stack pointer
 */
#ifndef DMD_VALGRIND_DM_MACHINE_H
#define DMD_VALGRIND_DM_MACHINE_H

#include "pub_tool_basics.h"

#if defined(VGA_amd64)
#include "valgrind/amd64/dm_machine.h"
#elif defined(VGA_x86)
#include "valgrind/x86/dm_machine.h"
#elif defined(VGA_arm64)
#include "valgrind/arm64/dm_machine.h"
#else
#error "what the tool must know of this processor is missing"
#endif

#endif
