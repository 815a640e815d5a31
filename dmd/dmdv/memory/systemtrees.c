/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dmdv/memory/systemtrees.h"

#include "base/path.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "host/process.h"
#include "record/engine/cgroup.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Files of the kernel. ---- */

static FILE *open_of(uint32_t pid, const char *name) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%" PRIu32 "/%s", pid, name);
  return fopen(path, "re");
}

static void add_repaired(dmd_strbuf_t *to, const char *text) {
  char *good = dmd_env_alloc(&dmdv_env, "dmdv.memory", dmd_utf8_repair(NULL, text) + 1);
  dmd_utf8_repair(good, text);
  dmd_strbuf_str(to, good);
  dmd_env_free(&dmdv_env, good);
}

/* The file's last part, without what the kernel says of a file that was removed. */
static void add_base(dmd_strbuf_t *to, const char *path) {
  static const char DELETED[] = " (deleted)";
  add_repaired(to, dmd_path_base(path));
  if (to->n >= sizeof DELETED && strcmp(to->text + to->n - sizeof DELETED + 1, DELETED) == 0)
    dmd_strbuf_cut(to, to->n - sizeof DELETED + 1);
}

/* The program's file if the system shows it, else the name that the process gave itself. */
char *dmdv_system_name(uint32_t pid) {
  char path[64], text[4096];
  dmd_strbuf_t name;
  FILE *f = open_of(pid, "comm");
  bool is_there = f != NULL && fgets(text, sizeof text, f) != NULL;
  if (f != NULL)
    fclose(f);
  if (!is_there)
    return NULL;
  text[strcspn(text, "\n")] = '\0';
  snprintf(path, sizeof path, "/proc/%" PRIu32 "/exe", pid);
  ssize_t n = readlink(path, text, sizeof text - 1);
  if (n > 0)
    text[n] = '\0';
  dmd_strbuf_init(&name, &dmdv_env);
  add_base(&name, text);
  dmd_strbuf_str(&name, " (pid ");
  dmd_strbuf_u64(&name, pid);
  dmd_strbuf_str(&name, ")");
  return dmd_strbuf_take(&name);
}

/* ---- Amounts. ---- */

typedef struct {
  dmd_amounts_t *m;
  const char *process;
  bool anonymize;
} target_t;

/* Amounts of equal paths, such as a library's mappings, count as one report. */
static void add(const target_t *to, const char *path, dmd_memreport_units_t units, uint64_t amount,
                const char *description) {
  bool is_known = dmd_amounts_find(to->m, to->process, path) != DMD_NONE;
  const dmd_memreport_t report = {.process = to->process,
                                  .path = path,
                                  .description = description,
                                  .amount = (int64_t)amount,
                                  .times = is_known ? 0 : 1,
                                  .kind = DMD_MEMREPORT_OTHER,
                                  .units = units};
  if (amount < INT64_MAX)
    dmd_amounts_add(to->m, &report, 0);
}

/* ---- Mappings. ---- */

enum { SIZE, RSS, PSS, SWAP, N_TREES, PRIVATE = N_TREES, N_SUMS };
enum { MAX_GUARD = 64 << 10 };

static const struct {
  const char *root, *key, *description;
} trees[N_TREES] = {
    {"size", "Size:", "Address space of mappings."},
    {"rss", "Rss:", "Resident memory of mappings. What processes share counts in each of them."},
    {"pss", "Pss:", "Resident memory of mappings, of which each process has its share."},
    {"swap", "Swap:", "Memory of mappings that is swapped out."},
};

typedef struct {
  target_t to;
  char place[4200]; /* of the mapping, without the tree's root */
  uint64_t kb[N_SUMS];
  uint64_t private_kb; /* of all mappings */
  bool has_library, has_threads;
  uint64_t guard_end; /* if the mapping before is a guard, such as that of a thread's stack */
} mappings_t;

static void end_mapping(mappings_t *k) {
  dmd_strbuf_t path;
  dmd_strbuf_init(&path, &dmdv_env);
  for (int i = 0; i < N_TREES; i++) {
    dmd_strbuf_cut(&path, 0);
    dmd_strbuf_str(&path, trees[i].root);
    dmd_strbuf_str(&path, "/");
    dmd_strbuf_str(&path, k->place);
    if (k->kb[i] > 0)
      add(&k->to, path.text, DMD_MEMREPORT_BYTES, k->kb[i] * 1024, trees[i].description);
  }
  dmd_strbuf_destroy(&path);
  k->private_kb += k->kb[PRIVATE];
  memset(k->kb, 0, sizeof k->kb);
}

