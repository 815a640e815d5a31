/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/text_tree.h"

#include "analyse/tree/tree.h"
#include "base/format.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "show/text/print.h"

/* ---- Amounts. ---- */

static size_t put_digits2(char *buf, unsigned v) {
  buf[0] = (char)('0' + v / 10 % 10);
  buf[1] = (char)('0' + v % 10);
  return 2;
}

/* Writes hundredths. The sign is separate, so that negative amounts that round to zero keep it. */
static size_t put_hundredths(char *buf, bool negative, uint64_t hundredths) {
  char number[DMD_FORMAT_MAX];
  dmd_format_commas(number, (int64_t)(hundredths / 100));
  size_t n = dmd_format_str(buf, negative ? "-" : "");
  n += dmd_format_str(buf + n, number);
  n += dmd_format_str(buf + n, ".");
  return n + put_digits2(buf + n, (unsigned)(hundredths % 100));
}

/* A size in hundredths of 2^shift bytes. */
static uint64_t hundredths_of(uint64_t szB, unsigned shift) {
  uint64_t unit = UINT64_C(1) << shift;
  return (szB >> shift) * 100 + (((szB & (unit - 1)) * 100 + unit / 2) >> shift);
}

size_t dmd_format_amount(char buf[DMD_AMOUNT_MAX], int64_t amount, dmd_memreport_units_t units,
                         bool verbose) {
  enum { KB_SHIFT = 10, MB_SHIFT = 20 };
  uint64_t size = dmd_magnitude(amount);
  if (units == DMD_MEMREPORT_PERCENTAGE) {
    size_t n = put_hundredths(buf, amount < 0, size);
    return n + dmd_format_str(buf + n, "%");
  }
  if (units == DMD_MEMREPORT_BYTES && !verbose) {
    uint64_t in_mb = hundredths_of(size, MB_SHIFT), in_kb = hundredths_of(size, KB_SHIFT);
    bool is_small = in_mb == 0 && in_kb > 0;
    if (is_small || in_mb > 0 || size == 0) {
      size_t n = put_hundredths(buf, amount < 0, is_small ? in_kb : in_mb);
      return n + dmd_format_str(buf + n, is_small ? " KB" : " MB");
    }
  }
  char number[DMD_FORMAT_MAX];
  dmd_format_commas(number, amount);
  size_t n = dmd_format_str(buf, number);
  return n + dmd_format_str(buf + n, units == DMD_MEMREPORT_BYTES ? " B" : "");
}

/* part / whole * 10^digits, rounded. This is a long division in which ten times the whole must not
 * overflow, so the last bits are dropped from 2^59 on. */
static uint64_t scaled_ratio(uint64_t part, uint64_t whole, int digits) {
  while (whole >> 59 != 0) {
    whole >>= 1;
    part >>= 1;
  }
  uint64_t ratio = part / whole, remainder = part % whole;
  for (; digits > 0; digits--) {
    remainder *= 10;
    ratio = ratio * 10 + remainder / whole;
    remainder %= whole;
  }
  return ratio + (remainder * 2 >= whole);
}

void dmd_format_share(char buf[DMD_AMOUNT_MAX], int64_t part, int64_t whole) {
  uint64_t p = dmd_magnitude(part), w = dmd_magnitude(whole);
  size_t n = dmd_format_str(buf, w > 0 && (part < 0) != (whole < 0) && part != 0 ? "-" : "");
  if (w == 0) {
    n += dmd_format_str(buf + n, "100.0");
  } else if (p / w >= UINT64_C(1000000000000)) {
    /* Too large for the digits below; such a part is marked as wrong anyway. */
    char number[DMD_FORMAT_MAX];
    dmd_format_fixed(number, 100.0 * (double)p / (double)w, 1);
    n += dmd_format_str(buf + n, number);
  } else if (scaled_ratio(p, w, 4) >= 10000) {
    uint64_t tenths = scaled_ratio(p, w, 3);
    char number[DMD_FORMAT_MAX];
    dmd_format_u64(number, tenths / 10);
    n += dmd_format_str(buf + n, number);
    buf[n++] = '.';
    buf[n++] = (char)('0' + tenths % 10);
  } else {
    unsigned hundredths = (unsigned)scaled_ratio(p, w, 4);
    n += put_digits2(buf + n, hundredths / 100);
    buf[n++] = '.';
    n += put_digits2(buf + n, hundredths % 100);
  }
  dmd_format_str(buf + n, "%");
}

