/* pantry.c */
#include <stdlib.h>
#include <valgrind/dmd.h>

DMD_MALLOC_SIZE_OF_FN(jars_size_of)
DMD_MALLOC_SIZE_OF_FN(labels_size_of)

static struct { char *jar, *label, *lid; } shelf[5000];
char *glue;

static char *jar_new(void) {
  return malloc(1000);
}
static char *label_new(void) {
  return malloc(40);
}
static char *lid_new(void) {
  return malloc(200);
}

static void stock(int n) {
  for (int i = 0; i < n; i++) {
    shelf[i].jar = jar_new();
    shelf[i].label = label_new();
    shelf[i].lid = lid_new(); /* no reporter knows of the lids */
  }
  DMD_TAG_PUSH("glue");
  glue = malloc(50600);
  DMD_TAG_POP();
}

static void jars_measure(int n) {
  size_t size = 0;
  DMD_REPORTER_BEGIN("explicit/pantry/jars");
  for (int i = 0; i < n; i++)
    size += jars_size_of(shelf[i].jar) + jars_size_of(shelf[i].label);
  DMD_REPORTER_END(size);
}

static void labels_measure(int n) {
  size_t size = 0;
  DMD_REPORTER_BEGIN("explicit/pantry/labels");
  for (int i = 0; i < n; i++)
    size += labels_size_of(shelf[i].label); /* jars_measure has measured them too */
  DMD_REPORTER_END(size);
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1000;
  stock(n);
  jars_measure(n);
  labels_measure(n);
  DMD_DUMP("stocked");
  return 0;
}
