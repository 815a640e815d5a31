/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/format.h"
#include "dmd-config.h"
#include "dmdv/commandline/commands.h"
#include "dmdv/commandline/sharedoptions.h"
#include "dmdv/commandline/show.h"
#include "dmdv/graph/typedgraph.h"
#include "dmdv/push/export_otlp.h"
#include "dmdv/push/export_pprof.h"
#include "dmdv/push/labels.h"
#include "host/output.h"
#include "host/process.h"
#include "show/export/exportmetrics.h"
#include "show/export/heapsnapshot.h"

/* Exports a heap graph for the memory tools of browsers. */

typedef struct {
  dmd_export_heapsnapshot_fn write;
  dmdv_typedgraph_options_t graph;
  bool gzip;
  const char *output; /* NULL: standard output */
  uint32_t max_nodes; /* at least 1 */
} graph_export_t;

/* Reports what the snapshot leaves out. */
static void say_what_is_missing(const dmd_heapsnapshot_t *s) {
  char n[DMD_FORMAT_MAX], szB[DMD_FORMAT_MAX];
  if (s->shown.up_to > 0) {
    dmd_format_commas(n, s->graph->graph.n_nodes);
    dmd_format_commas(szB, (int64_t)s->shown.up_to);
    dmdv_note("export: %s nodes are too many: siblings that retain up to %s bytes each are merged, "
              "which leaves %" PRIu32,
              n, szB, s->shown.n_nodes);
  }
  if (!s->shown.fits)
    dmdv_note("export: the graph is still larger than its readers accept");
  if (s->n_too_large > 0)
    dmdv_note("export: %" PRIu32
              " nodes larger than 4 GiB are written with 4 GiB, the format's limit",
              s->n_too_large);
}

static bool write_snapshot(dmd_heapsnapshot_t *snapshot, const graph_export_t *export) {
  dmdv_output_t *file =
      dmdv_output_open(export->output, export->gzip || dmdv_output_is_gzip(export->output));
  if (file == NULL)
    return false;
  dmd_out_t out;
  dmd_out_init(&out, dmdv_output_write, file);
  export->write(snapshot, &out);
  dmd_out_flush(&out);
  if (!dmdv_output_close(file, true))
    return false;
  say_what_is_missing(snapshot);
  return true;
}

/* Writes the graph in this file. Reports on stderr what is left out, and errors. */
static bool save_graph(const char *name, const graph_export_t *export) {
  dmdv_typedgraph_t graph;
  if (!dmdv_typedgraph_open_or_say(&graph, name, &export->graph))
    return false;
  dmd_heapsnapshot_t snapshot;
  dmd_heapsnapshot_init(&snapshot, &graph.heap, &graph.typing, export->max_nodes);
  bool good = write_snapshot(&snapshot, export);
  dmd_heapsnapshot_destroy(&snapshot);
  dmdv_typedgraph_close(&graph);
  return good;
}

/* dmdv export: writes a profile or a heap graph in another program's format. */

#ifndef DMD_HAVE_PROTOBUF
#define dmdv_export_otlp NULL
#define dmdv_export_pprof NULL
#endif

/* One of the functions, or only the metrics; all empty if this build lacks the format. */
typedef struct {
  dmd_export_fn write;
  dmd_export_heapsnapshot_fn write_graph; /* for a heap graph */
  bool has_peak;                          /* writes the peak beside the dump */
  bool is_figures;                        /* writes the metrics of each file, in this format: */
  dmd_metrics_format_t figures;
  bool gzip; /* always, whatever the file's name */
  const char *what;
} format_t;

/* Their names and descriptions, in the same order. */
static const char format_names[] = "pprof|otlp|collapsed|speedscope|dhat|callgrind|about-memory|"
                                   "openmetrics|benchmark|heapsnapshot|fxsnapshot";
