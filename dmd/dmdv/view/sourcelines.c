/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/view/sourcelines.h"

#include "base/map.h"
#include "base/strbuf.h"
#include "host/process.h"
#include "host/sourcefiles.h"

#include <stdio.h>
#include <string.h>

enum {
  AROUND = 5,          /* lines before and after the line of a frame */
  MAX_LINE = 400,      /* bytes of a line; the rest is cut off */
  MAX_TEXT = 16 << 20, /* bytes of all lines */
  MAX_FILE = 16 << 20, /* bytes of a source file; larger ones are not read */
  MAX_WANTED = 1 << 20 /* lines of frames */
};

/* A source file that frames name, and its wanted lines. */
typedef struct {
  uint32_t first_line, last_line; /* of `lines`; DMD_NONE: none */
} wanted_t;

typedef struct {
  uint32_t line, next;
} line_t;

struct dmdv_sourcelines {
  dmdv_sourcefiles_t *files;
  dmd_intern_t names; /* of files, as frames have them */
  dmd_pool_t wanted;  /* by name */
  dmd_pool_t lines;
  dmd_map_t is_wanted; /* by name and line */
  size_t szB;          /* of the lines written so far */
  bool is_cut;
};

dmdv_sourcelines_t *dmdv_sourcelines_begin(const char *folder) {
  dmdv_sourcefiles_t *files = dmdv_sourcefiles_look("view", folder);
  if (files == NULL)
    return NULL;
  dmdv_sourcelines_t *s = dmd_env_alloc(&dmdv_env, "dmdv.source", sizeof *s);
  *s = (dmdv_sourcelines_t){.files = files};
  dmd_intern_init(&s->names, &dmdv_env, "dmdv.source");
  dmd_pool_init(&s->wanted, &dmdv_env, "dmdv.source", sizeof(wanted_t));
  dmd_pool_init(&s->lines, &dmdv_env, "dmdv.source", sizeof(line_t));
  dmd_map_init(&s->is_wanted, &dmdv_env, "dmdv.source");
  return s;
}

/* ---- Wanted lines. ---- */

static void want(dmdv_sourcelines_t *s, const dmd_frames_t *frames, uint32_t id) {
  dmd_location_t l = dmd_frames_location(frames, id);
  if (l.file == NULL || l.line == 0 || l.line > INT32_MAX)
    return;
  uint32_t name = dmd_intern_str(&s->names, l.file);
  uint64_t key = (uint64_t)name << 32 | (uint32_t)l.line;
  dmd_pool_reach(&s->wanted, name);
  if (dmd_map_find(&s->is_wanted, key) != NULL)
    return;
  if (s->lines.last == MAX_WANTED) {
    s->is_cut = true;
    return;
  }
  dmd_map_add(&s->is_wanted, key, s);
  wanted_t *wanted = DMD_POOL_AT(&s->wanted, wanted_t, name);
  uint32_t line = dmd_pool_add(&s->lines);
  *DMD_POOL_AT(&s->lines, line_t, line) = (line_t){.line = (uint32_t)l.line};
  if (wanted->last_line == DMD_NONE)
    wanted->first_line = line;
  else
    DMD_POOL_AT(&s->lines, line_t, wanted->last_line)->next = line;
  wanted->last_line = line;
}

void dmdv_sourcelines_want_frames(dmdv_sourcelines_t *s, const dmd_frames_t *frames) {
  for (uint32_t id = 1; id <= dmd_frames_count(frames); id++)
    want(s, frames, id);
}

static void want_stack(dmdv_sourcelines_t *s, const dmd_records_t *records, uint32_t cut) {
  size_t n;
  const uint32_t *frames = dmd_records_frames(records, cut, &n);
  for (size_t i = 0; i < n; i++)
    want(s, &records->profile->frames, frames[i]);
}

void dmdv_sourcelines_want_records(dmdv_sourcelines_t *s, dmd_profile_t *profile,
                                   uint32_t max_frames) {
  dmd_records_t records;
  dmd_records_init(&records, profile, max_frames, DMD_SORT_USABLE);
  for (int section = 0; section < DMD_N_SECTIONS; section++)
    for (uint32_t i = 0; i < records.section[section].n; i++) {
      const dmd_record_t *record = dmd_records_at(&records, records.section[section].ids[i]);
      want_stack(s, &records, record->stack);
      for (uint32_t k = 0; k < record->n_reported; k++)
        want_stack(s, &records, record->reported[k]);
    }
  dmd_records_destroy(&records);
}

/* ---- Source files. ---- */

