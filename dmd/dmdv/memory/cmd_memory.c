/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv memory: the memory of programs that run, as their reporters and the system know it.
 */
#include "base/strbuf.h"
#include "dmdv/commandline/commands.h"
#include "dmdv/commandline/sharedoptions.h"
#include "dmdv/input/profilefile.h"
#include "dmdv/memory/askreporters.h"
#include "dmdv/memory/memoryserver.h"
#include "dmdv/memory/systemtrees.h"
#include "dmdv/run/controlled.h"
#include "dmdv/view/htmlpage.h"
#include "host/output.h"
#include "host/process.h"
#include "show/export/export.h"
#include "show/text/text_tree.h"
#include "show/text/tree_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_PROCESSES = 4096 };

typedef struct {
  const char *output; /* NULL: print */
  const char *old;    /* file to compare with; NULL: none */
  const char *listen; /* address; NULL: do not listen */
  bool all, children, anonymize, verbose, json, no_pager, view;
  unsigned format;
  uint32_t seconds, watch; /* watch: 0: once */
  uint32_t max_records;    /* of JSON; 0: all */
  dmdv_files_t operands;
} options_t;

enum { TREE, OPENMETRICS }; /* of --format */

static const dmd_option_t options[] = {
    {"output", "FILE", NULL,
     "write a file that about:memory and dmdv tree read; gzipped if FILE ends in .gz",
     DMD_OPTION_TEXT, DMD_OPTION_AT(options_t, output), .letter = 'o', .is_file = true},
    {"diff", "FILE", NULL, "show what changed since FILE, which --output wrote", DMD_OPTION_TEXT,
     DMD_OPTION_AT(options_t, old), .is_file = true},
    {"format", "tree|openmetrics", "tree",
     "a tree for people, or OpenMetrics for Prometheus and compatible programs", DMD_OPTION_WORD,
     DMD_OPTION_AT(options_t, format)},
    {"listen", "ADDRESS:PORT", NULL,
     "answer Prometheus at http://ADDRESS:PORT/metrics, for example 127.0.0.1:9100; whoever can "
     "reach the port can read the metrics",
     DMD_OPTION_TEXT, DMD_OPTION_AT(options_t, listen)},
    {"watch", "SECONDS", NULL,
     "show the tree again and again, with so many seconds in between, until the processes have "
     "ended; a terminal shows changed lines in bold",
     DMD_OPTION_NUMBER, DMD_OPTION_AT(options_t, watch), .least = 1, .most = 86400},
    DMDV_SWITCH(options_t, view, "view",
                "show the trees as a page in a browser, which fetches them from dmdv until you "
                "interrupt it; with --watch again and again, with --diff also FILE; with --listen "
                "nothing is opened, and the page's address is printed"),
    DMDV_SWITCH(options_t, all, "all",
                "also show the machine's memory: what each process uses of it, with shared memory "
                "divided among its users, and what is free"),
    DMDV_SWITCH(options_t, children, "children", "also show the processes' children, and theirs"),
    DMDV_SWITCH(options_t, anonymize, "anonymize",
                "leave out private strings, such as the names of files"),
    {"verbose", NULL, NULL, "show every path, however small, and amounts in bytes",
     DMD_OPTION_SWITCH, DMD_OPTION_AT(options_t, verbose), .letter = 'v'},
    DMDV_JSON_OPTION(options_t, json, "print the trees as JSON"),
    DMDV_MAX_RECORDS_OF_JSON_OPTION(options_t, max_records),
    {"timeout", "SECONDS", "10", "how long to wait for each process's reporters", DMD_OPTION_NUMBER,
     DMD_OPTION_AT(options_t, seconds), .least = 1, .most = 86400},
    DMDV_NO_PAGER_OPTION(options_t, no_pager),
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv memory [OPTION...] PID...\n"
             "       dmdv memory --all [OPTION...]\n\n"
             "Shows the memory of programs that run as trees, in the notation of Firefox's\n"
             "about:memory: what their memory reporters measure just now, if they use the\n"
             "library dmd-reporters, and what the system knows of every process: resident\n"
             "memory, and the trees size, rss, pss and swap of its mappings.\n\n"
             "The exit status is 0, or 2 for a wrong command line or file, 3 if a process does\n"
             "not exist or the system denies access to it, 4 if a process's reporters do not\n"
             "answer in time. What is known is shown in any case.\n\n",
     .options = &table},
    {0},
};

