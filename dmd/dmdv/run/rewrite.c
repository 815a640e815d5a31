/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/run/rewrite.h"

#include "analyse/transform/merge.h"
#include "base/files.h"
#include "base/posix/posix.h"
#include "dmdv/commandline/show.h"
#include "dmdv/graph/typedgraph.h"
#include "dmdv/input/profilefile.h"
#include "files/graph/graphmember.h"
#include "files/graph/graphwriter.h"
#include "host/output.h"
#include "host/process.h"

#include <sys/stat.h>
#include <unistd.h>

/* ---- Opening. ---- */

/* Opens the name if it is a regular file, and checks that it is the file that the walk saw. */
static int open_regular(const dmd_pathwalk_t *walk, dmdv_rewrite_t *rewrite, bool *is_regular) {
  *is_regular = walk->is_there && walk->status.kind == DMD_FILE_REGULAR;
  if (!walk->is_there)
    return DMD_FILES_NOT_THERE;
  return *is_regular ? dmd_pathwalk_open(walk, DMD_OPEN_READ, &rewrite->fd) : 0;
}

/* Returns 0, or an error. */
static int open_file(dmdv_rewrite_t *rewrite, const char *name, bool *is_regular) {
  dmd_pathwalk_t walk;
  *is_regular = false;
  *rewrite = (dmdv_rewrite_t){.name = name, .fd = -1, .graph = -1};
  int error = dmd_pathwalk_begin(&walk, &dmdv_env, &dmd_posix_files, name);
  if (error == 0)
    error = open_regular(&walk, rewrite, is_regular);
  rewrite->mode = walk.status.mode & 0777;
  rewrite->is_own = walk.status.owner == dmd_posix_user(NULL);
  dmd_pathwalk_end(&walk);
  return error;
}

dmdv_rewrite_state_t dmdv_rewrite_open(dmdv_rewrite_t *rewrite, const char *name) {
  bool is_regular;
  int error = open_file(rewrite, name, &is_regular);
  if (error != 0) {
    dmdv_error("%s: %s", name, dmdv_file_error(error));
    return DMDV_REWRITE_FAILED;
  }
  if (is_regular && dmdv_input_find_graph(rewrite->fd, &rewrite->graph_at, &rewrite->graph_szB))
    rewrite->graph = dup(rewrite->fd);
  return is_regular ? DMDV_REWRITE_OPEN : DMDV_REWRITE_NOTHING;
}

void dmdv_rewrite_close(dmdv_rewrite_t *rewrite) {
  if (rewrite->fd >= 0)
    close(rewrite->fd);
  if (rewrite->graph >= 0)
    close(rewrite->graph);
}

/* ---- Reading and writing. ---- */

bool dmdv_rewrite_load(dmdv_rewrite_t *rewrite, dmd_profile_t *profile,
                       const dmd_load_options_t *options) {
  dmd_fail_t fail = {0};
  int fd = rewrite->fd;
  rewrite->fd = -1;
  dmd_profile_init(profile, &dmdv_env);
  if (dmdv_load_fd(profile, fd, options, &fail))
    return true;
  dmd_profile_destroy(profile);
  return dmdv_error_in(rewrite->name, &fail);
}

/* Merging a single file copies only what is used. The run's data stay as they are. */
bool dmdv_write_used(const dmd_profile_t *profile, dmdv_output_t *file) {
  if (profile->mode == DMD_MODE_SCAN)
    return dmdv_write_profile_to(profile, file);
  dmd_merge_t merge;
  dmd_merge_init(&merge, &dmdv_env);
  merge.is_alone = true;
  bool good = dmd_merge_add(&merge, profile, NULL);
  merge.profile.run = profile->run;
  for (uint32_t i = 0; i < dmd_profile_n_arguments(profile); i++)
    dmd_profile_add_argument(&merge.profile, dmd_profile_argument(profile, i));
  good = dmdv_write_profile_to(good ? &merge.profile : profile, file);
  dmd_merge_destroy(&merge);
  return good;
}

static bool save(const dmdv_rewrite_t *rewrite, const dmd_profile_t *profile, dmdv_output_t *file) {
  if (file != NULL && rewrite->graph >= 0)
    dmdv_output_add_at_close(file, rewrite->graph, rewrite->graph_at, rewrite->graph_szB);
  return dmdv_write_used(profile, file);
}

bool dmdv_rewrite_save(const dmdv_rewrite_t *rewrite, const dmd_profile_t *profile) {
  if (!rewrite->is_own)
    return dmdv_error("%s: it is another user's file, and stays as it is", rewrite->name);
  bool is_gzip = rewrite->graph >= 0 || dmdv_output_is_gzip(rewrite->name);
  return save(rewrite, profile, dmdv_output_open_again(rewrite->name, is_gzip, rewrite->mode));
}

