/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/run/written.h"

#include "base/intern.h"
#include "base/sort.h"
#include "dmdv/run/rewrite.h"
#include "host/process.h"
#include "record/engine/filename.h"
#include "record/engine/listing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct dmdv_written {
  dmd_strbuf_t list; /* the temporary file */
  dmd_strbuf_t option;
  dmd_strbuf_t here; /* the current folder with a slash, if names shall be relative to it */
  dmd_intern_t paths;
  dmd_pool_t files; /* file_t, by a path's id */
  dmd_intern_t graph_paths;
  dmd_pool_t graphs; /* dmdv_dump_id_t, by a path's id */
  uint32_t n_lines;  /* lines read or added so far */
  uint32_t *order;   /* ids in the order of their last lines */
};

typedef struct {
  uint32_t last;     /* the last line that names it */
  uint32_t n_writes; /* more than one: by several processes, or by request */
  uint32_t needs_names;
  dmdv_dump_id_t dump; /* of the last write */
} file_t;

static void free_all(dmdv_written_t *written) {
  dmd_env_free(&dmdv_env, written->order);
  dmd_pool_destroy(&written->graphs);
  dmd_intern_destroy(&written->graph_paths);
  dmd_pool_destroy(&written->files);
  dmd_intern_destroy(&written->paths);
  dmd_strbuf_destroy(&written->here);
  dmd_strbuf_destroy(&written->option);
  dmd_strbuf_destroy(&written->list);
  dmd_env_free(&dmdv_env, written);
}

/* ---- The list file. ---- */

/* Appends the current folder with a slash; nothing if it was deleted. */
static void append_here(dmd_strbuf_t *path) {
  char *here = getcwd(NULL, 0);
  if (here == NULL)
    return;
  dmd_strbuf_str(path, here);
  if (strcmp(here, "/") != 0)
    dmd_strbuf_str(path, "/");
  free(here);
}

/* Creates a file in TMPDIR and appends its absolute name: processes of the program may run in other
 * folders. */
static bool make_list(dmd_strbuf_t *list) {
  const char *folder = getenv("TMPDIR");
  if (folder == NULL || folder[0] == '\0')
    folder = "/tmp";
  if (folder[0] != '/')
    append_here(list);
  dmd_strbuf_str(list, folder);
  dmd_strbuf_str(list, "/dmdv.XXXXXX");
  int fd = mkstemp(list->text);
  if (fd < 0)
    return dmdv_error("run: cannot make a temporary file in %s: %s", folder, strerror(errno));
  close(fd);
  return true;
}

/* Doubles percent signs, which have a meaning in names that Valgrind gets. */
static void write_option(dmd_strbuf_t *option, const char *path) {
  dmd_strbuf_str(option, "--dmd-list-file=");
  for (; *path != '\0'; path++)
    dmd_strbuf_bytes(option, *path == '%' ? "%%" : path, *path == '%' ? 2 : 1);
}

dmdv_written_t *dmdv_written_begin(const char *pattern, bool has_list) {
  dmdv_written_t *written = dmd_env_alloc(&dmdv_env, "dmdv.written", sizeof *written);
  memset(written, 0, sizeof *written);
  dmd_strbuf_init(&written->list, &dmdv_env);
  dmd_strbuf_init(&written->option, &dmdv_env);
  dmd_strbuf_init(&written->here, &dmdv_env);
  dmd_intern_init(&written->paths, &dmdv_env, "dmdv.written");
  dmd_pool_init(&written->files, &dmdv_env, "dmdv.written", sizeof(file_t));
  dmd_intern_init(&written->graph_paths, &dmdv_env, "dmdv.written");
  dmd_pool_init(&written->graphs, &dmdv_env, "dmdv.written", sizeof(dmdv_dump_id_t));
  if (has_list && !make_list(&written->list)) {
    free_all(written);
    return NULL;
  }
  if (has_list)
    write_option(&written->option, written->list.text);
  if (pattern[0] != '/')
    append_here(&written->here);
  return written;
}

void dmdv_written_destroy(dmdv_written_t *written) {
  if (written->list.n > 0)
    unlink(written->list.text);
  free_all(written);
}

const char *dmdv_written_option(const dmdv_written_t *written) {
  return written->option.text;
}

/* ---- Its lines. ---- */

static file_t *file_of(const dmdv_written_t *written, uint32_t id) {
  return DMD_POOL_AT(&written->files, file_t, id);
}