/* ---- Processes. ---- */

typedef struct {
  uint32_t pids[MAX_PROCESSES];
  uint32_t n;
} processes_t;

/* False: a number is wrong. */
static bool read_processes(const options_t *o, processes_t *processes) {
  processes->n = 0;
  for (int i = 0; i < o->operands.n && processes->n < MAX_PROCESSES; i++) {
    uint32_t pid = dmdv_read_pid("memory", o->operands.names[i]);
    if (pid == 0)
      return false;
    bool is_known = false;
    for (uint32_t k = 0; k < processes->n; k++)
      is_known = is_known || processes->pids[k] == pid;
    if (!is_known)
      processes->pids[processes->n++] = pid;
  }
  if (o->children)
    processes->n = dmdv_system_descendants(processes->pids, processes->n, MAX_PROCESSES);
  return true;
}

/* Returns the exit status. */
static int add_process(dmd_amounts_t *m, uint32_t pid, const options_t *o) {
  char *process = dmdv_system_name(pid);
  bool has_library;
  int status = 0;
  dmd_strbuf_t notes;
  if (process == NULL) {
    dmdv_error("memory: process %" PRIu32 " does not exist", pid);
    return DMDV_NOT_ASKED;
  }
  dmd_strbuf_init(&notes, &dmdv_env);
  if (!dmdv_system_add(m, pid, process, o->anonymize, &has_library)) {
    dmdv_error("memory: the system denies access to the mappings of process %" PRIu32, pid);
    status = DMDV_NOT_ASKED;
  } else if (!has_library) {
    dmd_strbuf_str(&notes, "note: the program has no reporters that can be asked: it does not use "
                           "the library dmd-reporters, or has not started it\n");
  } else {
    dmdv_asked_t asked = dmdv_ask_reporters(m, pid, process, o->anonymize, o->seconds, &notes);
    status = asked == DMDV_ASKED_TOO_SLOW ? DMDV_NO_ANSWER : 0;
  }
  dmd_amounts_add_note(m, process, notes.text);
  dmd_strbuf_destroy(&notes);
  dmd_env_free(&dmdv_env, process);
  return status;
}

/* ---- Output. ---- */

typedef struct {
  const options_t *options;
  const dmd_amounts_t *amounts;
} shown_t;

static void print_tree(const shown_t *shown, dmd_out_t *out) {
  bool is_empty = shown->options->old != NULL && shown->amounts->n_order == 0;
  dmd_tree_print(out, shown->amounts, is_empty ? "no difference\n" : "", shown->options->verbose);
}

static void print(void *ctx, dmd_out_t *out) {
  const shown_t *shown = ctx;
  if (shown->options->json) {
    dmd_jsonout_t j;
    dmd_jsonout_init(&j, out);
    dmd_tree_json(&j, shown->amounts, shown->options->verbose);
  } else if (shown->options->format == OPENMETRICS) {
    dmd_export_amounts_openmetrics(shown->amounts, out);
  } else {
    print_tree(shown, out);
  }
}

static bool write_file(const char *name, const dmd_amounts_t *m) {
  dmdv_output_t *file = dmdv_output_open(name, dmdv_output_is_gzip(name));
  dmd_out_t out;
  if (file == NULL)
    return false;
  dmd_out_init(&out, dmdv_output_write, file);
  dmd_export_amounts(m, &out);
  dmd_out_flush(&out);
  return dmdv_output_close(file, true);
}

static bool say_path(const char *path, const char *why) {
  return dmdv_error("memory: \"%.80s%s\" %s", path, strlen(path) > 80 ? "..." : "", why);
}

/* Subtracts the values in the file. */
static bool subtract(dmd_amounts_t *m, const char *name) {
  dmd_amounts_t old;
  dmd_fail_t fail = {0};
  const char *path, *why;
  dmd_amounts_init(&old, &dmdv_env, true);
  bool good = dmdv_load_reports(&old, name, &fail) || dmdv_error_in(name, &fail);
  good = good && ((why = dmd_amounts_subtract(m, &old, &path)) == NULL || say_path(path, why));
  dmd_amounts_destroy(&old);
  return good;
}

