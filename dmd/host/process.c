/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _DEFAULT_SOURCE   /* timegm */
#define _XOPEN_SOURCE 700 /* strptime */
#include "host/process.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/jsonout.h"
#include "base/out.h"
#include "host/progress.h"

static void *host_alloc(void *ctx, const char *cost_centre, size_t szB) {
  (void)ctx, (void)cost_centre;
  void *p = malloc(szB);
  if (p == NULL) {
    fprintf(stderr, "%s: out of memory: cannot allocate %zu more bytes\n", dmdv_program, szB);
    exit(2);
  }
  return p;
}

static void host_free(void *ctx, void *p) {
  (void)ctx;
  free(p);
}

static void host_panic(void *ctx, const char *what) {
  (void)ctx;
  fprintf(stderr, "%s: %s\n", dmdv_program, what);
  exit(2);
}

static void host_tell(void *ctx, const char *what, uint64_t done, uint64_t total) {
  (void)ctx;
  dmdv_work_update(&(dmdv_work_t){.what = what, .done = done, .total = total});
}

dmd_env_t dmdv_env = {
    .alloc = host_alloc, .free = host_free, .panic = host_panic, .tell = host_tell};

/* A random number that the kernel makes for each process. */
static uint64_t unknown_number(void) {
  const void *random = (const void *)getauxval(AT_RANDOM);
  uint64_t number = 0;
  if (random != NULL)
    memcpy(&number, random, sizeof number);
  return number;
}

static void do_nothing(int number) {
  (void)number;
}

/* A write beyond the file size limit fails, and is reported, instead of ending dmdv. Programs that
 * dmdv starts have the signal's default: they inherit what is ignored, but no handler. */
static void survive_the_file_size_limit(void) {
  struct sigaction action;
  if (sigaction(SIGXFSZ, NULL, &action) == 0 && action.sa_handler == SIG_DFL) {
    action.sa_handler = do_nothing;
    sigaction(SIGXFSZ, &action, NULL);
  }
}

void dmdv_host_init(void) {
  survive_the_file_size_limit();
  dmdv_env.hash_seed = unknown_number();
}

/* ---- Memory. ---- */

/* MemAvailable, see proc(5): an estimate of what a new program can take without swapping. */
static uint64_t of_machine(void) {
  FILE *file = fopen("/proc/meminfo", "r");
  uint64_t kib = UINT64_MAX / 1024;
  char line[128];
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "MemAvailable: %" SCNu64 " kB", &kib) == 1)
      break;
  if (file != NULL)
    fclose(file);
  return kib * 1024;
}

/* Address space still available under RLIMIT_AS. */
static uint64_t of_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return UINT64_MAX;
  FILE *file = fopen("/proc/self/statm", "r");
  uint64_t pages = 0;
  bool known = file != NULL && fscanf(file, "%" SCNu64, &pages) == 1;
  if (file != NULL)
    fclose(file);
  uint64_t taken = known ? pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
  return limit.rlim_cur > taken ? limit.rlim_cur - taken : 0;
}

uint64_t dmdv_memory_available(void) {
  uint64_t machine = of_machine(), limit = of_limit();
  return machine < limit ? machine : limit;
}

/* ---- Other processes. ---- */

uint64_t dmdv_process_status(uint32_t pid, const char *word, int base) {
  char name[64] = "/proc/self/status", line[256];
  size_t n = strlen(word);
  uint64_t number = 0;
  if (pid != 0)
    snprintf(name, sizeof name, "/proc/%" PRIu32 "/status", pid);
  FILE *file = fopen(name, "re");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, word, n) == 0 && line[n] == ':')
      number = strtoull(line + n + 1, NULL, base);
  if (file != NULL)
    fclose(file);
  return number;
}

/* ---- Messages. ---- */

const char *dmdv_program = "dmdv";

static bool write_stderr(void *ctx, const char *bytes, size_t n) {
  (void)ctx;
  return fwrite(bytes, 1, n, stderr) == n;
}

static bool g_errors_are_json;

void dmdv_errors_as_json(void) {
  g_errors_are_json = true;
}

