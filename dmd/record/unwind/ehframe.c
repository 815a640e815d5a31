/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/unwind/ehframe.h"

#include "base/sort.h"
#include "record/unwind/expression.h"

/* Pointer encodings: the lower four bits give the format, the upper ones what the pointer is
 * relative to. */
enum {
  ENCODED_ABSOLUTE = 0x00,
  ENCODED_ULEB = 0x01,
  ENCODED_U2 = 0x02,
  ENCODED_U4 = 0x03,
  ENCODED_U8 = 0x04,
  ENCODED_SLEB = 0x09,
  ENCODED_S2 = 0x0a,
  ENCODED_S4 = 0x0b,
  ENCODED_S8 = 0x0c,
  ENCODED_FORMAT = 0x0f,
  ENCODED_TO_PLACE = 0x10,
  ENCODED_TO_HEADER = 0x30,
  ENCODED_RELATIVE = 0x70,
  ENCODED_OMITTED = 0xff
};

/* Instructions; the first three have an operand in their lower six bits. */
enum {
  CFA_ADVANCE = 0x40,
  CFA_OFFSET = 0x80,
  CFA_RESTORE = 0xc0,
  CFA_NOP = 0x00,
  CFA_SET = 0x01,
  CFA_ADVANCE_1 = 0x02,
  CFA_ADVANCE_2 = 0x03,
  CFA_ADVANCE_4 = 0x04,
  CFA_OFFSET_EXTENDED = 0x05,
  CFA_RESTORE_EXTENDED = 0x06,
  CFA_UNDEFINED = 0x07,
  CFA_SAME = 0x08,
  CFA_REGISTER = 0x09,
  CFA_REMEMBER = 0x0a,
  CFA_RECALL = 0x0b,
  CFA_DEF = 0x0c,
  CFA_DEF_REGISTER = 0x0d,
  CFA_DEF_OFFSET = 0x0e,
  CFA_DEF_EXPRESSION = 0x0f,
  CFA_EXPRESSION = 0x10,
  CFA_OFFSET_SIGNED = 0x11,
  CFA_DEF_SIGNED = 0x12,
  CFA_DEF_OFFSET_SIGNED = 0x13,
  CFA_VALUE_OFFSET = 0x14,
  CFA_VALUE_OFFSET_SIGNED = 0x15,
  CFA_VALUE_EXPRESSION = 0x16,
  CFA_SIGNED = 0x2d, /* arm64: from here on the return address is signed, or no longer */
  CFA_GNU_ARGS_SIZE = 0x2e
};

enum { MAX_REMEMBERED = 8 };

static uint64_t take_format(dmd_bytes_t *c, uint32_t encoding) {
  switch (encoding & ENCODED_FORMAT) {
  case ENCODED_ABSOLUTE:
  case ENCODED_U8:
  case ENCODED_S8:
    return dmd_bytes_take(c, 8);
  case ENCODED_ULEB:
    return dmd_bytes_take_uleb(c);
  case ENCODED_SLEB:
    return (uint64_t)dmd_bytes_take_sleb(c);
  case ENCODED_U2:
    return dmd_bytes_take(c, 2);
  case ENCODED_U4:
    return dmd_bytes_take(c, 4);
  case ENCODED_S2:
    return (uint64_t)dmd_bytes_take_signed(c, 2);
  case ENCODED_S4:
    return (uint64_t)dmd_bytes_take_signed(c, 4);
  default:
    c->is_bad = true;
    return 0;
  }
}

static uintptr_t take_pointer(dmd_bytes_t *c, uint32_t encoding, uintptr_t header) {
  uintptr_t place = (uintptr_t)c->p;
  uint64_t value = take_format(c, encoding);
  switch (encoding & ENCODED_RELATIVE) {
  case 0:
    return (uintptr_t)value;
  case ENCODED_TO_PLACE:
    return place + (uintptr_t)value;
  case ENCODED_TO_HEADER:
    return header + (uintptr_t)value;
  default:
    c->is_bad = true;
    return 0;
  }
}

/* A cursor at an address; empty if that is outside of the range. */
static dmd_bytes_t cursor_at(const dmd_code_range_t *range, uintptr_t at) {
  if (at < range->start || at >= range->end)
    at = range->end;
  return (dmd_bytes_t){(const uint8_t *)at, (const uint8_t *)range->end, false};
}