/* Makes the amounts ready to be shown. Readers of the file compute heap-unclassified themselves. */
static bool prepare(dmd_amounts_t *m, const options_t *o) {
  const char *path, *why;
  if (o->output == NULL || o->old != NULL)
    dmd_amounts_complete(m);
  if (o->old != NULL && !subtract(m, o->old))
    return false;
  return (why = dmd_amounts_settle(m, &path)) == NULL || say_path(path, why);
}

/* Measures. Returns the exit status; *any: whether there is something to show. */
static int measure(dmd_amounts_t *m, const options_t *o, bool *any) {
  static processes_t processes;
  int status = 0;
  *any = o->all;
  if (!read_processes(o, &processes))
    return 2;
  if (o->all)
    dmdv_system_add_machine(m);
  for (uint32_t i = 0; i < processes.n; i++) {
    int result = add_process(m, processes.pids[i], o);
    *any = *any || result != DMDV_NOT_ASKED;
    status = result > status ? result : status;
  }
  if (*any && !prepare(m, o))
    status = 2;
  return status;
}

static bool show_amounts(const options_t *o, const dmd_amounts_t *m) {
  shown_t shown = {o, m};
  return o->json ? dmdv_output_print_json(NULL, !o->no_pager, DMD_TREE_JSON_LISTS, o->max_records,
                                          print, &shown)
                 : dmdv_output_print(NULL, !o->no_pager, print, &shown);
}

static int show_once(const options_t *o) {
  dmd_amounts_t m;
  bool any;
  dmd_amounts_init(&m, &dmdv_env, o->old != NULL);
  int status = measure(&m, o, &any);
  if (any && status != 2 && !(o->output != NULL ? write_file(o->output, &m) : show_amounts(o, &m)))
    status = 2;
  dmd_amounts_destroy(&m);
  return status;
}

/* ---- Watching. ---- */

static bool has_line(const char *text, const char *line, size_t n) {
  for (; text[0] != '\0'; text += strcspn(text, "\n"), text += text[0] != '\0')
    if (strcspn(text, "\n") == n && memcmp(text, line, n) == 0)
      return true;
  return false;
}

/* Replaces the previous text, with the changes in bold. */
static bool redraw(const char *before, const char *text) {
  size_t n;
  fputs("\x1b[H\x1b[J", stdout);
  for (; text[0] != '\0'; text += n + 1) {
    n = strcspn(text, "\n");
    bool is_new = before[0] != '\0' && !has_line(before, text, n);
    printf("%s%.*s%s\n", is_new ? "\x1b[1m" : "", (int)n, text, is_new ? "\x1b[0m" : "");
    if (text[n] == '\0')
      break;
  }
  return fflush(stdout) == 0;
}

/* Returns the exit status; negative: go on. */
static int show_again(const options_t *o, dmd_strbuf_t *before) {
  dmd_amounts_t m;
  dmd_strbuf_t text;
  dmd_out_t out;
  bool any, good = true;
  dmd_strbuf_init(&text, &dmdv_env);
  dmd_amounts_init(&m, &dmdv_env, o->old != NULL);
  int status = measure(&m, o, &any);
  bool goes_on = any && status != 2;
  if (goes_on) {
    dmd_out_init(&out, dmd_strbuf_write, &text);
    print_tree(&(shown_t){o, &m}, &out);
    dmd_out_flush(&out);
    good = dmdv_is_terminal() ? redraw(before->text, text.text)
                              : fputs(text.text, stdout) >= 0 && fflush(stdout) == 0;
  }
  dmd_strbuf_cut(before, 0);
  dmd_strbuf_str(before, text.text);
  dmd_amounts_destroy(&m);
  dmd_strbuf_destroy(&text);
  return !good ? 2 : goes_on ? -1 : status;
}

static int watch(const options_t *o) {
  dmd_strbuf_t before;
  int status;
  dmd_strbuf_init(&before, &dmdv_env);
  while ((status = show_again(o, &before)) < 0)
    sleep(o->watch);
  dmd_strbuf_destroy(&before);
  return status;
}

/* ---- Serving. ---- */

