/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "derive/program/printsuggestions.h"

#include "base/out.h"
#include "derive/suggest/suggest.h"
#include "dmdv/graph/typedgraph.h"
#include "host/message.h"
#include "host/process.h"

#include <stdio.h>

typedef struct {
  dmd_out_t out;
  unsigned n;
} print_t;

static bool write_stdout(void *ctx, const char *bytes, size_t n) {
  (void)ctx;
  return fwrite(bytes, 1, n, stdout) == n;
}

/* file:line:column: DMD_OWNS char *name: evidence */
static void print(void *ctx, const dmd_derive_proposal_t *proposal) {
  print_t *p = ctx;
  const dmd_derive_member_t *member = proposal->member;
  const dmd_derive_place_t *place = member != NULL ? &member->place : &proposal->record->place;
  p->n++;
  dmd_out_safe(&p->out, place->file);
  dmd_out_str(&p->out, ":");
  dmd_out_u64(&p->out, place->line);
  dmd_out_str(&p->out, ":");
  dmd_out_u64(&p->out, place->column);
  dmd_out_str(&p->out, ": ");
  if (member == NULL)
    dmd_out_safe(&p->out, proposal->record->spelling);
  else
    dmd_out_safe(&p->out, member->name);
  dmd_out_str(&p->out, ": ");
  dmd_out_safe(&p->out, proposal->words[0] != '\0' ? proposal->words : "no proposal");
  dmd_out_str(&p->out, ": ");
  dmd_out_safe(&p->out, proposal->evidence);
  dmd_out_str(&p->out, "\n");
}

int dmd_derive_suggest_for(const dmd_derive_model_t *model, const char *graph,
                           const char *debug_dir) {
  const dmdv_typedgraph_options_t options = {.with_types = true, .debug_dir = debug_dir};
  dmdv_typedgraph_t typed;
  dmd_fail_t fail;
  print_t p = {.n = 0};
  if (!dmdv_typedgraph_open(&typed, graph, &options, &fail)) {
    dmdv_error_in(graph, &fail);
    return 2;
  }
  dmd_out_init(&p.out, write_stdout, NULL);
  dmd_derive_suggest(model, &typed.typing, &typed.heap, print, &p);
  dmd_out_flush(&p.out);
  dmdv_typedgraph_close(&typed);
  if (p.n == 0)
    dmdv_error("no struct in these headers has a pointer without a word");
  return p.n > 0 ? 0 : 1;
}