/* ---- Trees. ---- */

/* ---- Lines. ---- */

typedef struct {
  dmd_out_t *out;
  const dmd_env_t *env;
  const dmd_trees_t *trees;
  bool verbose;
  const dmd_treecolumns_t *columns; /* printed before each line; NULL: none */
  size_t *widths;                   /* widths of the columns */
  dmd_strbuf_t prefix;              /* the vertical lines left of the current node */
  dmd_strbuf_t name;                /* scratch */
} printer_t;

static void add_prefix(printer_t *p, const char *text, size_t blanks) {
  dmd_strbuf_str(&p->prefix, text);
  for (; blanks > 0; blanks--)
    dmd_strbuf_str(&p->prefix, " ");
}

static void print_name(printer_t *p, const dmd_node_t *node) {
  if (node->name != NULL) {
    dmd_strbuf_cut(&p->name, 0);
    dmd_path_show(&p->name, node->name);
    dmd_out_safe(p->out, p->name.text);
  } else {
    dmd_out_char(p->out, '(');
    dmd_out_u64(p->out, node->n_kids);
    dmd_out_str(p->out, " tiny)");
  }
}

static void print_marks(const printer_t *p, const dmd_node_t *node) {
  if (node->is_invalid)
    dmd_out_str(p->out, " [?!]");
  if (node->times > 1) {
    dmd_out_str(p->out, " [");
    dmd_out_u64(p->out, node->times);
    dmd_out_char(p->out, ']');
  }
  if (node->shared != 0) {
    char whole[DMD_AMOUNT_MAX];
    dmd_format_amount(whole, node->amount + node->shared, node->units, p->verbose);
    dmd_out_str(p->out, " [whole: ");
    dmd_out_str(p->out, whole);
    dmd_out_char(p->out, ']');
  }
  if (node->first_kid == DMD_NONE && node->presence != DMD_IN_BOTH)
    dmd_out_str(p->out, node->presence == DMD_IN_NEW ? " [+]" : " [-]");
}

/* By how many characters this node's value is shorter than its parent's. */
static size_t shortfall(const printer_t *p, const dmd_node_t *node) {
  if (node->parent == DMD_NONE)
    return 0;
  uint8_t wanted = dmd_trees_at(p->trees, node->parent)->value_n;
  return wanted > node->value_n ? (size_t)(wanted - node->value_n) : 0;
}

/* ---- Columns. ---- */

static void put_column(const printer_t *p, uint32_t i, const char *text) {
  dmd_out_right(p->out, text, p->widths[i]);
  dmd_out_str(p->out, "  ");
}

static const char *cell(const printer_t *p, uint32_t id, uint32_t i, char text[DMD_AMOUNT_MAX]) {
  const dmd_treecolumns_t *c = p->columns;
  size_t place = (size_t)(id - 1) * c->n + i;
  if (!c->are_there[place])
    return "-";
  dmd_format_amount(text, c->amounts[place], dmd_trees_at(p->trees, id)->units, p->verbose);
  return text;
}

static void print_cells(const printer_t *p, uint32_t id) {
  char text[DMD_AMOUNT_MAX];
  for (uint32_t i = 0; p->columns != NULL && i < p->columns->n; i++)
    put_column(p, i, cell(p, id, i, text));
}

