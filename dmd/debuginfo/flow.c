/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debuginfo/flow.h"

#include "debuginfo/instruction.h"

/* Limits: further on, the result has long been stored. */
enum { MAX_INSTRUCTIONS = 300, MAX_BRANCHES = 16 };

/* Registers, with their numbers in DWARF. */
enum { RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP };

/* Conditions of jumps and moves. */
enum { EQUAL = 4, NOT_EQUAL = 5 };

static int dwarf_register(int encoded) {
  static const int numbers[8] = {RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI};
  return encoded < 8 ? numbers[encoded] : encoded;
}

typedef struct {
  const dmdv_flow_watcher_t *watcher;
  const dmdv_code_t *code;
  dmdv_flow_t flow;
  bool tested; /* the flags show whether the result is NULL */
  bool ended;  /* the current path has ended */
  unsigned n_visited, n_branches;
  uint64_t visited[MAX_INSTRUCTIONS];
  dmdv_flow_t branches[MAX_BRANCHES]; /* starts of paths still to be followed */
} follower_t;

static const dmdv_value_t unknown = {DMDV_VALUE_UNKNOWN, 0};

static void set(follower_t *f, int reg, dmdv_value_t value) {
  f->flow.registers[reg] = value;
}

/* ---- Memory. ---- */

static dmdv_operand_t operand_of(const follower_t *f, const dmdv_instruction_t *i) {
  return (dmdv_operand_t){
      .is_fixed = i->is_relative,
      .addr = f->flow.pc + i->length + (uint64_t)i->displacement,
      .base = i->base < 0 ? -1 : dwarf_register(i->base),
      .has_index = i->index >= 0,
      .scale = i->scale,
      .displacement = i->displacement,
  };
}

static bool is_on_stack(const follower_t *f, const dmdv_operand_t *operand, int64_t *place) {
  return !operand->is_fixed && operand->base >= 0 && !operand->has_index &&
         f->watcher->slot(f->watcher->ctx, f->flow.pc, operand->base, operand->displacement, place);
}

static void forget_slot(follower_t *f, int64_t place) {
  for (int i = 0; i < DMDV_FLOW_SLOTS; i++)
    if (f->flow.slots[i].is_used && f->flow.slots[i].place - place < 8 &&
        place - f->flow.slots[i].place < 8)
      f->flow.slots[i].is_used = false;
}

static void set_slot(follower_t *f, int64_t place, int64_t offset) {
  forget_slot(f, place);
  for (int i = 0; i < DMDV_FLOW_SLOTS; i++)
    if (!f->flow.slots[i].is_used) {
      f->flow.slots[i].is_used = true;
      f->flow.slots[i].place = place;
      f->flow.slots[i].offset = offset;
      return;
    }
}

static dmdv_value_t load(const follower_t *f, const dmdv_operand_t *from) {
  int64_t place;
  if (!is_on_stack(f, from, &place))
    return unknown;
  for (int i = 0; i < DMDV_FLOW_SLOTS; i++)
    if (f->flow.slots[i].is_used && f->flow.slots[i].place == place)
      return (dmdv_value_t){DMDV_VALUE_RESULT, f->flow.slots[i].offset};
  return (dmdv_value_t){DMDV_VALUE_SLOT, place};
}

static void store(follower_t *f, const dmdv_operand_t *to, dmdv_value_t value) {
  int64_t place;
  if (is_on_stack(f, to, &place)) {
    forget_slot(f, place);
    if (value.kind == DMDV_VALUE_RESULT)
      set_slot(f, place, value.offset);
  } else if (value.kind == DMDV_VALUE_RESULT)
    f->watcher->store(f->watcher->ctx, &f->flow, to, value.offset);
}

/* ---- Instructions. ---- */

static bool is_within(const dmdv_value_t *value) {
  return value->kind == DMDV_VALUE_RESULT || value->kind == DMDV_VALUE_INSIDE;
}

/* The result of lea. */
static dmdv_value_t address_of(const follower_t *f, const dmdv_operand_t *memory, int index) {
  const dmdv_value_t *base = memory->base < 0 ? &unknown : &f->flow.registers[memory->base];
  if (memory->is_fixed)
    return unknown;
  if (index < 0 && base->kind == DMDV_VALUE_RESULT)
    return (dmdv_value_t){DMDV_VALUE_RESULT, base->offset + memory->displacement};
  bool is_inside =
      is_within(base) || (index >= 0 && memory->scale == 1 && is_within(&f->flow.registers[index]));
  return is_inside ? (dmdv_value_t){DMDV_VALUE_INSIDE, 0} : unknown;
}

