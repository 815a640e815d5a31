/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * jsonout.h: writes JSON, one token at a time.
 *
 * A small state machine over a dmd_out_t, which places commas, colons and line ends, and escapes
 * every string. Containers nest at most DMD_JSONOUT_DEPTH deep. DMD_JSONOUT_LINES puts each element
 * of a container on its own line; DMD_JSONOUT_DENSE leaves out blanks, for very long lists.
 *
 * Strings are written as UTF-8; dmd_jsonout_ascii writes characters beyond ASCII as \uNNNN, for
 * readers that take bytes for characters. Strings come from programs and symbol tables: each byte
 * that is not part of well-formed UTF-8 becomes U+FFFD, so that the output is always valid JSON.
 */
#ifndef DMD_BASE_JSONOUT_H
#define DMD_BASE_JSONOUT_H

#include "base/out.h"

enum { DMD_JSONOUT_DEPTH = 64 };

typedef enum { DMD_JSONOUT_INLINE, DMD_JSONOUT_LINES, DMD_JSONOUT_DENSE } dmd_jsonout_layout_t;

typedef struct dmd_jsonout {
  dmd_out_t *out;
  int depth;
  bool after_key;
  bool is_ascii;
  struct {
    char close;
    dmd_jsonout_layout_t layout;
    bool empty;
  } level[DMD_JSONOUT_DEPTH + 1];
} dmd_jsonout_t;

void dmd_jsonout_init(dmd_jsonout_t *json, dmd_out_t *out);

/* After init: writes only ASCII from now on. */
void dmd_jsonout_ascii(dmd_jsonout_t *json);

void dmd_jsonout_object(dmd_jsonout_t *json, dmd_jsonout_layout_t layout);
void dmd_jsonout_array(dmd_jsonout_t *json, dmd_jsonout_layout_t layout);
/* Closes the innermost open object or array; the outermost one ends with a line end. */
void dmd_jsonout_end(dmd_jsonout_t *json);

/* Inside an object: the key of the next value. */
void dmd_jsonout_key_any(dmd_jsonout_t *json, const char *key);
/* A key of n bytes that need no escaping. */
void dmd_jsonout_key_plain(dmd_jsonout_t *json, const char *key, size_t n);
void dmd_jsonout_key_id(dmd_jsonout_t *json, uint64_t id);

void dmd_jsonout_str(dmd_jsonout_t *json, const char *s);
/* A string made of two parts, e.g. a prefix and a name. */
void dmd_jsonout_str2(dmd_jsonout_t *json, const char *a, const char *b);
void dmd_jsonout_u64(dmd_jsonout_t *json, uint64_t v);
void dmd_jsonout_i64(dmd_jsonout_t *json, int64_t v);
/* A number in quotes: the ids of trace and frame tables. */
void dmd_jsonout_id(dmd_jsonout_t *json, uint64_t id);
/* Hexadecimal digits in quotes, without a prefix. */
void dmd_jsonout_hex(dmd_jsonout_t *json, uint64_t v);
/* An address as people write it: "0x4c3a040". */
void dmd_jsonout_address(dmd_jsonout_t *json, uint64_t addr);
void dmd_jsonout_bool(dmd_jsonout_t *json, bool v);
void dmd_jsonout_null(dmd_jsonout_t *json);

/* A key. If it is a literal, it must not need escaping. */
static inline void dmd_jsonout_key(dmd_jsonout_t *json, const char *key) {
  if (__builtin_constant_p(__builtin_strlen(key)))
    dmd_jsonout_key_plain(json, key, __builtin_strlen(key));
  else
    dmd_jsonout_key_any(json, key);
}

/* A key and its value. */
static inline void dmd_jsonout_key_str(dmd_jsonout_t *json, const char *key, const char *s) {
  dmd_jsonout_key(json, key);
  dmd_jsonout_str(json, s);
}

static inline void dmd_jsonout_key_address(dmd_jsonout_t *json, const char *key, uint64_t addr) {
  dmd_jsonout_key(json, key);
  dmd_jsonout_address(json, addr);
}
static inline void dmd_jsonout_key_u64(dmd_jsonout_t *json, const char *key, uint64_t v) {
  dmd_jsonout_key(json, key);
  dmd_jsonout_u64(json, v);
}

static inline void dmd_jsonout_key_bool(dmd_jsonout_t *json, const char *key, bool v) {
  dmd_jsonout_key(json, key);
  dmd_jsonout_bool(json, v);
}

/* Writes a JSON document that another program made, well-formed and in UTF-8, so that it is safe
 * for terminals: unsafe characters in strings are escaped, and white space is blanks and line ends.
 */
void dmd_jsonout_relay(dmd_out_t *out, const char *json);

#endif