/* `[1]`, as in the list of processes. */
static void number_column(char text[DMD_FORMAT_MAX + 2], uint32_t i) {
  text[0] = '[';
  size_t n = 1 + dmd_format_u64(text + 1, (uint64_t)i + 1);
  text[n] = ']';
  text[n + 1] = '\0';
}

static void print_heads(const printer_t *p) {
  char text[DMD_FORMAT_MAX + 2];
  if (p->columns == NULL)
    return;
  for (uint32_t i = 0; i < p->columns->n; i++) {
    number_column(text, i);
    put_column(p, i, text);
  }
  dmd_out_str(p->out, "all\n");
}

static void measure_columns(printer_t *p) {
  char text[DMD_AMOUNT_MAX > DMD_FORMAT_MAX + 2 ? DMD_AMOUNT_MAX : DMD_FORMAT_MAX + 2];
  for (uint32_t i = 0; i < p->columns->n; i++) {
    number_column(text, i);
    p->widths[i] = dmd_str_length(text);
    for (uint32_t id = 1; id <= p->trees->nodes.last; id++) {
      size_t n = dmd_str_length(cell(p, id, i, text));
      p->widths[i] = n > p->widths[i] ? n : p->widths[i];
    }
  }
}

/* ---- A node. ---- */

static void print_node(printer_t *p, uint32_t id) {
  char value[DMD_AMOUNT_MAX], share[DMD_AMOUNT_MAX];
  dmd_node_t *node = dmd_trees_at(p->trees, id);
  print_cells(p, id);
  node->value_n = (uint8_t)dmd_format_amount(value, node->amount, node->units, p->verbose);
  dmd_out_bytes(p->out, p->prefix.text, p->prefix.n);
  if (node->parent != DMD_NONE) {
    dmd_out_str(p->out, node->next != DMD_NONE ? "├──" : "└──");
    for (size_t i = shortfall(p, node); i > 0; i--)
      dmd_out_str(p->out, "─");
  }
  dmd_out_str(p->out, value);
  if (!node->is_single) {
    dmd_format_share(share, node->amount, dmd_trees_at(p->trees, node->root)->amount);
    dmd_out_str(p->out, " (");
    dmd_out_str(p->out, share);
    dmd_out_char(p->out, ')');
  }
  if (node->first_kid == DMD_NONE)
    dmd_out_str(p->out, " ── ");
  else
    dmd_out_str(p->out, node->is_hidden ? " ++ " : " -- ");
  print_name(p, node);
  print_marks(p, node);
  dmd_out_char(p->out, '\n');
}

/* Moves to the node whose line comes next; DMD_NONE after the last of the tree. */
static uint32_t step(printer_t *p, uint32_t id) {
  dmd_node_t *node = dmd_trees_at(p->trees, id);
  node->prefix_szB = p->prefix.n;
  if (node->first_kid != DMD_NONE && !node->is_hidden) {
    if (node->parent != DMD_NONE)
      add_prefix(p, node->next != DMD_NONE ? "│  " : "   ", shortfall(p, node));
    return node->first_kid;
  }
  while (node->parent != DMD_NONE && node->next == DMD_NONE)
    node = dmd_trees_at(p->trees, node->parent);
  dmd_strbuf_cut(&p->prefix, node->prefix_szB);
  return node->parent != DMD_NONE ? node->next : DMD_NONE;
}

static void print_tree(printer_t *p, uint32_t root) {
  for (uint32_t id = root; id != DMD_NONE; id = step(p, id))
    print_node(p, id);
}

/* ---- Warnings. ---- */

/* Prints the path of a node, whose parents have to be followed upwards. */
static void print_path(printer_t *p, uint32_t id) {
  uint32_t n = 0;
  for (uint32_t up = id; up != DMD_NONE; up = dmd_trees_at(p->trees, up)->parent)
    n++;
  uint32_t *way = dmd_env_alloc(p->env, "dmd.tree.way", n * sizeof *way);
  for (uint32_t i = n, up = id; i > 0; up = dmd_trees_at(p->trees, up)->parent)
    way[--i] = up;
  for (uint32_t i = 0; i < n; i++) {
    dmd_out_str(p->out, i == 0 ? "  " : "/");
    print_name(p, dmd_trees_at(p->trees, way[i]));
  }
  dmd_out_char(p->out, '\n');
  dmd_env_free(p->env, way);
}

