/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * objects.h: how the programs of this folder measure: derived code measures each object, in a
 * reporter of its own. The lines "NAME ADDRESS SIZE" go to the file $DMD_OBJECTS.N, of dump N.
 */
#ifndef PERF_STRUCTS_OBJECTS_H
#define PERF_STRUCTS_OBJECTS_H

#include <stdio.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

typedef struct objects {
  FILE *file;
  int dump, n;
} objects_t;

static inline void objects_begin(objects_t *objects) {
  char name[4096];
  snprintf(name, sizeof name, "%s.%d", getenv("DMD_OBJECTS"), ++objects->dump);
  objects->file = fopen(name, "w");
  if (!objects->file)
    abort();
}

/* measured: an expression that measures the object, its own block among it. */
#define OBJECT(objects, kind, object, measured)                                                    \
  do {                                                                                             \
    char name_of_object[60];                                                                       \
    size_t size_of_object;                                                                         \
    snprintf(name_of_object, sizeof name_of_object, "%s-%d", kind, ++(objects)->n);                \
    DMD_REPORTER_BEGIN(name_of_object);                                                            \
    size_of_object = (measured);                                                                   \
    DMD_REPORTER_END(size_of_object);                                                              \
    fprintf((objects)->file, "%s %p %zu\n", name_of_object, (const void *)(object),                \
            size_of_object);                                                                       \
  } while (0)

static inline void objects_end(const objects_t *objects) {
  fclose(objects->file);
  DMD_DUMP("objects");
}

#endif
