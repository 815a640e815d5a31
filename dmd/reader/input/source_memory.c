/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reading about:memory's files, and telling them from profiles.
 */
#include "reader/input/source_memory.h"

#include "reader/input/document.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Doubles, which numbers become on the way, count whole numbers exactly up to here. */
static const double MAX_NUMBER = 9007199254740992.0;

typedef struct {
  dmd_memreports_t *m;
  dmdv_cutter_t cutter;
} loader_t;

/* ---- Reports. ---- */

/* The member's whole number between least and most. */
static double get_number(loader_t *l, const cJSON *report, const char *key, double least,
                         double most) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(report, key);
  if (cJSON_IsNumber(item)) {
    double v = item->valuedouble;
    if (v >= least && v <= most && v == (double)(int64_t)v)
      return v;
  }
  dmdv_cutter_reject(&l->cutter, "a report's \"%s\" is not a whole number from %.0f to %.0f", key,
                     least, most);
  return 0;
}

static const char *get_string(loader_t *l, const cJSON *report, const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(report, key);
  if (cJSON_IsString(item))
    return item->valuestring;
  dmdv_cutter_reject(&l->cutter, "a report's \"%s\" is not a string", key);
  return "";
}

static bool load_report(loader_t *l, const cJSON *report) {
  if (!cJSON_IsObject(report))
    return dmdv_cutter_reject(&l->cutter, "an element of \"reports\" is not an object");
  const char *process = get_string(l, report, "process"), *path = get_string(l, report, "path");
  int kind = (int)get_number(l, report, "kind", 0, DMD_N_KINDS - 1);
  int units = (int)get_number(l, report, "units", 0, DMD_N_UNITS - 1);
  int64_t amount = (int64_t)get_number(l, report, "amount", -MAX_NUMBER, MAX_NUMBER);
  const char *description = NULL;
  if (cJSON_GetObjectItemCaseSensitive(report, "description") != NULL)
    description = get_string(l, report, "description");
  if (dmdv_cutter_failed(&l->cutter))
    return false;
  if (path[0] == '\0')
    return dmdv_cutter_reject(&l->cutter, "a report's \"path\" is empty");
  const char *why = dmd_memreports_add(l->m, process, path, kind, units, amount, description);
  return why == NULL || dmdv_cutter_reject(&l->cutter, "a report %s", why);
}

static bool load_reports(void *ctx) {
  loader_t *l = ctx;
  dmdv_cutter_enter(&l->cutter, '[');
  while (dmdv_cutter_next_element(&l->cutter)) {
    cJSON *report = dmdv_cutter_value(&l->cutter);
    if (report != NULL)
      load_report(l, report);
    cJSON_Delete(report);
  }
  return !dmdv_cutter_failed(&l->cutter);
}

/* ---- The document. ---- */

static bool load_version(void *ctx) {
  loader_t *l = ctx;
  cJSON *version = dmdv_cutter_value(&l->cutter);
  if (version != NULL && (!cJSON_IsNumber(version) || version->valuedouble != 1))
    dmdv_cutter_reject(&l->cutter, "\"version\" of the memory reports is not 1");
  cJSON_Delete(version);
  return !dmdv_cutter_failed(&l->cutter);
}

static bool load_flag(void *ctx) {
  loader_t *l = ctx;
  cJSON *flag = dmdv_cutter_value(&l->cutter);
  if (flag != NULL && !cJSON_IsBool(flag))
    dmdv_cutter_reject(&l->cutter, "\"hasMozMallocUsableSize\" is neither true nor false");
  cJSON_Delete(flag);
  return !dmdv_cutter_failed(&l->cutter);
}

static const dmdv_part_t parts[] = {{"version", load_version, true},
                                    {"hasMozMallocUsableSize", load_flag, true},
                                    {"reports", load_reports, true}};
enum { N_PARTS = sizeof parts / sizeof parts[0] };

