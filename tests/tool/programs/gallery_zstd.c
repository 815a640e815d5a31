/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What ZSTD_sizeof_DCtx says in several states of a context, and what the library has really
 * allocated for it, by a custom allocator that counts. Ends with status 77 without the library.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  void *(*alloc)(void *opaque, size_t szB);
  void (*free)(void *opaque, void *p);
  void *opaque;
} custom_t;
typedef struct {
  void *data;
  size_t szB, at;
} buffer_t;

static size_t allocated;

/* A size in front of each block would be counted, so the sizes are in a table. It has the addresses
 * inverted, since a pointer would make it another owner of the block. */
enum { MAX_BLOCKS = 4096 };
static struct {
  size_t inverted;
  size_t szB;
} blocks[MAX_BLOCKS];

static void *count_alloc(void *opaque, size_t szB) {
  int i = 0;
  (void)opaque;
  while (blocks[i].inverted != 0)
    i++;
  void *p = malloc(szB);
  blocks[i].inverted = ~(size_t)p;
  blocks[i].szB = szB;
  allocated += szB;
  return p;
}

static void count_free(void *opaque, void *p) {
  (void)opaque;
  for (int i = 0; p != NULL && i < MAX_BLOCKS; i++)
    if (blocks[i].inverted == ~(size_t)p) {
      allocated -= blocks[i].szB;
      blocks[i].inverted = 0;
    }
  free(p);
}

#define FUNCTIONS(F)                                                                               \
  F(void *, createDCtx_advanced, (custom_t))                                                       \
  F(size_t, freeDCtx, (void *))                                                                    \
  F(size_t, sizeof_DCtx, (const void *))                                                           \
  F(size_t, DCtx_setParameter, (void *, int, int))                                                 \
  F(size_t, DCtx_refDDict, (void *, const void *))                                                 \
  F(size_t, DCtx_loadDictionary, (void *, const void *, size_t))                                   \
  F(size_t, decompressStream, (void *, buffer_t *, buffer_t *))                                    \
  F(size_t, compress, (void *, size_t, const void *, size_t, int))                                 \
  F(void *, createDDict, (const void *, size_t))                                                   \
  F(size_t, freeDDict, (void *))

#define DECLARE(result, name, arguments) static result(*name) arguments;
FUNCTIONS(DECLARE)

static void find_functions(void *library) {
#define FIND(result, name, arguments) *(void **)&name = dlsym(library, "ZSTD_" #name);
  FUNCTIONS(FIND)
}

enum { REF_MULTIPLE_DDICTS = 1003, N_DDICTS = 200, N_STATES = 6, DICT_SZB = 600 };

static char data[1 << 16], packed[1 << 17], back[1 << 16];

static void ask(void *dctx, const char *state) {
  size_t says = sizeof_DCtx(dctx);
  printf("%s 0x%lx %zu %zu\n", state, (unsigned long)dctx, says, allocated);
  fflush(stdout);
}

/* The dictionaries are the caller's, and stay. */
static void refer_to_many(void *dctx) {
  static void *ddicts[N_DDICTS];
  char dict[DICT_SZB];
  DCtx_setParameter(dctx, REF_MULTIPLE_DDICTS, 1);
  for (int i = 0; i < N_DDICTS; i++) {
    memset(dict, i, sizeof dict);
    if (ddicts[i] == NULL)
      ddicts[i] = createDDict(dict, sizeof dict);
    DCtx_refDDict(dctx, ddicts[i]);
  }
}

int main(void) {
  void *library = dlopen("libzstd.so.1", RTLD_NOW);
  if (library == NULL)
    return 77;
  find_functions(library);
  for (size_t i = 0; i < sizeof data; i++)
    data[i] = (char)("abcdefgh"[i * i % 8] + (i >> 9));
  size_t n = compress(packed, sizeof packed, data, sizeof data, 3);
  for (int state = 0; state < N_STATES; state++) {
    static const char *const names[] = {"plain", "stream", "dictionary", "both", "many", "plain"};
    void *dctx = createDCtx_advanced((custom_t){count_alloc, count_free, NULL});
    buffer_t in = {packed, n, 0}, out = {back, 1000, 0};
    char dict[DICT_SZB] = "a dictionary";
    if (state == 2 || state == 3)
      DCtx_loadDictionary(dctx, dict, sizeof dict);
    if (state == 1 || state == 3)
      decompressStream(dctx, &out, &in);
    if (state == 4)
      refer_to_many(dctx);
    ask(dctx, names[state]);
    freeDCtx(dctx);
  }
  return 0;
}
