/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debuginfo/flowstate.h"
#include "debuginfo/instruction.h"

/* Registers, with their numbers in DWARF. */
enum { RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP };

/* Conditions of jumps and moves. */
enum { EQUAL = 4, NOT_EQUAL = 5 };

enum { LARGEST_SZB = 16 }; /* of an operand */

static int dwarf_register(int encoded) {
  static const int numbers[8] = {RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI};
  return encoded < 8 ? numbers[encoded] : encoded;
}

static dmdv_operand_t operand_of(const dmdv_follower_t *f, const dmdv_instruction_t *i) {
  return (dmdv_operand_t){
      .is_fixed = i->is_relative,
      .addr = f->flow.pc + i->length + (uint64_t)i->displacement,
      .base = i->base < 0 ? -1 : dwarf_register(i->base),
      .has_index = i->index >= 0,
      .scale = i->scale,
      .displacement = i->displacement,
  };
}

/* The result of lea. */
static dmdv_value_t address_of(const dmdv_follower_t *f, const dmdv_operand_t *memory, int index) {
  if (memory->is_fixed || memory->base < 0)
    return DMDV_UNKNOWN;
  dmdv_value_t base = f->flow.registers[memory->base];
  if (index < 0)
    return dmdv_flow_plus(base, memory->displacement);
  return dmdv_flow_plus_any(base, memory->scale == 1 ? f->flow.registers[index] : DMDV_UNKNOWN);
}

/* mov and lea of 64 bits. False: it is another instruction. */
static bool do_move(dmdv_follower_t *f, const dmdv_instruction_t *i) {
  if (i->map != 0 || !i->is_64 || (i->opcode != 0x89 && i->opcode != 0x8b && i->opcode != 0x8d))
    return false;
  int reg = dwarf_register(i->reg), rm = i->is_memory ? -1 : dwarf_register(i->rm);
  dmdv_operand_t memory = operand_of(f, i);
  if (i->opcode == 0x8d) {
    dmdv_flow_set(f, reg, address_of(f, &memory, i->index < 0 ? -1 : dwarf_register(i->index)));
  } else if (i->opcode == 0x89 && i->is_memory)
    dmdv_flow_store(f, &memory, f->flow.registers[reg]);
  else if (i->opcode == 0x89)
    dmdv_flow_set(f, rm, f->flow.registers[reg]);
  else
    dmdv_flow_set(f, reg, i->is_memory ? dmdv_flow_load(f, &memory) : f->flow.registers[rm]);
  return true;
}

/* A move on a condition. After a test of the result it is known whether it happens. */
static bool do_conditional_move(dmdv_follower_t *f, const dmdv_instruction_t *i) {
  if (i->map != 0x0f || (i->opcode & 0xf0) != 0x40 || !i->is_64 || !f->tested)
    return false;
  unsigned condition = i->opcode & 0x0f;
  dmdv_operand_t memory = operand_of(f, i);
  if (condition == NOT_EQUAL)
    dmdv_flow_set(f, dwarf_register(i->reg),
                  i->is_memory ? dmdv_flow_load(f, &memory)
                               : f->flow.registers[dwarf_register(i->rm)]);
  return condition == EQUAL || condition == NOT_EQUAL;
}

/* Adds a register to another one: the sum of the result and a register points into its block. */
static bool do_add_register(dmdv_follower_t *f, const dmdv_instruction_t *i) {
  if (i->map != 0 || !i->is_64 || i->is_memory || (i->opcode != 0x01 && i->opcode != 0x03))
    return false;
  int to = dwarf_register(i->opcode == 0x01 ? i->rm : i->reg);
  int from = dwarf_register(i->opcode == 0x01 ? i->reg : i->rm);
  dmdv_flow_set(f, to, dmdv_flow_plus_any(f->flow.registers[to], f->flow.registers[from]));
  return true;
}

/* Adds a constant to a register. Also to the stack pointer, whose place then comes from the unwind
 * information.
 */
static bool do_add(dmdv_follower_t *f, const dmdv_instruction_t *i) {
  bool is_add = (i->opcode == 0x83 || i->opcode == 0x81) && (i->reg & 7) == 0;
  bool is_subtract = (i->opcode == 0x83 || i->opcode == 0x81) && (i->reg & 7) == 5;
  if (i->map != 0 || !i->is_64 || i->is_memory || (!is_add && !is_subtract))
    return false;
  int reg = dwarf_register(i->rm);
  dmdv_flow_set(f, reg,
                dmdv_flow_plus(f->flow.registers[reg], is_add ? i->immediate : -i->immediate));
  return true;
}

