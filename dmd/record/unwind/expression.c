/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/unwind/expression.h"

/* Operations; only the first one of each series is named. */
enum {
  OP_ADDRESS = 0x03,
  OP_READ = 0x06,
  OP_CONSTANT = 0x08, /* 1, 2, 4 and 8 bytes, each unsigned and signed */
  OP_CONSTANT_ULEB = 0x10,
  OP_CONSTANT_SLEB = 0x11,
  OP_DUPLICATE = 0x12,
  OP_DROP = 0x13,
  OP_AND = 0x1a,
  OP_MINUS = 0x1c,
  OP_MULTIPLY = 0x1e,
  OP_OR = 0x21,
  OP_PLUS = 0x22,
  OP_PLUS_CONSTANT = 0x23,
  OP_SHIFT_LEFT = 0x24,
  OP_SHIFT_RIGHT = 0x25,
  OP_EQUAL = 0x29, /* followed by >=, >, <=, <, != */
  OP_NOT_EQUAL = 0x2e,
  OP_LITERAL = 0x30,
  OP_REGISTER = 0x70,
  N_OF_A_ROW = 32
};

enum { MAX_VALUES = 16 };

typedef struct {
  uint64_t values[MAX_VALUES];
  uint32_t n;
  bool is_bad;
} values_t;

static void push(values_t *v, uint64_t value) {
  if (v->n == MAX_VALUES)
    v->is_bad = true;
  else
    v->values[v->n++] = value;
}

static uint64_t pop(values_t *v) {
  if (v->n == 0) {
    v->is_bad = true;
    return 0;
  }
  return v->values[--v->n];
}

static uint64_t register_of(const dmd_expression_frame_t *frame, uint32_t number, bool *is_bad) {
  switch (number) {
  case DMD_REGISTER_FP:
    return frame->fp;
  case DMD_REGISTER_SP:
    return frame->sp;
  case DMD_REGISTER_IP:
    return frame->ip;
  default:
    *is_bad = true;
    return 0;
  }
}

static uint64_t compared(uint32_t code, int64_t a, int64_t b) {
  switch (code - OP_EQUAL) {
  case 0:
    return a == b;
  case 1:
    return a >= b;
  case 2:
    return a > b;
  case 3:
    return a <= b;
  case 4:
    return a < b;
  default:
    return a != b;
  }
}

/* Operations on the two topmost values. */
static void combine(values_t *v, uint32_t code) {
  uint64_t b = pop(v), a = pop(v);
  switch (code) {
  case OP_AND:
    push(v, a & b);
    break;
  case OP_MINUS:
    push(v, a - b);
    break;
  case OP_MULTIPLY:
    push(v, a * b);
    break;
  case OP_OR:
    push(v, a | b);
    break;
  case OP_PLUS:
    push(v, a + b);
    break;
  case OP_SHIFT_LEFT:
    push(v, b < 64 ? a << b : 0);
    break;
  case OP_SHIFT_RIGHT:
    push(v, b < 64 ? a >> b : 0);
    break;
  default:
    if (code >= OP_EQUAL && code <= OP_NOT_EQUAL)
      push(v, compared(code, (int64_t)a, (int64_t)b));
    else
      v->is_bad = true;
  }
}

static void read_word(values_t *v, const dmd_expression_frame_t *frame) {
  uintptr_t word = 0;
  if (!frame->read(frame->ctx, (uintptr_t)pop(v), &word))
    v->is_bad = true;
  push(v, word);
}

static uint64_t constant(dmd_bytes_t *bytes, uint32_t code) {
  uint32_t szB = 1u << ((code - OP_CONSTANT) / 2);
  return (code - OP_CONSTANT) % 2 == 0 ? dmd_bytes_take(bytes, szB)
                                       : (uint64_t)dmd_bytes_take_signed(bytes, szB);
}

