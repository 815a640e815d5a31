/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where an object contains exactly this code,
 *
 *   b8 e7 00 00 00   mov $231, %eax     (exit_group)
 *   0f 05            syscall
 *
 * its first instruction is replaced by a jump to our code, which writes the final profile on a
 * stack of its own and then ends the process with the same status. The second instruction stays
 * unchanged, for code that jumps to it. Other instruction sequences with the same effect are not
 * recognised.
 *
 * Searching all libraries, or very large ones, would take too long. The search reads the file, so
 * that no pages of the object are loaded for it, and compares the code in memory before changing
 * it. The change is made through /proc/self/mem, which leaves the pages' protection as it is and
 * gives this process private copies of them.
 */
#define _GNU_SOURCE
#include "native/pl_rawexit.h"

#include "base/mem.h"
#include "base/str.h"
#include "native/pl_end.h"
#include "native/pl_kernel.h"
#include "native/pl_memory.h"
#include "native/pl_message.h"
#include "native/pl_objects.h"
#include "native/pl_options.h"
#include "native/pl_patch.h"
#include "native/pl_real.h"

#include <asm/prctl.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- Ending ---- */

enum { STACK_SZB = 256 * 1024 };

static _Alignas(16) char g_stack[STACK_SZB];

/* Code that does without the C library may have replaced the thread pointer. The C library's thread
 * descriptor begins with its own address. */
static bool has_thread_pointer(void) {
  uintptr_t fs = 0;
  return syscall(SYS_arch_prctl, ARCH_GET_FS, &fs) == 0 && fs != 0 && *(const uintptr_t *)fs == fs;
}

/* Runs at the place where the program would have ended. */
_Noreturn static void end(int status, uint64_t sp, uint64_t ip, uint64_t fp) {
  const pl_entry_t entry = {.ip = ip + 1, .sp = sp, .fp = fp};
  if (has_thread_pointer()) {
    pl_signals_block();
    pl_end_finish(&entry);
  }
  pl_exit_now(status);
}

/* Passed to the code below in %r9. */
static struct {
  void (*arrive)(void);
  const pid_t *pid; /* the process that the engine runs in */
  char *stack_end;
  void (*end)(int status, uint64_t sp, uint64_t ip, uint64_t fp);
  int is_taken; /* the stack is in use: later arrivals wait for the end */
} g_arrival;

/* Gets the status in %edi and the program's address in %rax. A child of vfork shares its parent's
 * memory, so it must not touch our stack. System calls: 39 getpid, 24 sched_yield. */
__attribute__((naked)) static void arrive(void) {
  __asm__("mov %rax, %rdx\n"
          "mov %rsp, %rsi\n"
          "mov %rbp, %r8\n"
          "mov $39, %eax\n"
          "syscall\n"
          "mov 8(%r9), %r10\n"
          "cmp (%r10), %eax\n"
          "jne 2f\n"
          "1: mov $1, %eax\n"
          "xchg %eax, 32(%r9)\n"
          "test %eax, %eax\n"
          "jz 3f\n"
          "mov $24, %eax\n"
          "syscall\n"
          "jmp 1b\n"
          "2: mov $231, %eax\n"
          "syscall\n"
          "hlt\n"
          "3: mov 16(%r9), %rsp\n"
          "mov %r8, %rcx\n"
          "xor %ebp, %ebp\n"
          "call *24(%r9)\n"
          "hlt\n");
}

static void prepare(void) {
  g_arrival.arrive = arrive;
  g_arrival.pid = &g_engine_pid;
  g_arrival.stack_end = g_stack + STACK_SZB;
  g_arrival.end = end;
}

_Static_assert(offsetof(__typeof__(g_arrival), pid) == 8 &&
                   offsetof(__typeof__(g_arrival), stack_end) == 16 &&
                   offsetof(__typeof__(g_arrival), end) == 24 &&
                   offsetof(__typeof__(g_arrival), is_taken) == 32,
               "as the code has it");

void pl_rawexit_forked(void) {
  g_arrival.is_taken = 0;
}

/* ---- Our code near an object ---- */

enum { ENTRY_SZB = 32, MAX_PLACES = PL_PAGE_SZB / ENTRY_SZB };

/* Writes: movabs $place, %rax; movabs $g_arrival, %r9; jmp *(%r9) */
static void write_entry(char *entry, uint64_t place) {
  static const uint8_t code[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0,    0,    0x49, 0xb9,
                                 0,    0,    0, 0, 0, 0, 0, 0, 0x41, 0xff, 0x21};
  uint64_t arrival = (uintptr_t)&g_arrival;
  dmd_mem_copy(entry, code, sizeof code);
  dmd_mem_copy(entry + 2, &place, sizeof place);
  dmd_mem_copy(entry + 12, &arrival, sizeof arrival);
}

/* ---- Searching ---- */

enum { CODE_SZB = 7 };
static const uint8_t EXIT_GROUP[CODE_SZB] = {0xb8, 0xe7, 0, 0, 0, 0x0f, 0x05};

typedef struct {
  uint64_t start, end; /* of the object */
  uint64_t place[MAX_PLACES];
  uint32_t n;
} found_t;

