/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * flowstate.h: what flow.c and the processors (flow_amd64.c, flow_arm64.c) know while they follow
 * code.
 */
#ifndef DMD_DEBUGINFO_FLOWSTATE_H
#define DMD_DEBUGINFO_FLOWSTATE_H

#include "debuginfo/flow.h"

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
  /* Whether there is a known instruction at the n bytes, n > 0; gets the state behind it, with its
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

/* A value plus a constant, or plus anything. */
dmdv_value_t dmdv_flow_plus(dmdv_value_t value, int64_t constant);
static inline dmdv_value_t dmdv_flow_plus_any(dmdv_value_t a, dmdv_value_t b) {
  return dmdv_flow_is_within(&a) || dmdv_flow_is_within(&b) ? (dmdv_value_t){DMDV_VALUE_INSIDE, 0}
                                                            : DMDV_UNKNOWN;
}

/* The 8 bytes at an operand are read, get a value, or szB bytes get something else. */
dmdv_value_t dmdv_flow_load(const dmdv_follower_t *f, const dmdv_operand_t *from);
void dmdv_flow_store(dmdv_follower_t *f, const dmdv_operand_t *to, dmdv_value_t value);
void dmdv_flow_overwrite(dmdv_follower_t *f, const dmdv_operand_t *to, uint64_t szB);

/* A call of an unknown function, and of the one at an address. */
void dmdv_flow_after_call(dmdv_follower_t *f);
void dmdv_flow_call(dmdv_follower_t *f, uint64_t function);

/* A return. */
void dmdv_flow_return(dmdv_follower_t *f);

/* The next address after a jump: one that may leave the code, in which case the code behind it
 * returns what that returns; one to either address; one to `target` if the result is, or is not,
 * NULL. */
uint64_t dmdv_flow_jump(dmdv_follower_t *f, uint64_t next, uint64_t target);
uint64_t dmdv_flow_branch(dmdv_follower_t *f, uint64_t next, uint64_t target);

#endif
