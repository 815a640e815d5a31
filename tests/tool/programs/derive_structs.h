/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Structs of all kinds that dmd-derive supports; derive_structs.c fills them.
 */
#ifndef DERIVE_STRUCTS_H
#define DERIVE_STRUCTS_H

#include <stddef.h>
#include <stdint.h>
#include <valgrind/dmd.h>

/* Strings, numbers and pointers to objects that others own. */
struct DMD_MEASURED item {
  DMD_OWNS char *name;
  DMD_OWNS const char *note; /* often null */
  DMD_OWNS_ARRAY(n_prices) double *prices;
  int n_prices;
  unsigned is_new : 1, is_odd : 3;
  DMD_IGNORES("what it is in") const void *where;
  DMD_IGNORES("code") int (*compare)(const void *, const void *);
};

/* An array of structs, one of pointers to them, and one in the struct. */
typedef struct DMD_MEASURED {
  DMD_OWNS_ARRAY(n_items) struct item *items;
  size_t n_items;
  DMD_OWNS_ARRAY(n_extra) DMD_OWNS struct item **extra;
  signed char n_extra;
  struct item first[2];
  DMD_OWNS char *labels[3];
  DMD_OWNS void *opaque;
  uint8_t rows, columns;
  DMD_OWNS_ARRAY(rows) DMD_OWNS_ARRAY(columns) double **matrix;
  DMD_OWNS_ARRAY(rows *columns) DMD_IGNORES("others own them") struct item **borrowed;
} shelf_t;

struct DMD_MEASURED link {
  DMD_OWNS struct link *next;
  DMD_IGNORES("the list from its end") struct link *last;
  DMD_OWNS char *text;
};

struct DMD_MEASURED tree {
  int key;
  DMD_OWNS struct tree *left, *right;
  DMD_OWNS char *text;
};

/* Structs that point to each other. */
struct file;
struct DMD_MEASURED folder {
  DMD_OWNS char *name;
  DMD_OWNS_ARRAY(n_folders) struct folder *folders;
  unsigned n_folders;
  DMD_OWNS struct file *files;
};
struct DMD_MEASURED file {
  DMD_OWNS struct file *next;
  DMD_OWNS struct folder *archive;
  DMD_OWNS_BLOCK("its pointers lead into the file's text") struct span *spans;
};
struct span {
  const char *begin, *end;
};

/* A table of chains, like a hash table. */
struct DMD_MEASURED table {
  DMD_OWNS_ARRAY(1u << log2_buckets) DMD_OWNS struct bucket **buckets;
  unsigned log2_buckets;
  /* Two tables, as while entries move from a small table to a large one. */
  DMD_OWNS_ARRAY(n_slots[DMD_INDEX]) DMD_OWNS struct bucket **slots[2];
  unsigned char n_slots[2];
};
struct DMD_MEASURED bucket {
  DMD_OWNS struct bucket *next;
  long number;
  char key[];
};

/* A tag tells which member is in use. */
enum kind { NUMBER, TEXT, LIST, PAIR };
struct DMD_MEASURED variant {
  enum kind kind;
  union {
    double number;
    DMD_WHEN(kind == TEXT) DMD_OWNS char *text;
    struct DMD_WHEN(kind == LIST) {
      DMD_OWNS_ARRAY(n) struct variant *list;
      unsigned n;
    };
    DMD_WHEN(kind == PAIR) struct { DMD_OWNS struct variant *a, *b; } pair;
  };
  DMD_WHEN(!is_static) DMD_OWNS char *name;
  _Bool is_static;
};

/* A pointer of several types: text, a list of such objects, words up to a null pointer, or a block
 * that begins before the object. */
enum { IS_NOTHING, IS_WORD, IS_LIST, IS_SENTENCE, IS_PREFIXED };
size_t prefixed_measure(const void *behind_its_length);
struct DMD_MEASURED thing {
  unsigned encoding : 4;
  void *p DMD_WHEN(encoding == IS_WORD) DMD_OWNS DMD_WHEN(encoding == IS_LIST) DMD_OWNS_AS(things)
      DMD_WHEN(encoding == IS_SENTENCE) DMD_OWNS_AS(struct sentence)
          DMD_WHEN(encoding == IS_PREFIXED) DMD_MEASURED_BY(prefixed_measure);
};
typedef struct DMD_MEASURED {
  DMD_OWNS_ARRAY(n) DMD_OWNS_AS(thing) void **all;
  size_t n;
} things;
struct DMD_MEASURED sentence {
  DMD_OWNS_LIST DMD_OWNS const char **words;
  DMD_OWNS_LIST DMD_IGNORES("words of words") const char **names;
  DMD_OWNS_LIST DMD_OWNS struct item **items;
};

/* An array at the end, and a foreign type that a function measures. */
typedef struct opaque *opaque_t;
opaque_t opaque_new(size_t size);
size_t opaque_measure(const struct opaque *opaque);
struct DMD_MEASURED record {
  DMD_MEASURED_BY(opaque_measure) opaque_t opaque;
  unsigned short n_fields;
  DMD_HOLDS(n_fields) struct {
    DMD_OWNS char *text;
    size_t length;
  } fields[];
};

/* Several of its members, and members of its parts, lead to the same object. */
struct DMD_MEASURED picture {
  int refs;
  DMD_OWNS_ARRAY(width) unsigned *pixels;
  size_t width;
  DMD_SHARES struct picture *smaller;
};
struct DMD_MEASURED album {
  DMD_OWNS_ARRAY(n) DMD_SHARES struct picture **pictures;
  size_t n;
  DMD_SHARES struct picture *cover;
  DMD_SHARES char *title, *spine;
};

#endif