bool dmdv_rewrite_save_as(const dmdv_rewrite_t *rewrite, const dmd_profile_t *profile,
                          const char *name) {
  if (dmdv_output_is_gzip(name))
    return save(rewrite, profile, dmdv_output_open(name, true));
  if (rewrite->graph >= 0)
    dmdv_note("%s: only a gzipped file can have the heap graph of %s", name, rewrite->name);
  return dmdv_write_used(profile, dmdv_output_open(name, false));
}

/* ---- Two files become one. ---- */

/* Copies the rest of a file. */
static bool copy_to(dmd_write_fn write, void *to, int fd) {
  char bytes[DMD_GRAPHMEMBER_MOST_SZB];
  ssize_t n;
  while ((n = read(fd, bytes, sizeof bytes)) > 0)
    if (!write(to, bytes, (size_t)n))
      return false;
  return n == 0;
}

static bool write_piece(void *members, const char *bytes, size_t n) {
  return dmd_graphmembers_write(members, bytes, n);
}

static bool write_both(const dmdv_rewrite_t *profile, const dmdv_rewrite_t *graph) {
  dmd_outfile_t file;
  dmd_graphmembers_t members = {.write = dmd_outfile_write, .ctx = &file};
  bool good =
      dmd_outfile_open_again(&file, &dmdv_env, &dmd_posix_files, profile->name, profile->mode) &&
      copy_to(dmd_outfile_write, &file, profile->fd) && copy_to(write_piece, &members, graph->fd) &&
      dmd_graphmembers_end(&members);
  good = dmd_outfile_close(&file, good) && good;
  dmd_outfile_destroy(&file);
  return good;
}

/* Whether it is gzipped, and a file of dmdv's own user. */
static bool is_gzip(const dmdv_rewrite_t *file) {
  unsigned char first[2];
  return file->fd >= 0 && file->is_own && pread(file->fd, first, sizeof first, 0) == sizeof first &&
         first[0] == 0x1f && first[1] == 0x8b;
}

static bool is_graph(const dmdv_rewrite_t *file) {
  dmd_fail_t fail = {0};
  const char *bytes;
  size_t n;
  int fd = is_gzip(file) ? dup(file->fd) : -1;
  dmdv_input_t *input = fd >= 0 ? dmdv_input_open_fd(fd, &fail) : NULL;
  bool is =
      input != NULL && dmdv_input_next(input, &bytes, &n, &fail) && dmd_graphwriter_is(bytes, n);
  if (input != NULL)
    dmdv_input_close(input);
  return is && lseek(file->fd, 0, SEEK_SET) == 0;
}

/* Another file may have the name by now. */
static void remove_file(const dmdv_rewrite_t *file) {
  dmd_pathwalk_t walk;
  struct stat st;
  if (dmd_pathwalk_begin(&walk, &dmdv_env, &dmd_posix_files, file->name) == 0 && walk.is_there &&
      fstat(file->fd, &st) == 0 && walk.status.device == st.st_dev &&
      walk.status.number == st.st_ino)
    dmd_posix_files.unlink(dmd_posix_files.ctx, walk.folder, dmd_pathwalk_name(&walk));
  dmd_pathwalk_end(&walk);
}

void dmdv_join_graph(const char *profile, const char *graph) {
  dmdv_rewrite_t of_profile, of_graph;
  uint64_t at, szB;
  bool is_regular;
  open_file(&of_profile, profile, &is_regular);
  open_file(&of_graph, graph, &is_regular);
  if (is_gzip(&of_profile) && is_graph(&of_graph) &&
      !dmdv_input_find_graph(of_profile.fd, &at, &szB) && write_both(&of_profile, &of_graph))
    remove_file(&of_graph);
  dmdv_rewrite_close(&of_graph);
  dmdv_rewrite_close(&of_profile);
}

/* dmd_load_graph_options_t.is_wanted, of a graph that is never loaded. */
static bool look(void *found, const dmd_graph_preview_t *preview) {
  *(dmd_graph_preview_t *)found = *preview;
  return false;
}

void dmdv_join_graph_beside(const char *profile) {
  dmd_graph_preview_t preview = {.n_nodes = 0};
  const dmd_load_graph_options_t peek = {.is_wanted = look, .ctx = &preview};
  const dmd_load_options_t load = {.moment = DMD_MOMENT_END};
  dmd_heapgraph_t graph;
  dmd_profile_t loaded;
  dmd_fail_t fail = {0};
  dmd_strbuf_t beside;
  dmd_strbuf_init(&beside, &dmdv_env);
  dmd_profile_init(&loaded, &dmdv_env);
  if (dmdv_graph_beside(&beside, profile) && !dmdv_load_graph(&graph, beside.text, &peek, &fail) &&
      dmdv_load(&loaded, profile, &load, &fail) &&
      dmdv_is_of_same_moment(&loaded.run, loaded.mode, &preview.run, preview.mode))
    dmdv_join_graph(profile, beside.text);
  dmd_profile_destroy(&loaded);
  dmd_strbuf_destroy(&beside);
}