static void execute(values_t *v, dmd_bytes_t *bytes, const dmd_expression_frame_t *frame) {
  uint32_t code = (uint32_t)dmd_bytes_take(bytes, 1);
  if (code >= OP_LITERAL && code < OP_LITERAL + N_OF_A_ROW)
    push(v, code - OP_LITERAL);
  else if (code >= OP_REGISTER && code < OP_REGISTER + N_OF_A_ROW)
    push(v,
         register_of(frame, code - OP_REGISTER, &v->is_bad) + (uint64_t)dmd_bytes_take_sleb(bytes));
  else if (code >= OP_CONSTANT && code < OP_CONSTANT_ULEB)
    push(v, constant(bytes, code));
  else if (code == OP_ADDRESS)
    push(v, dmd_bytes_take(bytes, 8));
  else if (code == OP_CONSTANT_ULEB)
    push(v, dmd_bytes_take_uleb(bytes));
  else if (code == OP_CONSTANT_SLEB)
    push(v, (uint64_t)dmd_bytes_take_sleb(bytes));
  else if (code == OP_PLUS_CONSTANT)
    push(v, pop(v) + dmd_bytes_take_uleb(bytes));
  else if (code == OP_READ)
    read_word(v, frame);
  else if (code == OP_DROP)
    pop(v);
  else if (code == OP_DUPLICATE) {
    uint64_t value = pop(v);
    push(v, value);
    push(v, value);
  } else
    combine(v, code);
}

bool dmd_expression_value(dmd_expression_t expression, const dmd_expression_frame_t *frame,
                          uintptr_t *value) {
  values_t v = {.n = 0};
  dmd_bytes_t bytes = {expression.bytes, expression.bytes + expression.szB, false};
  push(&v, *value);
  while (bytes.p < bytes.end && !v.is_bad)
    execute(&v, &bytes, frame);
  *value = (uintptr_t)pop(&v);
  return !v.is_bad && !bytes.is_bad;
}

/* ---- Numbers in DWARF encodings. ---- */

uint64_t dmd_bytes_take(dmd_bytes_t *b, uint32_t szB) {
  uint64_t value = 0;
  if ((size_t)(b->end - b->p) < szB) {
    b->is_bad = true;
    b->p = b->end;
    return 0;
  }
  for (uint32_t i = 0; i < szB; i++)
    value |= (uint64_t)b->p[i] << (8 * i);
  b->p += szB;
  return value;
}

int64_t dmd_bytes_take_signed(dmd_bytes_t *b, uint32_t szB) {
  uint32_t unused = 64 - 8 * szB;
  return (int64_t)(dmd_bytes_take(b, szB) << unused) >> unused;
}

static uint64_t take_leb(dmd_bytes_t *b, bool is_signed) {
  uint64_t value = 0;
  uint32_t shift = 0;
  uint8_t byte;
  do {
    byte = (uint8_t)dmd_bytes_take(b, 1);
    if (shift < 64)
      value |= (uint64_t)(byte & 0x7f) << shift;
    shift += 7;
  } while (byte & 0x80);
  if (is_signed && shift < 64 && (byte & 0x40))
    value |= ~UINT64_C(0) << shift;
  return value;
}

uint64_t dmd_bytes_take_uleb(dmd_bytes_t *b) {
  return take_leb(b, false);
}

int64_t dmd_bytes_take_sleb(dmd_bytes_t *b) {
  return (int64_t)take_leb(b, true);
}

void dmd_bytes_skip(dmd_bytes_t *b, uint64_t szB) {
  if ((uint64_t)(b->end - b->p) < szB)
    b->is_bad = true;
  else
    b->p += szB;
}

const uint8_t *dmd_bytes_take_block(dmd_bytes_t *b, uint32_t *szB) {
  uint64_t n = dmd_bytes_take_uleb(b);
  const uint8_t *block = b->p;
  dmd_bytes_skip(b, n);
  *szB = b->is_bad ? 0 : (uint32_t)n;
  return block;
}
