/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * instruction.h: the length and the operands of an instruction of x86-64.
 *
 * Instructions that compilers use in code for every processor of this kind; not AVX. The tables are
 * those of the AMD64 Architecture Programmer's Manual, volume 3, appendix A.
 */
#ifndef DMD_READER_TYPES_INSTRUCTION_H
#define DMD_READER_TYPES_INSTRUCTION_H

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
  int reg, rm;      /* numbers as in the encoding, 0 to 15; rm where it is no memory. Without ModRM
                       reg is what the opcode may name, as that of push does */
  int base, index;  /* of memory: -1: none */
  bool is_relative; /* to what follows */
  unsigned scale;
  int64_t displacement, immediate;
} dmdv_instruction_t;

/* False if it is none that is known, or longer than n bytes. */
bool dmdv_instruction_read(dmdv_instruction_t *instruction, const uint8_t *code, size_t n);

#endif