/* A REX prefix: with it, the first instruction sets another register. */
static bool is_prefix(uint8_t byte) {
  return (byte & 0xf1) == 0x41;
}

static void look_at_bytes(found_t *found, uint64_t addr, const uint8_t *bytes, size_t n) {
  for (size_t i = 1; i + CODE_SZB <= n; i++)
    if (bytes[i] == EXIT_GROUP[0] && dmd_mem_equal(bytes + i, EXIT_GROUP, CODE_SZB) &&
        !is_prefix(bytes[i - 1]) && found->n < MAX_PLACES)
      found->place[found->n++] = addr + i;
}

/* Searches the part of the file that is mapped at addr, piece by piece. Each piece begins with the
 * end of the previous one, so that no place is missed or found twice. */
static void look_at_part(found_t *found, int fd, uint64_t addr, uint64_t offset, uint64_t szB) {
  enum { PIECE_SZB = 64 * 1024 };
  uint8_t *piece = dmd_env_alloc(&g_env, "pl.rawexit", PIECE_SZB);
  for (uint64_t at = 0; at + CODE_SZB <= szB; at += PIECE_SZB - CODE_SZB) {
    size_t wanted = szB - at < PIECE_SZB ? (size_t)(szB - at) : PIECE_SZB;
    ssize_t n = pread(fd, piece, wanted, (off_t)(offset + at));
    if (n <= 0)
      break;
    look_at_bytes(found, addr + at, piece, (size_t)n);
  }
  dmd_env_free(&g_env, piece);
}

static void look_at_object(found_t *found, const struct dl_phdr_info *info, const char *path) {
  static const uint64_t most_szB = 64 << 20;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  found->start = UINT64_MAX;
  for (unsigned i = 0; i < info->dlpi_phnum && fd >= 0; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uint64_t start = info->dlpi_addr + p->p_vaddr, end = start + p->p_memsz;
    if (p->p_type != PT_LOAD)
      continue;
    found->start = start < found->start ? start : found->start;
    found->end = end > found->end ? end : found->end;
    if ((p->p_flags & PF_X) && !(p->p_flags & PF_W) && p->p_filesz <= most_szB)
      look_at_part(found, fd, start, p->p_offset, p->p_filesz);
  }
  if (fd >= 0)
    close(fd);
}

/* ---- Patching ---- */

/* Returns false if the code in memory differs from the file's, or must not be changed. */
static bool change(int memory, uint64_t place, const char *entry) {
  uint8_t jump[PL_JUMP_SZB] = {0xe9};
  int32_t distance = (int32_t)((intptr_t)entry - (intptr_t)(place + PL_JUMP_SZB));
  dmd_mem_copy(jump + 1, &distance, sizeof distance);
  return dmd_mem_equal((const void *)(uintptr_t)place, EXIT_GROUP, CODE_SZB) &&
         pwrite(memory, jump, sizeof jump, (off_t)place) == (ssize_t)sizeof jump;
}

static uint32_t change_all(const found_t *found) {
  uint32_t n = 0;
  char *page = pl_patch_page(found->start, found->end);
  if (page == NULL)
    return 0;
  prepare();
  for (uint32_t i = 0; i < found->n; i++)
    write_entry(page + (size_t)i * ENTRY_SZB, found->place[i]);
  int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  if (memory >= 0 && mprotect(page, PL_PAGE_SZB, PROT_READ | PROT_EXEC) == 0)
    for (uint32_t i = 0; i < found->n; i++)
      n += change(memory, found->place[i], page + (size_t)i * ENTRY_SZB);
  if (memory >= 0)
    close(memory);
  if (n == 0)
    munmap(page, PL_PAGE_SZB);
  return n;
}

static void note_go(void *is_go, const char *owner, uint32_t type, const void *bytes, uint32_t n) {
  (void)type, (void)bytes, (void)n;
  if (dmd_str_equal(owner, "Go"))
    *(bool *)is_go = true;
}

static void say_unchanged(const char *path) {
  dmd_strbuf_t line;
  dmd_strbuf_init(&line, &g_env);
  dmd_strbuf_str(&line, "dmd: ");
  dmd_strbuf_str(&line, path);
  dmd_strbuf_str(&line,
                 " has a system call exit_group of its own, which cannot be changed: where it "
                 "ends the program, there is no profile at exit");
  pl_say(line.text);
  dmd_strbuf_destroy(&line);
}

void pl_rawexit_watch(const struct dl_phdr_info *info, const char *path) {
  bool is_wanted = info->dlpi_name == NULL || info->dlpi_name[0] == '\0'; /* the program */
  if (!is_wanted)
    pl_objects_visit_notes(info, note_go, &is_wanted);
  if (!is_wanted)
    return;
  found_t *found = dmd_env_alloc(&g_env, "pl.rawexit", sizeof *found);
  found->n = 0;
  found->end = 0;
  look_at_object(found, info, path);
  if (found->n > 0 && change_all(found) < found->n && !g_native_options.quiet)
    say_unchanged(path);
  dmd_env_free(&g_env, found);
}