/* Reads the whole file, of *n bytes; NULL if that fails. The caller frees it. */
static char *read_file(const dmdv_sourcelines_t *s, const char *path, size_t *n) {
  dmd_strbuf_t full, text;
  dmd_strbuf_init(&full, &dmdv_env);
  dmd_strbuf_str(&full, dmdv_sourcefiles_folder(s->files));
  dmd_strbuf_str(&full, "/");
  dmd_strbuf_str(&full, path);
  FILE *file = fopen(full.text, "rb");
  dmd_strbuf_destroy(&full);
  if (file == NULL)
    return NULL;
  dmd_strbuf_init(&text, &dmdv_env);
  char piece[16384];
  size_t got;
  while (text.n < MAX_FILE && (got = fread(piece, 1, sizeof piece, file)) > 0)
    dmd_strbuf_bytes(&text, piece, got);
  fclose(file);
  *n = text.n;
  return dmd_strbuf_take(&text);
}

/* ---- Lines. ---- */

/* Marks the wanted lines of a file, and returns their number. */
static uint32_t mark(const dmdv_sourcelines_t *s, uint32_t name, bool *marks, uint32_t n_lines) {
  uint32_t n = 0;
  for (uint32_t id = DMD_POOL_AT(&s->wanted, wanted_t, name)->first_line; id != DMD_NONE;
       id = DMD_POOL_AT(&s->lines, line_t, id)->next) {
    uint32_t line = DMD_POOL_AT(&s->lines, line_t, id)->line;
    if (line > n_lines)
      continue;
    uint32_t from = line > AROUND ? line - AROUND : 1;
    uint32_t to = line + AROUND < n_lines ? line + AROUND : n_lines;
    for (uint32_t i = from; i <= to; i++) {
      n += !marks[i];
      marks[i] = true;
    }
  }
  return n;
}

static uint32_t count_lines(const char *text, size_t n) {
  uint32_t lines = n > 0 && text[n - 1] != '\n';
  for (size_t i = 0; i < n; i++)
    lines += text[i] == '\n';
  return lines;
}

/* Writes the file's name, then each line with its number. */
static void write_lines(dmdv_sourcelines_t *s, dmd_bundlewriter_t *w, const char *text, size_t n,
                        const bool *marks) {
  const char *at = text, *end = text + n;
  for (uint32_t line = 1; at < end; line++) {
    const char *next = memchr(at, '\n', (size_t)(end - at));
    size_t length = (size_t)((next != NULL ? next : end) - at);
    if (marks[line]) {
      size_t shown = length < MAX_LINE ? length : MAX_LINE;
      dmd_bundlewriter_number(w, line);
      dmd_bundlewriter_bytes(w, at, shown);
      s->szB += shown;
    }
    at += length + 1;
  }
}

/* Whether the file had any of the wanted lines. */
static bool write_file(dmdv_sourcelines_t *s, dmd_bundlewriter_t *w, uint32_t name) {
  const char *file = dmd_intern_get_str(&s->names, name),
             *path = dmdv_sourcefiles_find(s->files, file);
  size_t n;
  char *text = path == NULL ? NULL : read_file(s, path, &n);
  if (text == NULL)
    return false;
  uint32_t n_lines = count_lines(text, n);
  bool *marks = dmd_env_alloc(&dmdv_env, "dmdv.source", n_lines + (size_t)1);
  memset(marks, false, n_lines + (size_t)1);
  uint32_t n_marked = mark(s, name, marks, n_lines);
  if (n_marked > 0) {
    dmd_bundlewriter_string(w, file);
    dmd_bundlewriter_number(w, n_marked);
    write_lines(s, w, text, n, marks);
  }
  dmd_env_free(&dmdv_env, marks);
  dmd_env_free(&dmdv_env, text);
  return n_marked > 0;
}

static void destroy(dmdv_sourcelines_t *s) {
  dmd_map_destroy(&s->is_wanted);
  dmd_pool_destroy(&s->lines);
  dmd_pool_destroy(&s->wanted);
  dmd_intern_destroy(&s->names);
  dmdv_sourcefiles_destroy(s->files);
  dmd_env_free(&dmdv_env, s);
}

void dmdv_sourcelines_end(dmdv_sourcelines_t *s, dmd_bundlewriter_t *w) {
  uint32_t n_files = 0;
  dmd_bundlewriter_begin(w, DMD_BUNDLE_SOURCES, 0);
  for (uint32_t name = 1; name <= dmd_intern_count(&s->names); name++) {
    s->is_cut |= s->szB > MAX_TEXT;
    if (s->szB <= MAX_TEXT)
      n_files += write_file(s, w, name);
  }
  dmd_bundlewriter_string(w, NULL); /* end of the files */
  dmd_bundlewriter_end_section(w);
  dmdv_note("view: the page has source lines of %u file%s%s", n_files, n_files == 1 ? "" : "s",
            s->is_cut ? ", but not for smaller records, which are too many" : "");
  destroy(s);
}
