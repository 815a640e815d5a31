/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A size that is computed, not measured: from the number of elements, while the block has room for
 * more.
 *
 * Mozilla's DMD: unreported
 *
 * Expect: unreported
 *   blocks: 1
 *   bytes: 4088
 *   allocatedAt: vector_new @alloc
 *   proposal: size += vector_size_of(vector->elements); in vector_measure
 *   holder: explicit/vector
 *   text: 100% held at +0x0 of blocks reported by explicit/vector
 * Expect: claim
 *   num: 1
 *   reporter: explicit/vector/elements
 *   claimed: 400
 *   measured: 0
 *   bytes: 400
 *   reason: not-measured
 *   text: 400 bytes claimed, 0 bytes measured: 400 bytes too many
 *   text: Likely reason: no block was reported: the size is computed, not measured
 *   at: elements_measure @end
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

struct vector {
  int *elements;
  size_t n, capacity;
};

DMD_MALLOC_SIZE_OF_FN(vector_size_of)

static struct vector *vector_new(size_t n) {
  struct vector *vector = malloc(sizeof *vector);
  vector->n = n;
  vector->capacity = 1022;
  vector->elements = malloc(vector->capacity * sizeof *vector->elements); /* @alloc */
  return vector;
}

static size_t vector_measure(const struct vector *vector) {
  DMD_REPORTER_BEGIN("explicit/vector");
  size_t size = vector_size_of(vector);
  DMD_REPORTER_END(size);
  return size;
}

static size_t elements_measure(const struct vector *vector) {
  DMD_REPORTER_BEGIN("explicit/vector/elements");
#ifdef FIXED
  size_t size = vector_size_of(vector->elements);
#else
  size_t size = vector->n * sizeof *vector->elements;
#endif
  DMD_REPORTER_END(size); /* @end */
  return size;
}

int main(void) {
  struct vector *vector = vector_new(100);
  vector_measure(vector);
  elements_measure(vector);
  DMD_DUMP("a vector");
  return 0;
}
