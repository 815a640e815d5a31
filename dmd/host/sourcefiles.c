/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/sourcefiles.h"

#include "base/intern.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "host/process.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum {
  MAX_FILES = 200000, /* limit on the files in the folder */
  MAX_DEPTH = 64      /* limit on nested folders */
};

/* A file in the folder. */
typedef struct {
  uint32_t path;       /* in strings: relative to the folder */
  uint32_t next_alike; /* the next file with the same base name; DMD_NONE: the last */
} found_t;

struct dmdv_sourcefiles {
  char *folder;
  dmd_intern_t strings; /* paths relative to the folder */
  dmd_intern_t bases;   /* base names of files */
  dmd_pool_t by_base;   /* by base: uint32_t, the first file with it */
  dmd_pool_t found;
};

static void add_file(dmdv_sourcefiles_t *s, const char *path) {
  uint32_t base = dmd_intern_str(&s->bases, dmd_path_base(path));
  dmd_pool_reach(&s->by_base, base);
  uint32_t *first = DMD_POOL_AT(&s->by_base, uint32_t, base);
  uint32_t id = dmd_pool_add(&s->found);
  *DMD_POOL_AT(&s->found, found_t, id) =
      (found_t){.path = dmd_intern_str(&s->strings, path), .next_alike = *first};
  *first = id;
}

static void look_through(dmdv_sourcefiles_t *s, dmd_strbuf_t *path, int depth);

static void look_at(dmdv_sourcefiles_t *s, dmd_strbuf_t *path, int depth) {
  struct stat st;
  if (lstat(path->text, &st) != 0)
    return;
  if (S_ISREG(st.st_mode))
    add_file(s, path->text + strlen(s->folder) + 1);
  else if (S_ISDIR(st.st_mode) && depth < MAX_DEPTH)
    look_through(s, path, depth + 1);
}

static void look_through(dmdv_sourcefiles_t *s, dmd_strbuf_t *path, int depth) {
  DIR *dir = opendir(path->text);
  if (dir == NULL)
    return;
  size_t n = path->n;
  const struct dirent *entry;
  while (s->found.last < MAX_FILES && (entry = readdir(dir)) != NULL) {
    if (entry->d_name[0] == '.')
      continue;
    dmd_strbuf_str(path, "/");
    dmd_strbuf_str(path, entry->d_name);
    look_at(s, path, depth);
    dmd_strbuf_cut(path, n);
  }
  closedir(dir);
}

dmdv_sourcefiles_t *dmdv_sourcefiles_look(const char *command, const char *folder) {
  struct stat st;
  int error = stat(folder, &st) != 0 ? errno : S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
  if (error != 0) {
    dmdv_error("%s: cannot search %s: %s", command, folder, strerror(error));
    return NULL;
  }
  dmdv_sourcefiles_t *s = dmd_env_alloc(&dmdv_env, "dmdv.source", sizeof *s);
  *s = (dmdv_sourcefiles_t){.folder = dmd_env_alloc(&dmdv_env, "dmdv.source", strlen(folder) + 1)};
  strcpy(s->folder, folder);
  dmd_intern_init(&s->strings, &dmdv_env, "dmdv.source");
  dmd_intern_init(&s->bases, &dmdv_env, "dmdv.source");
  dmd_pool_init(&s->by_base, &dmdv_env, "dmdv.source", sizeof(uint32_t));
  dmd_pool_init(&s->found, &dmdv_env, "dmdv.source", sizeof(found_t));
  dmd_strbuf_t path;
  dmd_strbuf_init(&path, &dmdv_env);
  dmd_strbuf_str(&path, folder);
  look_through(s, &path, 0);
  dmd_strbuf_destroy(&path);
  return s;
}

void dmdv_sourcefiles_destroy(dmdv_sourcefiles_t *s) {
  dmd_pool_destroy(&s->found);
  dmd_pool_destroy(&s->by_base);
  dmd_intern_destroy(&s->bases);
  dmd_intern_destroy(&s->strings);
  dmd_env_free(&dmdv_env, s->folder);
  dmd_env_free(&dmdv_env, s);
}

const char *dmdv_sourcefiles_folder(const dmdv_sourcefiles_t *s) {
  return s->folder;
}

/* The number of trailing components that two paths have in common. */
static int n_common(const char *a, const char *b) {
  size_t i = strlen(a), k = strlen(b);
  int n = 0;
  while (i > 0 && k > 0 && a[i - 1] == b[k - 1]) {
    i--, k--;
    n += a[i] == '/';
  }
  bool at_start = (i == 0 && (k == 0 || b[k - 1] == '/')) || (k == 0 && a[i - 1] == '/');
  return n + at_start;
}

const char *dmdv_sourcefiles_find(const dmdv_sourcefiles_t *s, const char *name) {
  uint32_t base = dmd_intern_find_str(&s->bases, dmd_path_base(name));
  const char *best = NULL;
  int best_n = 0;
  for (uint32_t id = base == DMD_NONE ? DMD_NONE : *DMD_POOL_AT(&s->by_base, uint32_t, base);
       id != DMD_NONE; id = DMD_POOL_AT(&s->found, found_t, id)->next_alike) {
    const char *path = dmd_intern_get_str(&s->strings, DMD_POOL_AT(&s->found, found_t, id)->path);
    int n = n_common(name, path);
    if (n >= best_n)
      best = n == best_n ? NULL : path;
    best_n = n > best_n ? n : best_n;
  }
  return best;
}
