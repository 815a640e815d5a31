/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/print.h"

#include "analyse/limits/ttest.h"
#include "analyse/records/plain.h"
#include "base/fnname.h"
#include "base/format.h"
#include "base/mem.h"
#include "base/str.h"

void dmd_print_number(dmd_out_t *out, int64_t v, bool sampled) {
  char buf[DMD_FORMAT_MAX];
  dmd_format_commas(buf, v);
  if (sampled)
    dmd_out_char(out, '~');
  dmd_out_str(out, buf);
}

size_t dmd_format_elapsed(char *buf, uint64_t ms) {
  enum { LEAST_IN_SECONDS = 100, MS_PER_TENTH = 100 };
  if (ms < LEAST_IN_SECONDS) {
    size_t n = dmd_format_u64(buf, ms);
    return n + dmd_format_str(buf + n, " ms");
  }
  uint64_t tenths = ms / MS_PER_TENTH + (ms % MS_PER_TENTH >= MS_PER_TENTH / 2);
  size_t n = dmd_format_commas(buf, (int64_t)(tenths / 10));
  buf[n++] = '.';
  n += dmd_format_u64(buf + n, tenths % 10);
  return n + dmd_format_str(buf + n, " s");
}

size_t dmd_format_instructions(char *buf, uint64_t n) {
  static const char *const units[] = {" i", " ki", " Mi", " Gi", " Ti"};
  double v = (double)n;
  size_t unit = 0, length;
  for (; v >= 999.995 && unit + 1 < sizeof units / sizeof *units; unit++)
    v /= 1000;
  length = unit == 0 ? dmd_format_u64(buf, n) : dmd_format_fixed2(buf, v);
  return length + dmd_format_str(buf + length, units[unit]);
}

void dmd_print_error(dmd_out_t *out, double variance) {
  if (variance <= 0)
    return;
  dmd_out_str(out, " \xc2\xb1 ");
  dmd_print_unsigned(out, dmd_standard_error(variance));
}

void dmd_print_unsigned(dmd_out_t *out, uint64_t v) {
  if (v <= INT64_MAX)
    dmd_print_number(out, (int64_t)v, false);
  else
    dmd_out_u64(out, v);
}

void dmd_print_percent(dmd_out_t *out, int64_t part, int64_t whole) {
  char buf[DMD_FORMAT_MAX];
  dmd_format_fixed2(buf, dmd_percent(part, whole));
  dmd_out_str(out, buf);
  dmd_out_char(out, '%');
}

void dmd_print_capitalized(dmd_out_t *out, const char *s) {
  dmd_out_char(out, s[0] >= 'a' && s[0] <= 'z' ? (char)(s[0] - 'a' + 'A') : s[0]);
  dmd_out_str(out, s + 1);
}

void dmd_print_count(dmd_out_t *out, int64_t n, bool sampled, const char *one, const char *many) {
  dmd_print_number(out, n, sampled);
  dmd_out_char(out, ' ');
  dmd_out_str(out, n == 1 ? one : many);
}

void dmd_print_number_column(dmd_out_t *out, int64_t v, size_t width) {
  char buf[DMD_FORMAT_MAX];
  dmd_format_commas(buf, v);
  dmd_out_right(out, buf, width);
}

void dmd_print_percent_column(dmd_out_t *out, int64_t part, int64_t whole, size_t width) {
  char buf[DMD_FORMAT_MAX];
  dmd_format_fixed2(buf, dmd_percent(part, whole));
  dmd_out_right(out, buf, width - 1);
  dmd_out_char(out, '%');
}

void dmd_print_frame_text(dmd_out_t *out, const dmd_profile_t *profile, uint32_t frame) {
  if (profile->frame_view.full_names || !dmd_frame_is_shortened(&profile->frames, frame)) {
    dmd_out_safe(out, dmd_frames_text(&profile->frames, frame));
    return;
  }
  dmd_strbuf_t text;
  dmd_strbuf_init(&text, profile->env);
  dmd_frame_shown(&text, &profile->frames, frame);
  dmd_out_safe(out, text.text);
  dmd_strbuf_destroy(&text);
}

/* `#01: main (main.c:2)` on a line of its own. Frames are counted from 0. */
static void print_frame(dmd_out_t *out, const char *indent, size_t i, const dmd_profile_t *profile,
                        uint32_t frame) {
  dmd_out_str(out, indent);
  dmd_out_str(out, i + 1 < 10 ? "#0" : "#");
  dmd_out_u64(out, i + 1);
  dmd_out_str(out, ": ");
  dmd_print_frame_text(out, profile, frame);
  dmd_out_char(out, '\n');
}

void dmd_print_stack_opening(dmd_out_t *out, const char *what) {
  dmd_out_str(out, "  ");
  dmd_out_str(out, what);
  dmd_out_str(out, what[0] != '\0' ? " at {\n" : "At {\n");
}

void dmd_print_frames(dmd_out_t *out, const char *indent, const dmd_profile_t *profile,
                      const uint32_t *frames, size_t first, size_t end) {
  for (size_t i = first; i < end; i++)
    print_frame(out, indent, i, profile, frames[i]);
}

