/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Compares a model of model/profile/allocator.h with the real allocator, natively: with its library
 * preloaded, or as a library that is itself preloaded into a program that has the allocator in it.
 *   real_allocator MODEL              or REAL_ALLOCATOR=MODEL in the environment of the library
 * For each way to allocate it prints how many requests were compared, how many real sizes differed
 * within the limits that the model allows, since they depend on the rest of the heap, and how many
 * were wrong, e.g. "malloc: 77000, 0, 0". It prints some of the wrong ones on standard error.
 */
#define _GNU_SOURCE
#include "model/profile/allocator.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORD = sizeof(void *), KIB = 1024, MIB = 1024 * 1024, PAGE = 4096 };

typedef struct {
  dmd_allocator_t model;
  const char *way;
  size_t n_compared, n_allowed, n_different, n_shown;
} compare_t;

/* xorshift64: the same requests each time. */
static size_t below(size_t n) {
  static size_t state = 88172645463325252u;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state % n;
}

/* glibc: the heap's chunk for this request, of which up to two steps of 16 too many may be left, be
 * it from before (a free chunk that was not worth splitting) or from memalign; of a mapping more
 * than the model says if it happens to begin near an address with this alignment; and, from glibc
 * 2.41 on, a page less after realloc where the request just fits. */
static bool glibc_allows(size_t real, size_t expected, size_t req, size_t align) {
  size_t chunk = req <= 3 * WORD ? 3 * WORD : (req + WORD + 15) / 16 * 16 - WORD;
  size_t most = chunk + (align > 16 ? 32 : 16);
  return (real >= chunk && real <= most && real % 16 == chunk % 16) ||
         (align > PAGE && real > expected && real < expected + align &&
          (real - expected) % PAGE == 0) ||
         (real == expected - PAGE && real >= req);
}

/* mimalloc: up to the whole of the block that has room for the alignment. */
static bool mimalloc_allows(size_t real, size_t expected, size_t req, size_t align) {
  size_t whole = dmd_allocator_usable(DMD_ALLOCATOR_MIMALLOC, WORD, req + align - 1, 1);
  return align > 1 && real > expected && real <= whole;
}

static bool allows(dmd_allocator_t model, size_t real, size_t expected, size_t req, size_t align) {
  return (model == DMD_ALLOCATOR_GLIBC && glibc_allows(real, expected, req, align)) ||
         (model == DMD_ALLOCATOR_MIMALLOC && mimalloc_allows(real, expected, req, align));
}

/* mozjemalloc: at first the smallest size was a word, as in the model; later it is 16 bytes. All
 * else is the same. */
static size_t least_of_mozjemalloc(void) {
  static size_t least;
  if (least == 0) {
    void *p = malloc(1);
    least = malloc_usable_size(p) == 16 ? 16 : WORD;
    free(p);
  }
  return least;
}

static void check(compare_t *c, void *p, size_t expected, size_t req, size_t align) {
  size_t real = malloc_usable_size(p);
  if (c->model == DMD_ALLOCATOR_MOZJEMALLOC && expected < least_of_mozjemalloc())
    expected = least_of_mozjemalloc();
  c->n_compared++;
  if (p != NULL && real == expected)
    return;
  if (p != NULL && allows(c->model, real, expected, req, align)) {
    c->n_allowed++;
    return;
  }
  c->n_different++;
  if (c->n_shown++ < 5)
    fprintf(stderr, "%s(%zu), alignment %zu: model %zu, real %zu\n", c->way, req, align, expected,
            real);
}

static compare_t begin(dmd_allocator_t model, const char *way) {
  return (compare_t){.model = model, .way = way};
}

static void end(const compare_t *c) {
  printf("%s: %zu, %zu, %zu\n", c->way, c->n_compared, c->n_allowed, c->n_different);
}

/* The next size of a sample that has every one up to a limit. */
static size_t next_size(size_t n, size_t all_to, size_t part) {
  return n < all_to ? n + 1 : n + 1 + below(n / part);
}

static void compare_malloc(dmd_allocator_t model) {
  compare_t c = begin(model, "malloc");
  for (size_t n = 0; n <= 64 * MIB; n = next_size(n, 64 * KIB, 150)) {
    void *p = n % 5 ? malloc(n) : calloc(1, n);
    check(&c, p, dmd_allocator_usable(model, WORD, n, 1), n, 1);
    free(p);
  }
  end(&c);
}

static void *with_posix_memalign(size_t n, size_t align) {
  void *p = NULL;
  return posix_memalign(&p, align, n) == 0 ? p : NULL;
}