/* Instructions that only compare. */
static bool do_compare(dmdv_follower_t *f, const dmdv_instruction_t *i) {
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

static uint64_t do_branch(dmdv_follower_t *f, unsigned condition, uint64_t next, uint64_t target) {
  if (f->tested && (condition == NOT_EQUAL || condition == EQUAL))
    return condition == NOT_EQUAL ? target : next;
  return dmdv_flow_branch(f, next, target);
}

/* Returns the address at which the code goes on. *is_one: it is a jump, a call or the like. */
static uint64_t do_jump(dmdv_follower_t *f, const dmdv_instruction_t *i, bool *is_one) {
  uint64_t next = f->flow.pc + i->length, target = next + (uint64_t)i->immediate;
  *is_one = true;
  bool is_short = i->map == 0 && (i->opcode & 0xf0) == 0x70;
  bool is_near = i->map == 0x0f && (i->opcode & 0xf0) == 0x80;
  if (is_short || is_near)
    return do_branch(f, i->opcode & 0x0f, next, target);
  *is_one = i->map == 0;
  if (i->map == 0 && (i->opcode == 0xe9 || i->opcode == 0xeb))
    return dmdv_flow_jump(f, next, target);
  if (i->map == 0 && i->opcode == 0xe8)
    dmdv_flow_call(f, target);
  else if (i->map == 0 && i->opcode == 0xff && (i->reg & 7) == 2)
    dmdv_flow_after_call(f);
  else if (i->map == 0 && i->opcode == 0xff && (i->reg & 6) == 4)
    f->ended = true; /* an indirect jump, whose target is unknown */
  else if (i->map == 0 && (i->opcode == 0xc3 || i->opcode == 0xc2))
    dmdv_flow_return(f);
  else
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
static bool do_string(dmdv_follower_t *f, const dmdv_instruction_t *i) {
  static const int changed[] = {RDI, RSI, RCX};
  uint8_t op = i->opcode;
  if (i->map != 0 || op < 0xa4 || op > 0xaf || op == 0xa8 || op == 0xa9)
    return false;
  for (unsigned j = 0; j < sizeof changed / sizeof *changed; j++)
    dmdv_flow_set(f, changed[j], DMDV_UNKNOWN);
  if ((op & 0xfe) == 0xac)
    dmdv_flow_set(f, RAX, DMDV_UNKNOWN);
  return true;
}

/* Forgets the operands of an instruction without ModRM: the register in the opcode, or the
 * registers that the instruction uses implicitly. */
static void forget_implied(dmdv_follower_t *f, const dmdv_instruction_t *i) {
  static const int special[] = {RAX, RDX, RCX, RSI, RDI, RBP};
  uint8_t op = i->opcode;
  bool is_pop = i->map == 0 && (op & 0xf8) == 0x58;
  bool is_immediate = i->map == 0 && (op & 0xf0) == 0xb0;
  if (i->map == 0 && op == 0xc9) {
    dmdv_flow_set(f, RBP, DMDV_UNKNOWN); /* leave */
    return;
  }
  for (unsigned j = 0; j < sizeof special / sizeof *special && !is_pop && !is_immediate; j++)
    dmdv_flow_set(f, special[j], DMDV_UNKNOWN);
  dmdv_flow_set(f, dwarf_register(i->reg), DMDV_UNKNOWN);
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
static void do_other(dmdv_follower_t *f, const dmdv_instruction_t *i) {
  uint8_t op = i->opcode;
  dmdv_operand_t memory = operand_of(f, i);
  if (i->is_memory)
    dmdv_flow_overwrite(f, &memory, LARGEST_SZB);
  if (i->map == 0 && op >= 0x50 && op <= 0x57)
    return; /* push */
  if (leaves_registers(i))
    return;
  if (i->has_modrm && !leaves_reg(i))
    dmdv_flow_set(f, dwarf_register(i->reg), DMDV_UNKNOWN);
  if (i->has_modrm && !i->is_memory)
    dmdv_flow_set(f, dwarf_register(i->rm), DMDV_UNKNOWN);
  if (!i->has_modrm)
    forget_implied(f, i);
  bool multiplies = i->map == 0 && (op == 0xf6 || op == 0xf7) && (i->reg & 7) >= 4;
  if (multiplies || (i->map == 0x0f && (op == 0xb0 || op == 0xb1))) {
    dmdv_flow_set(f, RAX, DMDV_UNKNOWN);
    dmdv_flow_set(f, RDX, DMDV_UNKNOWN);
  }
}

static bool step(dmdv_follower_t *f, const uint8_t *bytes, size_t n) {
  dmdv_instruction_t instruction;
  if (!dmdv_instruction_read(&instruction, bytes, n))
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
  return true;
}

static const int changed[] = {RAX, RDX, RCX, RSI, RDI, 8, 9, 10, 11};

const dmdv_flow_machine_t dmdv_flow_amd64 = {.result = RAX,
                                             .argument = RDI,
                                             .changed = changed,
                                             .n_changed = sizeof changed / sizeof *changed,
                                             .step = step};