static bool is_library(const char *name) {
  const char *found = strstr(dmd_path_base(name), ".so");
  return found != NULL && (found[3] == '\0' || found[3] == '.' || found[3] == ' ');
}

/* The C library and others put a small mapping without access below the stack of a thread. Newer
 * ones also name the stack. */
static bool is_thread_stack(mappings_t *k, uint64_t start, uint64_t end, const char *access,
                            const char *name) {
  bool is_behind_guard = start == k->guard_end;
  bool is_guard = name[0] == '\0' && strcmp(access, "---p") == 0 && end - start <= MAX_GUARD;
  k->guard_end = is_guard ? end : 0;
  return k->has_threads && (strstr(name, "pthread stack") != NULL ||
                            (is_behind_guard && name[0] == '\0' && dmd_str_begins(access, "rw")));
}

/* Where a mapping of this name is in the trees. */
static void add_place(dmd_strbuf_t *to, const char *name, bool is_stack, bool anonymize) {
  if (is_stack) {
    dmd_strbuf_str(to, "thread-stacks");
  } else if (name[0] == '\0') {
    dmd_strbuf_str(to, "anonymous/outside-brk");
  } else if (strcmp(name, "[heap]") == 0) {
    dmd_strbuf_str(to, "anonymous/brk-heap");
  } else if (strncmp(name, "[anon:", 6) == 0) {
    dmd_strbuf_str(to, "anonymous/");
    add_base(to, name);
  } else if (strcmp(name, "[stack]") == 0) {
    dmd_strbuf_str(to, "main-thread-stack");
  } else if (name[0] == '[') {
    dmd_strbuf_str(to, "kernel/");
    add_base(to, name);
  } else if (is_library(name)) {
    dmd_strbuf_str(to, "shared-libraries/");
    add_base(to, name);
  } else {
    dmd_strbuf_str(to, "other-files/");
    if (anonymize)
      dmd_strbuf_str(to, "(anonymous)");
    else
      add_base(to, name);
  }
}

static bool has_mark(const char *line) {
  return strstr(line, "/memfd:" DMDV_REPORTERS_MARK " ") != NULL;
}

/* Begins a mapping, if this line is the head of one. */
static bool begin_mapping(mappings_t *k, char *line) {
  char access[8];
  uint64_t start, end;
  int name = 0;
  line[strcspn(line, "\n")] = '\0';
  if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %*s %*s %*s %n", &start, &end, access, &name) !=
          3 ||
      name == 0)
    return false;
  end_mapping(k);
  k->has_library = k->has_library || has_mark(line + name);
  dmd_strbuf_t place;
  dmd_strbuf_init(&place, &dmdv_env);
  add_place(&place, line + name, is_thread_stack(k, start, end, access, line + name),
            k->to.anonymize);
  snprintf(k->place, sizeof k->place - 16, "%s", place.text);
  size_t n = strlen(k->place);
  snprintf(k->place + n, sizeof k->place - n, "/[%s]", access);
  dmd_strbuf_destroy(&place);
  return true;
}

static void take_line(mappings_t *k, char *line) {
  for (int i = 0; i < N_TREES; i++)
    if (dmd_str_begins(line, trees[i].key))
      k->kb[i] = strtoull(line + strlen(trees[i].key), NULL, 10);
  if (dmd_str_begins(line, "Private_Clean:") || dmd_str_begins(line, "Private_Dirty:"))
    k->kb[PRIVATE] += strtoull(line + strlen("Private_Clean:"), NULL, 10);
}

static bool has_threads(uint32_t pid) {
  char line[256];
  uint64_t n = 0;
  FILE *f = open_of(pid, "status");
  while (f != NULL && fgets(line, sizeof line, f) != NULL)
    if (dmd_str_begins(line, "Threads:"))
      n = strtoull(line + strlen("Threads:"), NULL, 10);
  if (f != NULL)
    fclose(f);
  return n > 1;
}

static bool add_mappings(mappings_t *k, uint32_t pid) {
  char *line = NULL;
  size_t room = 0;
  FILE *f = open_of(pid, "smaps");
  bool any = false;
  k->has_threads = has_threads(pid);
  while (f != NULL && getline(&line, &room, f) > 0) {
    /* Only a head begins with an address; the other lines begin with a capital letter. */
    if (line[0] >= 'A' && line[0] <= 'Z')
      take_line(k, line);
    else
      any = begin_mapping(k, line) || any;
  }
  end_mapping(k);
  free(line);
  if (f != NULL)
    fclose(f);
  return any;
}

