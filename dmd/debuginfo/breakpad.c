/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debuginfo/breakpad.h"

#include "base/intern.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/str.h"
#include "host/process.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_LINE = 64 << 10, ID_SZB = 16, MAX_NUMBER = 1 << 26 };

/* A function, or a public symbol, which ends where the next one begins. */
typedef struct {
  uint64_t from, szB;
  uint32_t name;                /* of `strings` */
  uint32_t lines, last_line;    /* its line records: the first, and the last */
  uint32_t inlines, last_range; /* and of its inlined calls */
  bool is_public;
} code_t;

typedef struct {
  uint64_t from, szB;
  uint32_t line, file; /* the file's number */
} line_t;

/* One range of an inlined call. */
typedef struct {
  uint64_t from, szB;
  uint32_t level, origin; /* number of its function */
  uint32_t line, file;    /* of the call */
} inline_t;

struct dmdv_breakpad {
  dmd_intern_t strings;
  dmd_pool_t files, origins; /* by number + 1: uint32_t, of `strings` */
  dmd_pool_t codes, lines, inlines;
  uint32_t *order; /* ids of codes, by address */
};

static const code_t *code_at(const dmdv_breakpad_t *s, uint32_t id) {
  return DMD_POOL_AT(&s->codes, const code_t, id);
}

/* ---- Lines of the file. ---- */

/* Reads a number and the blanks after it. */
static bool number(const char **at, unsigned base, uint64_t *value) {
  char digits[20];
  size_t n = strcspn(*at, " ");
  if (n == 0 || n >= sizeof digits)
    return false;
  memcpy(digits, *at, n);
  digits[n] = '\0';
  *at += n + strspn(*at + n, " ");
  return dmd_str_to_u64(digits, base, value);
}

static bool small_number(const char **at, uint32_t *value) {
  uint64_t wide = 0;
  if (!number(at, 10, &wide) || wide > MAX_NUMBER)
    return false;
  *value = (uint32_t)wide;
  return true;
}

/* "FILE 3 a/b.c", "INLINE_ORIGIN 3 f": a name for a number. Lines with wrong numbers are skipped,
 * here and below. */
static void take_name(dmdv_breakpad_t *s, dmd_pool_t *names, const char *at) {
  uint32_t n;
  if (!small_number(&at, &n))
    return;
  dmd_pool_reach(names, n + 1);
  *DMD_POOL_AT(names, uint32_t, n + 1) = dmd_intern_text(&s->strings, at);
}

/* "FUNC m 1130 24 0 name" and "PUBLIC m 1130 0 name"; m means several functions of one code. */
static void take_code(dmdv_breakpad_t *s, const char *at, bool is_public) {
  code_t code = {.is_public = is_public};
  uint64_t parameters;
  if (at[0] == 'm' && at[1] == ' ')
    at += 2;
  if (!number(&at, 16, &code.from) || (!is_public && !number(&at, 16, &code.szB)) ||
      !number(&at, 16, &parameters) || *at == '\0')
    return;
  code.name = dmd_intern_text(&s->strings, at);
  code.lines = s->lines.last + 1;
  code.last_line = s->lines.last;
  code.inlines = s->inlines.last + 1;
  code.last_range = s->inlines.last;
  *(code_t *)dmd_pool_at(&s->codes, dmd_pool_add(&s->codes)) = code;
}

/* The function that the records of lines and inlined calls belong to, or NULL. */
static code_t *last_function(dmdv_breakpad_t *s) {
  code_t *code = s->codes.last > 0 ? DMD_POOL_AT(&s->codes, code_t, s->codes.last) : NULL;
  return code != NULL && !code->is_public ? code : NULL;
}

/* "1130 8 12 3": the code's address and size, line, number of the file. */
static void take_line(dmdv_breakpad_t *s, const char *at) {
  code_t *function = last_function(s);
  line_t line;
  if (function == NULL || !number(&at, 16, &line.from) || !number(&at, 16, &line.szB) ||
      !small_number(&at, &line.line) || !small_number(&at, &line.file))
    return;
  *(line_t *)dmd_pool_at(&s->lines, dmd_pool_add(&s->lines)) = line;
  function->last_line = s->lines.last;
}

/* "INLINE 0 12 3 7 1130 8 1140 4": level, line and file of the call, origin, ranges. */
static void take_inline(dmdv_breakpad_t *s, const char *at) {
  code_t *function = last_function(s);
  inline_t call;
  if (function == NULL || !small_number(&at, &call.level) || !small_number(&at, &call.line) ||
      !small_number(&at, &call.file) || !small_number(&at, &call.origin))
    return;
  while (*at != '\0' && number(&at, 16, &call.from) && number(&at, 16, &call.szB)) {
    *(inline_t *)dmd_pool_at(&s->inlines, dmd_pool_add(&s->inlines)) = call;
    function->last_range = s->inlines.last;
  }
}

