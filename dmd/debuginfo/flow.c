/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debuginfo/flow.h"

#include <elf.h>

/* Whether this instruction was not visited yet; false at the limit. */
static bool visit(dmdv_follower_t *f) {
  for (unsigned i = 0; i < f->n_visited; i++)
    if (f->visited[i] == f->flow.pc)
      return false;
  if (f->n_visited == DMDV_FLOW_INSTRUCTIONS)
    return false;
  f->visited[f->n_visited++] = f->flow.pc;
  return true;
}

static bool step(dmdv_follower_t *f) {
  uint64_t into = f->flow.pc - f->code->start;
  return into < f->code->n && visit(f) &&
         f->machine->step(f, f->code->bytes + into, f->code->n - into) && !f->ended;
}

static void follow(const dmdv_flow_machine_t *machine, const dmdv_code_t *code, uint64_t pc,
                   int reg, const dmdv_flow_watcher_t *watcher) {
  dmdv_follower_t f = {.machine = machine, .watcher = watcher, .code = code};
  f.flow.pc = pc;
  dmdv_flow_set(&f, reg, (dmdv_value_t){DMDV_VALUE_RESULT, 0});
  for (;;) {
    while (step(&f))
      ;
    if (f.n_branches == 0)
      return;
    f.flow = f.branches[--f.n_branches];
    f.tested = f.ended = false;
  }
}

void dmdv_flow_follow(const dmdv_flow_machine_t *machine, const dmdv_code_t *code, uint64_t pc,
                      const dmdv_flow_watcher_t *watcher) {
  follow(machine, code, pc, machine->result, watcher);
}

void dmdv_flow_follow_argument(const dmdv_flow_machine_t *machine, const dmdv_code_t *code,
                               uint64_t pc, const dmdv_flow_watcher_t *watcher) {
  follow(machine, code, pc, machine->argument, watcher);
}

const dmdv_flow_machine_t *dmdv_flow_machine(unsigned e_machine) {
  return e_machine == EM_X86_64    ? &dmdv_flow_amd64
         : e_machine == EM_AARCH64 ? &dmdv_flow_arm64
                                   : NULL;
}
