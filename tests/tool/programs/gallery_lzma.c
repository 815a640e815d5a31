/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What lzma_index_memused says of indexes that were built by appending records, and of decoded ones
 * with the same records; and what the library has really allocated for them, by a custom allocator
 * that counts. Ends with status 77 without the library.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  void *(*alloc)(void *opaque, size_t n, size_t szB);
  void (*free)(void *opaque, void *p);
  void *opaque;
} allocator_t;

static size_t allocated;

static void *count_alloc(void *opaque, size_t n, size_t szB) {
  (void)opaque;
  allocated += n * szB;
  return malloc(n * szB);
}

static void count_free(void *opaque, void *p) {
  (void)opaque;
  free(p);
}

#define FUNCTIONS(F)                                                                               \
  F(void *, init, (const allocator_t *))                                                           \
  F(int, append, (void *, const allocator_t *, uint64_t, uint64_t))                                \
  F(int, buffer_encode, (const void *, uint8_t *, size_t *, size_t))                               \
  F(int, buffer_decode,                                                                            \
    (void **, uint64_t *, const allocator_t *, const uint8_t *, size_t *, size_t))                 \
  F(uint64_t, memused, (const void *))

#define DECLARE(result, name, arguments) static result(*name) arguments;
FUNCTIONS(DECLARE)

static void find_functions(void *library) {
#define FIND(result, name, arguments) *(void **)&name = dlsym(library, "lzma_index_" #name);
  FUNCTIONS(FIND)
}

static const allocator_t allocator = {count_alloc, count_free, NULL};
static uint8_t encoded[1 << 16];
static void *kept[14]; /* indexes that do not change until the program ends */

static void ask(const char *state, int n_records, const void *index) {
  printf("%s %d 0x%lx %lu %zu\n", state, n_records, (unsigned long)index,
         (unsigned long)memused(index), allocated);
  fflush(stdout);
}

int main(void) {
  static const int n_records[] = {512, 1024, 2048, 1, 10, 100, 300};
  void *library = dlopen("liblzma.so.5", RTLD_NOW);
  if (library == NULL)
    return 77;
  find_functions(library);
  for (int i = 0; i < 7; i++) {
    size_t n = 0, at = 0;
    uint64_t limit = UINT64_MAX;
    allocated = 0;
    void *index = init(&allocator);
    for (int k = 0; k < n_records[i]; k++)
      append(index, &allocator, 100, 200);
    ask("appended", n_records[i], index);
    buffer_encode(index, encoded, &n, sizeof encoded);
    allocated = 0;
    buffer_decode(&kept[i + 7], &limit, &allocator, encoded, &at, n);
    ask("decoded", n_records[i], kept[i + 7]);
    kept[i] = index;
  }
  return 0;
}