/*--- Finding a function ---*/

/* Finds the start of the entry for the function that contains ip. The table has two 4-byte offsets
 * for each function, to the function and to its entry; linkers write no other form. */
static bool find_entry(const dmd_code_range_t *range, uintptr_t ip, uintptr_t *entry) {
  uintptr_t header = range->eh_frame_hdr;
  dmd_bytes_t c = cursor_at(range, header);
  uint64_t version = dmd_bytes_take(&c, 1);
  uint32_t pointer_encoding = (uint32_t)dmd_bytes_take(&c, 1),
           count_encoding = (uint32_t)dmd_bytes_take(&c, 1);
  uint64_t table_encoding = dmd_bytes_take(&c, 1);
  if (version != 1 || pointer_encoding == ENCODED_OMITTED || count_encoding == ENCODED_OMITTED ||
      table_encoding != (ENCODED_TO_HEADER | ENCODED_S4))
    return false;
  take_pointer(&c, pointer_encoding, header);
  uint64_t n = take_format(&c, count_encoding);
  if (c.is_bad || n == 0 || n > (uint64_t)(c.end - c.p) / 8 || n > UINT32_MAX)
    return false;
  const uint8_t *table = c.p;
  int64_t distance = (int64_t)ip - (int64_t)header;
  uint32_t place = 0;
#define PAIR(i, half)                                                                              \
  dmd_bytes_take_signed(&(dmd_bytes_t){table + (size_t)(i)*8 + (half)*4, range_end, false}, 4)
  const uint8_t *range_end = c.end;
  DMD_SEARCH(place, 0, (uint32_t)n, PAIR(place, 0) <= distance);
  if (place == 0)
    return false;
  *entry = header + (uintptr_t)PAIR(place - 1, 1);
#undef PAIR
  return true;
}

/* The common information entry (CIE) of a function's entry. */
typedef struct {
  uint64_t code_unit;
  int64_t data_unit;
  uint32_t pointer_encoding;
  bool has_data, is_signal;
  dmd_bytes_t program;
} common_t;

/* The letters of an augmentation describe the data that follow. */
static bool read_augmentation(common_t *common, dmd_bytes_t *c, const uint8_t *letters) {
  if (*letters != 'z')
    return *letters == '\0';
  common->has_data = true;
  uint64_t szB = dmd_bytes_take_uleb(c);
  const uint8_t *data = c->p;
  for (letters++; *letters != '\0'; letters++)
    if (*letters == 'R')
      common->pointer_encoding = (uint32_t)dmd_bytes_take(c, 1);
    else if (*letters == 'L')
      dmd_bytes_take(c, 1);
    else if (*letters == 'P')
      take_format(c, (uint32_t)dmd_bytes_take(c, 1));
    else if (*letters == 'S')
      common->is_signal = true;
    else if (*letters != 'B') /* arm64: which key signs return addresses */
      break; /* the rest is unknown, but is inside the data, which can be skipped */
  c->p = data;
  dmd_bytes_skip(c, szB);
  return !c->is_bad;
}

static bool read_common(common_t *common, const dmd_code_range_t *range, uintptr_t at) {
  dmd_bytes_t c = cursor_at(range, at);
  uint64_t szB = dmd_bytes_take(&c, 4);
  if (szB < 4 || szB > (uint64_t)(c.end - c.p))
    return false;
  c.end = c.p + szB;
  if (dmd_bytes_take(&c, 4) != 0)
    return false;
  uint64_t version = dmd_bytes_take(&c, 1);
  const uint8_t *letters = c.p;
  while (dmd_bytes_take(&c, 1) != 0)
    ;
  if (c.is_bad || (version != 1 && version != 3))
    return false;
  *common = (common_t){.pointer_encoding = ENCODED_ABSOLUTE};
  common->code_unit = dmd_bytes_take_uleb(&c);
  common->data_unit = dmd_bytes_take_sleb(&c);
  uint64_t return_address = version == 1 ? dmd_bytes_take(&c, 1) : dmd_bytes_take_uleb(&c);
  if (return_address != DMD_REGISTER_IP || !read_augmentation(common, &c, letters))
    return false;
  common->program = c;
  return !c.is_bad;
}

/* --- Running CFA programs --- */

