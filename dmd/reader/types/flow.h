/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * flow.h: where the result of a call goes: follows machine code of x86-64 from behind a call.
 *
 * A function's result is in rax. From there on the registers and the places on the stack are known
 * that hold it, or an address behind it, along the paths through the code: to where the result is
 * not NULL, past other calls, up to the return or to the first instruction that is not understood.
 * What is said holds whenever the program gets there, so it may be too little and is never too
 * much.
 *
 * Registers are numbered as in DWARF. A place on the stack is known by its distance from the
 * canonical frame address.
 */
#ifndef DMD_READER_TYPES_FLOW_H
#define DMD_READER_TYPES_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DMDV_FLOW_REGISTERS = 16, DMDV_FLOW_SLOTS = 8 };

typedef enum {
  DMDV_VALUE_UNKNOWN,
  DMDV_VALUE_RESULT, /* the result, plus offset */
  DMDV_VALUE_INSIDE, /* the result, plus something that is not known */
  DMDV_VALUE_SLOT    /* what was read from the place at offset */
} dmdv_value_kind_t;

typedef struct dmdv_value {
  dmdv_value_kind_t kind;
  int64_t offset;
} dmdv_value_t;

/* What is known before the instruction at pc. */
typedef struct dmdv_flow {
  uint64_t pc;
  dmdv_value_t registers[DMDV_FLOW_REGISTERS];
  struct {
    bool is_used;
    int64_t place;
    int64_t offset; /* the result, plus this, is there */
  } slots[DMDV_FLOW_SLOTS];
} dmdv_flow_t;

/* An operand in memory. */
typedef struct dmdv_operand {
  bool is_fixed; /* addr is all: relative to the program counter */
  uint64_t addr;
  int base; /* a register; -1: none */
  bool has_index;
  unsigned scale; /* of the index, in bytes */
  int64_t displacement;
} dmdv_operand_t;

typedef struct dmdv_flow_watcher {
  void *ctx;
  /* Before each instruction. */
  void (*at)(void *ctx, const dmdv_flow_t *flow);
  /* The result plus offset is stored there, not on the stack. */
  void (*store)(void *ctx, const dmdv_flow_t *flow, const dmdv_operand_t *to, int64_t offset);
  /* The result plus offset is the first argument of a call of this function, which may be a jump
   * that leaves the code. Returns whether the function is known to return its first argument. */
  bool (*pass)(void *ctx, uint64_t function, int64_t offset);
  /* The function returns this value. */
  void (*end)(void *ctx, const dmdv_value_t *value);
  /* The place on the stack of a register plus displacement, at pc; false: unknown. */
  bool (*slot)(void *ctx, uint64_t pc, int reg, int64_t displacement, int64_t *place);
} dmdv_flow_watcher_t;

enum { DMDV_FLOW_RESULT = 0, DMDV_FLOW_ARGUMENT = 5 }; /* rax, rdi */

/* The code of a function, or of a part of it: n bytes that begin at start. */
typedef struct dmdv_code {
  const uint8_t *bytes;
  size_t n;
  uint64_t start;
} dmdv_code_t;

/* Follows what is in a register at pc: the result of the call that returns there, or the first
 * argument of the function that begins there. */
void dmdv_flow_follow(const dmdv_code_t *code, uint64_t pc, int reg,
                      const dmdv_flow_watcher_t *watcher);

#endif