static const format_t formats[] = {
    {.write = dmdv_export_pprof,
     .has_peak = true,
     .gzip = true,
     .what = "Google's pprof, Parca, Pyroscope"},
    {.write = dmdv_export_otlp, .has_peak = true, .what = "OpenTelemetry's collectors, by OTLP"},
    {.write = dmd_export_collapsed, .what = "flame graphs: flamegraph.pl FILE"},
    {.write = dmd_export_speedscope, .has_peak = true, .what = "speedscope.app: speedscope FILE"},
    {.write = dmd_export_dhat,
     .has_peak = true,
     .what = "Valgrind's dh_view.html, the Firefox Profiler"},
    {.write = dmd_export_callgrind,
     .has_peak = true,
     .what = "KCachegrind, Valgrind's callgrind_annotate"},
    {.write = dmd_export_about_memory, .what = "Firefox's about:memory, its Load button"},
    {.is_figures = true, .figures = DMD_METRICS_OPENMETRICS, .what = "metrics for Prometheus"},
    {.is_figures = true,
     .figures = DMD_METRICS_BENCHMARK,
     .what = "metrics for GitHub's benchmark actions"},
    {.write_graph = dmd_export_heapsnapshot, .what = "heap graphs for Chrome's DevTools, memlab"},
    {.write_graph = dmd_export_fxsnapshot,
     .gzip = true,
     .what = "heap graphs for Firefox's Memory panel"},
};
enum { FORMAT_PPROF, FORMAT_OTLP, N_FORMATS = sizeof formats / sizeof formats[0] };

typedef struct {
  unsigned format;       /* N_FORMATS: not given */
  dmd_section_t section; /* DMD_N_SECTIONS: not given */
  unsigned roots;        /* bits of dmd_label_t */
  const char *output;    /* NULL: standard output */
  dmdv_labels_t labels;
  uint32_t max_nodes; /* 0: as many as the format's readers accept */
  dmdv_typedgraph_options_t graph;
  dmd_load_options_t load;
  dmdv_files_t files;
} options_t;

/* A name can have only one value, whether dmdv or the user sets it: that is all that stores
 * accept. */
static bool take_label(void *target, const char *value, dmd_strbuf_t *why) {
  static const char *const own[] = {"status",          "tag",    "reporter",
                                    "second_reporter", "thread", "process"};
  options_t *o = target;
  size_t n = strcspn(value, "=");
  for (size_t i = 0; value[n] == '=' && i < sizeof own / sizeof *own; i++)
    if (strlen(own[i]) == n && strncmp(own[i], value, n) == 0) {
      dmd_strbuf_str(why, "dmdv sets this label itself");
      return false;
    }
  if (value[n] == '=' && dmdv_labels_has(&o->labels, value, n)) {
    dmd_strbuf_str(why, "this label is given twice");
    return false;
  }
  return dmdv_labels_add(&o->labels, value, "letters, digits, _ and, with otlp, dots", why);
}

static const dmd_option_t options[] = {
    {"format", format_names, NULL, "one of these", DMD_OPTION_WORD,
     DMD_OPTION_AT(options_t, format), .letter = 'F'},
    DMDV_OUTPUT_OPTION(options_t, output, NULL,
                       DMDV_TO_FILE DMDV_GZIPPED ", and always with pprof and fxsnapshot"),
    DMDV_IGNORE_ALLOC_FNS_OPTION(options_t, load.ignore_alloc_fns),
    DMDV_END_OR_PEAK_OPTION(
        options_t, load.moment,
        DMDV_END_OR_PEAK "; end, in pprof, otlp, speedscope, dhat and callgrind: of one file both"),
    {"section", "twice|unreported|once|all", NULL,
     "with collapsed: only blocks of this report state; default: all", DMD_OPTION_WORD,
     DMD_OPTION_AT(options_t, section)},
    {"root", "reporter|tag|thread", NULL,
     "with collapsed and speedscope: begin each stack with a frame for this; may be given several "
     "times",
     DMD_OPTION_WORD_BIT, DMD_OPTION_AT(options_t, roots)},
    {"label", "NAME=VALUE", NULL,
     "with pprof and otlp: add a label to each sample, or in otlp to the program, such as "
     "build=cafe, for profile stores; may be given several times",
     DMD_OPTION_OWN, .take = take_label},
    {"max-nodes", "N", NULL,
     "with heapsnapshot and fxsnapshot: merge the smallest parts of a larger graph until this many "
     "nodes are left; default: as much as the tools can read, 16 million nodes and 512 MiB",
     DMD_OPTION_NUMBER, DMD_OPTION_AT(options_t, max_nodes), .least = 1,
     .most = DMD_HEAPSNAPSHOT_MAX_NODES},
    DMDV_TYPEDGRAPH_OPTIONS(options_t, graph),
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static void add_formats(dmd_strbuf_t *text) {
  const char *name;
  size_t n;
  for (unsigned i = 0; (name = dmd_option_word(&options[0], i, &n)) != NULL; i++) {
    char line[128];
    snprintf(line, sizeof line, "  %-13.*s %s\n", (int)n, name, formats[i].what);
    dmd_strbuf_str(text, line);
  }
}

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv export --format=FORMAT [OPTION...] FILE...\n\n"
             "Writes a profile in the format of another program. FILE is a profile of dmd or\n"
             "of Firefox's DMD, and may be gzipped; - is standard input. With several FILEs,\n"
             "such as those of a program's processes, the output has all, each under the name\n"
             "of its process. Some formats are for one heap graph, which dmd writes with\n"
             "--graph=yes.\n\n"
             "formats:\n",
     .add_text = add_formats},
    {.text = "\n"
             "options:\n",
     .options = &table},
    {0},
};

