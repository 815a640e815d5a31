/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The encodings are those of the Arm Architecture Reference Manual for A-profile, chapter C4. Each
 * instruction has 4 bytes. Instructions of SVE and SME end a path.
 */
#include "debuginfo/flowstate.h"

/* Registers: x0 to x30 have their numbers. 31 is the stack pointer or zero; it never has a value
 * that matters. */
enum { X0, X17 = 17, N_GENERAL = 31 };

/* Conditions of jumps and selections. */
enum { EQUAL, NOT_EQUAL };

static uint32_t bits(uint32_t word, int from, int n) {
  return word >> from & ((1u << n) - 1);
}

static int64_t signed_bits(uint32_t word, int from, int n) {
  return (int64_t)((uint64_t)bits(word, from, n) << (64 - n)) >> (64 - n);
}

/* The fields that most instructions have. */
static int rd(uint32_t word) {
  return (int)bits(word, 0, 5);
}

static int rn(uint32_t word) {
  return (int)bits(word, 5, 5);
}

static int rm(uint32_t word) {
  return (int)bits(word, 16, 5);
}

static bool is_64(uint32_t word) {
  return word >> 31 != 0;
}

static dmdv_value_t value_of(const dmdv_follower_t *f, int reg) {
  return reg < N_GENERAL ? f->flow.registers[reg] : DMDV_UNKNOWN;
}

static void set(dmdv_follower_t *f, int reg, dmdv_value_t value) {
  if (reg < N_GENERAL)
    dmdv_flow_set(f, reg, value);
}

/* ---- Data processing with immediate operands. ---- */

static void do_address(dmdv_follower_t *f, uint32_t word) {
  uint64_t offset = (uint64_t)signed_bits(word, 5, 19) << 2 | bits(word, 29, 2);
  bool is_of_page = is_64(word);
  uint64_t addr =
      is_of_page ? (f->flow.pc & ~UINT64_C(0xfff)) + (offset << 12) : f->flow.pc + offset;
  set(f, rd(word), (dmdv_value_t){DMDV_VALUE_ADDRESS, (int64_t)addr});
}

/* add, sub, adds and subs; mov to and from the stack pointer; cmp with a constant. */
static void do_add_constant(dmdv_follower_t *f, uint32_t word) {
  int64_t constant = (int64_t)bits(word, 10, 12) << (bits(word, 22, 1) ? 12 : 0);
  bool subtracts = bits(word, 30, 1), sets_flags = bits(word, 29, 1);
  dmdv_value_t value = is_64(word) ? value_of(f, rn(word)) : DMDV_UNKNOWN;
  if (sets_flags)
    f->tested = subtracts && constant == 0 && value.kind == DMDV_VALUE_RESULT;
  set(f, rd(word), dmdv_flow_plus(value, subtracts ? -constant : constant));
}

static void do_immediate(dmdv_follower_t *f, uint32_t word) {
  switch (bits(word, 23, 3)) {
  case 0:
  case 1:
    do_address(f, word);
    break;
  case 2:
    do_add_constant(f, word);
    break;
  default:
    f->tested = false;
    set(f, rd(word), DMDV_UNKNOWN);
    break;
  }
}

/* ---- Branches and system instructions. ---- */

/* Those on the flags, on a register, and on one of its bits. */
static uint64_t do_branch(dmdv_follower_t *f, uint32_t word, uint64_t next) {
  bool is_of_bit = (word & 0x7e000000) == 0x36000000;
  bool is_of_register = (word & 0x7e000000) == 0x34000000;
  uint64_t target = f->flow.pc + ((uint64_t)signed_bits(word, 5, is_of_bit ? 14 : 19) << 2);
  bool is_known = f->tested && bits(word, 0, 4) <= NOT_EQUAL;
  bool if_not_null = bits(word, 0, 4) == NOT_EQUAL;
  if (is_of_register) {
    is_known = is_64(word) && value_of(f, rd(word)).kind == DMDV_VALUE_RESULT;
    if_not_null = bits(word, 24, 1);
  }
  if (is_known && !is_of_bit)
    return if_not_null ? target : next;
  return dmdv_flow_branch(f, next, target);
}