static void take(dmdv_breakpad_t *s, const char *line) {
  if (dmd_str_begins(line, "FILE "))
    take_name(s, &s->files, line + 5);
  else if (dmd_str_begins(line, "INLINE_ORIGIN "))
    take_name(s, &s->origins, line + 14);
  else if (dmd_str_begins(line, "FUNC "))
    take_code(s, line + 5, false);
  else if (dmd_str_begins(line, "PUBLIC "))
    take_code(s, line + 7, true);
  else if (dmd_str_begins(line, "INLINE "))
    take_inline(s, line + 7);
  else if (strchr("0123456789abcdefABCDEF", line[0]) != NULL)
    take_line(s, line);
}

/* ---- The build id. ---- */

/* The ID that Breakpad makes of a build id: a GUID, whose first parts are little-endian, and 0. */
static void make_id(const char *build_id, char id[2 * ID_SZB + 2]) {
  static const uint8_t order[ID_SZB] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
  uint8_t bytes[DMD_MAX_BUILD_ID_TEXT / 2] = {0};
  dmd_build_id_bytes(bytes, build_id);
  for (size_t i = 0; i < ID_SZB; i++)
    snprintf(id + 2 * i, 3, "%02X", bytes[order[i]]);
  strcpy(id + 2 * ID_SZB, "0");
}

typedef enum { UNKNOWN, SAME, OTHER } sameness_t;

/* What a line at the start of the file says about the build id. CODE_ID has all of it. */
static sameness_t judge(const char *line, const char *build_id, const char *id) {
  char word[DMD_MAX_BUILD_ID_TEXT + 1] = "";
  if (sscanf(line, "INFO CODE_ID %128s", word) == 1)
    return dmd_str_equal_ignoring_case(word, build_id) ? SAME : OTHER;
  if (sscanf(line, "MODULE %*s %*s %128s", word) == 1)
    return dmd_str_equal_ignoring_case(word, id) ? UNKNOWN : OTHER;
  return UNKNOWN;
}

/* ---- Reading. ---- */

static int compare(const void *ctx, uint32_t a, uint32_t b) {
  const code_t *x = code_at(ctx, a), *y = code_at(ctx, b);
  if (x->from != y->from)
    return x->from < y->from ? -1 : 1;
  /* The last one counts: functions before public symbols. */
  return x->is_public != y->is_public ? (x->is_public ? -1 : 1) : a < b ? 1 : -1;
}

static dmdv_breakpad_t *new_symbols(void) {
  dmdv_breakpad_t *s = dmd_env_alloc(&dmdv_env, "dmdv.breakpad", sizeof *s);
  dmd_intern_init(&s->strings, &dmdv_env, "dmdv.breakpad");
  dmd_pool_init(&s->files, &dmdv_env, "dmdv.breakpad", sizeof(uint32_t));
  dmd_pool_init(&s->origins, &dmdv_env, "dmdv.breakpad", sizeof(uint32_t));
  dmd_pool_init(&s->codes, &dmdv_env, "dmdv.breakpad", sizeof(code_t));
  dmd_pool_init(&s->lines, &dmdv_env, "dmdv.breakpad", sizeof(line_t));
  dmd_pool_init(&s->inlines, &dmdv_env, "dmdv.breakpad", sizeof(inline_t));
  s->order = NULL;
  return s;
}

/* Reads a line without its end into the buffer. Longer lines are cut. False at the end. */
static bool next_line(FILE *file, char line[MAX_LINE]) {
  if (fgets(line, MAX_LINE, file) == NULL)
    return false;
  size_t n = strcspn(line, "\r\n");
  bool is_whole = line[n] != '\0';
  line[n] = '\0';
  for (int c = 0; !is_whole && c != EOF && c != '\n';)
    c = getc(file);
  return true;
}

static dmdv_breakpad_t *read_file(FILE *file, const char *build_id, const char *id,
                                  bool *is_other) {
  dmdv_breakpad_t *s = new_symbols();
  char *line = dmd_env_alloc(&dmdv_env, "dmdv.breakpad", MAX_LINE);
  sameness_t sameness = OTHER; /* without a first line that says otherwise */
  for (bool is_first = true; next_line(file, line); is_first = false) {
    if (is_first && !dmd_str_begins(line, "MODULE "))
      break;
    sameness_t said = judge(line, build_id, id);
    if (said != UNKNOWN || is_first)
      sameness = said == UNKNOWN ? SAME : said;
    else
      take(s, line);
  }
  dmd_env_free(&dmdv_env, line);
  if (sameness == SAME) {
    s->order = dmd_sorted_ids(&dmdv_env, s->codes.last, compare, s);
    return s;
  }
  *is_other = true;
  dmdv_breakpad_close(s);
  return NULL;
}

