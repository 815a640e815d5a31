/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/printer.h"

#include "base/str.h"

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

bool dmd_print_unseen(dmd_out_t *out, const dmd_run_t *run) {
  bool is_unseen = run->is_known && run->n_allocs == 0 && run->sample_interval == 0;
  if (is_unseen)
    dmd_out_str(
        out, "\nNo allocation was seen: the program is linked statically or brings an allocator of "
             "its own.\nSee Valgrind's --soname-synonyms, and the manual on allocators.\n");
  return is_unseen;
}

void dmd_print_opening(const dmd_printer_t *p, const char *name, const char *colour) {
  if (p->colour)
    dmd_out_str(p->out, colour);
  dmd_print_capitalized(p->out, name);
  if (p->colour)
    dmd_out_str(p->out, "\x1b[0m");
  dmd_out_str(p->out, " {\n");
}

/* True for a stack that tests cannot compare because it differs between machines. */
static bool is_of_dmd(const dmd_printer_t *p, const uint32_t *frames, size_t n) {
  int n_found = 0;
  for (size_t i = 0; i < n && n_found < 3; i++)
    n_found += dmd_str_find(dmd_frames_text(&p->profile->frames, frames[i]), "DMD") != NULL;
  return n_found == 3;
}

void dmd_print_stack(const dmd_printer_t *p, const char *what, uint32_t stack) {
  size_t n;
  const uint32_t *frames = dmd_records_frames(p->records, stack, &n);
  dmd_print_stack_opening(p->out, what);
  if (stack == DMD_NONE)
    dmd_out_str(p->out, "    #01: (no stack trace recorded due to --stacks=partial)\n");
  else if (p->for_testing && is_of_dmd(p, frames, n))
    dmd_out_str(p->out, "    #01: ... DMD.cpp ...\n");
  else
    dmd_print_frames(p->out, "    ", p->profile, frames, 0, n);
  dmd_out_str(p->out, "  }\n");
}
