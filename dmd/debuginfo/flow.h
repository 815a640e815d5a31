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
 *
 * Registers are numbered as in DWARF. A place on the stack is given by its distance from the
 * canonical frame address.
 */
#ifndef DMD_DEBUGINFO_FLOW_H
#define DMD_DEBUGINFO_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DMDV_FLOW_REGISTERS = 32, DMDV_FLOW_SLOTS = 8 };

typedef enum {
  DMDV_VALUE_UNKNOWN,
  DMDV_VALUE_RESULT, /* the result, plus offset */
  DMDV_VALUE_INSIDE, /* the result, plus an unknown offset */
  DMDV_VALUE_SLOT,   /* the value read from the place at offset */
  DMDV_VALUE_ADDRESS /* the address `offset` */
} dmdv_value_kind_t;

typedef struct dmdv_value {
  dmdv_value_kind_t kind;
  int64_t offset;
} dmdv_value_t;

/* The state before the instruction at pc. */
typedef struct dmdv_flow {
  uint64_t pc;
  dmdv_value_t registers[DMDV_FLOW_REGISTERS];
  struct {
    bool is_used;
    int64_t place;
    int64_t offset; /* the place holds the result plus this */
  } slots[DMDV_FLOW_SLOTS];
} dmdv_flow_t;

/* A memory operand. */
typedef struct dmdv_operand {
  bool is_fixed; /* addr is the whole operand: relative to the program counter */
  uint64_t addr;
  int base; /* a register; -1: none */
  bool has_index;
  unsigned scale; /* of the index, in bytes */
  int64_t displacement;
} dmdv_operand_t;

typedef struct dmdv_flow_watcher {
  void *ctx;
  /* Called before each instruction. */
  void (*at)(void *ctx, const dmdv_flow_t *flow);
  /* The result plus offset is stored to an operand that is not on the stack. */
  void (*store)(void *ctx, const dmdv_flow_t *flow, const dmdv_operand_t *to, int64_t offset);
  /* The result plus offset is the first argument of a call of this function, or of a jump that
   * leaves the code. Returns whether the function is known to return its first argument. */
  bool (*pass)(void *ctx, uint64_t function, int64_t offset);
  /* The function returns this value. */
  void (*end)(void *ctx, const dmdv_value_t *value);
  /* The place on the stack of a register plus a displacement, at pc; false if unknown. */
  bool (*slot)(void *ctx, uint64_t pc, int reg, int64_t displacement, int64_t *place);
} dmdv_flow_watcher_t;

/* The code of a function, or of a part of it: n bytes from start on. */
typedef struct dmdv_code {
  const uint8_t *bytes;
  size_t n;
  uint64_t start;
} dmdv_code_t;

typedef struct dmdv_flow_machine dmdv_flow_machine_t;

/* The processor with this number in ELF headers; NULL: its code is not known. */
const dmdv_flow_machine_t *dmdv_flow_machine(unsigned e_machine);

/* Tracks the result of the call that returns to pc. */
void dmdv_flow_follow(const dmdv_flow_machine_t *machine, const dmdv_code_t *code, uint64_t pc,
                      const dmdv_flow_watcher_t *watcher);

/* Tracks the first argument of the function that begins at pc. */
void dmdv_flow_follow_argument(const dmdv_flow_machine_t *machine, const dmdv_code_t *code,
                               uint64_t pc, const dmdv_flow_watcher_t *watcher);

#endif
