/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "native/pl_objects.h"

#include "base/mem.h"
#include "base/pool.h"
#include "native/pl_confined.h"
#include "native/pl_kernel.h"
#include "native/pl_memory.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

/* A range of a loaded object that has code. */
typedef struct {
  uint64_t start, end;
  uint64_t object; /* its number */
} range_t;

/* All ranges, in ascending order. Never changed or freed, since another thread may be reading it.
 * When the same objects are loaded again, the earlier array is found by its hash. */
typedef struct ranges {
  struct ranges *next; /* in the same bucket */
  uint64_t hash;
  uint32_t n;
  range_t range[];
} ranges_t;

enum { MAX_OBJECTS = 1 << 16, MAX_PARTS = 8, N_BUCKETS = 256 };

/* Objects and arrays of ranges are never freed, so that they can be read without the lock. */
static struct {
  dmd_lock_t asking; /* comes before the loader's lock */
  dmd_lock_t lock;   /* comes after it, and guards the following */
  pl_object_new_fn new_one;
  pl_object_loaded_fn loaded;
  bool is_known;
  bool asks_nobody;                                /* see pl_objects_stop_asking */
  unsigned long long n_loads, n_unloads;           /* the loader's own counters */
  const pl_object_t *volatile object[MAX_OBJECTS]; /* by number */
  atomic_uint n;
  atomic_uint n_changes;
  range_t *seen; /* during a refresh: the ranges loaded now */
  uint32_t n_seen, room;
  ranges_t *_Atomic ranges;
  ranges_t *known[N_BUCKETS]; /* every array so far, by hash */
} g_objects;

/* ---- Reading an object's headers ---- */

static const char *keep(const char *s) {
  size_t n = dmd_str_length(s) + 1;
  char *copy = dmd_env_alloc(&g_env, "pl.objects", n);
  dmd_mem_copy(copy, s, n);
  return copy;
}

/* Resolves a name to the path of the file, in a buffer of PATH_MAX; keeps the name if that fails.
 * Calls nothing that allocates. */
static void resolve(char *path, const char *name) {
  char link[48] = "/proc/thread-self/fd/";
  int fd = name[0] == '\0' ? -1 : pl_open(name, O_PATH);
  if (fd >= 0)
    snprintf(link, sizeof link, "/proc/thread-self/fd/%d", fd);
  ssize_t n = name[0] == '\0' ? readlink("/proc/thread-self/exe", path, PATH_MAX - 1)
              : fd >= 0       ? readlink(link, path, PATH_MAX - 1)
                              : -1;
  if (fd >= 0)
    close(fd);
  if (n <= 0 || path[0] != '/') {
    n = (ssize_t)dmd_str_length(name);
    n = n < PATH_MAX ? n : PATH_MAX - 1;
    dmd_mem_copy(path, name, (size_t)n);
  }
  path[n] = '\0';
}

/* In most objects the loader has relocated the address of the string table. */
static const char *soname_of(const struct dl_phdr_info *info, const ElfW(Phdr) * dynamic) {
  const ElfW(Dyn) *d = (const ElfW(Dyn) *)(info->dlpi_addr + dynamic->p_vaddr);
  ElfW(Addr) strings = 0, soname = 0;
  for (; d->d_tag != DT_NULL; d++)
    if (d->d_tag == DT_STRTAB)
      strings = d->d_un.d_ptr;
    else if (d->d_tag == DT_SONAME)
      soname = d->d_un.d_val;
  if (strings == 0 || soname == 0)
    return "";
  return (const char *)((strings < info->dlpi_addr ? info->dlpi_addr + strings : strings) + soname);
}

static size_t round_up(size_t szB, size_t alignB) {
  return (szB + alignB - 1) & ~(alignB - 1);
}

/* Visits the notes of one program header. */
static void visit_notes(const char *at, size_t rest, size_t alignB, pl_note_visit_fn visit,
                        void *ctx) {
  while (rest >= sizeof(ElfW(Nhdr))) {
    const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
    if (note->n_namesz > rest || note->n_descsz > rest)
      return;
    size_t bytes = round_up(sizeof *note + note->n_namesz, alignB);
    size_t all = round_up(bytes + note->n_descsz, alignB);
    if (all > rest)
      return;
    if (note->n_namesz > 0 && at[sizeof *note + note->n_namesz - 1] == '\0')
      visit(ctx, at + sizeof *note, note->n_type, at + bytes, note->n_descsz);
    at += all;
    rest -= all;
  }
}