/* Rejects options that do not apply to the format. */
static bool check_format(const options_t *o, const format_t *format) {
  if (o->section != DMD_N_SECTIONS && format->write != dmd_export_collapsed)
    return dmdv_error("export: --section works with --format=collapsed only");
  if (o->roots != 0 && format->write != dmd_export_collapsed &&
      format->write != dmd_export_speedscope)
    return dmdv_error("export: --root works with --format=collapsed or speedscope only");
  if (o->max_nodes != 0 && format->write_graph == NULL)
    return dmdv_error("export: --max-nodes works with --format=heapsnapshot or fxsnapshot only");
  if (o->labels.n != 0 && o->format != FORMAT_PPROF && o->format != FORMAT_OTLP)
    return dmdv_error("export: --label works with --format=pprof or otlp only");
  for (size_t i = 0; i < o->labels.n; i++)
    if (o->format == FORMAT_PPROF && strchr(o->labels.all[i].key, '.') != NULL)
      return dmdv_error("export: --label=%s: names with a dot work with --format=otlp only",
                        o->labels.all[i].key);
  if (o->load.ignore_alloc_fns && (format->write_graph != NULL || format->is_figures))
    return dmdv_error(
        "export: --ignore-alloc-fns works only with formats that have the stacks of profiles");
  return true;
}

static bool check_options(const options_t *o) {
  if (o->format == N_FORMATS)
    return dmdv_error("export: give --format=FORMAT; see dmdv export --help");
  const format_t *format = &formats[o->format];
  if (!check_format(o, format))
    return false;
  if (format->write == NULL && format->write_graph == NULL && !format->is_figures)
    return dmdv_error("export: this dmdv was built without protobuf-c, which this format needs");
  if (o->files.n < 1)
    return dmdv_error("export: give one or more files; see dmdv export --help");
  if (o->files.n > 1 && format->write_graph != NULL)
    return dmdv_error("export: give one heap graph; see dmdv export --help");
  if (format->gzip && o->output == NULL && isatty(STDOUT_FILENO))
    return dmdv_error(
        "export: this format is binary and standard output is a terminal; give -o FILE");
  return true;
}

static void say_why(const options_t *o, const char *why) {
  size_t n;
  const char *name = dmd_option_word(&options[0], o->format, &n);
  dmdv_error("%.*s: a memory report of this profile %s", (int)n, name, why);
}

/* Writes n profiles; only about:memory's format takes more than one. */
static bool write_profiles(const dmd_profile_t *profiles, size_t n, const options_t *o) {
  const format_t *format = &formats[o->format];
  if (profiles->mode != DMD_MODE_DARK_MATTER && o->section < DMD_SECTION_ALL)
    return dmdv_error("export: --section needs a profile of mode dark-matter; this one has mode %s",
                      dmd_mode_name(profiles->mode));
  dmdv_output_t *file = dmdv_output_open(o->output, format->gzip || dmdv_output_is_gzip(o->output));
  if (file == NULL)
    return false;
  dmd_out_t out;
  dmd_out_init(&out, dmdv_output_write, file);
  bool is_part = o->section < DMD_SECTION_ALL;
  dmd_export_options_t export = {.section = is_part ? o->section : DMD_SECTION_ALL,
                                 .roots = o->roots,
                                 .exporter = "dmdv " DMD_VERSION,
                                 .labels = o->labels.all,
                                 .n_labels = o->labels.n};
  const char *why = n > 1 ? dmd_export_processes(profiles, o->files.names, n, &out)
                          : format->write(profiles, &out, &export);
  if (why == NULL)
    dmd_out_flush(&out);
  else
    say_why(o, why);
  return dmdv_output_close(file, why == NULL) && why == NULL;
}