const char *dmdv_written_shorten(const dmdv_written_t *written, const char *path) {
  const dmd_strbuf_t *here = &written->here;
  return here->n > 0 && strncmp(path, here->text, here->n) == 0 ? path + here->n : path;
}

void dmdv_written_add(dmdv_written_t *written, const char *path, dmdv_dump_id_t dump,
                      bool needs_names) {
  uint32_t id = dmd_intern_str(&written->paths, path);
  dmd_pool_reach(&written->files, id);
  file_t *file = file_of(written, id);
  file->last = ++written->n_lines;
  file->n_writes++;
  file->needs_names = needs_names;
  file->dump = dump;
}

void dmdv_written_add_graph(dmdv_written_t *written, const char *path, dmdv_dump_id_t dump) {
  uint32_t id = dmd_intern_str(&written->graph_paths, path);
  dmd_pool_reach(&written->graphs, id);
  *DMD_POOL_AT(&written->graphs, dmdv_dump_id_t, id) = dump;
}

static void add_line(dmdv_written_t *written, const char *line, size_t n) {
  dmd_listing_t listing;
  dmd_strbuf_t path;
  dmd_strbuf_init(&path, &dmdv_env);
  if (dmd_listing_read(&listing, &path, line, n)) {
    const char *name = dmdv_written_shorten(written, path.text);
    dmdv_dump_id_t dump = {listing.pid, listing.number};
    if (listing.is_graph)
      dmdv_written_add_graph(written, name, dump);
    else
      dmdv_written_add(written, name, dump, false);
  }
  dmd_strbuf_destroy(&path);
}

static void read_list(dmdv_written_t *written) {
  FILE *file = written->list.n == 0 ? NULL : fopen(written->list.text, "r");
  if (file == NULL)
    return;
  char *line = NULL;
  size_t room = 0;
  ssize_t n;
  /* A line without an end is incomplete. */
  while ((n = getline(&line, &room, file)) > 0 && line[n - 1] == '\n')
    add_line(written, line, (size_t)n - 1);
  free(line);
  fclose(file);
}

static int compare_lines(const void *ctx, uint32_t a, uint32_t b) {
  const dmdv_written_t *written = ctx;
  return file_of(written, a)->last < file_of(written, b)->last ? -1 : 1;
}

static void warn_of_lost_ones(const dmdv_written_t *written, uint32_t n) {
  for (uint32_t id = 1; id <= n; id++)
    if (file_of(written, id)->n_writes > 1)
      dmdv_note("%s was written %u times, and only the last profile is left; with %%p in the name, "
                "each process has a file of its own",
                dmd_intern_get_str(&written->paths, id), file_of(written, id)->n_writes);
}

size_t dmdv_written_end(dmdv_written_t *written) {
  read_list(written);
  uint32_t n = dmd_intern_count(&written->paths);
  warn_of_lost_ones(written, n);
  written->order = dmd_sorted_ids(&dmdv_env, n, compare_lines, written);
  return n;
}

const char *dmdv_written_path(const dmdv_written_t *written, size_t i) {
  return dmd_intern_get_str(&written->paths, written->order[i]);
}

/* Processes that wrote the same files may have left the profile of one and the graph of another. */
static void join_graph(const dmdv_written_t *written, uint32_t file) {
  const char *path = dmd_intern_get_str(&written->paths, file);
  dmdv_dump_id_t dump = file_of(written, file)->dump;
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, &dmdv_env);
  dmd_strbuf_str(&name, path);
  dmd_filename_make_graph(&name);
  uint32_t id = dmd_intern_find_str(&written->graph_paths, name.text);
  const dmdv_dump_id_t *of_graph =
      id == DMD_NONE ? NULL : DMD_POOL_AT(&written->graphs, dmdv_dump_id_t, id);
  if (of_graph != NULL && of_graph->pid == dump.pid && of_graph->number == dump.number)
    dmdv_join_graph(path, name.text);
  dmd_strbuf_destroy(&name);
}

void dmdv_written_join_graphs(const dmdv_written_t *written) {
  for (uint32_t id = 1; id <= dmd_intern_count(&written->paths); id++)
    join_graph(written, id);
}

bool dmdv_written_needs_names(const dmdv_written_t *written, size_t i) {
  return file_of(written, written->order[i])->needs_names != 0;
}
