/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/roots.h"

#include "base/limits.h"
#include "record/unwind/elfimage.h"

/* Maximum size of a root of mapped memory, so that offsets in it are small numbers. */
static const uint64_t MAX_ROOT = UINT64_C(1) << 30;

/* Maximum size of a thread's control block, behind its thread-local storage; and the size of what
 * is at the thread pointer where the storage follows it, before that is aligned. */
enum { CONTROL_BLOCK_SZB = 4096, STORAGE_HEAD_SZB = 16 };

/* ---- Mappings and objects. ---- */

static const char *keep(dmd_roots_t *roots, const char *text) {
  if (text == NULL)
    return NULL;
  return dmd_intern_get_str(&roots->texts, dmd_intern_str(&roots->texts, text));
}

static void add_mapping(void *visitor, const dmd_mapping_t *mapping) {
  dmd_roots_t *roots = visitor;
  uint32_t number = dmd_pool_add(&roots->mappings.mappings);
  dmd_mapping_t *kept = DMD_POOL_AT(&roots->mappings.mappings, dmd_mapping_t, number);
  *kept = *mapping;
  kept->path = keep(roots, mapping->path);
}

static void add_object(dmd_roots_t *roots, const dmd_mapping_t *mapping,
                       const dmd_elfimage_t *image) {
  uint32_t number = dmd_pool_add(&roots->mappings.objects);
  uint32_t build_id = dmd_intern_bytes(&roots->texts, image->build_id, image->n_build_id);
  *DMD_POOL_AT(&roots->mappings.objects, dmd_mapped_object_t, number) =
      (dmd_mapped_object_t){image->start, image->end, image->bias, image->last_start};
  dmd_graph_object_t object = {.path = mapping->path,
                               .soname =
                                   image->soname[0] == '\0' ? NULL : keep(roots, image->soname),
                               .bias = image->bias,
                               .start = image->start,
                               .szB = image->end - image->start};
  object.build_id = dmd_intern_get(&roots->texts, build_id, &object.n_build_id);
  *(dmd_graph_object_t *)dmd_pool_at(&roots->objects, dmd_pool_add(&roots->objects)) = object;
  roots->tls_szB += image->tls_szB + image->tls_alignment;
}

/* Objects do not overlap: skips one that would. */
static void find_objects(dmd_roots_t *roots) {
  uint64_t end = 0;
  for (uint32_t i = 1; i <= roots->mappings.mappings.last; i++) {
    const dmd_mapping_t *mapping = dmd_mapping_at(&roots->mappings, i);
    dmd_elfimage_t image;
    if (mapping->path == NULL || mapping->offset != 0 || mapping->start < end ||
        !mapping->is_readable || mapping->is_device ||
        !dmd_elfimage_read(&image, roots->memory, &roots->mappings, mapping, roots->host->word_szB))
      continue;
    add_object(roots, mapping, &image);
    end = image.end;
  }
}

/* ---- Roots. ---- */

/* A range of the address space. */
typedef struct {
  uint64_t start, end;
} range_t;

/* Adds a root of memory, split if it is large; none for an empty range. */
static void add_root(dmd_roots_t *roots, dmd_root_t root, range_t range) {
  while (range.start < range.end) {
    root.addr = range.start;
    root.szB = range.end - range.start < MAX_ROOT ? range.end - range.start : MAX_ROOT;
    *(dmd_root_t *)dmd_pool_at(&roots->roots, dmd_pool_add(&roots->roots)) = root;
    range.start += root.szB;
  }
}

static void take(dmd_roots_t *roots, range_t range) {
  *(range_t *)dmd_pool_at(&roots->taken, dmd_pool_add(&roots->taken)) = range;
}

/* ---- Threads. ---- */

/* The mapping of a thread's address, or NULL if the address may be in a block: a program may use
 * heap memory as a thread's stack. */
static const dmd_mapping_t *find_outside_heap(const dmd_roots_t *roots, uint64_t addr) {
  const dmd_mapping_t *mapping = dmd_mappings_find(&roots->mappings, addr);
  return mapping == NULL || mapping->is_heap ? NULL : mapping;
}

/* Thread-local storage ends at the thread pointer, and the thread's control block follows; or it
 * begins there, and the control block counts as the stack before it. */