/* br, blr and ret, also those that authenticate the address. */
static void do_indirect(dmdv_follower_t *f, uint32_t word) {
  enum { BLR = 1, RET = 2 };
  switch (bits(word, 21, 2)) {
  case BLR:
    dmdv_flow_after_call(f);
    break;
  case RET:
    dmdv_flow_return(f);
    break;
  default:
    f->ended = true;
    break;
  }
}

/* Some hints sign x17, and mrs writes a register. */
static void do_system(dmdv_follower_t *f, uint32_t word) {
  bool reads = bits(word, 21, 1);
  set(f, X17, DMDV_UNKNOWN);
  if (reads)
    set(f, rd(word), DMDV_UNKNOWN);
}

static bool do_jump(dmdv_follower_t *f, uint32_t word, uint64_t *next) {
  bool is_conditional = (word & 0x7c000000) == 0x34000000 || (word & 0xff000000) == 0x54000000;
  bool is_system_call = (word & 0xffe0001f) == 0xd4000001;
  if (is_conditional) {
    *next = do_branch(f, word, *next);
    return true;
  }
  f->tested = false;
  if ((word & 0x7c000000) == 0x14000000) {
    uint64_t target = f->flow.pc + ((uint64_t)signed_bits(word, 0, 26) << 2);
    if (is_64(word)) /* bl */
      dmdv_flow_call(f, target);
    else
      *next = dmdv_flow_jump(f, *next, target);
  } else if ((word & 0xfe000000) == 0xd6000000)
    do_indirect(f, word);
  else if ((word & 0xff000000) == 0xd5000000)
    do_system(f, word);
  else if (is_system_call)
    set(f, X0, DMDV_UNKNOWN);
  else
    return false;
  return true;
}

/* ---- Loads and stores. ---- */

static dmdv_operand_t operand_of(const dmdv_follower_t *f, uint32_t word, int64_t displacement) {
  dmdv_value_t base = value_of(f, rn(word));
  return (dmdv_operand_t){.is_fixed = base.kind == DMDV_VALUE_ADDRESS,
                          .addr = (uint64_t)base.offset + (uint64_t)displacement,
                          .base = rn(word),
                          .scale = 1,
                          .displacement = displacement};
}

static void add_to_base(dmdv_follower_t *f, uint32_t word, int64_t displacement) {
  set(f, rn(word), dmdv_flow_plus(value_of(f, rn(word)), displacement));
}

/* One access of 2 to the power of `log` bytes. */
static void access(dmdv_follower_t *f, const dmdv_operand_t *memory, int reg, bool is_general,
                   bool loads, unsigned log) {
  if (is_general && log == 3 && loads)
    set(f, reg, dmdv_flow_load(f, memory));
  else if (is_general && log == 3)
    dmdv_flow_store(f, memory, value_of(f, reg));
  else if (!loads)
    dmdv_flow_overwrite(f, memory, UINT64_C(1) << log);
  else if (is_general)
    set(f, reg, DMDV_UNKNOWN);
}

/* Two ways to give an address change the base register, after the access or before it. */
enum { AFTER = 1, BEFORE = 3 };

static void do_pair(dmdv_follower_t *f, uint32_t word) {
  bool is_general = !bits(word, 26, 1), loads = bits(word, 22, 1);
  unsigned way = bits(word, 23, 2),
           log = is_general ? 2 + bits(word, 31, 1) : 2 + bits(word, 30, 2);
  int64_t displacement = signed_bits(word, 15, 7) * (1 << log);
  dmdv_operand_t first = operand_of(f, word, way == AFTER ? 0 : displacement), second = first;
  second.displacement += 1 << log;
  second.addr += UINT64_C(1) << log;
  if (way == AFTER || way == BEFORE)
    add_to_base(f, word, displacement);
  int other = (int)bits(word, 10, 5);
  access(f, &first, rd(word), is_general, loads, log);
  access(f, &second, other, is_general, loads, log);
}

