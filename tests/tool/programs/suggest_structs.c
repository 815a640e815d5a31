/*
   Makes documents of the structs in suggest_structs.h, so that a heap graph shows what owns what.
*/
#include "suggest_structs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DOCUMENTS = 40, THEMES = 4, WORDS = 50 };

struct opaque {
  struct opaque *more;
};

struct document *documents[DOCUMENTS];
struct word *words[WORDS];
struct view *views[WORDS];

static char *text_of(int i, int j) {
  char *text = malloc(32);
  sprintf(text, "line %d of document %d", j, i);
  return text;
}

static void add_line(struct document *document, int i, int j) {
  struct line *line = calloc(1, sizeof *line);
  struct entry *entry = calloc(1, sizeof *entry);
  unsigned bucket = (unsigned)(i * 7 + j % 4) % BUCKETS;
  line->text = text_of(i, j);
  line->document = document;
  line->prev = document->tail;
  if (document->tail != NULL)
    document->tail->next = line;
  else
    document->head = line;
  document->tail = line;
  entry->key = line->text;
  if (j % 3 == 0)
    entry->value.point = calloc(1, sizeof *entry->value.point);
  else
    entry->value.line = line;
  entry->chain = document->buckets[bucket];
  document->buckets[bucket] = entry;
}

static struct blob *make_blob(size_t n) {
  struct blob *blob = calloc(1, sizeof *blob + n * sizeof(struct point *));
  void **packed = calloc(2, sizeof *packed);
  packed[0] = malloc(10);
  blob->leaf = calloc(1, 100);
  blob->packed = packed;
  blob->behind_its_length = (char *)calloc(1, 48) + 8;
  blob->compare = (int (*)(const void *, const void *))strcmp;
  blob->fixed = "fixed";
  for (blob->n_parts = 0; blob->n_parts < n; blob->n_parts++)
    blob->parts[blob->n_parts] = calloc(1, sizeof(struct point));
  return blob;
}

static struct document *make(int i, struct theme *theme) {
  struct document *document = calloc(1, sizeof *document);
  document->theme = theme;
  document->buckets = calloc(BUCKETS, sizeof *document->buckets);
  document->path_room = 4 + i % 5;
  document->path_count = i % 4;
  document->path = calloc((size_t)document->path_room, sizeof *document->path);
  document->weights = calloc(3, sizeof *document->weights);
  document->blob = make_blob((size_t)i % 6);
  document->opaque = calloc(1, sizeof *document->opaque);
  document->opaque->more = calloc(1, sizeof *document->opaque);
  document->about.title = text_of(i, 0);
  for (int j = 0; j < 5 + i % 7; j++)
    add_line(document, i, j);
  document->cursor = document->head->next;
  return document;
}

static void make_words(void) {
  for (int i = 0; i < WORDS; i++) {
    words[i] = calloc(1, sizeof *words[i]);
    views[i] = calloc(1, sizeof *views[i]);
    words[i]->spelling = i == 1 ? words[0]->spelling : text_of(i, 0);
    views[i]->shown = i == 0 ? words[i]->spelling : text_of(0, i);
  }
}

int main(void) {
  struct theme *themes[THEMES];
  for (int i = 0; i < THEMES; i++) {
    themes[i] = calloc(1, sizeof *themes[i]);
    themes[i]->font = text_of(i, -1);
  }
  for (int i = 0; i < DOCUMENTS; i++)
    documents[i] = make(i, themes[i % THEMES]);
  make_words();
  memset(themes, 0, sizeof themes);
  return documents[0] == NULL;
}
