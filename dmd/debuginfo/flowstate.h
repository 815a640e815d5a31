/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * flowstate.h: the state while the result of a call is followed through code (flow.h), which the
 * instructions of each processor change (flow_amd64.c, flow_arm64.c).
 *
 * Registers are numbered as in DWARF. A place on the stack is given by its distance from the
 * canonical frame address.
 */
#ifndef DMD_DEBUGINFO_FLOWSTATE_H
#define DMD_DEBUGINFO_FLOWSTATE_H

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

/* ---- The way. ---- */

typedef struct dmdv_flow_machine dmdv_flow_machine_t;

/* Limits: further on, the result has long been stored. */
enum { DMDV_FLOW_INSTRUCTIONS = 300, DMDV_FLOW_BRANCHES = 16 };

typedef struct dmdv_follower {
  const dmdv_flow_machine_t *machine;
  const dmdv_flow_watcher_t *watcher;
  const dmdv_code_t *code;
  dmdv_flow_t flow;
  bool tested; /* the flags show whether the result is NULL */
  bool ended;  /* the current path has ended */
  unsigned n_visited, n_branches;
  uint64_t visited[DMDV_FLOW_INSTRUCTIONS];
  dmdv_flow_t branches[DMDV_FLOW_BRANCHES]; /* starts of paths still to be followed */
} dmdv_follower_t;

struct dmdv_flow_machine {
  int result, argument; /* registers */
  const int *changed;   /* registers that a call may change, n_changed of them */
  int n_changed;
  /* Whether there is a known instruction at the n bytes, n > 0; gets the state after it, with its
   * pc. */
  bool (*step)(dmdv_follower_t *f, const uint8_t *bytes, size_t n);
};

extern const dmdv_flow_machine_t dmdv_flow_amd64, dmdv_flow_arm64;

#define DMDV_UNKNOWN ((dmdv_value_t){DMDV_VALUE_UNKNOWN, 0})

static inline void dmdv_flow_set(dmdv_follower_t *f, int reg, dmdv_value_t value) {
  f->flow.registers[reg] = value;
}

/* Whether it is the result, or an address in its block. */
static inline bool dmdv_flow_is_within(const dmdv_value_t *value) {
  return value->kind == DMDV_VALUE_RESULT || value->kind == DMDV_VALUE_INSIDE;
}

/* A value plus a constant, and the sum of two values. */
dmdv_value_t dmdv_flow_plus(dmdv_value_t value, int64_t constant);
static inline dmdv_value_t dmdv_flow_plus_any(dmdv_value_t a, dmdv_value_t b) {
  return dmdv_flow_is_within(&a) || dmdv_flow_is_within(&b) ? (dmdv_value_t){DMDV_VALUE_INSIDE, 0}
                                                            : DMDV_UNKNOWN;
}

/* A load of 8 bytes; a store of 8 bytes; a store of szB bytes of anything else. */
dmdv_value_t dmdv_flow_load(const dmdv_follower_t *f, const dmdv_operand_t *from);
void dmdv_flow_store(dmdv_follower_t *f, const dmdv_operand_t *to, dmdv_value_t value);
void dmdv_flow_overwrite(dmdv_follower_t *f, const dmdv_operand_t *to, uint64_t szB);

/* A call of an unknown function, and of the one at an address. */
void dmdv_flow_after_call(dmdv_follower_t *f);
void dmdv_flow_call(dmdv_follower_t *f, uint64_t function);

/* A return. */
void dmdv_flow_return(dmdv_follower_t *f);

/* Where the code goes on after a jump. One that leaves the code ends the path, like a call of the
 * function at the target and a return of its result. */
uint64_t dmdv_flow_jump(dmdv_follower_t *f, uint64_t next, uint64_t target);

/* The same after a branch of which neither side is known to be taken: the target is followed
 * later. */
uint64_t dmdv_flow_branch(dmdv_follower_t *f, uint64_t next, uint64_t target);

#endif