/* Loads and stores of one register at the address in another one. */
static void do_single(dmdv_follower_t *f, uint32_t word) {
  enum { ATOMIC = 0, INDEXED = 2 };
  bool is_general = !bits(word, 26, 1);
  bool loads = is_general ? bits(word, 22, 2) != 0 : bits(word, 22, 1);
  bool is_prefetch = is_general && word >> 30 == 3 && bits(word, 22, 2) == 2;
  unsigned log = word >> 30 | (is_general ? 0 : bits(word, 23, 1) << 2), way = bits(word, 10, 2);
  bool is_wide = !is_general || bits(word, 22, 2) < 2; /* not one with a sign */
  if (is_prefetch)
    return;
  if (bits(word, 24, 1)) {
    dmdv_operand_t memory = operand_of(f, word, (int64_t)bits(word, 10, 12) << log);
    access(f, &memory, rd(word), is_general, loads, is_wide ? log : 0);
  } else if (!bits(word, 21, 1)) {
    int64_t displacement = signed_bits(word, 12, 9);
    dmdv_operand_t memory = operand_of(f, word, way == AFTER ? 0 : displacement);
    if (way == AFTER || way == BEFORE)
      add_to_base(f, word, displacement);
    access(f, &memory, rd(word), is_general, loads, is_wide ? log : 0);
  } else if (way == INDEXED) {
    dmdv_operand_t memory = operand_of(f, word, 0);
    memory.is_fixed = false;
    memory.has_index = true;
    memory.scale = bits(word, 12, 1) ? 1u << log : 1;
    access(f, &memory, rd(word), is_general, loads, is_wide ? log : 0);
  } else {
    dmdv_operand_t memory = operand_of(f, word, 0);
    dmdv_flow_overwrite(f, &memory, 8);
    set(f, rd(word), DMDV_UNKNOWN);
    if (way != ATOMIC) /* it authenticates the base, and may change it */
      set(f, rn(word), DMDV_UNKNOWN);
  }
}

/* Exclusive and ordered accesses, and compare and swap. */
static void do_ordered(dmdv_follower_t *f, uint32_t word) {
  bool is_store = (word & 0xfffffc00) == 0xc89ffc00, is_load = (word & 0xfffffc00) == 0xc8dffc00;
  dmdv_operand_t memory = operand_of(f, word, 0);
  if (is_store || is_load) {
    access(f, &memory, rd(word), true, is_load, 3);
    return;
  }
  dmdv_flow_overwrite(f, &memory, 16);
  set(f, rd(word), DMDV_UNKNOWN);
  set(f, (int)bits(word, 10, 5), DMDV_UNKNOWN);
  set(f, rm(word), DMDV_UNKNOWN);
}

static bool do_memory(dmdv_follower_t *f, uint32_t word) {
  enum { LARGEST_SZB = 64 };
  if ((word & 0x3a000000) == 0x28000000)
    do_pair(f, word);
  else if ((word & 0x3a000000) == 0x38000000)
    do_single(f, word);
  else if ((word & 0x3f000000) == 0x08000000)
    do_ordered(f, word);
  else if ((word & 0x3f000000) == 0x18000000) /* of a constant near the code */
    set(f, rd(word), DMDV_UNKNOWN);
  else if ((word & 0x3f000000) != 0x1c000000) { /* that of a vector */
    bool is_of_structures = (word & 0xbe000000) == 0x0c000000;
    dmdv_operand_t memory = operand_of(f, word, 0);
    if (!is_of_structures && (word & 0x3f000000) != 0x19000000)
      return false;
    dmdv_flow_overwrite(f, &memory, LARGEST_SZB);
    set(f, rn(word), DMDV_UNKNOWN);
    if (!is_of_structures)
      set(f, rd(word), DMDV_UNKNOWN);
  }
  return true;
}

/* ---- Data processing with registers. ---- */

/* add, sub, adds and subs of registers, shifted or extended. The sum of the result and a register
 * points into its block. */
