/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * BIND 9's memory contexts, which allocate with jemalloc's own functions and add up what is in use.
 * Prints that sum when everything is allocated.
 * Flags: -DHAVE_STDATOMIC_H -lisc
 */
#include <isc/buffer.h>
#include <isc/mem.h>
#include <isc/region.h>
#include <isc/result.h>
#include <isc/symtab.h>
#include <stdio.h>
#include <string.h>

enum { N = 2000, POOLED = 72 };

static isc_mem_t *context;
static isc_mempool_t *pool;
static isc_symtab_t *symbols;
static isc_buffer_t *buffers[20];
static void *got[N], *allocated[N], *pooled[N];
static char *texts[N];

static void allocate(void) {
  for (size_t i = 0; i < N; i++) {
    got[i] = isc_mem_get(context, 16 + i * 7 % 5000);
    allocated[i] = isc_mem_allocate(context, 1000 + i);
    texts[i] = isc_mem_strdup(context, "example.org. 3600 IN A 192.0.2.1");
    pooled[i] = isc_mempool_get(pool);
  }
  for (size_t i = 0; i < N; i += 2)
    allocated[i] = isc_mem_reallocate(context, allocated[i], 3000 + 2 * i);
  for (size_t i = 0; i < N; i += 3)
    isc_mem_put(context, got[i], 16 + i * 7 % 5000);
}

static void use_structures(void) {
  if (isc_symtab_create(context, 500, NULL, NULL, false, &symbols) != ISC_R_SUCCESS)
    return;
  for (size_t i = 0; i < N; i++) {
    isc_symvalue_t value = {.as_pointer = texts[i]};
    isc_symtab_define(symbols, texts[i], (unsigned int)i + 1, value, isc_symexists_reject);
  }
  for (size_t i = 0; i < 20; i++)
    isc_buffer_allocate(context, &buffers[i], 4096);
}

int main(void) {
  isc_mem_create(&context);
  isc_mempool_create(context, POOLED, &pool);
  allocate();
  use_structures();
  printf("%zu\n", isc_mem_inuse(context));
  return 0;
}