static range_t add_thread_storage(dmd_roots_t *roots, const dmd_thread_t *thread) {
  uint64_t pointer = thread->thread_pointer;
  const dmd_mapping_t *mapping = find_outside_heap(roots, pointer);
  if (pointer == 0 || mapping == NULL)
    return (range_t){0, 0};
  range_t range = {mapping->start, mapping->end};
  uint64_t below = thread->storage_follows ? 0 : roots->tls_szB;
  uint64_t above = thread->storage_follows ? STORAGE_HEAD_SZB + roots->tls_szB : CONTROL_BLOCK_SZB;
  if (pointer - range.start > below)
    range.start = pointer - below;
  if (range.end - pointer > above)
    range.end = pointer + above;
  add_root(roots,
           (dmd_root_t){.kind = DMD_ROOT_THREAD, .thread = thread->thread, .origin = pointer},
           range);
  take(roots, range);
  return range;
}

/* Number of frames up to the thread's first function: entries below that are not addresses of
 * code. */
static uint32_t count_frames(const dmd_roots_t *roots, const dmd_thread_t *thread) {
  uint32_t n = 0;
  while (n < thread->n_frames) {
    const dmd_mapping_t *mapping = dmd_mappings_find(&roots->mappings, thread->codes[n].ip);
    if (mapping == NULL || !mapping->has_code)
      break;
    n++;
  }
  return n;
}

/* Each frame gets the memory between its stack pointer and its caller's; the innermost one also the
 * red zone, and the outermost one the rest. */
static void add_frames(dmd_roots_t *roots, const dmd_thread_t *thread, range_t used) {
  uint32_t n = count_frames(roots, thread);
  for (uint32_t i = 0; i == 0 || i < n; i++) {
    uint64_t end = i + 1 < n ? thread->sps[i + 1] : 0;
    dmd_root_t root = {.kind = DMD_ROOT_STACK, .thread = thread->thread, .origin = end};
    if (end < used.start || end > used.end) {
      end = used.end;
      root.origin = 0;
    }
    if (n > 0)
      root.frame = thread->codes[i];
    add_root(roots, root, (range_t){used.start, end});
    used.start = end;
  }
}

/* Memory below the stack pointer is not in use. A thread that runs on another stack than its own (a
 * coroutine's, a signal handler's) may return to its own, so all of that one counts as other
 * memory. */
static void add_stack(dmd_roots_t *roots, const dmd_thread_t *thread, range_t storage) {
  range_t stack = {thread->stack_start, thread->stack_end};
  if (storage.start > thread->sp && storage.start < stack.end)
    stack.end = storage.start;
  if (thread->sp < stack.start || thread->sp >= stack.end ||
      find_outside_heap(roots, thread->sp) == NULL)
    return;
  uint64_t red_zone_szB = thread->red_zone_szB;
  if (red_zone_szB > thread->sp - stack.start)
    red_zone_szB = thread->sp - stack.start;
  take(roots, stack);
  add_frames(roots, thread, (range_t){thread->sp - red_zone_szB, stack.end});
}

static void add_registers(dmd_roots_t *roots, const dmd_thread_t *thread) {
  dmd_root_t root = {.kind = DMD_ROOT_REGISTERS,
                     .thread = thread->thread,
                     .first_word = roots->words.last + 1,
                     .n_words = thread->n_registers,
                     .szB = thread->n_registers * roots->host->word_szB};
  for (uint32_t i = 0; i < thread->n_registers; i++)
    *(uint64_t *)dmd_pool_at(&roots->words, dmd_pool_add(&roots->words)) = thread->registers[i];
  *(dmd_root_t *)dmd_pool_at(&roots->roots, dmd_pool_add(&roots->roots)) = root;
}

static void add_thread(void *visitor, const dmd_thread_t *thread) {
  dmd_roots_t *roots = visitor;
  add_registers(roots, thread);
  add_stack(roots, thread, add_thread_storage(roots, thread));
}

/* ---- Other memory. ---- */

/* Moves the start of a range past memory taken by threads, and its end to where they take the
 * next. */