static void do_add_registers(dmdv_follower_t *f, uint32_t word) {
  bool subtracts = bits(word, 30, 1), is_extended = bits(word, 21, 1);
  unsigned amount = bits(word, 10, is_extended ? 3 : 6), kind = bits(word, 13, 2);
  bool is_whole = amount == 0 && (!is_extended || kind == 3);
  dmdv_value_t a = value_of(f, rn(word)), b = value_of(f, rm(word));
  if (bits(word, 29, 1))
    f->tested = subtracts && is_64(word) && !is_extended && rm(word) == N_GENERAL &&
                a.kind == DMDV_VALUE_RESULT;
  set(f, rd(word),
      subtracts || !is_64(word) ? DMDV_UNKNOWN
                                : dmdv_flow_plus_any(a, is_whole ? b : DMDV_UNKNOWN));
}

/* After a test of the result it is known which register is selected. */
static void do_select(dmdv_follower_t *f, uint32_t word) {
  unsigned condition = bits(word, 12, 4);
  bool is_known = f->tested && condition <= NOT_EQUAL;
  int chosen = condition == NOT_EQUAL ? rn(word) : rm(word);
  set(f, rd(word), is_known ? value_of(f, chosen) : DMDV_UNKNOWN);
}

static void do_registers(dmdv_follower_t *f, uint32_t word) {
  bool is_comparison = (word & 0x1fe00000) == 0x1a400000; /* on a condition */
  if ((word & 0xffe0ffe0) == 0xaa0003e0)                  /* mov */
    set(f, rd(word), value_of(f, rm(word)));
  else if ((word & 0x1f000000) == 0x0b000000)
    do_add_registers(f, word);
  else if ((word & 0xffe00c00) == 0x9a800000)
    do_select(f, word);
  else if ((word & 0xff008000) == 0x9b000000) /* madd */
    set(f, rd(word), dmdv_flow_plus_any(value_of(f, (int)bits(word, 10, 5)), DMDV_UNKNOWN));
  else if ((word & 0xffe0fc1f) == 0xea00001f) /* tst */
    f->tested = rn(word) == rm(word) && value_of(f, rn(word)).kind == DMDV_VALUE_RESULT;
  else {
    f->tested = false;
    if (!is_comparison)
      set(f, rd(word), DMDV_UNKNOWN);
  }
}

/* Vector registers have numbers of their own, but some instructions write a general one. */
static void do_vector(dmdv_follower_t *f, uint32_t word) {
  bool converts = (word & 0x5f200000) == 0x1e000000 || (word & 0x5f20fc00) == 0x1e200000;
  bool is_to_vector = (0x8c >> bits(word, 16, 3) & 1) != 0; /* scvtf, ucvtf and fmov */
  bool copies = (word & 0xbfe08400) == 0x0e000400;
  f->tested = false;
  if ((converts && !is_to_vector) || copies)
    set(f, rd(word), DMDV_UNKNOWN);
}

/* ---- An instruction. ---- */

static bool step(dmdv_follower_t *f, const uint8_t *bytes, size_t n) {
  enum { SZB = 4 };
  if (n < SZB)
    return false;
  uint32_t word =
      bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
  uint64_t next = f->flow.pc + SZB;
  f->watcher->at(f->watcher->ctx, &f->flow);
  bool is_known = true;
  switch (bits(word, 25, 4)) {
  case 0x8:
  case 0x9:
    do_immediate(f, word);
    break;
  case 0xa:
  case 0xb:
    is_known = do_jump(f, word, &next);
    break;
  case 0x4:
  case 0x6:
  case 0xc:
  case 0xe:
    is_known = do_memory(f, word);
    break;
  case 0x5:
  case 0xd:
    do_registers(f, word);
    break;
  case 0x7:
  case 0xf:
    do_vector(f, word);
    break;
  default:
    is_known = false;
    break;
  }
  f->flow.pc = next;
  return is_known;
}

static const int changed[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 30};

const dmdv_flow_machine_t dmdv_flow_arm64 = {.result = X0,
                                             .argument = X0,
                                             .changed = changed,
                                             .n_changed = sizeof changed / sizeof *changed,
                                             .step = step};