static bool is_loaded(const struct dl_phdr_info *info, const ElfW(Phdr) * part) {
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type == PT_LOAD && (p->p_flags & PF_R) && part->p_vaddr >= p->p_vaddr &&
        part->p_memsz <= p->p_memsz && part->p_vaddr - p->p_vaddr <= p->p_memsz - part->p_memsz)
      return true;
  }
  return false;
}

void pl_objects_visit_notes(const struct dl_phdr_info *info, pl_note_visit_fn visit, void *ctx) {
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type == PT_NOTE && is_loaded(info, p))
      visit_notes((const char *)(info->dlpi_addr + p->p_vaddr), p->p_memsz, p->p_align == 8 ? 8 : 4,
                  visit, ctx);
  }
}

enum { MAX_BUILD_ID = 64 }; /* in bytes; linkers make 8 to 20 */

/* The object, and the text of its build ID, which is copied along with it. */
typedef struct {
  pl_object_t object;
  char build_id[2 * MAX_BUILD_ID + 1];
} found_t;

static void note_build_id(void *ctx, const char *owner, uint32_t type, const void *bytes,
                          uint32_t n) {
  static const char digits[] = "0123456789abcdef";
  found_t *found = ctx;
  if (!dmd_str_equal(owner, "GNU") || type != NT_GNU_BUILD_ID || n > MAX_BUILD_ID)
    return;
  for (uint32_t i = 0; i < n; i++) {
    uint8_t byte = ((const uint8_t *)bytes)[i];
    found->build_id[2 * i] = digits[byte >> 4];
    found->build_id[2 * i + 1] = digits[byte & 15];
  }
  found->build_id[2 * n] = '\0';
}

static void describe(found_t *found, const struct dl_phdr_info *info) {
  found->object = (pl_object_t){.name = info->dlpi_name != NULL ? info->dlpi_name : "",
                                .soname = "",
                                .bias = info->dlpi_addr,
                                .build_id = found->build_id};
  found->build_id[0] = '\0';
  found->object.start = UINT64_MAX;
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uint64_t start = info->dlpi_addr + p->p_vaddr, end = start + p->p_memsz;
    if (p->p_type == PT_DYNAMIC)
      found->object.soname = soname_of(info, p);
    if (p->p_type == PT_GNU_EH_FRAME)
      found->object.eh_frame_hdr = start;
    if (p->p_type == PT_LOAD && start < found->object.start)
      found->object.start = start;
    if (p->p_type == PT_LOAD && end > found->object.end)
      found->object.end = end;
  }
  pl_objects_visit_notes(info, note_build_id, found);
}

/* ---- Asking the loader ---- */

static bool is_same(const pl_object_t *a, const pl_object_t *b) {
  return a->bias == b->bias && dmd_str_equal(a->name, b->name) &&
         dmd_str_equal(a->soname, b->soname) && dmd_str_equal(a->build_id, b->build_id);
}

/* The object's number, which may be a new one. */
static uint32_t number_of(const struct dl_phdr_info *info) {
  found_t found;
  describe(&found, info);
  uint32_t n = atomic_load(&g_objects.n);
  for (uint32_t i = n; i > 0; i--)
    if (is_same(g_objects.object[i], &found.object))
      return i;
  if (n == MAX_OBJECTS - 1)
    return DMD_NONE;
  pl_object_t *object = dmd_env_alloc(&g_env, "pl.objects", sizeof *object);
  char path[PATH_MAX];
  resolve(path, found.object.name);
  *object = found.object;
  object->path = keep(path);
  object->name = keep(found.object.name);
  object->soname = keep(found.object.soname);
  object->build_id = keep(found.build_id);
  if (g_objects.new_one != NULL)
    g_objects.new_one(info, object->path);
  g_objects.object[n + 1] = object;
  atomic_store(&g_objects.n, n + 1);
  return n + 1;
}

static void add_range(uint64_t start, uint64_t end, uint32_t object) {
  if (g_objects.n_seen == g_objects.room) {
    uint32_t room = g_objects.room == 0 ? 128 : g_objects.room * 2;
    range_t *seen = dmd_env_alloc(&g_env, "pl.objects", room * sizeof *seen);
    dmd_mem_copy(seen, g_objects.seen, g_objects.n_seen * sizeof *seen);
    dmd_env_free(&g_env, g_objects.seen);
    g_objects.seen = seen;
    g_objects.room = room;
  }
  uint32_t at = g_objects.n_seen++;
  for (; at > 0 && g_objects.seen[at - 1].start > start; at--)
    g_objects.seen[at] = g_objects.seen[at - 1];
  g_objects.seen[at] = (range_t){start, end, object};
}