bool dmdv_system_has_library(uint32_t pid) {
  char *line = NULL;
  size_t room = 0;
  FILE *f = open_of(pid, "maps");
  bool found = false;
  while (f != NULL && !found && getline(&line, &room, f) > 0)
    found = has_mark(line);
  free(line);
  if (f != NULL)
    fclose(f);
  return found;
}

/* ---- Single values. ---- */

static const struct {
  const char *key, *path, *description;
} of_status[] = {
    {"VmRSS:", "resident", "Physical memory of the process, also what it shares with others."},
    {"VmHWM:", "resident-peak", "The most that resident was since the process began."},
    {"VmSize:", "vsize", "Address space of the process, also what is not in use."},
};
static const char UNIQUE[] = "resident-unique";
static const char CGROUP_LIMIT[] = "cgroup-limit", CGROUP_USED[] = "cgroup-used";
static const char SOFT[] = "page-faults-soft", HARD[] = "page-faults-hard";

static void add_status(const target_t *to, uint32_t pid) {
  char line[256];
  FILE *f = open_of(pid, "status");
  while (f != NULL && fgets(line, sizeof line, f) != NULL)
    for (size_t i = 0; i < sizeof of_status / sizeof *of_status; i++)
      if (dmd_str_begins(line, of_status[i].key))
        add(to, of_status[i].path, DMD_MEMREPORT_BYTES,
            strtoull(line + strlen(of_status[i].key), NULL, 10) * 1024, of_status[i].description);
  if (f != NULL)
    fclose(f);
}

/* For the control group of the process, not of dmdv. */
static size_t read_text(void *ctx, const char *name, char *to, size_t szB) {
  const uint32_t *pid = ctx;
  FILE *f = strcmp(name, "/proc/self/cgroup") == 0 ? open_of(*pid, "cgroup") : fopen(name, "re");
  size_t n = f == NULL ? 0 : fread(to, 1, szB, f);
  if (f != NULL)
    fclose(f);
  return n;
}

static void add_cgroup(const target_t *to, uint32_t pid) {
  const dmd_engine_host_t host = {.ctx = &pid, .read_text = read_text};
  dmd_cgroup_t cgroup;
  if (!dmd_cgroup_find(&cgroup, &host))
    return;
  uint64_t used = dmd_cgroup_used(&cgroup);
  add(to, CGROUP_LIMIT, DMD_MEMREPORT_BYTES, cgroup.limit_szB,
      "The memory limit of the process's control group. The kernel ends a process of the group "
      "when it is reached.");
  if (used != DMD_MEMORY_UNKNOWN)
    add(to, CGROUP_USED, DMD_MEMREPORT_BYTES, used,
        "Memory of all processes of the control group, without cached files.");
}

/* The fields of /proc/PID/stat behind the name, which may contain anything. */
static bool read_stat(uint32_t pid, uint32_t *parent, uint64_t *soft, uint64_t *hard) {
  char text[1024];
  FILE *f = open_of(pid, "stat");
  size_t n = f == NULL ? 0 : fread(text, 1, sizeof text - 1, f);
  if (f != NULL)
    fclose(f);
  text[n] = '\0';
  const char *name_end = strrchr(text, ')');
  return name_end != NULL &&
         sscanf(name_end + 1,
                " %*c %" SCNu32 " %*s %*s %*s %*s %*s %" SCNu64 " %*s %" SCNu64 " %*s", parent,
                soft, hard) == 3;
}

static void add_faults(const target_t *to, uint32_t pid) {
  uint32_t parent;
  uint64_t soft, hard;
  if (!read_stat(pid, &parent, &soft, &hard))
    return;
  add(to, SOFT, DMD_MEMREPORT_CUMULATIVE, soft, "Page faults without input and output.");
  add(to, HARD, DMD_MEMREPORT_CUMULATIVE, hard, "Page faults that read from a disk.");
}

bool dmdv_system_add(dmd_amounts_t *m, uint32_t pid, const char *process, bool anonymize,
                     bool *has_library) {
  mappings_t mappings = {.to = {m, process, anonymize}};
  bool good = add_mappings(&mappings, pid);
  *has_library = mappings.has_library;
  if (good)
    add(&mappings.to, UNIQUE, DMD_MEMREPORT_BYTES, mappings.private_kb * 1024,
        "The part of resident that no other process shares.");
  add_status(&mappings.to, pid);
  add_faults(&mappings.to, pid);
  add_cgroup(&mappings.to, pid);
  return good;
}