/* Some allocators require multiples of the alignment, as the standard does. */
static size_t whole(size_t n, size_t align) {
  return (n + align - 1) / align * align;
}

static void *with_aligned_alloc(size_t n, size_t align) {
  return aligned_alloc(align, whole(n, align));
}

static void *with_memalign(size_t n, size_t align) {
  return memalign(align, n == 0 ? 1 : n); /* jemalloc's alone gives nothing but 8 bytes for 0 */
}

/* The aligned operator new, from the library that the program would use. */
static void *with_new(size_t n, size_t align) {
  static void *(*new_aligned)(size_t, size_t);
  if (new_aligned == NULL) {
    void *cxx = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_GLOBAL);
    void *found = cxx == NULL ? NULL : dlsym(RTLD_DEFAULT, "_ZnwmSt11align_val_t");
    if (found == NULL)
      return NULL;
    memcpy(&new_aligned, &found, sizeof found);
  }
  return new_aligned(n, align);
}

/* Whether one byte of this alignment takes as much memory. */
static bool fills(size_t align) {
  void *p = with_new(1, align);
  bool answer = malloc_usable_size(p) >= align;
  free(p);
  return answer;
}

/* The size that an aligned new requests: finds out whether the C++ library rounds up. Tries two
 * sizes, since an allocator may return whole pages anyway. */
static size_t new_request(dmd_allocator_t model, size_t n, size_t align) {
  bool rounds_up = fills(PAGE) && fills(2 * PAGE);
  return rounds_up ? dmd_allocator_new_request(model, n, align) : n == 0 ? 1 : n;
}

typedef void *get_fn(size_t n, size_t align);

/* The request to the allocator if the program requests n bytes of get. */
static size_t request(dmd_allocator_t model, get_fn *get, size_t n, size_t align) {
  if (get == with_new)
    return new_request(model, n, align);
  if (get == with_aligned_alloc)
    return whole(n, align);
  return n == 0 && get == with_memalign ? 1 : n;
}

static void compare_aligned(dmd_allocator_t model, const char *way, get_fn *get) {
  compare_t c = begin(model, way);
  for (size_t align = 16; align <= 64 * KIB; align *= 2) {
    for (size_t n = 0; n <= 4 * MIB; n = next_size(n, 4 * KIB, 15)) {
      size_t req = request(model, get, n, align);
      void *p = get(n, align);
      check(&c, p, dmd_allocator_usable(model, WORD, req, align), req, align);
      free(p);
    }
  }
  end(&c);
}

/* Blocks of all kinds are reallocated; each size depends on the block's real size. */
static void compare_realloc(dmd_allocator_t model) {
  compare_t c = begin(model, "realloc");
  void *blocks[64] = {NULL};
  for (int i = 0; i < 300000; i++) {
    size_t k = below(64), n = 1 + below((size_t)1 << below(23));
    if (blocks[k] == NULL || below(16) == 0) {
      free(blocks[k]);
      blocks[k] = below(4) == 0 ? with_memalign(n, (size_t)16 << below(9)) : malloc(n);
      continue;
    }
    size_t old = malloc_usable_size(blocks[k]);
    if (below(2) == 0)
      n = 1 + old / 4 + below(old);
    blocks[k] = realloc(blocks[k], n);
    check(&c, blocks[k], dmd_allocator_resized(model, WORD, old, n), n, 1);
  }
  for (size_t k = 0; k < 64; k++)
    free(blocks[k]);
  end(&c);
}

static int compare(const char *name) {
  dmd_allocator_t model = DMD_ALLOCATOR_GLIBC;
  while (model < DMD_N_ALLOCATORS && strcmp(name, dmd_allocator_name(model)) != 0)
    model++;
  if (model == DMD_N_ALLOCATORS)
    return 2;
  /* Else glibc raises it whenever a mapping is freed. */
  if (model == DMD_ALLOCATOR_GLIBC)
    mallopt(M_MMAP_THRESHOLD, 128 * KIB);
  compare_malloc(model);
  compare_aligned(model, "posix_memalign", with_posix_memalign);
  compare_aligned(model, "aligned_alloc", with_aligned_alloc);
  compare_aligned(model, "memalign", with_memalign);
  compare_aligned(model, "operator new", with_new);
  compare_realloc(model);
  return fflush(stdout) == 0 ? 0 : 1;
}

__attribute__((constructor)) static void compare_inside(void) {
  const char *name = getenv("REAL_ALLOCATOR");
  if (name != NULL)
    _exit(compare(name));
}

int main(int argc, char **argv) {
  return argc == 2 ? compare(argv[1]) : 2;
}
