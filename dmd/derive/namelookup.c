/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "derive/namelookup.h"

#include "base/str.h"

static bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static size_t name_length(const char *text) {
  size_t n = 0;
  if (begins_name(text[0]))
    while (begins_name(text[n]) || is_digit(text[n]))
      n++;
  return n;
}

bool dmd_derive_is_name(const char *text) {
  size_t n = name_length(text);
  return n > 0 && text[n] == '\0';
}

static bool is_text(const char *bytes, size_t n, const char *text) {
  return dmd_str_length(text) == n && dmd_str_equal_n(bytes, text, n);
}

const dmd_derive_member_t *dmd_derive_member(const dmd_derive_record_t *record, const char *name,
                                             size_t n) {
  for (const dmd_derive_member_t *member = record->members; member != NULL; member = member->next) {
    if (is_text(name, n, member->name))
      return member;
    const dmd_derive_member_t *within = NULL;
    if (member->name[0] == '\0' && member->type->kind == DMD_DERIVE_RECORD)
      within = dmd_derive_member(member->type->record, name, n);
    if (within != NULL)
      return within;
  }
  return NULL;
}

const dmd_derive_member_t *dmd_derive_resolve(const dmd_derive_scope_t *scope, const char *name,
                                              size_t n, const dmd_derive_scope_t **at) {
  for (; scope != NULL; scope = scope->outer) {
    const dmd_derive_member_t *member = dmd_derive_member(scope->record, name, n);
    if (member != NULL) {
      *at = scope;
      return member;
    }
  }
  return NULL;
}

/* The length of the token at the start of the text that is not a name: a number, a string or a
 * character, which may contain letters; or else one byte. */
static size_t other_length(const char *text) {
  size_t n = 1;
  if (is_digit(text[0])) {
    while (begins_name(text[n]) || is_digit(text[n]) || text[n] == '.')
      n++;
  } else if (text[0] == '"' || text[0] == '\'') {
    while (text[n] != '\0' && text[n] != text[0])
      n += text[n] == '\\' && text[n + 1] != '\0' ? 2 : 1;
    n += text[n] != '\0';
  }
  return n;
}

void dmd_derive_expression(const dmd_derive_scope_t *scope, const char *text, const char *index,
                           dmd_strbuf_t *out) {
  bool is_after_point = false; /* then the name is a member of another struct */
  while (*text != '\0') {
    size_t n = name_length(text);
    const dmd_derive_scope_t *at;
    if (n == 0) {
      n = other_length(text);
      if (*text != ' ')
        is_after_point = *text == '.' || (*text == '>' && out->n > 0 && text[-1] == '-');
      dmd_strbuf_bytes(out, text, n);
    } else {
      if (index != NULL && is_text(text, n, "DMD_INDEX")) {
        dmd_strbuf_str(out, index);
      } else {
        if (!is_after_point && dmd_derive_resolve(scope, text, n, &at) != NULL)
          dmd_strbuf_str(out, at->access);
        dmd_strbuf_bytes(out, text, n);
      }
      is_after_point = false;
    }
    text += n;
  }
}