/* Only about:memory computes heap-unclassified itself. */
static bool serve(const options_t *o, dmd_strbuf_t *text,
                  void (*put)(const dmd_amounts_t *m, dmd_out_t *out)) {
  dmd_amounts_t m;
  dmd_out_t out;
  bool any;
  options_t measured = *o;
  measured.output = put == dmd_export_amounts ? "" : NULL;
  measured.old = NULL;
  dmd_amounts_init(&m, &dmdv_env, false);
  bool good = measure(&m, &measured, &any) != 2 && any;
  if (good) {
    dmd_out_init(&out, dmd_strbuf_write, text);
    put(&m, &out);
    dmd_out_flush(&out);
  }
  dmd_amounts_destroy(&m);
  return good;
}

static bool serve_metrics(void *ctx, dmd_strbuf_t *text) {
  return serve(ctx, text, dmd_export_amounts_openmetrics);
}

static bool serve_memory(void *ctx, dmd_strbuf_t *text) {
  return serve(ctx, text, dmd_export_amounts);
}

static void show_page(const char *address) {
  dmdv_page_show(address);
}

/* The file to compare with, as about:memory writes it. */
static bool read_old(const char *name, dmd_strbuf_t *text) {
  dmd_amounts_t old;
  dmd_fail_t fail = {0};
  const char *path, *why;
  dmd_out_t out;
  dmd_amounts_init(&old, &dmdv_env, false);
  bool good = dmdv_load_reports(&old, name, &fail) || dmdv_error_in(name, &fail);
  good = good && ((why = dmd_amounts_settle(&old, &path)) == NULL || say_path(path, why));
  if (good) {
    dmd_out_init(&out, dmd_strbuf_write, text);
    dmd_export_amounts(&old, &out);
    dmd_out_flush(&out);
  }
  dmd_amounts_destroy(&old);
  return good;
}

static int serve_all(options_t *o) {
  static const char ANY_PORT[] = "127.0.0.1:0";
  dmdv_served_t served = {
      .ctx = o, .metrics = serve_metrics, .memory = serve_memory, .every = o->watch};
  dmdv_page_t page;
  dmd_strbuf_t text, old;
  bool good = true;
  dmd_strbuf_init(&text, &dmdv_env);
  dmd_strbuf_init(&old, &dmdv_env);
  if (o->view) {
    served.page = &text;
    served.ready = o->listen == NULL ? show_page : NULL;
    good = dmdv_page_open(&page, NULL);
    if (good)
      dmdv_page_write_alone(&page, dmd_strbuf_write, &text);
    dmdv_page_close(&page);
  }
  if (good && o->old != NULL) {
    served.old = &old;
    good = read_old(o->old, &old);
  }
  int status = good ? dmdv_serve_memory(o->listen != NULL ? o->listen : ANY_PORT, &served) : 2;
  dmd_strbuf_destroy(&old);
  dmd_strbuf_destroy(&text);
  return status;
}

static int run(int argc, char **argv) {
  options_t o = {0};
  int status = dmdv_read_command_line(&dmdv_memory_command, &o, argc, argv, &o.operands);
  if (status >= 0)
    return status;
  if (o.operands.n < 1 && !o.all)
    dmdv_error("memory: give one or more process ids, or --all; see dmdv memory --help");
  else if (o.output != NULL && (o.old != NULL || o.json))
    dmdv_error("memory: --output works neither with --diff nor with --json");
  else if (o.format == OPENMETRICS && (o.output != NULL || o.old != NULL || o.json))
    dmdv_error("memory: --format=openmetrics works neither with --output, --diff nor --json");
  else if (o.view && (o.output != NULL || o.json || o.format == OPENMETRICS))
    dmdv_error("memory: --view works neither with --output, --json nor --format=openmetrics");
  else if (o.view)
    return serve_all(&o);
  else if (o.watch > 0 && (o.output != NULL || o.json || o.format == OPENMETRICS))
    dmdv_error("memory: --watch works neither with --output, --json nor --format=openmetrics");
  else if (o.listen != NULL && (o.output != NULL || o.old != NULL || o.json || o.watch > 0))
    dmdv_error("memory: --listen without --view works neither with --output, --diff, --json nor "
               "--watch");
  else if (o.listen != NULL)
    return serve_all(&o);
  else
    return o.watch > 0 ? watch(&o) : show_once(&o);
  return 2;
}

const dmdv_command_t dmdv_memory_command = {
    "memory", "show the memory of programs that run, as about:memory does", parts, run};