/* mov and lea of 64 bits. False: it is another instruction. */
static bool do_move(follower_t *f, const dmdv_instruction_t *i) {
  if (i->map != 0 || !i->is_64 || (i->opcode != 0x89 && i->opcode != 0x8b && i->opcode != 0x8d))
    return false;
  int reg = dwarf_register(i->reg), rm = i->is_memory ? -1 : dwarf_register(i->rm);
  dmdv_operand_t memory = operand_of(f, i);
  if (i->opcode == 0x8d) {
    set(f, reg, address_of(f, &memory, i->index < 0 ? -1 : dwarf_register(i->index)));
  } else if (i->opcode == 0x89 && i->is_memory)
    store(f, &memory, f->flow.registers[reg]);
  else if (i->opcode == 0x89)
    set(f, rm, f->flow.registers[reg]);
  else
    set(f, reg, i->is_memory ? load(f, &memory) : f->flow.registers[rm]);
  return true;
}

/* A move on a condition. After a test of the result it is known whether it happens. */
static bool do_conditional_move(follower_t *f, const dmdv_instruction_t *i) {
  if (i->map != 0x0f || (i->opcode & 0xf0) != 0x40 || !i->is_64 || !f->tested)
    return false;
  unsigned condition = i->opcode & 0x0f;
  dmdv_operand_t memory = operand_of(f, i);
  if (condition == NOT_EQUAL)
    set(f, dwarf_register(i->reg),
        i->is_memory ? load(f, &memory) : f->flow.registers[dwarf_register(i->rm)]);
  return condition == EQUAL || condition == NOT_EQUAL;
}

/* Adds a register to another one: the sum of the result and a register points into its block. */
static bool do_add_register(follower_t *f, const dmdv_instruction_t *i) {
  if (i->map != 0 || !i->is_64 || i->is_memory || (i->opcode != 0x01 && i->opcode != 0x03))
    return false;
  int to = dwarf_register(i->opcode == 0x01 ? i->rm : i->reg);
  int from = dwarf_register(i->opcode == 0x01 ? i->reg : i->rm);
  bool is_inside = is_within(&f->flow.registers[to]) || is_within(&f->flow.registers[from]);
  set(f, to, is_inside ? (dmdv_value_t){DMDV_VALUE_INSIDE, 0} : unknown);
  return true;
}

/* Adds a constant to a register. Also to the stack pointer, whose place then comes from the unwind
 * information.
 */
static bool do_add(follower_t *f, const dmdv_instruction_t *i) {
  bool is_add = (i->opcode == 0x83 || i->opcode == 0x81) && (i->reg & 7) == 0;
  bool is_subtract = (i->opcode == 0x83 || i->opcode == 0x81) && (i->reg & 7) == 5;
  if (i->map != 0 || !i->is_64 || i->is_memory || (!is_add && !is_subtract))
    return false;
  dmdv_value_t *value = &f->flow.registers[dwarf_register(i->rm)];
  if (value->kind == DMDV_VALUE_RESULT)
    value->offset += is_add ? i->immediate : -i->immediate;
  else if (value->kind != DMDV_VALUE_INSIDE)
    *value = unknown;
  return true;
}

/* Instructions that only compare. */
static bool do_compare(follower_t *f, const dmdv_instruction_t *i) {
  bool is_test = i->map == 0 && i->opcode == 0x85;
  bool is_compare = (i->map == 0 && (i->opcode & 0xfc) == 0x38) || i->opcode == 0x84 ||
                    (i->opcode >= 0x80 && i->opcode <= 0x83 && (i->reg & 7) == 7) ||
                    ((i->opcode & 0xfe) == 0xf6 && (i->reg & 7) < 2);
  if (i->map != 0 || !i->has_modrm || (!is_test && !is_compare))
    return false;
  f->tested = is_test && i->is_64 && !i->is_memory && i->reg == i->rm &&
              f->flow.registers[dwarf_register(i->reg)].kind == DMDV_VALUE_RESULT;
  return true;
}

