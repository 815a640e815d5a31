/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A third party's code allocates on a thread that it starts. The twin's tag goes along to that
 * thread.
 *
 * Mozilla's DMD: unreported
 * Flags: -pthread
 *
 * Expect: unreported
 *   blocks: 3
 *   bytes: 6024
 *   thread: 2
 *   allocatedAt: painter_work @painter
 *   holder: explicit/canvas
 * Expect of the twin: unreported
 *   blocks: 3
 *   bytes: 6024
 *   thread: 2
 *   tag: painter
 *   allocatedAt: painter_work @painter
 */
#include <pthread.h>
#include <stdlib.h>
#include <valgrind/dmd.h>

/* ---- The third party's code, which nobody here can change, and whose structures nobody here knows
 * ---- */

typedef struct painter {
  pthread_t worker;
  void *buffers[3];
} painter_t;

static void *painter_work(void *arg) {
  painter_t *painter = arg;
  for (int i = 0; i < 3; i++)
    painter->buffers[i] = malloc(2000); /* @painter */
  return NULL;
}

static void painter_open(painter_t *painter) {
  if (pthread_create(&painter->worker, NULL, painter_work, painter) != 0)
    abort();
}

static void painter_finish(painter_t *painter) {
  pthread_join(painter->worker, NULL);
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
  painter_open(&canvas->painter);
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
  painter_finish(&canvas->painter);
  canvas_measure(canvas);
  DMD_DUMP("a canvas");
  return 0;
}