typedef struct {
  const common_t *common;
  dmd_frame_row_t row;
  dmd_frame_row_t first; /* after the CIE's program */
  dmd_frame_row_t remembered[MAX_REMEMBERED];
  uint32_t n_remembered;
  uintptr_t at, wanted;
} machine_t;

/* NULL for a register that is not tracked. */
static dmd_register_rule_t *rule_in(dmd_frame_row_t *row, uint64_t number) {
  return number == DMD_REGISTER_FP ? &row->fp : number == DMD_REGISTER_IP ? &row->ip : NULL;
}

static void set_rule(machine_t *m, uint64_t number, dmd_saved_t how, int64_t offset) {
  dmd_register_rule_t *rule = rule_in(&m->row, number);
  if (rule != NULL)
    *rule = (dmd_register_rule_t){.how = how, .offset = offset};
}

static dmd_expression_t take_expression(dmd_bytes_t *c) {
  dmd_expression_t expression;
  expression.bytes = dmd_bytes_take_block(c, &expression.szB);
  return expression;
}

static void set_expression(machine_t *m, dmd_bytes_t *c, dmd_saved_t how) {
  dmd_register_rule_t *rule = rule_in(&m->row, dmd_bytes_take_uleb(c));
  dmd_expression_t expression = take_expression(c);
  if (rule != NULL)
    *rule = (dmd_register_rule_t){.how = how, .expression = expression};
}

static void restore_rule(machine_t *m, uint64_t number) {
  dmd_register_rule_t *rule = rule_in(&m->row, number);
  if (rule != NULL)
    *rule = *rule_in(&m->first, number);
}

static void set_cfa(machine_t *m, uint64_t number, int64_t offset) {
  m->row.cfa_register = number < DMD_REGISTER_NONE ? (uint32_t)number : DMD_REGISTER_NONE - 1;
  m->row.cfa_offset = offset;
}

/* Instructions that define the canonical frame address. */
static bool define(machine_t *m, dmd_bytes_t *c, uint32_t code) {
  uint64_t number;
  switch (code) {
  case CFA_DEF:
    number = dmd_bytes_take_uleb(c);
    set_cfa(m, number, (int64_t)dmd_bytes_take_uleb(c));
    return true;
  case CFA_DEF_SIGNED:
    number = dmd_bytes_take_uleb(c);
    set_cfa(m, number, dmd_bytes_take_sleb(c) * m->common->data_unit);
    return true;
  case CFA_DEF_REGISTER:
    set_cfa(m, dmd_bytes_take_uleb(c), m->row.cfa_offset);
    return true;
  case CFA_DEF_OFFSET:
    m->row.cfa_offset = (int64_t)dmd_bytes_take_uleb(c);
    return true;
  case CFA_DEF_OFFSET_SIGNED:
    m->row.cfa_offset = dmd_bytes_take_sleb(c) * m->common->data_unit;
    return true;
  case CFA_DEF_EXPRESSION:
    m->row.cfa_register = DMD_REGISTER_NONE;
    m->row.cfa_expression = take_expression(c);
    return true;
  default:
    return false;
  }
}

/* Instructions that say where a register was saved. */
static bool save(machine_t *m, dmd_bytes_t *c, uint32_t code) {
  uint64_t number;
  switch (code) {
  case CFA_OFFSET_EXTENDED:
    number = dmd_bytes_take_uleb(c);
    set_rule(m, number, DMD_SAVED_AT_CFA, (int64_t)dmd_bytes_take_uleb(c) * m->common->data_unit);
    return true;
  case CFA_OFFSET_SIGNED:
    number = dmd_bytes_take_uleb(c);
    set_rule(m, number, DMD_SAVED_AT_CFA, dmd_bytes_take_sleb(c) * m->common->data_unit);
    return true;
  case CFA_RESTORE_EXTENDED:
    restore_rule(m, dmd_bytes_take_uleb(c));
    return true;
  case CFA_UNDEFINED:
    set_rule(m, dmd_bytes_take_uleb(c), DMD_SAVED_UNDEFINED, 0);
    return true;
  case CFA_SAME:
    set_rule(m, dmd_bytes_take_uleb(c), DMD_SAVED_SAME, 0);
    return true;
  case CFA_REGISTER:
  case CFA_VALUE_OFFSET:
  case CFA_VALUE_OFFSET_SIGNED:
    set_rule(m, dmd_bytes_take_uleb(c), DMD_SAVED_UNSUPPORTED, 0);
    dmd_bytes_take_uleb(c);
    return true;
  case CFA_EXPRESSION:
    set_expression(m, c, DMD_SAVED_AT);
    return true;
  case CFA_VALUE_EXPRESSION:
    set_expression(m, c, DMD_SAVED_VALUE);
    return true;
  default:
    return false;
  }
}