void dmd_print_left_out(dmd_out_t *out, uint32_t n, uint32_t shown, const char *one,
                        const char *many) {
  if (shown >= n)
    return;
  dmd_out_str(out, "# and ");
  dmd_out_u64(out, n - shown);
  dmd_out_str(out, n - shown == 1 ? one : many);
  dmd_out_str(out, " (--max-records=all shows them)\n");
}

void dmd_print_bytes(dmd_out_t *out, uint64_t bytes) {
  dmd_print_unsigned(out, bytes);
  dmd_out_str(out, bytes == 1 ? " byte" : " bytes");
}

void dmd_print_amounts_words(dmd_out_t *out, const dmd_fault_t *fault) {
  bool too_few = fault->claimed < fault->measured;
  dmd_print_bytes(out, fault->claimed);
  bool is_size = fault->kind == DMD_FAULT_SIZE_FUNCTION;
  dmd_out_str(out, is_size                          ? " returned, "
                   : fault->kind == DMD_FAULT_CLAIM ? " claimed, "
                                                    : " published, ");
  dmd_print_bytes(out, fault->measured);
  dmd_out_str(out, is_size ? " found: " : " measured: ");
  dmd_print_bytes(out, dmd_distance(fault->claimed, fault->measured));
  dmd_out_str(out, too_few ? " too few" : " too many");
}

void dmd_print_amounts(dmd_out_t *out, const char *indent, const dmd_fault_t *fault) {
  dmd_out_str(out, indent);
  dmd_print_amounts_words(out, fault);
  dmd_out_char(out, '\n');
}

void dmd_print_quoted(dmd_out_t *out, const char *s) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "/._-+:,@%=";
  if (*s != '\0' && s[dmd_str_span(s, plain)] == '\0') {
    dmd_out_str(out, s);
    return;
  }
  dmd_out_char(out, '\'');
  while (*s != '\0') {
    size_t n = dmd_str_span_without(s, "'");
    dmd_out_safe_n(out, s, n);
    s += n;
    if (*s == '\'') {
      dmd_out_str(out, "'\\''");
      s++;
    }
  }
  dmd_out_char(out, '\'');
}

/* Where the place begins: " (arena.cc:60)"; n: there is none. */
static size_t find_place(const char *text, size_t n) {
  size_t at = n;
  while (n > 0 && text[n - 1] == ')' && at > 0 && !(text[at] == ' ' && text[at + 1] == '('))
    at--;
  return at == 0 ? n : at;
}

/* Where the parameters begin of the function whose name ends at n, perhaps with " const" or
 * " [clone .part.0]" after them; n: it has none. */
static size_t find_parameters(const char *text, size_t n) {
  size_t end = n, depth = 0;
  while (end > 0 && text[end - 1] != ')')
    end--;
  if (end == 0 || text[end] != ' ')
    return n;
  for (size_t at = end; at > 0; at--) {
    depth += text[at - 1] == ')';
    depth -= text[at - 1] == '(';
    if (depth == 0)
      return at - 1;
  }
  return n;
}

void dmd_print_shortened(dmd_out_t *out, const char *text, size_t max) {
  size_t n = dmd_str_length(text), place = find_place(text, n), first = 0, last = n;
  if (n > max && place < n && n - place <= max / 2) {
    last = find_parameters(text, place);
    first = last + (n - place) > max ? last + (n - place) + 3 - max : 0;
    while ((text[first] & 0xc0) == 0x80)
      first++;
  } else if (n > max) {
    place = n;
    for (last = max - 3; (text[last] & 0xc0) == 0x80;)
      last--;
  }
  dmd_out_str(out, first > 0 ? "..." : "");
  dmd_out_safe_n(out, text + first, last - first);
  dmd_out_str(out, n > max && place == n ? "..." : "");
  dmd_out_safe(out, last < n ? text + place : "");
}

void dmd_print_types(dmd_out_t *out, const dmd_env_t *env, const char *text) {
  dmd_strbuf_t buf;
  dmd_strbuf_init(&buf, env);
  dmd_typename_short(&buf, text);
  dmd_out_safe(out, buf.text);
  dmd_strbuf_destroy(&buf);
}

void dmd_print_wrapped(dmd_out_t *out, const char *text, size_t indent) {
  enum { LAST_COLUMN = 100 };
  size_t column = indent;
  while (*text != '\0') {
    const char *end = dmd_str_find_char(text, ' ');
    size_t n = end != NULL ? (size_t)(end - text) : dmd_str_length(text);
    if (column > indent && column + 1 + n > LAST_COLUMN) {
      dmd_out_char(out, '\n');
      dmd_out_left(out, "", indent);
      column = indent;
    } else if (column > indent) {
      dmd_out_char(out, ' ');
      column++;
    }
    dmd_out_bytes(out, text, n);
    column += n;
    text += n + (end != NULL);
  }
  dmd_out_char(out, '\n');
}

void dmd_print_kind(dmd_out_t *out, const dmd_kinds_t *kinds, uint32_t id) {
  dmd_print_types(out, kinds->names.env, dmd_kinds_name(kinds, id));
}