static void print_warning(printer_t *p) {
  if (!p->trees->any_invalid)
    return;
  dmd_out_str(p->out, "warning: these amounts are negative or larger than the whole of which they "
                      "are parts, so\nsomething was counted wrongly, for example twice:\n");
  for (uint32_t id = 1; id <= p->trees->nodes.last; id++)
    if (dmd_trees_at(p->trees, id)->is_invalid)
      print_path(p, id);
}

/* ---- Sections. ---- */

/* Paths without '/' have a line each, with aligned names. */
static void print_singles(printer_t *p, uint32_t first) {
  char value[DMD_AMOUNT_MAX];
  size_t width = 0;
  for (uint32_t id = first; id != DMD_NONE; id = dmd_trees_at(p->trees, id)->next) {
    const dmd_node_t *node = dmd_trees_at(p->trees, id);
    size_t n = dmd_format_amount(value, node->amount, node->units, p->verbose);
    width = n > width ? n : width;
  }
  for (uint32_t id = first; id != DMD_NONE; id = dmd_trees_at(p->trees, id)->next) {
    const dmd_node_t *node = dmd_trees_at(p->trees, id);
    dmd_strbuf_cut(&p->prefix, 0);
    add_prefix(p, "", width - dmd_format_amount(value, node->amount, node->units, p->verbose));
    print_node(p, id);
  }
}

/* All roots, in their order: explicit, the other trees, the single lines. */
static void print_trees(printer_t *p) {
  uint32_t id = p->trees->first_root;
  if (id != DMD_NONE && !dmd_trees_at(p->trees, id)->is_single &&
      dmd_str_equal(dmd_trees_at(p->trees, id)->name, "explicit")) {
    dmd_out_str(p->out, "Explicit Allocations\n\n");
    print_heads(p);
    print_tree(p, id);
    dmd_out_char(p->out, '\n');
    id = dmd_trees_at(p->trees, id)->next;
  }
  if (id == DMD_NONE)
    return;
  dmd_out_str(p->out, "Other Measurements\n\n");
  print_heads(p);
  for (; id != DMD_NONE && !dmd_trees_at(p->trees, id)->is_single;
       id = dmd_trees_at(p->trees, id)->next) {
    print_tree(p, id);
    dmd_out_char(p->out, '\n');
  }
  if (id != DMD_NONE) {
    print_singles(p, id);
    dmd_out_char(p->out, '\n');
  }
}

/* ---- Processes. ---- */

static void print_process(dmd_out_t *out, const dmd_amounts_t *m, const dmd_process_t *process,
                          const char *notes, bool verbose) {
  dmd_trees_t trees;
  dmd_process_trees(process, m, &trees, verbose);
  printer_t p = {.out = out, .env = m->env, .trees = &trees, .verbose = verbose};
  dmd_strbuf_init(&p.prefix, m->env);
  dmd_strbuf_init(&p.name, m->env);
  dmd_out_safe(out, process->name);
  dmd_out_char(out, '\n');
  dmd_out_str(out, notes);
  dmd_out_str(out, dmd_amounts_note(m, m->order[process->from]));
  print_warning(&p);
  dmd_out_char(out, '\n');
  print_trees(&p);
  dmd_out_str(out, "End of ");
  dmd_out_safe(out, process->name);
  dmd_out_char(out, '\n');
  dmd_strbuf_destroy(&p.name);
  dmd_strbuf_destroy(&p.prefix);
  dmd_trees_destroy(&trees);
}

