/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * codepath.h: where a function's code can get to, on amd64.
 *
 * Follows the instructions from a place in a piece of code along all direct jumps, and visits those
 * that contain a certain number. A call is taken to return. A path ends at a return, an indirect
 * jump, an instruction that is not understood, and the end of the piece. So a path may be missed,
 * and one that a call which never returns cuts off may be found.
 *
 * Cost: each instruction is decoded once.
 *
 * Concurrency: stateless.
 */
#ifndef DMD_RECORD_ENGINE_CODEPATH_H
#define DMD_RECORD_ENGINE_CODEPATH_H

#include "base/env.h"

#include <stdbool.h>
#include <stdint.h>

/* An instruction. */
typedef struct dmd_instruction {
  uint8_t length; /* 0: not understood */
  bool ends;      /* the next instruction is not reached from it */
  bool jumps;     /* it may jump, by this distance from its end */
  int32_t distance;
  bool has_number; /* its last four bytes are a constant operand */
} dmd_instruction_t;

/* Decodes the instruction at the start of n bytes. */
dmd_instruction_t dmd_instruction_at(const uint8_t *code, size_t n);

/* Returns true as soon as visit does, for an instruction with this constant that can be reached
 * from the one at `from`; at: where that one is. */
bool dmd_codepath_find(const dmd_env_t *env, const uint8_t *code, size_t n, size_t from,
                       uint32_t number, bool (*visit)(void *visitor, size_t at), void *visitor);

#endif
