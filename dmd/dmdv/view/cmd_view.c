/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv view: writes profiles and heap graphs as one page for a browser.
 */
#include "dmdv/commandline/commands.h"
#include "dmdv/commandline/recordoptions.h"
#include "dmdv/commandline/sharedoptions.h"
#include "dmdv/view/htmlpage.h"
#include "dmdv/view/viewfiles.h"
#include "host/process.h"

#include "base/limits.h"
#include "base/path.h"

#include <string.h>

typedef struct {
  const char *output; /* NULL: named after the first file */
  const char *page;   /* NULL: the built-in one */
  bool open;
  bool page_only;
  unsigned graphs, moment;
  const char **alloc_fns;
  dmdv_view_options_t view;
  dmdv_files_t files;
} options_t;

static bool take_alloc_fn(void *target, const char *value, dmd_strbuf_t *why) {
  options_t *o = target;
  return dmdv_add_alloc_fn(&o->view.load.frame_view, o->alloc_fns, value, why);
}

static const dmd_option_t options[] = {
    DMDV_OUTPUT_OPTION(options_t, output, NULL,
                       "write the page to FILE; default: the name of the first FILE with .html, in "
                       "the current folder"),
    {"open", NULL, NULL, "open the page in a browser", DMD_OPTION_SWITCH,
     DMD_OPTION_AT(options_t, open)},
    {"page-only", NULL, NULL,
     "write the page without data, as dmd.html: it shows files that are dropped on it, and works "
     "on a web server",
     DMD_OPTION_SWITCH, DMD_OPTION_AT(options_t, page_only)},
    DMDV_PAGE_OPTION(options_t, page),
    {"graphs", "no|yes", "yes", "include the heap graphs of the profiles", DMD_OPTION_WORD,
     DMD_OPTION_AT(options_t, graphs)},
    {"moment", "auto|end|peak", "auto",
     "the records with which the page opens, as for dmdv print; the page has all of them",
     DMD_OPTION_WORD, DMD_OPTION_AT(options_t, moment)},
    {"anonymize", NULL, NULL,
     "replace names of functions, files, reporters and the like, each name always by the same word",
     DMD_OPTION_SWITCH, DMD_OPTION_AT(options_t, view.anonymize)},
    {"source", "FOLDER", NULL,
     "include the source lines around each frame, from files below FOLDER", DMD_OPTION_TEXT,
     DMD_OPTION_AT(options_t, view.source), .is_file = true},
    DMDV_MAX_FRAMES_OPTION(options_t, view.max_frames,
                           DMDV_FRAMES_COMPARED ", until the reader of the page changes that"),
    DMDV_IGNORE_ALLOC_FNS_OPTION(options_t, view.load.ignore_alloc_fns),
    DMDV_ALLOC_FN_OPTION(take_alloc_fn),
    DMDV_FULL_NAMES_OPTION(options_t, view.load.frame_view),
    DMDV_TYPEDGRAPH_OPTIONS(options_t, view.graph),
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv view [OPTION...] FILE...\n"
             "       dmdv view --page-only [-o OUT.html]\n\n"
             "Writes one HTML page that shows FILEs in a browser: profiles and heap graphs,\n"
             "which may be gzipped. It needs no server and no network. - is standard input,\n"
             "which must be a profile.\n\n",
     .options = &table},
    {0},
};

/* ---- The page's name. ---- */

/* Endings of file names, the longest first. */
static const char *const endings[] = {".json.gz", ".graph.gz", ".json", ".graph", ".gz"};

/* Shows "runs/dmd.out.1234.json.gz" as "dmd.out.1234". */
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

/* ---- Writing. ---- */

static bool fill(void *ctx, dmd_write_fn write, void *write_ctx) {
  const options_t *o = ctx;
  return dmdv_viewfiles_write(&o->files, &o->view, write, write_ctx);
}

static bool write_page(options_t *o, const dmdv_page_t *page, const char *name) {
  dmdv_output_t *file = dmdv_output_open(name, false);
  if (file == NULL)
    return false;
  bool good = true;
  if (o->page_only) {
    dmdv_page_write_alone(page, dmdv_output_write, file);
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
  return dmdv_output_close(file, good) && good;
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
    good = dmdv_page_show(name.text);
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
    return dmdv_error("view: give one or more files; see dmdv view --help");
  if (o->files.n > DMD_MAX_VIEW_FILES)
    return dmdv_error("view: %d files are too many for a page; it holds %d", o->files.n,
                      DMD_MAX_VIEW_FILES);
  if (o->view.anonymize && o->view.source != NULL)
    return dmdv_error("view: --source shows what --anonymize hides; give only one of them");
  return n_stdin <= 1 || dmdv_error("view: only one of the files can be standard input");
}

static int run(int argc, char **argv) {
  options_t o = {0};
  o.alloc_fns = dmd_env_alloc(&dmdv_env, "dmdv.alloc_fns", (size_t)argc * sizeof *o.alloc_fns);
  int status = dmdv_read_command_line(&dmdv_view_command, &o, argc, argv, &o.files);
  o.view.with_graphs_beside = o.graphs;
  o.view.load.moment = DMD_MOMENT_ALL;
  o.view.moment = dmdv_moments[o.moment];
  o.view.graph.frame_view = o.view.load.frame_view;
  if (status < 0)
    status = check_options(&o) && view(&o) ? 0 : 2;
  dmd_env_free(&dmdv_env, o.alloc_fns);
  return status;
}

const dmdv_command_t dmdv_view_command = {"view", "show profiles and heap graphs in a browser",
                                          parts, run};