static void after_call(follower_t *f) {
  static const int changed[] = {RAX, RDX, RCX, RSI, RDI, 8, 9, 10, 11};
  for (unsigned i = 0; i < sizeof changed / sizeof *changed; i++)
    set(f, changed[i], unknown);
}

static void do_call(follower_t *f, uint64_t function) {
  const dmdv_flow_watcher_t *w = f->watcher;
  dmdv_value_t argument = f->flow.registers[RDI];
  bool comes_back =
      argument.kind == DMDV_VALUE_RESULT && w->pass(w->ctx, function, argument.offset);
  after_call(f);
  if (comes_back)
    set(f, RAX, argument);
}

static uint64_t do_return(follower_t *f, uint64_t next) {
  f->watcher->end(f->watcher->ctx, &f->flow.registers[RAX]);
  f->ended = true;
  return next;
}

/* Follows a branch. After a test of the result only the side on which it is not NULL is followed;
 * otherwise the other side is queued. */
static uint64_t do_branch(follower_t *f, unsigned condition, uint64_t next, uint64_t target) {
  if (f->tested && condition == NOT_EQUAL)
    return target;
  if (!(f->tested && condition == EQUAL) && f->n_branches < MAX_BRANCHES) {
    dmdv_flow_t *branch = &f->branches[f->n_branches++];
    *branch = f->flow;
    branch->pc = target;
  }
  return next;
}

/* Returns the address at which the code goes on. *is_one: it is a jump, a call or the like. */
static uint64_t do_jump(follower_t *f, const dmdv_instruction_t *i, bool *is_one) {
  uint64_t next = f->flow.pc + i->length, target = next + (uint64_t)i->immediate;
  *is_one = true;
  bool is_short = i->map == 0 && (i->opcode & 0xf0) == 0x70;
  bool is_near = i->map == 0x0f && (i->opcode & 0xf0) == 0x80;
  if (is_short || is_near)
    return do_branch(f, i->opcode & 0x0f, next, target);
  *is_one = i->map == 0;
  if (i->map == 0 && i->opcode == 0xe8) {
    do_call(f, target);
    return next;
  }
  if (i->map == 0 && (i->opcode == 0xe9 || i->opcode == 0xeb)) {
    if (target - f->code->start >= f->code->n) {
      do_call(f, target);
      return do_return(f, next);
    }
    return target;
  }
  if (i->map == 0 && i->opcode == 0xff && (i->reg & 7) == 2) {
    after_call(f);
    return next;
  }
  if (i->map == 0 && i->opcode == 0xff && (i->reg & 6) == 4) {
    f->ended = true; /* an indirect jump, whose target is unknown */
    return next;
  }
  if (i->map == 0 && (i->opcode == 0xc3 || i->opcode == 0xc2))
    return do_return(f, next);
  *is_one = false;
  return next;
}

/* Two-byte opcodes that only affect vector registers, or do nothing. */
static bool leaves_registers(const dmdv_instruction_t *i) {
  uint8_t op = i->opcode;
  return i->map == 0x0f && ((op >= 0x10 && op <= 0x1f) || (op >= 0x28 && op <= 0x2b) ||
                            op == 0x2e || op == 0x2f || (op >= 0x51 && op <= 0x7d) || op == 0x7f ||
                            op == 0xc2 || op == 0xc6 || (op >= 0xd0 && op != 0xd7));
}

/* movs, cmps, stos, lods and scas, with or without a repeat prefix. */
static bool do_string(follower_t *f, const dmdv_instruction_t *i) {
  static const int changed[] = {RDI, RSI, RCX};
  uint8_t op = i->opcode;
  if (i->map != 0 || op < 0xa4 || op > 0xaf || op == 0xa8 || op == 0xa9)
    return false;
  for (unsigned j = 0; j < sizeof changed / sizeof *changed; j++)
    set(f, changed[j], unknown);
  if ((op & 0xfe) == 0xac)
    set(f, RAX, unknown);
  return true;
}

/* Forgets the operands of an instruction without ModRM: the register in the opcode, or the
 * registers that the instruction uses implicitly. */
