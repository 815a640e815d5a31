/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debuginfo/instruction.h"

#include <string.h>

typedef struct {
  const uint8_t *bytes;
  size_t n, at;
  bool failed;
} code_t;

static uint8_t next(code_t *code) {
  if (code->at >= code->n) {
    code->failed = true;
    return 0;
  }
  return code->bytes[code->at++];
}

static int64_t number(code_t *code, unsigned szB) {
  uint64_t value = 0;
  for (unsigned i = 0; i < szB; i++)
    value |= (uint64_t)next(code) << (8 * i);
  unsigned unused = 64 - 8 * szB;
  return szB == 0 || szB == 8 ? (int64_t)value : (int64_t)(value << unused) >> unused;
}

typedef struct {
  uint8_t rex;
  bool is_16;
} prefixes_t;

/* Returns the first byte of the opcode. */
static uint8_t read_prefixes(code_t *code, dmdv_instruction_t *i, prefixes_t *p) {
  uint8_t byte = next(code);
  while (!code->failed && strchr("\x66\xf0\xf2\xf3\x64\x65\x2e\x3e\x36\x26", byte) != NULL &&
         byte != 0) {
    i->has_prefix |= byte == 0x66 || byte == 0xf2 || byte == 0xf3;
    p->is_16 |= byte == 0x66;
    byte = next(code);
  }
  if ((byte & 0xf0) == 0x40) {
    p->rex = byte;
    byte = next(code);
  }
  i->is_64 = p->rex & 8;
  return byte;
}

static void read_memory(code_t *code, dmdv_instruction_t *i, const prefixes_t *p, unsigned mod,
                        unsigned rm) {
  i->is_memory = true;
  i->base = (int)(rm | (p->rex & 1u) << 3);
  i->index = -1;
  i->scale = 1;
  if (rm == 4) {
    uint8_t sib = next(code);
    unsigned index = (sib >> 3 & 7u) | (p->rex & 2u) << 2;
    i->base = (int)((sib & 7u) | (p->rex & 1u) << 3);
    i->index = index == 4 ? -1 : (int)index;
    i->scale = 1u << (sib >> 6);
    if ((sib & 7) == 5 && mod == 0) {
      i->base = -1;
      i->displacement = number(code, 4);
    }
  } else if (rm == 5 && mod == 0) {
    i->is_relative = true;
    i->base = -1;
    i->displacement = number(code, 4);
  }
  if (mod == 1)
    i->displacement = number(code, 1);
  else if (mod == 2)
    i->displacement = number(code, 4);
}

static void read_modrm(code_t *code, dmdv_instruction_t *i, const prefixes_t *p) {
  uint8_t modrm = next(code);
  unsigned mod = modrm >> 6, rm = modrm & 7;
  i->has_modrm = true;
  i->reg = (int)((modrm >> 3 & 7u) | (p->rex & 4u) << 1);
  if (mod == 3)
    i->rm = (int)(rm | (p->rex & 1u) << 3);
  else
    read_memory(code, i, p, mod, rm);
}

/* What follows each opcode: a character for each of 256, as in the manual's tables.
 *   .  nothing         m  ModRM           b  ModRM, a byte   z  ModRM, 2 or 4 bytes
 *   i  a byte          j  2 or 4 bytes    v  as j, but 8 bytes with REX.W   w  2 bytes
 *   r  4 bytes         g  ModRM, of the group F6/F7: also an immediate with TEST
 *   x  unknown
 */
static const char one_byte[] = "mmmmijxxmmmmijxx" /* 00 */
                               "mmmmijxxmmmmijxx" /* 10 */
                               "mmmmijxxmmmmijxx" /* 20 */
                               "mmmmijxxmmmmijxx" /* 30 */
                               "xxxxxxxxxxxxxxxx" /* 40 */
                               "................" /* 50 */
                               "xxxmxxxxjzib...." /* 60 */
                               "iiiiiiiiiiiiiiii" /* 70 */
                               "bzxbmmmmmmmmmmmm" /* 80 */
                               "............xx.x" /* 90 */
                               "xxxx....ij......" /* a0 */
                               "iiiiiiiivvvvvvvv" /* b0 */
                               "bbw.xxbzx.xxxxxx" /* c0 */
                               "mmmmxxxxmmmmmmmm" /* d0 */
                               "iiiixxxxrrxixxxx" /* e0 */
                               "xxxxx.gg......mm" /* f0 */;

static const char two_bytes[] = "xxxxxxxxxxxxxmxx" /* 00 */
                                "mmmmmmmmmmmmmmmm" /* 10 */
                                "xxxxxxxxmmmmmmmm" /* 20 */
                                "xxxxxxxxxxxxxxxx" /* 30 */
                                "mmmmmmmmmmmmmmmm" /* 40 */
                                "mmmmmmmmmmmmmmmm" /* 50 */
                                "mmmmmmmmmmmmmmmm" /* 60 */
                                "bbbbmmm.xxxxmmmm" /* 70 */
                                "rrrrrrrrrrrrrrrr" /* 80 */
                                "mmmmmmmmmmmmmmmm" /* 90 */
                                "xxxmbmxxxxxmbmmm" /* a0 */
                                "mmxmxxmmmmbmmmmm" /* b0 */
                                "mmbmbbbm........" /* c0 */
                                "mmmmmmmmmmmmmmmm" /* d0 */
                                "mmmmmmmmmmmmmmmm" /* e0 */
                                "mmmmmmmmmmmmmmmm" /* f0 */;

static bool read_operands(code_t *code, dmdv_instruction_t *i, const prefixes_t *p, char form) {
  unsigned word_szB = p->is_16 && !i->is_64 ? 2 : 4;
  if (strchr("mbzg", form) != NULL)
    read_modrm(code, i, p);
  switch (form) {
  case 'b':
  case 'i':
    i->immediate = number(code, 1);
    break;
  case 'z':
  case 'j':
    i->immediate = number(code, word_szB);
    break;
  case 'v':
    i->immediate = number(code, i->is_64 ? 8 : word_szB);
    break;
  case 'w':
    i->immediate = number(code, 2);
    break;
  case 'r':
    i->immediate = number(code, 4);
    break;
  case 'g':
    if ((i->reg & 7) < 2)
      i->immediate = number(code, i->opcode == 0xf6 ? 1 : word_szB);
    break;
  default:
    break;
  }
  return form != 'x' && !code->failed;
}

bool dmdv_instruction_read(dmdv_instruction_t *i, const uint8_t *bytes, size_t n) {
  code_t code = {.bytes = bytes, .n = n};
  prefixes_t prefixes = {0};
  *i = (dmdv_instruction_t){.base = -1, .index = -1, .reg = -1, .rm = -1, .scale = 1};
  i->opcode = read_prefixes(&code, i, &prefixes);
  char form = one_byte[i->opcode];
  if (i->opcode == 0x0f) {
    i->map = 0x0f;
    i->opcode = next(&code);
    form = two_bytes[i->opcode];
    if (i->opcode == 0x38 || i->opcode == 0x3a) {
      form = i->opcode == 0x38 ? 'm' : 'b';
      i->map = i->opcode;
      i->opcode = next(&code);
    }
  }
  i->reg = (i->opcode & 7) | (prefixes.rex & 1) << 3;
  bool good = read_operands(&code, i, &prefixes, form);
  i->length = (unsigned)code.at;
  return good;
}
