/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/cgroup.h"

#include "base/str.h"

/* Version 1 writes the largest number of pages that fits into 63 bits for "no limit". */
#define LEAST_UNLIMITED (UINT64_C(1) << 60)

/* ---- Files. ---- */

/* Appends up to n bytes to a path, or nothing if they do not fit. */
static bool append(char path[DMD_CGROUP_PATH], const char *more, size_t n) {
  size_t before = dmd_str_length(path);
  if (before + n >= DMD_CGROUP_PATH)
    return false;
  dmd_mem_copy(path + before, more, n);
  path[before + n] = '\0';
  return true;
}

/* Reads a file into the text, which is "" if that is not possible. */
static const char *read_file(dmd_cgroup_t *cgroup, const char *name) {
  size_t n = cgroup->host->read_text(cgroup->host->ctx, name, cgroup->text, DMD_CGROUP_TEXT - 1);
  cgroup->text[n] = '\0';
  return cgroup->text;
}

/* Reads one of the group's files. */
static const char *read_in_group(dmd_cgroup_t *cgroup, const char *file) {
  char name[DMD_CGROUP_PATH] = "";
  append(name, cgroup->folder, dmd_str_length(cgroup->folder));
  bool fits = append(name, file, dmd_str_length(file));
  return read_file(cgroup, fits ? name : "");
}

static uint64_t read_number(const char *text) {
  uint64_t v = 0;
  if (*text < '0' || *text > '9')
    return DMD_MEMORY_UNKNOWN;
  for (; *text >= '0' && *text <= '9' && v < LEAST_UNLIMITED; text++)
    v = v * 10 + (uint64_t)(*text - '0');
  return v;
}

static const char *next_line(const char *line) {
  line += dmd_str_span_without(line, "\n");
  return *line == '\0' ? line : line + 1;
}

/* The number in a line "key number"; 0 if there is none. */
static uint64_t figure(const char *text, const char *key) {
  size_t n = dmd_str_length(key);
  for (; *text != '\0'; text = next_line(text))
    if (dmd_str_begins(text, key) && text[n] == ' ') {
      uint64_t v = read_number(text + n + 1);
      return v == DMD_MEMORY_UNKNOWN ? 0 : v;
    }
  return 0;
}

/* ---- The group. ---- */

/* Whether a list of controllers, separated by commas, has the one of memory. */
static bool has_memory(const char *list, size_t n) {
  static const char memory[] = "memory";
  const size_t length = sizeof memory - 1;
  for (size_t i = 0; i + length <= n; i++)
    if ((i == 0 || list[i - 1] == ',') && (i + length == n || list[i + length] == ',') &&
        dmd_mem_equal(list + i, memory, length))
      return true;
  return false;
}

/* A line of /proc/self/cgroup, "number:controllers:path". Returns the path if the line is that of
 * version 2, which has number 0 and no list, or of the memory controller of version 1. */
static const char *path_of_memory(const char *line, bool *is_first_version) {
  const char *list = line + dmd_str_span_without(line, ":\n");
  size_t n = *list == ':' ? dmd_str_span_without(list + 1, ":\n") : 0;
  if (*list != ':' || list[1 + n] != ':')
    return NULL;
  *is_first_version = has_memory(list + 1, n);
  return *is_first_version || (n == 0 && dmd_str_begins(line, "0:")) ? list + 2 + n : NULL;
}

/* Where both versions are in use, the memory controller is in the first one if that lists it. The
 * paths begin with a slash; that of the topmost group is nothing but one. A path that begins with
 * "/.." leads out of what is mounted: the topmost group there is taken instead. */
static void find_folder(dmd_cgroup_t *cgroup) {
  const char *line = read_file(cgroup, "/proc/self/cgroup"), *path = "";
  for (; *line != '\0' && !cgroup->is_first_version; line = next_line(line)) {
    bool is_first = false;
    const char *found = path_of_memory(line, &is_first);
    path = found != NULL ? found : path;
    cgroup->is_first_version = found != NULL && is_first;
  }
  const char *mount = cgroup->is_first_version ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup";
  size_t n = dmd_str_begins(path, "/..") ? 0 : dmd_str_span_without(path, "\n");
  append(cgroup->folder, mount, dmd_str_length(mount));
  append(cgroup->folder, path, n > 0 && path[n - 1] == '/' ? n - 1 : n);
}

/* 0: none. "max" is no number. */
static uint64_t limit_of(dmd_cgroup_t *cgroup) {
  const char *file = cgroup->is_first_version ? "/memory.limit_in_bytes" : "/memory.max";
  uint64_t szB = read_number(read_in_group(cgroup, file));
  return szB < LEAST_UNLIMITED ? szB : 0;
}

/* Visits the group and those around it, up to the folder where they are mounted. */
bool dmd_cgroup_find(dmd_cgroup_t *cgroup, const dmd_engine_host_t *host) {
  char least[DMD_CGROUP_PATH] = "";
  dmd_mem_zero(cgroup, sizeof *cgroup);
  cgroup->host = host;
  if (host->read_text == NULL)
    return false;
  find_folder(cgroup);
  while (dmd_str_begins(cgroup->folder, "/sys/fs/cgroup")) {
    uint64_t szB = limit_of(cgroup);
    if (szB > 0 && (cgroup->limit_szB == 0 || szB < cgroup->limit_szB)) {
      cgroup->limit_szB = szB;
      dmd_mem_copy(least, cgroup->folder, sizeof least);
    }
    size_t n = dmd_str_length(cgroup->folder);
    while (cgroup->folder[n] != '/')
      n--;
    cgroup->folder[n] = '\0';
  }
  dmd_mem_copy(cgroup->folder, least, sizeof least);
  return cgroup->limit_szB > 0;
}

uint64_t dmd_cgroup_used(void *ctx) {
  dmd_cgroup_t *cgroup = ctx;
  bool is_first = cgroup->is_first_version;
  uint64_t all =
      read_number(read_in_group(cgroup, is_first ? "/memory.usage_in_bytes" : "/memory.current"));
  const char *details = read_in_group(cgroup, "/memory.stat");
  uint64_t files = figure(details, is_first ? "total_inactive_file" : "inactive_file") +
                   figure(details, is_first ? "total_active_file" : "active_file");
  if (all == DMD_MEMORY_UNKNOWN)
    return all;
  return all > files ? all - files : 0;
}
