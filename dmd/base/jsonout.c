/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/jsonout.h"

#include "base/format.h"
#include "base/utf8.h"

void dmd_jsonout_init(dmd_jsonout_t *json, dmd_out_t *out) {
  json->out = out;
  json->depth = 0;
  json->after_key = false;
  json->is_ascii = false;
  json->level[0].layout = DMD_JSONOUT_INLINE;
  json->level[0].empty = true;
}

void dmd_jsonout_ascii(dmd_jsonout_t *json) {
  json->is_ascii = true;
}

static void new_line(dmd_jsonout_t *json, int indent) {
  dmd_out_char(json->out, '\n');
  for (int i = 0; i < indent; i++)
    dmd_out_char(json->out, ' ');
}

/* Writes what precedes a value or a key: nothing after a key's colon, else a comma between
 * elements, and a line end if the container is laid out in lines. */
static void before_item(dmd_jsonout_t *json) {
  if (json->after_key) {
    json->after_key = false;
    return;
  }
  bool empty = json->level[json->depth].empty;
  json->level[json->depth].empty = false;
  if (!empty)
    dmd_out_char(json->out, ',');
  if (json->level[json->depth].layout == DMD_JSONOUT_LINES)
    new_line(json, json->depth);
  else if (!empty && json->level[json->depth].layout == DMD_JSONOUT_INLINE)
    dmd_out_char(json->out, ' ');
}

static void open(dmd_jsonout_t *json, char opening, char closing, dmd_jsonout_layout_t layout) {
  before_item(json);
  dmd_out_char(json->out, opening);
  json->depth++;
  json->level[json->depth].close = closing;
  json->level[json->depth].layout = layout;
  json->level[json->depth].empty = true;
}

void dmd_jsonout_object(dmd_jsonout_t *json, dmd_jsonout_layout_t layout) {
  open(json, '{', '}', layout);
}

void dmd_jsonout_array(dmd_jsonout_t *json, dmd_jsonout_layout_t layout) {
  open(json, '[', ']', layout);
}

void dmd_jsonout_end(dmd_jsonout_t *json) {
  bool lines =
      json->level[json->depth].layout == DMD_JSONOUT_LINES && !json->level[json->depth].empty;
  char close = json->level[json->depth].close;
  json->depth--;
  if (lines)
    new_line(json, json->depth);
  dmd_out_char(json->out, close);
  if (json->depth == 0)
    dmd_out_char(json->out, '\n');
}

/* Writes 16 bits as `\u00e9`. */
static void write_unit(dmd_out_t *out, uint32_t unit) {
  dmd_out_str(out, "\\u");
  for (int shift = 12; shift >= 0; shift -= 4)
    dmd_out_char(out, "0123456789abcdef"[unit >> shift & 15]);
}

/* Writes a well-formed sequence of n bytes as ASCII: each unit of its UTF-16 form is escaped. */
static void write_escaped(dmd_out_t *out, const char *s, size_t n) {
  uint16_t units[2];
  size_t n_units = dmd_utf8_to_utf16(units, s, n);
  for (size_t i = 0; i < n_units; i++)
    write_unit(out, units[i]);
}

static void escaped(const dmd_jsonout_t *json, const char *s) {
  dmd_out_t *out = json->out;
  while (*s != '\0') {
    unsigned char c = (unsigned char)*s;
    size_t n = dmd_utf8_length(s);
    if (n == 0) {
      dmd_out_str(out, json->is_ascii ? "\\ufffd" : DMD_UTF8_REPLACEMENT);
      s++;
    } else if (c == '"' || c == '\\') {
      dmd_out_char(out, '\\');
      dmd_out_char(out, *s++);
    } else if (dmd_utf8_is_unsafe(s) || (n > 1 && json->is_ascii)) {
      write_escaped(out, s, n);
      s += n;
    } else {
      dmd_out_bytes(out, s, n);
      s += n;
    }
  }
}

void dmd_jsonout_str2(dmd_jsonout_t *json, const char *a, const char *b) {
  before_item(json);
  dmd_out_char(json->out, '"');
  escaped(json, a);
  escaped(json, b);
  dmd_out_char(json->out, '"');
}

void dmd_jsonout_str(dmd_jsonout_t *json, const char *s) {
  dmd_jsonout_str2(json, s, "");
}

static void end_key(dmd_jsonout_t *json) {
  dmd_out_char(json->out, ':');
  if (json->level[json->depth].layout != DMD_JSONOUT_DENSE)
    dmd_out_char(json->out, ' ');
  json->after_key = true;
}

void dmd_jsonout_key_any(dmd_jsonout_t *json, const char *key) {
  dmd_jsonout_str(json, key);
  end_key(json);
}

void dmd_jsonout_key_plain(dmd_jsonout_t *json, const char *key, size_t n) {
  before_item(json);
  dmd_out_char(json->out, '"');
  dmd_out_bytes(json->out, key, n);
  dmd_out_char(json->out, '"');
  end_key(json);
}

void dmd_jsonout_key_id(dmd_jsonout_t *json, uint64_t id) {
  dmd_jsonout_id(json, id);
  end_key(json);
}

void dmd_jsonout_u64(dmd_jsonout_t *json, uint64_t v) {
  before_item(json);
  dmd_out_u64(json->out, v);
}

void dmd_jsonout_i64(dmd_jsonout_t *json, int64_t v) {
  before_item(json);
  if (v < 0)
    dmd_out_char(json->out, '-');
  dmd_out_u64(json->out, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void dmd_jsonout_id(dmd_jsonout_t *json, uint64_t id) {
  before_item(json);
  dmd_out_char(json->out, '"');
  dmd_out_u64(json->out, id);
  dmd_out_char(json->out, '"');
}

void dmd_jsonout_hex(dmd_jsonout_t *json, uint64_t v) {
  char digits[DMD_FORMAT_MAX];
  before_item(json);
  dmd_out_char(json->out, '"');
  dmd_out_bytes(json->out, digits, dmd_format_hex(digits, v));
  dmd_out_char(json->out, '"');
}

void dmd_jsonout_address(dmd_jsonout_t *json, uint64_t addr) {
  char digits[DMD_FORMAT_MAX];
  dmd_format_hex(digits, addr);
  dmd_jsonout_str2(json, "0x", digits);
}

void dmd_jsonout_bool(dmd_jsonout_t *json, bool v) {
  before_item(json);
  dmd_out_str(json->out, v ? "true" : "false");
}

void dmd_jsonout_null(dmd_jsonout_t *json) {
  before_item(json);
  dmd_out_str(json->out, "null");
}

void dmd_jsonout_relay(dmd_out_t *out, const char *json) {
  bool in_string = false, after_backslash = false;
  for (size_t n; *json != '\0'; json += n) {
    n = dmd_utf8_length(json);
    if (n == 0) {
      n = 1;
      dmd_out_str(out, DMD_UTF8_REPLACEMENT);
    } else if (!dmd_utf8_is_unsafe(json)) {
      dmd_out_bytes(out, json, n);
    } else if (in_string) {
      write_escaped(out, json, n);
    } else {
      dmd_out_char(out, *json == '\n' ? '\n' : ' ');
    }
    if (*json == '"' && !after_backslash)
      in_string = !in_string;
    after_backslash = *json == '\\' && !after_backslash;
  }
}
