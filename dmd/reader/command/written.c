/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader/command/written.h"

#include "reader/host/host.h"

#include <dirent.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct {
  char *path;
  struct stat st;
} file_t;

struct dmdv_written {
  char *folder;    /* with its slash; "" for the current one */
  regex_t names;   /* of files in it */
  bool matches;    /* whether the pattern could be made a regular expression */
  file_t **before; /* what was there */
  file_t **after;  /* then what is there, reduced to what is new */
  size_t n_before, n_after;
};

/* ---- The pattern. ---- */

typedef struct {
  char *text;
  size_t n, room;
} text_t;

static void append(text_t *text, const char *s, size_t n) {
  if (text->n + n + 1 > text->room) {
    text->room = 2 * (text->n + n + 1);
    char *more = dmd_env_alloc(&dmdv_env, "dmdv.written", text->room);
    if (text->n > 0)
      memcpy(more, text->text, text->n);
    dmd_env_free(&dmdv_env, text->text);
    text->text = more;
  }
  memcpy(text->text + text->n, s, n);
  text->n += n;
  text->text[text->n] = '\0';
}

static void append_str(text_t *text, const char *s) {
  append(text, s, strlen(s));
}

/* Appends n bytes so that they match themselves; plain: as they are. */
static void append_literal(text_t *text, const char *s, size_t n, bool plain) {
  for (size_t i = 0; i < n; i++) {
    if (!plain && strchr("\\.[]{}()*+?^$|", s[i]) != NULL)
      append_str(text, "\\");
    append(text, s + i, 1);
  }
}

/* Appends the value of the variable that s, "%q{NAME}...", names. Returns the length of that. */
static size_t append_variable(text_t *text, const char *s, size_t n, bool plain) {
  const char *close = memchr(s, '}', n);
  if (close == NULL || n < 4 || s[2] != '{')
    return 2;
  text_t name = {0};
  append(&name, s + 3, (size_t)(close - s) - 3);
  const char *value = getenv(name.text);
  if (value != NULL)
    append_literal(text, value, strlen(value), plain);
  dmd_env_free(&dmdv_env, name.text);
  return (size_t)(close - s) + 1;
}

/* Appends what n bytes of the pattern stand for; plain for a folder, else for an expression. */
static void append_pattern(text_t *text, const char *s, size_t n, bool plain) {
  for (size_t i = 0; i < n;) {
    if (s[i] != '%' || i + 1 == n) {
      append_literal(text, s + i, 1, plain);
      i++;
    } else if (s[i + 1] == 'q') {
      i += append_variable(text, s + i, n - i, plain);
    } else if (s[i + 1] == '%') {
      append_literal(text, "%", 1, plain);
      i += 2;
    } else {
      append_str(text, plain ? "" : "[0-9]+");
      i += 2;
    }
  }
}

/* "dmd.out.%p.json.gz" becomes "^dmd\.out\.[0-9]+(\.[0-9]+)?\.json(\.gz)?$": there may be the
 * dump's number before the ending, and a dmd without zlib drops the .gz. */
static char *expression_of(const char *pattern) {
  static const struct {
    const char *ending, *expression;
  } endings[] = {
      {".json.gz", "\\.json(\\.gz)?"}, {".json", "\\.json"}, {".gz", "(\\.gz)?"}, {"", ""}};
  size_t n = strlen(pattern), n_ending, i = 0;
  for (;; i++) {
    n_ending = strlen(endings[i].ending);
    if (n >= n_ending && strcmp(pattern + n - n_ending, endings[i].ending) == 0)
      break;
  }
  text_t text = {0};
  append_str(&text, "^");
  append_pattern(&text, pattern, n - n_ending, false);
  append_str(&text, "(\\.[0-9]+)?");
  append_str(&text, endings[i].expression);
  append_str(&text, "$");
  return text.text;
}

/* ---- The folder. ---- */

static void add_file(file_t ***files, size_t *n, const char *path, const struct stat *st) {
  /* Grown at powers of two. */
  if ((*n & (*n - 1)) == 0) {
    file_t **more = dmd_env_alloc(&dmdv_env, "dmdv.written", (*n == 0 ? 1 : 2 * *n) * sizeof *more);
    if (*n > 0)
      memcpy(more, *files, *n * sizeof *more);
    dmd_env_free(&dmdv_env, *files);
    *files = more;
  }
  file_t *file = dmd_env_alloc(&dmdv_env, "dmdv.written", sizeof *file);
  text_t copy = {0};
  append_str(&copy, path);
  file->path = copy.text;
  file->st = *st;
  (*files)[(*n)++] = file;
}

