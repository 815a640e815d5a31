/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debuginfo/flowstate.h"

/* ---- Memory. ---- */

static bool is_on_stack(const dmdv_follower_t *f, const dmdv_operand_t *operand, int64_t *place) {
  return !operand->is_fixed && operand->base >= 0 && !operand->has_index &&
         f->watcher->slot(f->watcher->ctx, f->flow.pc, operand->base, operand->displacement, place);
}

/* Forgets what is in szB bytes from a place on. */
static void forget_slots(dmdv_follower_t *f, int64_t place, int64_t szB) {
  for (int i = 0; i < DMDV_FLOW_SLOTS; i++)
    if (f->flow.slots[i].is_used && f->flow.slots[i].place - place < szB &&
        place - f->flow.slots[i].place < 8)
      f->flow.slots[i].is_used = false;
}

static void set_slot(dmdv_follower_t *f, int64_t place, int64_t offset) {
  for (int i = 0; i < DMDV_FLOW_SLOTS; i++)
    if (!f->flow.slots[i].is_used) {
      f->flow.slots[i].is_used = true;
      f->flow.slots[i].place = place;
      f->flow.slots[i].offset = offset;
      return;
    }
}

dmdv_value_t dmdv_flow_load(const dmdv_follower_t *f, const dmdv_operand_t *from) {
  int64_t place;
  if (!is_on_stack(f, from, &place))
    return DMDV_UNKNOWN;
  for (int i = 0; i < DMDV_FLOW_SLOTS; i++)
    if (f->flow.slots[i].is_used && f->flow.slots[i].place == place)
      return (dmdv_value_t){DMDV_VALUE_RESULT, f->flow.slots[i].offset};
  return (dmdv_value_t){DMDV_VALUE_SLOT, place};
}

void dmdv_flow_store(dmdv_follower_t *f, const dmdv_operand_t *to, dmdv_value_t value) {
  int64_t place;
  if (is_on_stack(f, to, &place)) {
    forget_slots(f, place, 8);
    if (value.kind == DMDV_VALUE_RESULT)
      set_slot(f, place, value.offset);
  } else if (value.kind == DMDV_VALUE_RESULT)
    f->watcher->store(f->watcher->ctx, &f->flow, to, value.offset);
}

void dmdv_flow_overwrite(dmdv_follower_t *f, const dmdv_operand_t *to, uint64_t szB) {
  int64_t place;
  if (is_on_stack(f, to, &place))
    forget_slots(f, place, (int64_t)szB);
}

/* ---- Registers. ---- */

dmdv_value_t dmdv_flow_plus(dmdv_value_t value, int64_t constant) {
  if (value.kind == DMDV_VALUE_RESULT || value.kind == DMDV_VALUE_ADDRESS)
    value.offset = (int64_t)((uint64_t)value.offset + (uint64_t)constant);
  else if (value.kind != DMDV_VALUE_INSIDE)
    value = DMDV_UNKNOWN;
  return value;
}

/* ---- Calls and jumps. ---- */

void dmdv_flow_after_call(dmdv_follower_t *f) {
  for (int i = 0; i < f->machine->n_changed; i++)
    dmdv_flow_set(f, f->machine->changed[i], DMDV_UNKNOWN);
}

void dmdv_flow_call(dmdv_follower_t *f, uint64_t function) {
  const dmdv_flow_watcher_t *w = f->watcher;
  dmdv_value_t argument = f->flow.registers[f->machine->argument];
  bool comes_back =
      argument.kind == DMDV_VALUE_RESULT && w->pass(w->ctx, function, argument.offset);
  dmdv_flow_after_call(f);
  if (comes_back)
    dmdv_flow_set(f, f->machine->result, argument);
}

void dmdv_flow_return(dmdv_follower_t *f) {
  f->watcher->end(f->watcher->ctx, &f->flow.registers[f->machine->result]);
  f->ended = true;
}

uint64_t dmdv_flow_jump(dmdv_follower_t *f, uint64_t next, uint64_t target) {
  if (target - f->code->start < f->code->n)
    return target;
  dmdv_flow_call(f, target);
  dmdv_flow_return(f);
  return next;
}

uint64_t dmdv_flow_branch(dmdv_follower_t *f, uint64_t next, uint64_t target) {
  if (f->n_branches < DMDV_FLOW_BRANCHES) {
    dmdv_flow_t *branch = &f->branches[f->n_branches++];
    *branch = f->flow;
    branch->pc = target;
  }
  return next;
}
