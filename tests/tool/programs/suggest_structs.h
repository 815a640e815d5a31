/* Structs without words about their pointers, for tests of dmd-derive --suggest. */
#ifndef SUGGEST_STRUCTS_H
#define SUGGEST_STRUCTS_H

#include <stddef.h>

enum { BUCKETS = 64, UNUSED = 63 };

struct theme { /* several documents have one */
  char *font;
};

struct line {
  struct line *prev, *next;
  char *text;
  struct document *document;
};

struct point {
  double x, y;
};

struct entry {
  struct entry *chain;
  const char *key; /* of a line's text */
  union {
    long number;
    struct line *line;
    struct point *point;
  } value;
};

struct opaque;

struct blob {
  void *leaf, *packed;
  char *behind_its_length;
  int (*compare)(const void *, const void *);
  const char *fixed;
  size_t n_parts;
  struct point *parts[];
};

struct word { /* of two of many the spelling is one block, and of one what a view shows */
  char *spelling;
};

struct view {
  char *shown;
};

struct document {
  struct line *tail, *head;
  struct theme *theme;
  struct entry **buckets;
  struct point *path;
  int path_count, path_room;
  double *weights;
  struct blob *blob;
  struct opaque *opaque;
  struct line *cursor;
  struct {
    char *title;
  } about;
  char *never;
};

#endif
