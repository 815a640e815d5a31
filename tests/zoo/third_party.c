/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A third party's code allocates, and nobody can measure what. The twin calls it under a tag.
 *
 * Mozilla's DMD: unreported
 *
 * Expect: unreported
 *   blocks: 3
 *   bytes: 6024
 *   allocatedAt: painter_open @painter < canvas_new @call
 *   proposal: size += canvas_size_of(canvas->painter.buffers[i]); in canvas_measure
 *   holder: explicit/canvas
 * Expect of the twin: unreported
 *   blocks: 3
 *   bytes: 6024
 *   tag: painter
 *   allocatedAt: painter_open @painter < canvas_new @call
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

/* ---- The third party's code, which nobody here can change, and whose structures nobody here knows
 * ---- */

typedef struct painter {
  void *buffers[3];
} painter_t;

static void painter_open(painter_t *painter) {
  for (int i = 0; i < 3; i++)
    painter->buffers[i] = malloc(2000); /* @painter */
}

/* ---- Our own ---- */

struct canvas {
  painter_t painter;
  int *pixels;
};

DMD_MALLOC_SIZE_OF_FN(canvas_size_of)

static struct canvas *canvas_new(void) {
  struct canvas *canvas = malloc(sizeof *canvas);
  canvas->pixels = malloc(4000);
#ifdef FIXED
  DMD_TAG_PUSH("painter");
#endif
  painter_open(&canvas->painter); /* @call */
#ifdef FIXED
  DMD_TAG_POP();
#endif
  return canvas;
}

static void canvas_measure(const struct canvas *canvas) {
  DMD_REPORTER_BEGIN("explicit/canvas");
  size_t size = canvas_size_of(canvas) + canvas_size_of(canvas->pixels);
  DMD_REPORTER_END(size);
#ifdef FIXED
  DMD_REPORTER_BEGIN("explicit/painter");
  size = DMD_TAG_BYTES("painter");
  DMD_REPORTER_END(size);
#endif
}

int main(void) {
  struct canvas *canvas = canvas_new();
  canvas_measure(canvas);
  DMD_DUMP("a canvas");
  return 0;
}