/* A regular file; a profile may come from a stranger, and so may the names in it. */
static FILE *open_file(const char *name) {
  struct stat st;
  return stat(name, &st) == 0 && S_ISREG(st.st_mode) ? fopen(name, "r") : NULL;
}

dmdv_breakpad_t *dmdv_breakpad_open(const char *folder, const char *object, const char *build_id,
                                    bool *is_other) {
  const char *name = dmd_path_base(object);
  dmdv_breakpad_t *symbols = NULL;
  char id[2 * ID_SZB + 2];
  *is_other = false;
  if (name[0] == '\0' || strcmp(name, "..") == 0 || build_id[0] == '\0')
    return NULL;
  make_id(build_id, id);
  const char *const parts[][6] = {{folder, "/", name, "/", id, "/"}, {folder, "/"}};
  for (int i = 0; i < 2 && symbols == NULL; i++) {
    dmd_strbuf_t path;
    dmd_strbuf_init(&path, &dmdv_env);
    for (size_t k = 0; k < 6 && parts[i][k] != NULL; k++)
      dmd_strbuf_str(&path, parts[i][k]);
    dmd_strbuf_str(&path, name);
    dmd_strbuf_str(&path, ".sym");
    FILE *file = open_file(path.text);
    dmd_strbuf_destroy(&path);
    if (file != NULL) {
      symbols = read_file(file, build_id, id, is_other);
      fclose(file);
    }
  }
  return symbols;
}

void dmdv_breakpad_close(dmdv_breakpad_t *s) {
  dmd_env_free(&dmdv_env, s->order);
  dmd_pool_t *pools[] = {&s->files, &s->origins, &s->codes, &s->lines, &s->inlines};
  for (size_t i = 0; i < sizeof pools / sizeof *pools; i++)
    dmd_pool_destroy(pools[i]);
  dmd_intern_destroy(&s->strings);
  dmd_env_free(&dmdv_env, s);
}

/* ---- Looking up. ---- */

static const char *name_of(const dmdv_breakpad_t *s, const dmd_pool_t *names, uint32_t n) {
  uint32_t id = n < names->last ? *DMD_POOL_AT(names, const uint32_t, n + 1) : DMD_NONE;
  return id == DMD_NONE ? NULL : dmd_intern_get_str(&s->strings, id);
}

static dmdv_source_t source_of(const dmdv_breakpad_t *s, uint32_t file, uint32_t line) {
  const char *path = name_of(s, &s->files, file);
  return path != NULL ? (dmdv_source_t){dmd_path_base(path), (int)line} : (dmdv_source_t){0};
}

/* The function around an address, or the public symbol before it. */
static const code_t *code_around(const dmdv_breakpad_t *s, uint64_t addr) {
  uint32_t next;
  DMD_SEARCH(next, 0, s->codes.last, code_at(s, s->order[next])->from <= addr);
  const code_t *code = next > 0 ? code_at(s, s->order[next - 1]) : NULL;
  return code != NULL && (code->is_public || addr - code->from < code->szB) ? code : NULL;
}

void dmdv_breakpad_find(const dmdv_breakpad_t *s, uint64_t addr, dmdv_codeplace_t *place) {
  place->source = (dmdv_source_t){0};
  place->n_inlined = 0;
  const code_t *code = code_around(s, addr);
  place->function = code != NULL ? dmd_intern_get_str(&s->strings, code->name) : NULL;
  if (code == NULL)
    return;
  for (uint32_t id = code->lines; id <= code->last_line; id++) {
    const line_t *line = DMD_POOL_AT(&s->lines, const line_t, id);
    if (addr - line->from < line->szB && addr >= line->from)
      place->source = source_of(s, line->file, line->line);
  }
  /* A call is at the level after that of its caller; the outermost has level 0. */
  for (uint32_t id = code->inlines; id <= code->last_range; id++) {
    const inline_t *call = DMD_POOL_AT(&s->inlines, const inline_t, id);
    if (addr < call->from || addr - call->from >= call->szB || call->level != place->n_inlined ||
        place->n_inlined == DMDV_MAX_INLINED)
      continue;
    place->inlined[place->n_inlined++] =
        (dmdv_inlined_t){.name = name_of(s, &s->origins, call->origin),
                         .caller = source_of(s, call->file, call->line)};
  }
}