/* Called for each object in turn, with the loader's lock held. */
static int see(struct dl_phdr_info *info, size_t szB, void *is_first) {
  (void)szB;
  if (*(bool *)is_first && g_objects.is_known && g_objects.n_loads == info->dlpi_adds &&
      g_objects.n_unloads == info->dlpi_subs)
    return 1;
  *(bool *)is_first = false;
  g_objects.is_known = true;
  g_objects.n_loads = info->dlpi_adds;
  g_objects.n_unloads = info->dlpi_subs;
  uint32_t object = number_of(info);
  if (g_objects.loaded != NULL)
    g_objects.loaded(info);
  for (unsigned i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uint64_t start = info->dlpi_addr + p->p_vaddr;
    if (p->p_type == PT_LOAD && (p->p_flags & PF_X))
      add_range(start, start + p->p_memsz, object);
  }
  return 0;
}

/* Returns the array of ranges loaded now, reusing an equal one from before. */
static ranges_t *ranges_seen(void) {
  size_t szB = g_objects.n_seen * sizeof(range_t);
  uint64_t hash = dmd_hash_bytes(g_objects.n_seen, g_objects.seen, szB);
  ranges_t **bucket = &g_objects.known[hash % N_BUCKETS];
  for (ranges_t *known = *bucket; known != NULL; known = known->next)
    if (known->hash == hash && known->n == g_objects.n_seen &&
        dmd_mem_equal(known->range, g_objects.seen, szB))
      return known;
  ranges_t *ranges = dmd_env_alloc(&g_env, "pl.objects", sizeof *ranges + szB);
  *ranges = (ranges_t){.next = *bucket, .hash = hash, .n = g_objects.n_seen};
  dmd_mem_copy(ranges->range, g_objects.seen, szB);
  *bucket = ranges;
  return ranges;
}

static void publish(void) {
  atomic_store_explicit(&g_objects.ranges, ranges_seen(), memory_order_release);
  atomic_fetch_add_explicit(&g_objects.n_changes, 1, memory_order_release);
}

typedef struct {
  bool is_first;
  bool is_locked;
} asking_t;

/* The loader's lock comes before ours. */
static int see_locked(struct dl_phdr_info *info, size_t szB, void *p) {
  asking_t *asking = p;
  if (!asking->is_locked) {
    pl_lock_take(&g_objects.lock);
    asking->is_locked = true;
    g_objects.n_seen = 0;
  }
  return see(info, szB, &asking->is_first);
}

void pl_objects_watch(pl_object_new_fn new_one, pl_object_loaded_fn loaded) {
  g_objects.new_one = new_one;
  g_objects.loaded = loaded;
}

void pl_objects_refresh(void) {
  asking_t asking = {.is_first = true};
  if (g_objects.asks_nobody)
    return;
  pl_lock_take(&g_objects.asking);
  dl_iterate_phdr(see_locked, &asking);
  pl_lock_give(&g_objects.asking);
  if (!asking.is_locked)
    return;
  if (!asking.is_first)
    publish();
  pl_lock_give(&g_objects.lock);
}

void pl_objects_stop_asking(void) {
  g_objects.asks_nobody = true;
}

/* ---- Searching ---- */

uint32_t pl_object_find(uint64_t ip) {
  const ranges_t *ranges = atomic_load_explicit(&g_objects.ranges, memory_order_acquire);
  if (ranges == NULL)
    return DMD_NONE;
  uint32_t low = 0, high = ranges->n;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (ranges->range[middle].end <= ip)
      low = middle + 1;
    else
      high = middle;
  }
  bool is_in = low < ranges->n && ip >= ranges->range[low].start;
  return is_in ? (uint32_t)ranges->range[low].object : DMD_NONE;
}

uint32_t pl_object_at(uint64_t ip) {
  uint32_t number = pl_object_find(ip);
  if (number != DMD_NONE)
    return number;
  pl_objects_refresh();
  return pl_object_find(ip);
}

uint32_t pl_objects_changes(void) {
  return atomic_load_explicit(&g_objects.n_changes, memory_order_acquire);
}

uint32_t pl_object_around(uint64_t addr) {
  for (uint32_t i = pl_objects_count(); i > 0; i--)
    if (addr >= g_objects.object[i]->start && addr < g_objects.object[i]->end)
      return i;
  return DMD_NONE;
}

const pl_object_t *pl_object(uint32_t number) {
  return g_objects.object[number];
}

uint32_t pl_objects_count(void) {
  return atomic_load(&g_objects.n);
}

/* ---- fork ---- */

void pl_objects_fork_begin(void) {
  pl_lock_take(&g_objects.asking);
  pl_lock_take(&g_objects.lock);
}

void pl_objects_fork_end(void) {
  pl_lock_give(&g_objects.lock);
  pl_lock_give(&g_objects.asking);
}
