/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv view: profiles and heap graphs as one page for a browser.
 */
#include "reader/command/child.h"
#include "reader/command/commands.h"
#include "reader/command/options.h"
#include "reader/command/page.h"
#include "reader/command/viewfiles.h"
#include "reader/host/host.h"
#include "reader/host/message.h"

#include "base/limits.h"
#include "base/path.h"

#include <string.h>

typedef struct {
  const char *output; /* NULL: named after the first file */
  const char *page;   /* NULL: the one that was built in */
  bool open;
  bool page_only;
  unsigned graphs;
  const char **alloc_fns;
  dmdv_view_options_t view;
  dmdv_files_t files;
} options_t;

static bool take_alloc_fn(void *target, const char *value, dmd_strbuf_t *why) {
  options_t *o = target;
  return dmdv_add_alloc_fn(&o->view.load.frame_view, o->alloc_fns, value, why);
}

static const dmd_option_t options[] = {
    {"output", "FILE", NULL,
     "write there; without it in this folder, under the name of the first FILE with .html",
     DMD_OPTION_TEXT, DMD_OPTION_AT(options_t, output), .letter = 'o', .is_file = true},
    {"open", NULL, NULL, "open the page in a browser", DMD_OPTION_SWITCH,
     DMD_OPTION_AT(options_t, open)},
    {"page-only", NULL, NULL,
     "write the page without data, as dmd.html: it reads files that are dropped on it, and may be "
     "put on a server",
     DMD_OPTION_SWITCH, DMD_OPTION_AT(options_t, page_only)},
    {"page", "FILE", NULL, "put the data into this page, which another dmdv wrote with --page-only",
     DMD_OPTION_TEXT, DMD_OPTION_AT(options_t, page), .is_file = true},
    {"graphs", "no|yes", "yes", "take heap graphs that lie beside the profiles too",
     DMD_OPTION_WORD, DMD_OPTION_AT(options_t, graphs)},
    {"anonymize", NULL, NULL,
     "replace names of functions, files, reporters and the like: the same name always by the same",
     DMD_OPTION_SWITCH, DMD_OPTION_AT(options_t, view.anonymize)},
    {"source", "FOLDER", NULL,
     "show the lines of source around each frame, from files below FOLDER", DMD_OPTION_TEXT,
     DMD_OPTION_AT(options_t, view.source), .is_file = true},
    {"max-frames", "N", DMD_FRAMES_SHOWN,
     "frames that tell stacks apart, and that are shown, until the reader of the page wants others",
     DMD_OPTION_NUMBER, DMD_OPTION_AT(options_t, view.max_frames), .letter = 'f', .least = 1,
     .most = DMD_MAX_SHOWN},
    {"ignore-alloc-fns", NULL, NULL, "leave out allocation functions at the start of stacks",
     DMD_OPTION_SWITCH, DMD_OPTION_AT(options_t, view.load.ignore_alloc_fns), .letter = 'a'},
    {"alloc-fn", "PATTERN", NULL,
     "a function that matches only allocates for its callers; may be given several times",
     DMD_OPTION_OWN, .take = take_alloc_fn},
    {"full-names", NULL, NULL, "names of functions as they are, however long", DMD_OPTION_SWITCH,
     DMD_OPTION_AT(options_t, view.load.frame_view.full_names)},
    DMDV_TYPEDGRAPH_OPTIONS(options_t, view.graph),
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv view [OPTION...] FILE...\n"
             "       dmdv view --page-only [-o OUT.html]\n"
             "\n"
             "Writes one HTML page that shows FILEs in a browser: profiles and heap graphs,\n"
             "gzipped or not. It needs no server and no network. - is standard input, which\n"
             "must be a profile.\n"
             "\n",
     .options = &table},
    {0},
};

/* ---- The page's name. ---- */

/* Endings of names, the longest first. */
static const char *const endings[] = {".json.gz", ".graph.gz", ".json", ".graph", ".gz"};

/* "runs/dmd.out.1234.json.gz" is shown as "dmd.out.1234". */
static void put_plain_name(dmd_strbuf_t *to, const char *name) {
  const char *base = strcmp(name, "-") == 0 ? "dmd" : dmd_path_base(name);
  size_t n = strlen(base);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    size_t ending = strlen(endings[i]);
    if (n > ending && strcmp(base + n - ending, endings[i]) == 0) {
      n -= ending;
      break;
    }
  }
  dmd_strbuf_bytes(to, base, n);
}

