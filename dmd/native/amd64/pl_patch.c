/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_patch.h"

#include "base/mem.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

/* A jump reaches 2 GiB in each direction. */
static const uint64_t REACH = (UINT64_C(1) << 31) - PL_PAGE_SZB;

char *pl_patch_page(uint64_t start, uint64_t end) {
  enum { STEP = 16 * PL_PAGE_SZB, TRIES = 4096 };
  uint64_t at = start & ~(uint64_t)(PL_PAGE_SZB - 1);
  for (int i = 0; i < TRIES && at > STEP && end - (at - STEP) < REACH; i++) {
    at -= STEP;
    void *page = mmap((void *)(uintptr_t)at, PL_PAGE_SZB, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (page == (void *)(uintptr_t)at)
      return page;
    if (page != MAP_FAILED) /* older kernels ignore the flag and choose another place */
      munmap(page, PL_PAGE_SZB);
  }
  return NULL;
}

/* ---- Writing code ---- */

static bool write_unprotected(uint64_t at, const uint8_t *code) {
  uint64_t page = at & ~(uint64_t)(PL_PAGE_SZB - 1);
  size_t szB = (size_t)(at + PL_JUMP_SZB - page);
  void *first = (void *)(uintptr_t)page;
  if (mprotect(first, szB, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    return false;
  dmd_mem_copy((void *)(uintptr_t)at, code, PL_JUMP_SZB);
  mprotect(first, szB, PROT_READ | PROT_EXEC);
  return true;
}

static bool write_code(int memory, uint64_t at, const uint8_t *code) {
  return (memory >= 0 && pwrite(memory, code, PL_JUMP_SZB, (off_t)at) == PL_JUMP_SZB) ||
         write_unprotected(at, code);
}

/* ---- Jumps ---- */

enum { ENTRY_SZB = 16 };

/* Writes: jmp *0(%rip), and the address behind it. */
static void write_entry(char *entry, uint64_t to) {
  static const uint8_t code[] = {0xff, 0x25, 0, 0, 0, 0};
  dmd_mem_copy(entry, code, sizeof code);
  dmd_mem_copy(entry + sizeof code, &to, sizeof to);
}

static void make_jump(uint8_t jump[PL_JUMP_SZB], uint64_t from, const char *entry) {
  int32_t distance = (int32_t)((intptr_t)entry - (intptr_t)(from + PL_JUMP_SZB));
  jump[0] = 0xe9;
  dmd_mem_copy(jump + 1, &distance, sizeof distance);
}

/* Writes the jumps. If one fails, those before it are undone: what they replaced is kept behind
 * the entries. */
static bool write_all(int memory, const pl_patch_t *patches, uint32_t n, char *page) {
  uint8_t *before = (uint8_t *)page + (size_t)n * ENTRY_SZB, jump[PL_JUMP_SZB];
  for (uint32_t i = 0; i < n; i++) {
    dmd_mem_copy(before + (size_t)i * PL_JUMP_SZB, (const void *)(uintptr_t)patches[i].from,
                 PL_JUMP_SZB);
    write_entry(page + (size_t)i * ENTRY_SZB, patches[i].to);
  }
  uint32_t done = 0;
  if (mprotect(page, PL_PAGE_SZB, PROT_READ | PROT_EXEC) != 0)
    return false;
  for (; done < n; done++) {
    make_jump(jump, patches[done].from, page + (size_t)done * ENTRY_SZB);
    if (!write_code(memory, patches[done].from, jump))
      break;
  }
  for (uint32_t i = 0; done < n && i < done; i++)
    write_code(memory, patches[i].from, before + (size_t)i * PL_JUMP_SZB);
  return done == n;
}

bool pl_patch_all(const pl_patch_t *patches, uint32_t n, uint64_t start, uint64_t end) {
  enum { MAX_PATCHES = PL_PAGE_SZB / (ENTRY_SZB + PL_JUMP_SZB) };
  char *page = n <= MAX_PATCHES ? pl_patch_page(start, end) : NULL;
  if (page == NULL)
    return false;
  int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  bool good = write_all(memory, patches, n, page);
  if (memory >= 0)
    close(memory);
  if (!good)
    munmap(page, PL_PAGE_SZB);
  return good;
}
