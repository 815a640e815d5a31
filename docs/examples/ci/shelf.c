/* A program whose memory is watched from commit to commit. */
#include <stdio.h>
#include <stdlib.h>

#define BOTTLES 1000
#define SHELF 20000

static char *bottles[BOTTLES], *shelf;

static void fill(void) {
  for (int i = 0; i < BOTTLES; i++)
    bottles[i] = malloc(100);
}

static void build_shelf(void) {
  shelf = malloc(SHELF);
}

int main(void) {
  fill();
  build_shelf();
  return bottles[BOTTLES - 1] == NULL || shelf == NULL;
}