static void put_title(dmd_strbuf_t *to, const dmdv_files_t *files) {
  put_plain_name(to, files->names[0]);
  if (files->n > 1) {
    dmd_strbuf_str(to, " and ");
    dmd_strbuf_u64(to, (uint64_t)files->n - 1);
    dmd_strbuf_str(to, " more");
  }
}

/* ---- Writing and opening. ---- */

static bool fill(void *ctx, dmd_write_fn write, void *write_ctx) {
  const options_t *o = ctx;
  return dmdv_viewfiles_write(&o->files, &o->view, write, write_ctx);
}

static bool write_page(options_t *o, const dmdv_page_t *page, const char *name) {
  dmdv_outfile_t *file = dmdv_outfile_open(name, false);
  if (file == NULL)
    return false;
  bool good = true;
  if (o->page_only) {
    dmdv_page_write_alone(page, file);
  } else {
    dmd_strbuf_t title;
    dmd_strbuf_init(&title, &dmdv_env);
    if (o->view.anonymize)
      dmd_strbuf_str(&title, "anonymous");
    else
      put_title(&title, &o->files);
    good = dmdv_page_write(page, file, title.text, fill, o);
    dmd_strbuf_destroy(&title);
  }
  return dmdv_outfile_close(file, good) && good;
}

/* Whatever the system opens HTML files with. */
static bool open_page(const char *name) {
  const char *const argv[] = {"xdg-open", name, NULL};
  int error, status = dmdv_child_run(argv, NULL, true, &error);
  return status == 0 || dmdv_error("view: xdg-open could not open %s%s%s", name,
                                   error != 0 ? ": " : "", error != 0 ? strerror(error) : "");
}

static bool view(options_t *o) {
  dmdv_page_t page;
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, &dmdv_env);
  if (o->output != NULL)
    dmd_strbuf_str(&name, o->output);
  else if (o->page_only)
    dmd_strbuf_str(&name, "dmd");
  else
    put_plain_name(&name, o->files.names[0]);
  if (o->output == NULL)
    dmd_strbuf_str(&name, ".html");
  bool good = dmdv_page_open(&page, o->page) && write_page(o, &page, name.text);
  if (good)
    dmdv_note("wrote %s", name.text);
  if (good && o->open)
    good = open_page(name.text);
  dmdv_page_close(&page);
  dmd_strbuf_destroy(&name);
  return good;
}

static bool check_options(const options_t *o) {
  int n_stdin = 0;
  for (int i = 0; i < o->files.n; i++)
    n_stdin += strcmp(o->files.names[i], "-") == 0;
  if (o->page_only && o->files.n > 0)
    return dmdv_error("view: --page-only takes no files; see dmdv view --help");
  if (!o->page_only && o->files.n == 0)
    return dmdv_error("view: give one file, or more; see dmdv view --help");
  if (o->files.n > DMD_MAX_VIEW_FILES)
    return dmdv_error("view: %d files are more than a page has room for, %d", o->files.n,
                      DMD_MAX_VIEW_FILES);
  if (o->view.anonymize && o->view.source != NULL)
    return dmdv_error("view: --source shows what --anonymize hides; give one of them");
  return n_stdin <= 1 || dmdv_error("view: standard input can be one of the files only");
}

static int run(int argc, char **argv) {
  options_t o = {0};
  o.alloc_fns = dmd_env_alloc(&dmdv_env, "dmdv.alloc_fns", (size_t)argc * sizeof *o.alloc_fns);
  int status = dmdv_read_command_line(&dmdv_view_command, &o, argc, argv, &o.files);
  o.view.with_graphs_beside = o.graphs;
  o.view.graph.frame_view = o.view.load.frame_view;
  if (status < 0)
    status = check_options(&o) && view(&o) ? 0 : 2;
  dmd_env_free(&dmdv_env, o.alloc_fns);
  return status;
}

const dmdv_command_t dmdv_view_command = {"view", "show profiles and heap graphs in a browser",
                                          parts, run};
