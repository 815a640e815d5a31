/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An allocator that counts, and whose sum outlives its blocks: the function that clears all of them
 * forgets it. Two threads count in it.
 *
 * Flags: -pthread
 *
 * Mozilla's DMD: nothing
 *
 * Expect: freed-counted
 *   num: 20
 *   reporter: explicit/cells
 *   claimed: 10080
 *   measured: 0
 *   bytes: 10080
 *   at: main @publish
 *   allocatedAt: cell_new @malloc
 *   freedAt: cells_clear @free < main
 *   text: 10,080 bytes published, 0 bytes measured: 10,080 bytes too many
 */
#include <pthread.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(list_size_of)
DMD_MALLOC_SIZE_OF_ON_ALLOC_FN(cells_on_alloc)
DMD_MALLOC_SIZE_OF_ON_FREE_FN(cells_on_free)

enum { N_THREADS = 2, N_CELLS = 10 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t cells_size;
static void **cells[N_THREADS];

static void *cell_new(void) {
  void *cell = malloc(500); /* @malloc */
  pthread_mutex_lock(&lock);
  DMD_REPORTER_BEGIN("explicit/cells");
  size_t usable = cells_on_alloc(cell);
  DMD_REPORTER_END(usable);
  cells_size += usable;
  pthread_mutex_unlock(&lock);
  return cell;
}

static void *work(void *arg) {
  void **mine = arg;
  for (int i = 0; i < N_CELLS; i++)
    mine[i] = cell_new();
  return NULL;
}

static void cells_clear(void) {
  for (int t = 0; t < N_THREADS; t++)
    for (int i = 0; i < N_CELLS; i++) {
#ifdef FIXED
      cells_size -= cells_on_free(cells[t][i]);
#else
      (void)cells_on_free;
#endif
      free(cells[t][i]); /* @free */
    }
}

int main(void) {
  pthread_t threads[N_THREADS];
  for (int t = 0; t < N_THREADS; t++) {
    cells[t] = malloc(N_CELLS * sizeof *cells[t]);
    pthread_create(&threads[t], NULL, work, cells[t]);
  }
  for (int t = 0; t < N_THREADS; t++)
    pthread_join(threads[t], NULL);
  cells_clear();
  struct dmd_memory_report report = {
      NULL, "explicit/cells", DMD_KIND_HEAP, DMD_UNITS_BYTES, (long long)cells_size, "Cells."};
  DMD_MEMORY_REPORT(&report); /* @publish */
  for (int t = 0; t < N_THREADS; t++)
    list_size_of(cells[t]);
  DMD_DUMP("no cells");
  return 0;
}
