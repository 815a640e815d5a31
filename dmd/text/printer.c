/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text/printer.h"

#include "base/format.h"
#include "base/mem.h"

void dmd_print_number(dmd_out_t *out, int64_t v, bool sampled) {
  char buf[DMD_FORMAT_MAX];
  dmd_format_commas(buf, v);
  if (sampled)
    dmd_out_char(out, '~');
  dmd_out_str(out, buf);
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

void dmd_print_name(const dmd_printer_t *p, uint32_t name) {
  dmd_out_safe(p->out, dmd_intern_get_str(&p->profile->names, name));
}

void dmd_print_reporter(const dmd_printer_t *p, uint32_t name) {
  if (name == DMD_NONE)
    return;
  dmd_out_str(p->out, "  Reporter: ");
  dmd_print_name(p, name);
  dmd_out_char(p->out, '\n');
}

void dmd_print_opening(const dmd_printer_t *p, const char *name, const char *colour) {
  if (p->colour)
    dmd_out_str(p->out, colour);
  dmd_print_capitalized(p->out, name);
  if (p->colour)
    dmd_out_str(p->out, "\x1b[0m");
  dmd_out_str(p->out, " {\n");
}

static void print_frames(const dmd_printer_t *p, const uint32_t *frames, size_t n) {
  for (size_t i = 0; i < n; i++) {
    dmd_out_str(p->out, i + 1 < 10 ? "    #0" : "    #");
    dmd_out_u64(p->out, i + 1);
    dmd_out_str(p->out, ": ");
    dmd_out_safe(p->out, dmd_intern_get_str(&p->profile->frames, frames[i]));
    dmd_out_char(p->out, '\n');
  }
}

static bool contains(const char *text, const char *what) {
  size_t n = dmd_str_length(what), n_text = dmd_str_length(text);
  for (size_t i = 0; i + n <= n_text; i++)
    if (dmd_mem_equal(text + i, what, n))
      return true;
  return false;
}

/* Whether the stack is one that tests cannot compare: it differs from machine to machine. */
static bool is_of_dmd(const dmd_printer_t *p, const uint32_t *frames, size_t n) {
  int n_found = 0;
  for (size_t i = 0; i < n && n_found < 3; i++)
    n_found += contains(dmd_intern_get_str(&p->profile->frames, frames[i]), "DMD");
  return n_found == 3;
}

void dmd_print_stack(const dmd_printer_t *p, const char *what, uint32_t stack) {
  size_t n;
  const uint32_t *frames = dmd_records_frames(p->records, stack, &n);
  dmd_out_str(p->out, "  ");
  dmd_out_str(p->out, what);
  dmd_out_str(p->out, " {\n");
  if (stack == DMD_NONE)
    dmd_out_str(p->out, "    #01: (no stack trace recorded due to --stacks=partial)\n");
  else if (p->for_testing && is_of_dmd(p, frames, n))
    dmd_out_str(p->out, "    #01: ... DMD.cpp ...\n");
  else
    print_frames(p, frames, n);
  dmd_out_str(p->out, "  }\n");
}