static void forget_implied(follower_t *f, const dmdv_instruction_t *i) {
  static const int special[] = {RAX, RDX, RCX, RSI, RDI, RBP};
  uint8_t op = i->opcode;
  bool is_pop = i->map == 0 && (op & 0xf8) == 0x58;
  bool is_immediate = i->map == 0 && (op & 0xf0) == 0xb0;
  if (i->map == 0 && op == 0xc9) {
    set(f, RBP, unknown); /* leave */
    return;
  }
  for (unsigned j = 0; j < sizeof special / sizeof *special && !is_pop && !is_immediate; j++)
    set(f, special[j], unknown);
  set(f, dwarf_register(i->reg), unknown);
}

/* For an instruction with ModRM: whether its register operand is only read, or is an extension of
 * the opcode. */
static bool leaves_reg(const dmdv_instruction_t *i) {
  uint8_t op = i->opcode;
  bool is_arithmetic = op < 0x40 && (op & 7) < 2;
  bool is_group = (op >= 0x80 && op <= 0x83) || op == 0x8f || op == 0xc0 || op == 0xc1 ||
                  (op & 0xfc) == 0xd0 || (op & 0xfe) == 0xf6 || op >= 0xfe;
  bool is_store = op == 0x88 || op == 0x89 || op == 0xc6 || op == 0xc7;
  bool is_set = i->map == 0x0f && (op & 0xf0) == 0x90; /* setcc */
  return is_set || (i->map == 0 && (is_arithmetic || is_group || is_store));
}

/* Any other instruction: forgets every register that it may write. */
static void do_other(follower_t *f, const dmdv_instruction_t *i) {
  uint8_t op = i->opcode;
  int64_t place;
  dmdv_operand_t memory = operand_of(f, i);
  if (i->is_memory && is_on_stack(f, &memory, &place))
    forget_slot(f, place);
  if (i->map == 0 && op >= 0x50 && op <= 0x57)
    return; /* push */
  if (leaves_registers(i))
    return;
  if (i->has_modrm && !leaves_reg(i))
    set(f, dwarf_register(i->reg), unknown);
  if (i->has_modrm && !i->is_memory)
    set(f, dwarf_register(i->rm), unknown);
  if (!i->has_modrm)
    forget_implied(f, i);
  bool multiplies = i->map == 0 && (op == 0xf6 || op == 0xf7) && (i->reg & 7) >= 4;
  if (multiplies || (i->map == 0x0f && (op == 0xb0 || op == 0xb1))) {
    set(f, RAX, unknown);
    set(f, RDX, unknown);
  }
}

/* Whether this instruction was not visited yet; false at the limit. */
static bool visit(follower_t *f) {
  for (unsigned i = 0; i < f->n_visited; i++)
    if (f->visited[i] == f->flow.pc)
      return false;
  if (f->n_visited == MAX_INSTRUCTIONS)
    return false;
  f->visited[f->n_visited++] = f->flow.pc;
  return true;
}

static bool step(follower_t *f) {
  uint64_t into = f->flow.pc - f->code->start;
  dmdv_instruction_t instruction;
  if (into >= f->code->n || !visit(f) ||
      !dmdv_instruction_read(&instruction, f->code->bytes + into, f->code->n - into))
    return false;
  f->watcher->at(f->watcher->ctx, &f->flow);
  bool is_jump;
  uint64_t next = do_jump(f, &instruction, &is_jump);
  bool tested = f->tested;
  /* Moves do not change the flags, and may stand between a test and its jump. */
  bool is_move = !is_jump && (do_move(f, &instruction) || do_conditional_move(f, &instruction));
  f->tested = is_move && tested;
  if (!is_move && !is_jump && !do_add(f, &instruction) && !do_add_register(f, &instruction) &&
      !do_compare(f, &instruction) && !do_string(f, &instruction))
    do_other(f, &instruction);
  f->flow.pc = next;
  return !f->ended;
}

void dmdv_flow_follow(const dmdv_code_t *code, uint64_t pc, int reg,
                      const dmdv_flow_watcher_t *watcher) {
  follower_t f = {.watcher = watcher, .code = code};
  f.flow.pc = pc;
  set(&f, reg, (dmdv_value_t){DMDV_VALUE_RESULT, 0});
  for (;;) {
    while (step(&f))
      ;
    if (f.n_branches == 0)
      return;
    f.flow = f.branches[--f.n_branches];
    f.tested = f.ended = false;
  }
}
