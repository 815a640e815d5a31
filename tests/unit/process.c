/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "process.h"

#include <link.h>
#include <sys/uio.h>
#include <unistd.h>

typedef struct {
  uintptr_t ip;
  dmd_code_range_t *range;
  const char *path;
  uintptr_t base;
} search_t;

static int note_object(struct dl_phdr_info *info, size_t szB, void *arg) {
  (void)szB;
  search_t *search = arg;
  dmd_code_range_t *range = search->range;
  bool is_found = false;
  range->start = UINTPTR_MAX;
  range->end = range->eh_frame_hdr = 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + part->p_vaddr, end = start + part->p_memsz;
    if (part->p_type == PT_GNU_EH_FRAME)
      range->eh_frame_hdr = start;
    if (part->p_type != PT_LOAD)
      continue;
    range->start = start < range->start ? start : range->start;
    range->end = end > range->end ? end : range->end;
    is_found |= search->ip >= start && search->ip < end;
  }
  search->path = info->dlpi_name[0] == '\0' ? "/proc/self/exe" : info->dlpi_name;
  search->base = info->dlpi_addr;
  return is_found;
}

bool process_object(uintptr_t ip, dmd_code_range_t *range, const char **path, uintptr_t *base) {
  search_t search = {.ip = ip, .range = range};
  if (dl_iterate_phdr(note_object, &search) == 0)
    return false;
  if (path != NULL)
    *path = search.path;
  if (base != NULL)
    *base = search.base;
  return true;
}

bool process_read(uintptr_t at, void *to, size_t szB) {
  struct iovec ours = {to, szB}, theirs = {(void *)at, szB};
  return process_vm_readv(getpid(), &ours, 1, &theirs, 1, 0) == (ssize_t)szB;
}

bool process_can_read(uintptr_t at) {
  uintptr_t word;
  return process_read(at, &word, sizeof word);
}
