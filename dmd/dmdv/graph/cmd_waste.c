/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv waste: shows what the blocks of a heap graph waste, and what to do about it.
 */
#include "analyse/limits/size.h"
#include "dmdv/commandline/commands.h"
#include "dmdv/graph/graphcommand.h"
#include "host/process.h"
#include "show/text/text_waste.h"

typedef struct {
  dmdv_graph_options_t graph; /* first */
  uint32_t kinds;             /* 0: all */
  dmd_waste_by_t by;
  uint64_t least_szB;
} options_t;

static bool take_size(void *target, const char *value, dmd_strbuf_t *why) {
  options_t *options = target;
  dmd_size_t size;
  const char *reason = dmd_size_parse(value, &size);
  if (reason == NULL && (size.is_percent || size.has_plus))
    reason = "must be a number of bytes";
  if (reason != NULL)
    dmd_strbuf_str(why, reason);
  else
    options->least_szB = size.value;
  return reason == NULL;
}

static const dmd_option_t options[] = {
    {"kind", DMD_WASTE_KIND_WORDS, NULL,
     "only this kind of waste; may be given several times (default: all)", DMD_OPTION_WORD_BIT,
     DMD_OPTION_AT(options_t, kinds)},
    {"by", DMD_WASTE_BY_WORDS, "finding",
     "add up what the findings would save, by their kind, type, or the function, file or library "
     "that allocated the blocks",
     DMD_OPTION_WORD, DMD_OPTION_AT(options_t, by)},
    {"min-bytes", "SIZE", "4KB", /* DMD_WASTE_LEAST_SZB */
     "leave out findings that would save less", DMD_OPTION_OWN, .take = take_size},
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv waste [OPTION...] FILE\n\n"
             "Shows what could be saved in a heap graph, which dmd writes with --graph=yes:\n"
             "how many bytes, in which blocks, and what to do. FILE may be gzipped; - is\n"
             "standard input.\n\n"
             "  lost        no variable leads to the block\n"
             "  constant    all bytes of the block are equal\n"
             "  duplicate   another block has the same type and contents\n"
             "  container   capacity of a container that is not in use\n"
             "  untouched   the second half or more of the block is zero\n"
             "  padding     holes in a struct that another order of members avoids\n"
             "  small       blocks of at most 32 bytes that cost the allocator a third more\n"
             "  slop        the allocator's rounding: usable minus requested bytes\n"
             "  pinned      pages in memory are mostly free, but not returned to the system\n"
             "              since the block lies on them; with the native engine\n\n",
     .options = &table},
    {.options = &dmdv_graph_option_table},
    {0},
};

typedef struct {
  const options_t *options;
  dmd_waste_t waste;
} result_t;

static void print(void *ctx, dmd_out_t *out) {
  const result_t *result = ctx;
  const options_t *o = result->options;
  if (o->graph.json)
    dmd_waste_json(out, &result->waste, o->by);
  else
    dmd_waste_print(out, &result->waste, o->by, o->graph.max_rows);
}

static bool show_file(options_t *o) {
  dmdv_graph_t graph;
  if (!dmdv_graph_open(&graph, o->graph.files.names[0], &o->graph))
    return false;
  result_t result = {.options = o};
  dmd_records_t records;
  bool *picks = dmdv_graph_picks(&graph, &o->graph);
  dmd_waste_options_t limits = {
      .kinds = o->kinds != 0 ? o->kinds : ~0u, .least_szB = o->least_szB, .picks = picks};
  dmd_records_init(&records, &graph.typed.heap.profile, o->graph.max_frames, DMD_SORT_USABLE);
  dmd_waste_init(&result.waste, &graph.keys, &records, &limits);
  bool good = dmdv_graph_show(&o->graph, print, &result);
  dmd_waste_destroy(&result.waste);
  dmd_records_destroy(&records);
  dmd_env_free(&dmdv_env, picks);
  dmdv_graph_close(&graph);
  return good;
}

static int run(int argc, char **argv) {
  options_t o = {0};
  int status = dmdv_graph_options_read(&o.graph, sizeof o, &dmdv_waste_command, argc, argv);
  o.graph.lists = "findings,rows";
  if (status < 0)
    status = dmdv_graph_check_files("waste", &o.graph, 1) && show_file(&o) ? 0 : 2;
  dmdv_graph_options_destroy(&o.graph);
  return status;
}

const dmdv_command_t dmdv_waste_command = {
    "waste", "show what could be saved in a heap graph, and how", parts, run};