static bool remember_or_recall(machine_t *m, uint32_t code) {
  if (code == CFA_REMEMBER && m->n_remembered < MAX_REMEMBERED)
    m->remembered[m->n_remembered++] = m->row;
  else if (code == CFA_RECALL && m->n_remembered > 0)
    m->row = m->remembered[--m->n_remembered];
  else
    return false;
  return true;
}

/* How far an instruction advances, in units; -1: it does not. */
static int64_t advance(dmd_bytes_t *c, uint32_t code) {
  switch (code) {
  case CFA_ADVANCE_1:
    return (int64_t)dmd_bytes_take(c, 1);
  case CFA_ADVANCE_2:
    return (int64_t)dmd_bytes_take(c, 2);
  case CFA_ADVANCE_4:
    return (int64_t)dmd_bytes_take(c, 4);
  default:
    return (code & 0xc0) == CFA_ADVANCE ? (int64_t)(code & 0x3f) : -1;
  }
}

/* Executes an instruction that does not advance. */
static bool execute(machine_t *m, dmd_bytes_t *c, uint32_t code) {
  uint32_t operand = code & 0x3f;
  if ((code & 0xc0) == CFA_OFFSET) {
    set_rule(m, operand, DMD_SAVED_AT_CFA, (int64_t)dmd_bytes_take_uleb(c) * m->common->data_unit);
    return true;
  }
  if ((code & 0xc0) == CFA_RESTORE) {
    restore_rule(m, operand);
    return true;
  }
  if (code == CFA_NOP || code == CFA_SIGNED)
    return true;
  if (code == CFA_GNU_ARGS_SIZE) {
    dmd_bytes_take_uleb(c);
    return true;
  }
  if (code == CFA_REMEMBER || code == CFA_RECALL)
    return remember_or_recall(m, code);
  return define(m, c, code) || save(m, c, code);
}

/* Runs up to the wanted address or the end. */
static bool run(machine_t *m, dmd_bytes_t c) {
  while (c.p < c.end) {
    uint32_t code = (uint32_t)dmd_bytes_take(&c, 1);
    if (code == CFA_SET) {
      m->at = take_pointer(&c, m->common->pointer_encoding, 0);
    } else {
      int64_t units = advance(&c, code);
      if (units >= 0)
        m->at += (uintptr_t)((uint64_t)units * m->common->code_unit);
      else if (!execute(m, &c, code))
        return false;
    }
    if (c.is_bad)
      return false;
    if (m->at > m->wanted)
      return true;
  }
  return true;
}

bool dmd_ehframe_find(const dmd_code_range_t *range, uintptr_t ip, dmd_frame_row_t *row) {
  uintptr_t entry;
  if (range->eh_frame_hdr == 0 || !find_entry(range, ip, &entry))
    return false;
  dmd_bytes_t c = cursor_at(range, entry);
  uint64_t szB = dmd_bytes_take(&c, 4);
  if (szB < 4 || szB > (uint64_t)(c.end - c.p))
    return false;
  c.end = c.p + szB;
  uintptr_t place = (uintptr_t)c.p;
  common_t common;
  if (!read_common(&common, range, place - (uintptr_t)dmd_bytes_take(&c, 4)))
    return false;
  uintptr_t first = take_pointer(&c, common.pointer_encoding, 0);
  uint64_t length = take_format(&c, common.pointer_encoding);
  if (common.has_data)
    dmd_bytes_skip(&c, dmd_bytes_take_uleb(&c));
  if (c.is_bad || ip < first || ip - first >= length)
    return false;
  machine_t m = {.common = &common, .at = first, .wanted = ip};
  m.row.cfa_register = DMD_REGISTER_NONE;
  m.row.is_signal = common.is_signal;
  if (!run(&m, common.program))
    return false;
  m.first = m.row;
  if (!run(&m, c))
    return false;
  *row = m.row;
  return true;
}