static void print_json(dmd_out_t *out, const char *text) {
  dmd_jsonout_t json;
  dmd_jsonout_init(&json, out);
  dmd_jsonout_ascii(&json);
  dmd_jsonout_object(&json, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_str(&json, "error", text);
  dmd_jsonout_end(&json);
  dmd_out_flush(out);
}

static void print_line(const char *text, bool is_error) {
  dmd_out_t out;
  dmdv_work_end();
  dmd_out_init(&out, write_stderr, NULL);
  if (is_error && g_errors_are_json) {
    print_json(&out, text);
    return;
  }
  dmd_out_str(&out, dmdv_program);
  dmd_out_str(&out, ": ");
  dmd_out_safe(&out, text);
  dmd_out_char(&out, '\n');
  dmd_out_flush(&out);
}

static void print_formatted(bool is_error, const char *format, va_list args) {
  char few[512], *text = few;
  va_list again;
  va_copy(again, args);
  int n = vsnprintf(few, sizeof few, format, args);
  /* Without memory the message is truncated. */
  if (n >= (int)sizeof few && (text = malloc((size_t)n + 1)) != NULL)
    vsnprintf(text, (size_t)n + 1, format, again);
  print_line(text != NULL ? text : few, is_error);
  if (text != few)
    free(text);
  va_end(again);
}

void dmdv_absolute_path(dmd_strbuf_t *path, const char *name) {
  char *here = name[0] == '/' ? NULL : getcwd(NULL, 0);
  if (here != NULL) {
    dmd_strbuf_str(path, here);
    dmd_strbuf_str(path, "/");
  }
  free(here);
  dmd_strbuf_str(path, name);
}

void dmdv_note(const char *format, ...) {
  va_list args;
  va_start(args, format);
  print_formatted(false, format, args);
  va_end(args);
}

bool dmdv_error(const char *format, ...) {
  va_list args;
  va_start(args, format);
  print_formatted(true, format, args);
  va_end(args);
  return false;
}

bool dmdv_error_in(const char *name, const dmd_fail_t *fail) {
  const char *shown = strcmp(name, "-") == 0 ? "(standard input)" : name;
  if (fail->line == 0 && fail->has_byte)
    return dmdv_error("%s: %s (byte %" PRIu64 ")", shown, fail->reason, fail->byte);
  if (fail->line == 0)
    return dmdv_error("%s: %s", shown, fail->reason);
  return dmdv_error("%s:%" PRIu64 ": %s (byte %" PRIu64 ")", shown, fail->line, fail->reason,
                    fail->byte);
}

/* ---- Times. ---- */

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* Parses the zone after a time of day: nothing or Z for UTC, or +HH:MM, -HH:MM, +HHMM or -HHMM for
 * a clock that is so far ahead of UTC. */
static bool parse_zone(const char *text, int64_t *ahead) {
  *ahead = 0;
  if (text[0] == '\0' || strcmp(text, "Z") == 0)
    return true;
  size_t n = strlen(text), minutes = n == 6 ? 4 : 3;
  if ((text[0] != '+' && text[0] != '-') || (n != 5 && n != 6) || (n == 6 && text[3] != ':') ||
      !is_digit(text[1]) || !is_digit(text[2]) || !is_digit(text[minutes]) ||
      !is_digit(text[minutes + 1]))
    return false;
  int hours = 10 * (text[1] - '0') + text[2] - '0';
  int rest = 10 * (text[minutes] - '0') + text[minutes + 1] - '0';
  *ahead = (text[0] == '-' ? -1 : 1) * (3600 * hours + 60 * rest);
  return hours < 24 && rest < 60;
}

bool dmdv_parse_time(const char *text, int64_t *seconds) {
  char *end;
  errno = 0;
  *seconds = strtoll(text, &end, 10);
  if (end != text && *end == '\0')
    return errno == 0;
  static const char *const forms[] = {"%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S",
                                      "%Y-%m-%d"};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    struct tm tm = {0};
    int64_t ahead = 0;
    end = strptime(text, forms[i], &tm);
    bool has_day_alone = forms[i][strlen(forms[i]) - 1] == 'd';
    if (end != NULL && (has_day_alone ? *end == '\0' : parse_zone(end, &ahead))) {
      *seconds = (int64_t)timegm(&tm) - ahead;
      return true;
    }
  }
  return false;
}