static bool export_each(const options_t *o) {
  size_t n = (size_t)o->files.n, n_loaded = 0;
  dmd_load_options_t load = o->load;
  if (formats[o->format].has_peak && load.moment == DMD_MOMENT_END)
    load.moment = DMD_MOMENT_ALL;
  dmd_profile_t *profiles = dmd_env_alloc(&dmdv_env, "dmdv.export", n * sizeof *profiles);
  while (n_loaded < n && dmdv_load_or_say(&profiles[n_loaded], o->files.names[n_loaded], &load))
    n_loaded++;
  bool good = n_loaded == n && write_profiles(profiles, n, o);
  while (n_loaded > 0)
    dmd_profile_destroy(&profiles[--n_loaded]);
  dmd_env_free(&dmdv_env, profiles);
  return good;
}

/* Writes the metrics of each file, one file after the other. */
static bool write_figures(const options_t *o, dmd_metrics_format_t format, dmd_out_t *out) {
  dmd_exportfigures_t figures;
  bool good = true;
  dmd_exportfigures_begin(&figures, &dmdv_env, format, (size_t)o->files.n, out);
  for (int i = 0; i < o->files.n && good; i++) {
    dmd_profile_t profile;
    good = dmdv_load_or_say(&profile, o->files.names[i], &o->load);
    if (!good)
      break;
    const char *why = dmd_exportfigures_add(&figures, &profile);
    good = why == NULL || dmdv_error("export: %s: %s", o->files.names[i], why);
    dmd_profile_destroy(&profile);
  }
  dmd_exportfigures_end(&figures);
  return good;
}

/* Reads all files before it writes anything. */
static bool export_figures(const options_t *o, dmd_metrics_format_t format) {
  dmd_strbuf_t text;
  dmd_out_t out;
  dmd_strbuf_init(&text, &dmdv_env);
  dmd_out_init(&out, dmd_strbuf_write, &text);
  bool good = write_figures(o, format, &out) && dmd_out_flush(&out);
  dmdv_output_t *file = good ? dmdv_output_open(o->output, dmdv_output_is_gzip(o->output)) : NULL;
  if (file != NULL) {
    good = dmdv_output_write(file, text.text, text.n);
    good = dmdv_output_close(file, true) && good;
  }
  dmd_strbuf_destroy(&text);
  return file != NULL && good;
}

/* Exports all files as one profile that keeps the processes apart. */
static bool export_merged(const options_t *o) {
  dmd_merge_t merge;
  bool good =
      dmdv_merge_files(&merge, &o->files, true, &o->load) && write_profiles(&merge.profile, 1, o);
  dmd_merge_destroy(&merge);
  return good;
}

static bool export_graph(const options_t *o, const format_t *format) {
  graph_export_t export = {.write = format->write_graph,
                           .graph = o->graph,
                           .gzip = format->gzip,
                           .output = o->output,
                           .max_nodes =
                               o->max_nodes > 0 ? o->max_nodes : DMD_HEAPSNAPSHOT_MAX_NODES};
  return save_graph(o->files.names[0], &export);
}

static bool export_files(const options_t *o) {
  const format_t *format = &formats[o->format];
  if (format->write_graph != NULL)
    return export_graph(o, format);
  if (format->is_figures)
    return export_figures(o, format->figures);
  bool each = o->files.n == 1 || format->write == dmd_export_about_memory;
  return each ? export_each(o) : export_merged(o);
}

static int run(int argc, char **argv) {
  options_t o = {.format = N_FORMATS, .section = DMD_N_SECTIONS};
  int status = dmdv_read_command_line(&dmdv_export_command, &o, argc, argv, &o.files);
  if (status < 0)
    status = check_options(&o) && export_files(&o) ? 0 : 2;
  dmdv_labels_destroy(&o.labels);
  return status;
}

const dmdv_command_t dmdv_export_command = {"export", "write a profile in another program's format",
                                            parts, run};
