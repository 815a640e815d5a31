/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Prints the type of each of its blocks, and for pointers the member that they are in:
 *   block ADDRESS NAME
 *   edge ADDRESS NAME
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dmd.h>

struct label {
  unsigned length : 12;
  unsigned sealed : 1;
  struct label *next;
  char text[];
};

typedef struct {
  double weight;
  struct label *label;
} jar_t;

struct shelf {
  struct {
    int n_jars;
    jar_t *jars;
  };
  union {
    long number;
    struct label *first;
  };
  struct opaque *hidden; /* only another file defines this type */
  jar_t *best[2];
  void *anything;
};

struct opaque {
  struct shelf *back;
};

struct node {
  struct node *left, *right;
  uint64_t key;
};

/* What a function allocates begins with a header; who calls it knows the whole. */
struct header {
  struct header *next;
  uint64_t kind;
};

struct bottle {
  struct header header;
  struct header *corks[4]; /* the whole has the size of three headers */
};

struct jug {
  struct header header;
  unsigned length;
  char text[];
};

/* It has the header's members, and text after it that its declaration does not show: two headers of
 * memory. */
struct mug {
  struct header *next;
  uint64_t kind;
  unsigned handles;
};

/* It lies behind a word for its user, and all pointers lead to it. */
struct state {
  struct header *next;
  uint64_t kind;
  struct jug *jug;
  void *more[2];
};

static struct {
  struct shelf *shelves;
  struct node *root;
  struct header *made; /* of all objects */
} pantry;
static struct bottle *bottle;
static struct jug *jug;
static struct mug *mug;
static struct state *state;
static char *name;
static long *counts;
static struct label **table;

/* Wrappers that do not know types. */
__attribute__((noinline)) static void *xmalloc(size_t n) {
  void *p = malloc(n);
  if (p == NULL)
    abort();
  return p;
}

__attribute__((noinline)) static char *xcalloc(size_t n) {
  char *bytes = xmalloc(n);
  memset(bytes, 0, n);
  return bytes;
}

static void block(const void *p, const char *type) {
  printf("block %p %s\n", p, type);
}

static void edge(const void *p, const char *member) {
  printf("edge %p %s\n", p, member);
}

__attribute__((noinline)) static struct label *label_new(const char *text) {
  struct label *label = xmalloc(sizeof *label + strlen(text) + 1);
  label->length = strlen(text);
  label->next = NULL;
  strcpy(label->text, text);
  return label;
}

/* Its result is stored in a member of a parameter, at once. */
__attribute__((noinline)) static void shelf_fill(struct shelf *shelf, int n) {
  shelf->jars = (jar_t *)xcalloc(n * sizeof(jar_t));
  shelf->n_jars = n;
  for (int i = 0; i < n; i++)
    shelf->jars[i].label = label_new("plums");
}

/* Only typed pointers show the type: here it is always a void *. */
__attribute__((noinline)) static void *node_memory(void) {
  void *memory = xmalloc(sizeof(struct node));
  memset(memory, 0, sizeof(struct node));
  return memory;
}

__attribute__((noinline)) static void add_node(struct node **at, uint64_t key) {
  while (*at != NULL)
    at = key < (*at)->key ? &(*at)->left : &(*at)->right;
  void *memory = node_memory();
  memcpy(at, &memory, sizeof memory);
  (*at)->key = key;
}

__attribute__((noinline)) static struct header *object_new(size_t n, uint64_t kind) {
  struct header *header = xmalloc(n);
  header->next = pantry.made;
  header->kind = kind;
  pantry.made = header;
  return header;
}

__attribute__((noinline)) static struct bottle *bottle_new(void) {
  struct bottle *b = (struct bottle *)object_new(sizeof *b, 1);
  memset(b->corks, 0, sizeof b->corks);
  return b;
}

__attribute__((noinline)) static struct jug *jug_new(const char *text) {
  struct jug *j = (struct jug *)object_new(sizeof *j + strlen(text) + 1, 2);
  j->length = strlen(text);
  strcpy(j->text, text);
  return j;
}

__attribute__((noinline)) static struct mug *mug_new(const char *text) {
  struct mug *m = (struct mug *)object_new(2 * sizeof(struct header), 3);
  m->handles = 1;
  strcpy((char *)m + sizeof *m, text);
  return m;
}

__attribute__((noinline)) static struct state *state_new(void) {
  struct state *s = (struct state *)((char *)xmalloc(8 + sizeof *s) + 8);
  memset(s, 0, sizeof *s);
  s->next = pantry.made;
  pantry.made = (struct header *)s;
  s->jug = jug;
  return s;
}

static void say_nodes(const struct node *node) {
  if (node == NULL)
    return;
  block(node, "node");
  if (node->left != NULL)
    edge(&node->left, "left");
  if (node->right != NULL)
    edge(&node->right, "right");
  say_nodes(node->left);
  say_nodes(node->right);
}

static void say_shelves(void) {
  block(pantry.shelves, "shelf[]");
  edge(&pantry.shelves, "pantry.shelves");
  for (int i = 0; i < 2; i++) {
    struct shelf *s = &pantry.shelves[i];
    char text[100];
    block(s->jars, "jar_t[]");
    sprintf(text, "[%d].jars", i);
    edge(&s->jars, text);
    for (int j = 0; j < s->n_jars; j++) {
      block(s->jars[j].label, "label");
      sprintf(text, "[%d].label", j);
      edge(&s->jars[j].label, text);
    }
    sprintf(text, "[%d].best[1]", i);
    edge(&s->best[1], text);
    sprintf(text, "[%d].first", i);
    edge(&s->first, text);
    block(s->hidden, "opaque");
    edge(&s->hidden->back, "back");
  }
}

__attribute__((noinline)) static void fill(void) {
  pantry.shelves = calloc(2, sizeof *pantry.shelves);
  for (int i = 0; i < 2; i++) {
    struct shelf *s = &pantry.shelves[i];
    shelf_fill(s, 3 + i);
    s->best[1] = &s->jars[2];
    s->first = s->jars[0].label;
    s->hidden = malloc(sizeof *s->hidden);
    s->hidden->back = s;
  }
  for (uint64_t i = 0; i < 20; i++)
    add_node(&pantry.root, i * 7 % 20);
  name = xcalloc(11);
  counts = malloc(10 * sizeof *counts);
  table = realloc(malloc(8), 5 * sizeof *table);
  memset(table, 0, 5 * sizeof *table);
  table[4] = label_new("cherries");
  bottle = bottle_new();
  jug = jug_new("cider");
  mug = mug_new("tea");
  state = state_new();
}

int main(void) {
  fill();
  say_shelves();
  say_nodes(pantry.root);
  edge(&pantry.root, "pantry.root");
  block(name, "char[] from fill");
  block(counts, "long int[]");
  block(table, "label *[]");
  edge(&table[4], "[4]");
  edge(&table, "table");
  block(table[4], "label");
  block(bottle, "bottle");
  block(jug, "jug");
  block(mug, "mug");
  block((char *)state - 8, "state");
  DMD_GRAPH("types");
  return 0;
}
