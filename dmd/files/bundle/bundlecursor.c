/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/bundle/bundlecursor.h"

#include "base/utf8.h"

dmd_bundlecursor_t dmd_bundlecursor_of(const char *bytes, size_t n) {
  const unsigned char *at = (const unsigned char *)bytes;
  return (dmd_bundlecursor_t){.at = at, .end = at + n};
}

bool dmd_bundlecursor_fail(dmd_bundlecursor_t *c) {
  c->at = c->end;
  c->failed = true;
  return false;
}

bool dmd_bundlecursor_is_done(const dmd_bundlecursor_t *c) {
  return !c->failed && c->at == c->end;
}

uint64_t dmd_bundlecursor_number(dmd_bundlecursor_t *c) {
  uint64_t v = 0;
  for (unsigned shift = 0; shift < 64 && c->at < c->end; shift += 7) {
    uint64_t bits = *c->at & 0x7fu;
    if (bits << shift >> shift != bits)
      break;
    v |= bits << shift;
    if (*c->at++ < 0x80)
      return v;
  }
  dmd_bundlecursor_fail(c);
  return 0;
}

uint64_t dmd_bundlecursor_up_to(dmd_bundlecursor_t *c, uint64_t most) {
  uint64_t v = dmd_bundlecursor_number(c);
  if (v <= most)
    return v;
  dmd_bundlecursor_fail(c);
  return 0;
}

uint32_t dmd_bundlecursor_count(dmd_bundlecursor_t *c) {
  enum { MOST = 1 << 27 };
  uint64_t left = (uint64_t)(c->end - c->at);
  return (uint32_t)dmd_bundlecursor_up_to(c, left < MOST ? left : MOST);
}

const char *dmd_bundlecursor_bytes(dmd_bundlecursor_t *c, size_t *n) {
  uint64_t length = dmd_bundlecursor_number(c);
  if (length > (uint64_t)(c->end - c->at)) {
    dmd_bundlecursor_fail(c);
    length = 0;
  }
  *n = (size_t)length;
  const char *bytes = (const char *)c->at;
  c->at += *n;
  return bytes;
}

static bool has_nul(const char *bytes, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (bytes[i] == '\0')
      return true;
  return false;
}

/* The id of the next string. The copy that is kept ends in NUL. */
static uint32_t next_string(dmd_bundlecursor_t *c, dmd_intern_t *in, bool is_text) {
  size_t n;
  const char *bytes = dmd_bundlecursor_bytes(c, &n);
  uint32_t id = dmd_intern_bytes(in, bytes, n);
  if (is_text && (has_nul(bytes, n) || !dmd_utf8_is_valid(dmd_intern_get_str(in, id))))
    dmd_bundlecursor_fail(c);
  return id;
}

uint32_t dmd_bundlecursor_string(dmd_bundlecursor_t *c, dmd_intern_t *in, bool is_text) {
  return dmd_bundlecursor_up_to(c, 1) == 0 ? DMD_NONE : next_string(c, in, is_text);
}

void dmd_bundlecursor_interned(dmd_bundlecursor_t *c, dmd_intern_t *in, bool is_text) {
  uint32_t n = dmd_bundlecursor_count(c);
  for (uint32_t i = 1; i <= n && !c->failed; i++)
    if (next_string(c, in, is_text) != i)
      dmd_bundlecursor_fail(c);
}
