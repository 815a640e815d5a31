/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * instruction.h: decodes the length and the operands of an x86-64 instruction.
 *
 * Knows the instructions that compilers use in code for every x86-64 processor; not AVX. The tables
 * are those of the AMD64 Architecture Programmer's Manual, volume 3, appendix A.
 */
#ifndef DMD_DEBUGINFO_INSTRUCTION_H
#define DMD_DEBUGINFO_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dmdv_instruction {
  unsigned length;
  unsigned map; /* 0: one byte; 0x0f: two; 0x38, 0x3a: three */
  uint8_t opcode;
  bool is_64;      /* operands of 64 bits: REX.W */
  bool has_prefix; /* 66, F2 or F3 */
  bool has_modrm, is_memory;
  int reg, rm; /* numbers as in the encoding, 0 to 15; rm if it is not memory. Without ModRM, reg is
                  the register in the opcode, as in push */
  int base, index;  /* of a memory operand; -1: none */
  bool is_relative; /* relative to the next instruction */
  unsigned scale;
  int64_t displacement, immediate;
} dmdv_instruction_t;

/* False if the instruction is unknown, or longer than n bytes. */
bool dmdv_instruction_read(dmdv_instruction_t *instruction, const uint8_t *code, size_t n);

#endif
