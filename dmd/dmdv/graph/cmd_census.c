/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv census: counts the blocks of a heap graph by what they are, or compares two graphs.
 */
#include "dmdv/commandline/commands.h"
#include "dmdv/graph/graphcommand.h"

typedef struct {
  dmdv_graph_options_t graph; /* first */
  dmd_census_by_t by;
} options_t;

static bool take_by(void *target, const char *value, dmd_strbuf_t *why) {
  options_t *options = target;
  return dmd_census_by_parse(&options->by, value, why);
}

static const dmd_option_t options[] = {
    {"by", "KEY[,KEY...]", "type",
     "keys to count by, the later ones within the rows of the earlier: type, stack, function, "
     "file, library, reporter, state, tag, thread, size, root, holder",
     DMD_OPTION_OWN, .take = take_by, .words = DMD_NODEKEY_WORDS, .joint = ','},
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv census [OPTION...] FILE\n"
             "       dmdv census [OPTION...] OLD NEW\n\n"
             "Counts the blocks of a heap graph, which dmd writes with --graph=yes, by type\n"
             "or other properties: every block once, every byte in one block. With two\n"
             "graphs, counts how much more (or, if negative, less) there is in NEW than in\n"
             "OLD. FILE may be gzipped; - is standard input.\n\n",
     .options = &table},
    {.options = &dmdv_graph_option_table},
    {0},
};

static int run(int argc, char **argv) {
  options_t o;
  int status = dmdv_graph_options_read(&o.graph, sizeof o, &dmdv_census_command, argc, argv);
  if (status < 0)
    status =
        dmdv_graph_check_files("census", &o.graph, 2) && dmdv_graph_census(&o.graph, &o.by) ? 0 : 2;
  dmdv_graph_options_destroy(&o.graph);
  return status;
}

const dmdv_command_t dmdv_census_command = {
    "census", "count the blocks of a heap graph by type and more", parts, run};