void dmd_tree_print(dmd_out_t *out, const dmd_amounts_t *m, const char *notes, bool verbose) {
  uint32_t n;
  dmd_process_t *processes = dmd_amounts_processes(m, &n);
  for (uint32_t i = 0; i < n; i++) {
    if (i > 0)
      dmd_out_char(out, '\n');
    print_process(out, m, &processes[i], i == 0 ? notes : "", verbose);
  }
  if (n == 0)
    dmd_out_str(out, notes);
  dmd_env_free(m->env, processes);
}

/* ---- All processes together. ---- */

static void print_list(dmd_out_t *out, const dmd_amounts_t *m, const dmd_treecolumns_t *columns) {
  char text[DMD_FORMAT_MAX + 2];
  for (uint32_t i = 0; i < columns->n; i++) {
    number_column(text, i);
    dmd_out_str(out, text);
    dmd_out_char(out, ' ');
    dmd_out_safe(out, columns->processes[i].name);
    dmd_out_char(out, '\n');
    dmd_out_str(out, dmd_amounts_note(m, m->order[columns->processes[i].from]));
  }
}

void dmd_tree_print_columns(dmd_out_t *out, const dmd_amounts_t *m,
                            const dmd_treecolumns_t *columns, bool verbose) {
  printer_t p = {
      .out = out, .env = m->env, .trees = &columns->trees, .verbose = verbose, .columns = columns};
  p.widths = dmd_env_alloc(m->env, "dmd.tree.widths", (columns->n + 1ul) * sizeof *p.widths);
  dmd_strbuf_init(&p.prefix, m->env);
  dmd_strbuf_init(&p.name, m->env);
  measure_columns(&p);
  dmd_out_str(out, "All Processes\n");
  print_list(out, m, columns);
  print_warning(&p);
  dmd_out_char(out, '\n');
  print_trees(&p);
  dmd_out_str(out, "End of All Processes\n");
  dmd_strbuf_destroy(&p.name);
  dmd_strbuf_destroy(&p.prefix);
  dmd_env_free(m->env, p.widths);
}

/* ---- Notes. ---- */

void dmd_tree_print_notes(dmd_out_t *out, const dmd_profile_t *profile,
                          const dmd_coverage_t *coverage, bool verbose) {
  if (profile->mode == DMD_MODE_CUMULATIVE) {
    dmd_out_str(out, "note: mode cumulative: amounts are of all blocks ever allocated.\n");
  } else if (profile->shows_peak) {
    dmd_out_str(out, "note: at the peak: who would have reported a block is not known.\n");
  } else if (profile->mode != DMD_MODE_DARK_MATTER) {
    dmd_out_str(out, "note: mode ");
    dmd_out_str(out, dmd_mode_name(profile->mode));
    dmd_out_str(out, ": no reports were kept.\n");
  }
  if (profile->run.is_known && profile->run.sample_below > 0) {
    dmd_out_str(out, "note: blocks below ");
    dmd_out_u64(out, profile->run.sample_below);
    dmd_out_str(out, " bytes were sampled: amounts are estimates.\n");
  }
  if (profile->run.sample_interval > 0) {
    dmd_out_str(out, "note: one block for each ");
    dmd_out_u64(out, profile->run.sample_interval);
    dmd_out_str(out, " bytes was kept: amounts are estimates.\n");
  }
  if (coverage->twice_szB > 0) {
    char amount[DMD_AMOUNT_MAX];
    dmd_format_amount(amount, coverage->excess_szB, DMD_MEMREPORT_BYTES, verbose);
    dmd_out_str(out, "note: ");
    dmd_out_str(out, amount);
    dmd_out_str(out, " too much is counted below: ");
    dmd_print_count(out, coverage->twice_blocks, false, "block was", "blocks were");
    dmd_out_str(out, " reported more than once. That makes\n"
                     "      heap-unclassified too small by as much. dmdv print shows these "
                     "blocks.\n");
  }
}
