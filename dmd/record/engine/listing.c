/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/listing.h"

#include "base/mem.h"

static const char graph[] = "graph";

void dmd_listing_write(dmd_strbuf_t *line, const dmd_run_t *run, bool is_graph, const char *path) {
  dmd_strbuf_u64(line, run->pid);
  dmd_strbuf_str(line, " ");
  dmd_strbuf_u64(line, run->dump_number);
  dmd_strbuf_str(line, " ");
  dmd_strbuf_str(line, is_graph ? graph : run->trigger);
  dmd_strbuf_str(line, " ");
  for (; *path != '\0'; path++)
    if (*path == '\n')
      dmd_strbuf_str(line, "\\n");
    else if (*path == '\\')
      dmd_strbuf_str(line, "\\\\");
    else
      dmd_strbuf_bytes(line, path, 1);
  dmd_strbuf_str(line, "\n");
}

bool dmd_listing_path(dmd_strbuf_t *path, bool *is_graph, const char *line, size_t n) {
  size_t i = 0;
  for (int field = 0; field < 3; field++) {
    size_t start = i;
    while (i < n && line[i] != ' ')
      i++;
    if (i == start || i == n)
      return false;
    *is_graph = i - start == sizeof graph - 1 && dmd_mem_equal(line + start, graph, i - start);
    i++;
  }
  if (i == n)
    return false;
  for (; i < n; i++) {
    char c = line[i];
    if (c == '\\') {
      if (++i == n || (line[i] != 'n' && line[i] != '\\'))
        return false;
      c = line[i] == 'n' ? '\n' : '\\';
    }
    dmd_strbuf_bytes(path, &c, 1);
  }
  return true;
}