static range_t without_taken(const dmd_roots_t *roots, range_t range) {
  uint64_t end = range.end;
  for (uint32_t i = 1; i <= roots->taken.last && range.start < end; i++) {
    const range_t *taken = DMD_POOL_AT(&roots->taken, const range_t, i);
    if (taken->start <= range.start && taken->end > range.start) {
      range.start = taken->end;
      i = 0; /* an earlier entry may contain the new start */
    }
  }
  for (uint32_t i = 1; i <= roots->taken.last; i++) {
    const range_t *taken = DMD_POOL_AT(&roots->taken, const range_t, i);
    if (taken->start > range.start && taken->start < range.end)
      range.end = taken->start;
  }
  return range;
}

/* Where segments begin at multiples of 64 KiB, as on arm64, the kernel may place memory that a
 * program asks for between an object's. */
static bool is_in_hole(const dmd_mapped_object_t *object, const dmd_mapping_t *mapping,
                       uint64_t addr) {
  return mapping->path == NULL && addr < object->last_start;
}

/* Cuts the range at the borders of objects; returns the number of the object that contains it. */
static uint32_t cut_at_object(const dmd_roots_t *roots, const dmd_mapping_t *mapping,
                              range_t *range) {
  uint32_t object = dmd_mappings_object(&roots->mappings, range->start);
  uint64_t border = range->end;
  if (object != DMD_NONE) {
    const dmd_mapped_object_t *around = dmd_mapped_object_at(&roots->mappings, object);
    bool is_other = is_in_hole(around, mapping, range->start);
    border = is_other ? around->last_start : around->end;
    object = is_other ? DMD_NONE : object;
  }
  for (uint32_t i = 1; object == DMD_NONE && i <= roots->mappings.objects.last; i++) {
    uint64_t start = dmd_mapped_object_at(&roots->mappings, i)->start;
    if (start > range->start && start < border)
      border = start;
  }
  if (border < range->end)
    range->end = border;
  return object;
}

static void add_memory(dmd_roots_t *roots, const dmd_mapping_t *mapping) {
  range_t rest = {mapping->start, mapping->end};
  while (rest.start < rest.end) {
    range_t range = without_taken(roots, rest);
    if (range.start >= rest.end)
      return;
    uint32_t object = cut_at_object(roots, mapping, &range);
    add_root(roots,
             object == DMD_NONE ? (dmd_root_t){.kind = DMD_ROOT_OTHER, .name = mapping->path}
                                : (dmd_root_t){.kind = DMD_ROOT_DATA, .object = object},
             range);
    rest.start = range.end;
  }
}

void dmd_roots_init(dmd_roots_t *roots, const dmd_engine_host_t *host, const dmd_env_t *env,
                    const dmd_memory_t *memory) {
  *roots = (dmd_roots_t){.host = host, .memory = memory};
  dmd_mappings_init(&roots->mappings, env);
  dmd_pool_init(&roots->objects, env, "dmd.roots.objects", sizeof(dmd_graph_object_t));
  dmd_pool_init(&roots->roots, env, "dmd.roots", sizeof(dmd_root_t));
  dmd_pool_init(&roots->words, env, "dmd.roots.words", sizeof(uint64_t));
  dmd_pool_init(&roots->taken, env, "dmd.roots.taken", sizeof(range_t));
  dmd_intern_init(&roots->texts, env, "dmd.roots.texts");
  if (host->mappings == NULL)
    return;
  host->mappings(host->ctx, add_mapping, roots);
  find_objects(roots);
  host->threads(host->ctx, add_thread, roots);
  for (uint32_t i = 1; i <= roots->mappings.mappings.last; i++) {
    const dmd_mapping_t *mapping = dmd_mapping_at(&roots->mappings, i);
    if (mapping->is_readable && mapping->is_writable && !mapping->is_heap && !mapping->is_device)
      add_memory(roots, mapping);
  }
}

void dmd_roots_destroy(dmd_roots_t *roots) {
  dmd_intern_destroy(&roots->texts);
  dmd_pool_destroy(&roots->taken);
  dmd_pool_destroy(&roots->words);
  dmd_pool_destroy(&roots->roots);
  dmd_pool_destroy(&roots->objects);
  dmd_mappings_destroy(&roots->mappings);
}
