/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/escape.h"

#include "base/str.h"

void dmd_escape_append(dmd_strbuf_t *line, const char *s) {
  dmd_out_t out;
  dmd_out_init(&out, dmd_strbuf_write, line);
  dmd_out_safe(&out, s);
  dmd_out_flush(&out);
}

dmd_out_t *dmd_escaped_begin(dmd_escaped_t *e, const dmd_env_t *env) {
  dmd_strbuf_init(&e->text, env);
  dmd_out_init(&e->out, dmd_strbuf_write, &e->text);
  return &e->out;
}

void dmd_escaped_end(dmd_escaped_t *e, dmd_out_t *to, dmd_escape_fn escape) {
  dmd_out_flush(&e->out);
  escape(to, e->text.text);
  dmd_strbuf_destroy(&e->text);
}

/* XML cannot represent U+FFFE and U+FFFF. */
static bool is_no_xml(const char *s) {
  return dmd_str_begins(s, "\xef\xbf\xbe") || dmd_str_begins(s, "\xef\xbf\xbf");
}

void dmd_escape_xml(dmd_out_t *out, const char *s) {
  for (; *s != '\0'; s++) {
    if (*s == '&') {
      dmd_out_str(out, "&amp;");
    } else if (*s == '<') {
      dmd_out_str(out, "&lt;");
    } else if (*s == '>') {
      dmd_out_str(out, "&gt;");
    } else if (*s == '"') {
      dmd_out_str(out, "&quot;");
    } else if (is_no_xml(s)) {
      dmd_out_str(out, "\xef\xbf\xbd");
      s += 2;
    } else {
      dmd_out_char(out, *s);
    }
  }
}

/* As in command.ts of GitHub's toolkit: data, and properties with two more special characters. */
static void escape_special(dmd_out_t *out, const char *s, const char *special) {
  for (; *s != '\0'; s++) {
    if (dmd_str_find_char(special, *s) == NULL) {
      dmd_out_char(out, *s);
    } else {
      dmd_out_char(out, '%');
      dmd_out_char(out, "0123456789ABCDEF"[*s >> 4]);
      dmd_out_char(out, "0123456789ABCDEF"[*s & 15]);
    }
  }
}

void dmd_escape_github(dmd_out_t *out, const char *s) {
  escape_special(out, s, "%\r\n");
}

void dmd_escape_github_property(dmd_out_t *out, const char *s) {
  escape_special(out, s, "%\r\n:,");
}

void dmd_escape_markdown(dmd_out_t *out, const char *s) {
  for (; *s != '\0'; s++) {
    bool is_plain = (*s & 0x80) != 0 || (*s >= '0' && *s <= '9') || (*s >= 'A' && *s <= 'Z') ||
                    (*s >= 'a' && *s <= 'z') || dmd_str_find_char(" /,;()%\n", *s) != NULL;
    if (is_plain) {
      dmd_out_char(out, *s);
    } else {
      dmd_out_str(out, "&#");
      dmd_out_u64(out, (uint64_t)*s);
      dmd_out_char(out, ';');
    }
  }
}