static void destroy_file(file_t *file) {
  dmd_env_free(&dmdv_env, file->path);
  dmd_env_free(&dmdv_env, file);
}

static void look(const dmdv_written_t *written, file_t ***files, size_t *n) {
  DIR *folder = opendir(written->folder[0] != '\0' ? written->folder : ".");
  if (folder == NULL || !written->matches) {
    if (folder != NULL)
      closedir(folder);
    return;
  }
  const struct dirent *entry;
  while ((entry = readdir(folder)) != NULL) {
    if (regexec(&written->names, entry->d_name, 0, NULL, 0) != 0)
      continue;
    text_t path = {0};
    struct stat st;
    append_str(&path, written->folder);
    append_str(&path, entry->d_name);
    if (stat(path.text, &st) == 0 && S_ISREG(st.st_mode))
      add_file(files, n, path.text, &st);
    dmd_env_free(&dmdv_env, path.text);
  }
  closedir(folder);
}

/* ---- The whole. ---- */

dmdv_written_t *dmdv_written_begin(const char *pattern) {
  dmdv_written_t *written = dmd_env_alloc(&dmdv_env, "dmdv.written", sizeof *written);
  memset(written, 0, sizeof *written);
  const char *slash = strrchr(pattern, '/');
  size_t n = slash != NULL ? (size_t)(slash - pattern) + 1 : 0;
  text_t folder = {0};
  append_str(&folder, "");
  append_pattern(&folder, pattern, n, true);
  written->folder = folder.text;
  char *expression = expression_of(pattern + n);
  written->matches = regcomp(&written->names, expression, REG_EXTENDED | REG_NOSUB) == 0;
  dmd_env_free(&dmdv_env, expression);
  look(written, &written->before, &written->n_before);
  return written;
}

/* A new file takes the place of an older one, or an older one is written to. */
static bool is_new(const dmdv_written_t *written, const file_t *file) {
  for (size_t i = 0; i < written->n_before; i++) {
    const struct stat *a = &written->before[i]->st, *b = &file->st;
    if (strcmp(written->before[i]->path, file->path) == 0)
      return a->st_ino != b->st_ino || a->st_size != b->st_size ||
             a->st_mtim.tv_sec != b->st_mtim.tv_sec || a->st_mtim.tv_nsec != b->st_mtim.tv_nsec;
  }
  return true;
}

static int by_time(const void *left, const void *right) {
  const file_t *a = *(file_t *const *)left, *b = *(file_t *const *)right;
  if (a->st.st_mtim.tv_sec != b->st.st_mtim.tv_sec)
    return a->st.st_mtim.tv_sec < b->st.st_mtim.tv_sec ? -1 : 1;
  if (a->st.st_mtim.tv_nsec != b->st.st_mtim.tv_nsec)
    return a->st.st_mtim.tv_nsec < b->st.st_mtim.tv_nsec ? -1 : 1;
  return strcmp(a->path, b->path);
}

size_t dmdv_written_end(dmdv_written_t *written) {
  look(written, &written->after, &written->n_after);
  size_t n_new = 0;
  for (size_t i = 0; i < written->n_after; i++) {
    file_t *file = written->after[i];
    if (is_new(written, file))
      written->after[n_new++] = file;
    else
      destroy_file(file);
  }
  written->n_after = n_new;
  if (n_new > 0)
    qsort(written->after, n_new, sizeof *written->after, by_time);
  return n_new;
}

const char *dmdv_written_path(const dmdv_written_t *written, size_t i) {
  return written->after[i]->path;
}

void dmdv_written_destroy(dmdv_written_t *written) {
  for (size_t i = 0; i < written->n_before; i++)
    destroy_file(written->before[i]);
  for (size_t i = 0; i < written->n_after; i++)
    destroy_file(written->after[i]);
  if (written->matches)
    regfree(&written->names);
  dmd_env_free(&dmdv_env, written->before);
  dmd_env_free(&dmdv_env, written->after);
  dmd_env_free(&dmdv_env, written->folder);
  dmd_env_free(&dmdv_env, written);
}