bool dmdv_system_measures(const char *path) {
  static const char *const names[] = {UNIQUE, SOFT, HARD, CGROUP_LIMIT, CGROUP_USED};
  bool found = false;
  for (int i = 0; i < N_TREES; i++)
    found = found || dmd_path_is_at_or_below(path, trees[i].root);
  for (size_t i = 0; i < sizeof of_status / sizeof *of_status; i++)
    found = found || dmd_path_is_at_or_below(path, of_status[i].path);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    found = found || dmd_path_is_at_or_below(path, names[i]);
  return found;
}

/* ---- Children. ---- */

static bool contains(const uint32_t *pids, uint32_t n, uint32_t pid) {
  for (uint32_t i = 0; i < n; i++)
    if (pids[i] == pid)
      return true;
  return false;
}

/* Adds the children of the n processes. */
static uint32_t add_children(uint32_t *pids, uint32_t n, uint32_t max) {
  uint32_t now = n, parent;
  uint64_t pid, soft, hard;
  DIR *all = opendir("/proc");
  const struct dirent *entry;
  while (all != NULL && now < max && (entry = readdir(all)) != NULL)
    if (dmd_str_to_u64(entry->d_name, 10, &pid) && pid <= UINT32_MAX &&
        read_stat((uint32_t)pid, &parent, &soft, &hard) && contains(pids, n, parent) &&
        !contains(pids, now, (uint32_t)pid))
      pids[now++] = (uint32_t)pid;
  if (all != NULL)
    closedir(all);
  return now;
}

uint32_t dmdv_system_descendants(uint32_t *pids, uint32_t n, uint32_t max) {
  for (uint32_t before = 0; n > before;) {
    before = n;
    n = add_children(pids, n, max);
  }
  return n;
}

/* ---- The machine. ---- */

/* The number behind the key in a file of lines "Key:   123 kB", in bytes. False: it is missing. */
static bool read_kb(FILE *f, const char *key, uint64_t *szB) {
  char line[256];
  bool found = false;
  while (f != NULL && !found && fgets(line, sizeof line, f) != NULL)
    if ((found = dmd_str_begins(line, key)))
      *szB = strtoull(line + strlen(key), NULL, 10) * 1024;
  if (f != NULL)
    fclose(f);
  return found;
}

/* Returns the process's share of memory. */
static uint64_t add_share(const target_t *to, uint32_t pid) {
  uint64_t szB;
  char *name = dmdv_system_name(pid);
  dmd_strbuf_t path;
  if (!read_kb(open_of(pid, "smaps_rollup"), "Pss:", &szB))
    szB = 0;
  dmd_strbuf_init(&path, &dmdv_env);
  dmd_strbuf_str(&path, "mem/processes/");
  for (const char *at = name; at != NULL && *at != '\0'; at++)
    dmd_strbuf_bytes(&path, *at == '/' ? "\\" : at, 1);
  if (name != NULL && szB > 0)
    add(to, path.text, DMD_MEMREPORT_BYTES, szB,
        "Resident memory of the process. What processes share is divided among them.");
  dmd_strbuf_destroy(&path);
  dmd_env_free(&dmdv_env, name);
  return szB;
}

void dmdv_system_add_machine(dmd_amounts_t *m) {
  const target_t to = {m, "System", false};
  uint64_t pid, total, unused, of_processes = 0;
  DIR *all = opendir("/proc");
  const struct dirent *entry;
  while (all != NULL && (entry = readdir(all)) != NULL)
    if (dmd_str_to_u64(entry->d_name, 10, &pid) && pid <= UINT32_MAX)
      of_processes += add_share(&to, (uint32_t)pid);
  if (all != NULL)
    closedir(all);
  if (!read_kb(fopen("/proc/meminfo", "re"), "MemTotal:", &total) ||
      !read_kb(fopen("/proc/meminfo", "re"), "MemFree:", &unused))
    return;
  add(&to, "mem/free", DMD_MEMREPORT_BYTES, unused, "Memory that nothing uses.");
  add(&to, "mem/other", DMD_MEMREPORT_BYTES,
      total > unused + of_processes ? total - unused - of_processes : 0,
      "The kernel, its cache of files, and processes whose mappings the system does not show.");
}