bool dmdv_memreports_load_input(dmd_memreports_t *m, dmdv_input_t *input, dmdv_fail_t *fail) {
  loader_t l = {.m = m};
  dmdv_cutter_init(&l.cutter, input);
  bool good = dmdv_load_document(&l.cutter, parts, N_PARTS, &l);
  *fail = l.cutter.fail;
  dmdv_cutter_destroy(&l.cutter);
  return good;
}

bool dmdv_memreports_load(dmd_memreports_t *m, const char *name, dmdv_fail_t *fail) {
  dmdv_input_t *input = dmdv_input_open(name, fail);
  if (input == NULL)
    return false;
  bool good = dmdv_memreports_load_input(m, input, fail);
  dmdv_input_close(input);
  return good;
}

/* ---- Which of the two. ---- */

/* Makes a pipe on standard input something that can be read twice; *start is where it begins. */
static bool make_stdin_rewindable(off_t *start, dmdv_fail_t *fail) {
  *start = lseek(STDIN_FILENO, 0, SEEK_CUR);
  if (*start >= 0)
    return true;
  *start = 0;
  FILE *copy = tmpfile();
  bool good = copy != NULL;
  char buffer[64 * 1024];
  ssize_t n = 0;
  while (good && (n = read(STDIN_FILENO, buffer, sizeof buffer)) > 0)
    good = fwrite(buffer, 1, (size_t)n, copy) == (size_t)n;
  good = good && n == 0 && fflush(copy) == 0 && lseek(fileno(copy), 0, SEEK_SET) == 0 &&
         dup2(fileno(copy), STDIN_FILENO) >= 0;
  if (!good)
    dmdv_fail(fail, "cannot keep standard input in a temporary file: %s", strerror(errno));
  if (copy != NULL)
    fclose(copy);
  return good;
}

static bool found(dmdv_file_kind_t *kind, dmdv_file_kind_t what) {
  *kind = what;
  return true;
}

/* Goes on until a key tells. */
static bool look_for_keys(dmdv_cutter_t *cutter, dmdv_file_kind_t *kind) {
  static const char *const of_profiles[] = {"invocation", "blockList", "traceTable", "frameTable"};
  static const char *const of_reports[] = {"hasMozMallocUsableSize", "reports"};
  const char *key;
  dmdv_cutter_enter(cutter, '{');
  while (dmdv_cutter_next_key(cutter, &key)) {
    for (size_t i = 0; i < sizeof of_profiles / sizeof of_profiles[0]; i++)
      if (strcmp(key, of_profiles[i]) == 0)
        return found(kind, DMDV_FILE_PROFILE);
    for (size_t i = 0; i < sizeof of_reports / sizeof of_reports[0]; i++)
      if (strcmp(key, of_reports[i]) == 0)
        return found(kind, DMDV_FILE_MEMORY_REPORTS);
    dmdv_cutter_skip(cutter);
  }
  return dmdv_cutter_reject(cutter, "is neither a profile (no \"blockList\") nor a file of memory "
                                    "reports (no \"reports\")");
}

bool dmdv_file_kind(const char *name, dmdv_file_kind_t *kind, dmdv_fail_t *fail) {
  bool is_stdin = strcmp(name, "-") == 0;
  off_t start = 0;
  if (is_stdin && !make_stdin_rewindable(&start, fail))
    return false;
  dmdv_input_t *input = dmdv_input_open(name, fail);
  if (input == NULL)
    return false;
  dmdv_cutter_t cutter;
  dmdv_cutter_init(&cutter, input);
  bool good = look_for_keys(&cutter, kind);
  *fail = cutter.fail;
  dmdv_cutter_destroy(&cutter);
  dmdv_input_close(input);
  if (is_stdin && good && fseeko(stdin, start, SEEK_SET) != 0)
    return dmdv_fail(fail, "cannot rewind standard input: %s", strerror(errno));
  return good;
}
