/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Objects of derive_structs.h with random contents, each measured by derived code in a reporter of
 * its own. Prints the place of each, "NAME ADDRESS SIZE", and dumps. The argument is the seed of
 * the random numbers.
 */
#include "derive_structs.h"
#include "measures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t dice;

static unsigned below(unsigned n) {
  dice = dice * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(dice >> 33) % n;
}

static void *zeroed(size_t size) {
  return calloc(1, size);
}
static char *text(void) {
  unsigned n = below(60);
  char *made = zeroed(n + 1);
  memset(made, 'x', n);
  return made;
}
static char *text_or_null(void) {
  return below(2) ? text() : NULL;
}

struct opaque {
  char *inner;
};
opaque_t opaque_new(size_t size) {
  opaque_t opaque = zeroed(sizeof *opaque);
  opaque->inner = zeroed(size);
  return opaque;
}
size_t opaque_measure(const struct opaque *opaque) {
  return DMD_REPORT(opaque) + DMD_REPORT(opaque->inner);
}

static int compare(const void *a, const void *b) {
  return a != b;
}

/* ---- Objects ---- */

static void fill_item(struct item *item, const void *where) {
  item->name = text();
  item->note = text_or_null();
  item->n_prices = (int)below(10) - 1; /* 0 with a block, and also negative */
  item->prices = item->n_prices < 0 ? NULL : zeroed((size_t)item->n_prices * sizeof(double) + 1);
  item->is_odd = 5;
  item->where = where;
  item->compare = compare;
}

static shelf_t *new_shelf(void) {
  shelf_t *shelf = zeroed(sizeof *shelf);
  shelf->n_items = below(20);
  shelf->items = zeroed((shelf->n_items + 1) * sizeof *shelf->items);
  for (size_t i = 0; i < shelf->n_items; i++)
    fill_item(&shelf->items[i], shelf);
  shelf->n_extra = (signed char)below(20);
  shelf->extra = zeroed(((size_t)shelf->n_extra + 1) * sizeof *shelf->extra);
  for (int i = 0; i < shelf->n_extra; i++)
    if (below(4) > 0)
      fill_item(shelf->extra[i] = zeroed(sizeof(struct item)), &shelf->items);
  fill_item(&shelf->first[1], NULL);
  shelf->labels[0] = text();
  shelf->labels[2] = text();
  shelf->opaque = zeroed(1 + below(100));
  shelf->rows = (uint8_t)(1 + below(5));
  shelf->columns = (uint8_t)(1 + below(5));
  shelf->matrix = zeroed(shelf->rows * sizeof *shelf->matrix);
  for (int i = 0; i < shelf->rows; i++)
    shelf->matrix[i] = zeroed(shelf->columns * sizeof(double));
  shelf->borrowed = zeroed((size_t)shelf->rows * shelf->columns * sizeof *shelf->borrowed);
  shelf->borrowed[0] = shelf->extra[0];
  return shelf;
}

static struct link *new_links(unsigned n) {
  struct link *first = NULL, *last = NULL;
  for (; n > 0; n--) {
    struct link *link = zeroed(sizeof *link);
    link->next = first;
    link->last = last = last == NULL ? link : last;
    link->text = text_or_null();
    first = link;
  }
  return first;
}

static struct tree *new_tree(unsigned n) {
  if (n == 0)
    return NULL;
  struct tree *tree = zeroed(sizeof *tree);
  unsigned left = below(n);
  tree->text = text_or_null();
  tree->left = new_tree(left);
  tree->right = new_tree(n - 1 - left);
  return tree;
}

static struct file *new_files(unsigned depth);
static void fill_folder(struct folder *folder, unsigned depth) {
  folder->name = text();
  folder->n_folders = depth > 0 ? below(4) : 0;
  folder->folders =
      folder->n_folders > 0 ? zeroed(folder->n_folders * sizeof *folder->folders) : NULL;
  for (unsigned i = 0; i < folder->n_folders; i++)
    fill_folder(&folder->folders[i], depth - 1);
  folder->files = new_files(depth);
}
static struct file *new_files(unsigned depth) {
  struct file *files = NULL;
  for (unsigned n = below(6); n > 0; n--) {
    struct file *file = zeroed(sizeof *file);
    file->next = files;
    file->spans = zeroed(3 * sizeof(struct span));
    if (depth > 0 && below(3) == 0)
      fill_folder(file->archive = zeroed(sizeof(struct folder)), depth - 1);
    files = file;
  }
  return files;
}
static struct folder *new_folder(void) {
  struct folder *folder = zeroed(sizeof *folder);
  fill_folder(folder, 4);
  return folder;
}

static struct table *new_table(void) {
  struct table *table = zeroed(sizeof *table);
  table->log2_buckets = below(7);
  table->buckets = zeroed((sizeof *table->buckets) << table->log2_buckets);
  for (unsigned n = below(200); n > 0; n--) {
    struct bucket *bucket = zeroed(sizeof *bucket + below(30)),
                  **chain = &table->buckets[below(1u << table->log2_buckets)];
    bucket->next = *chain;
    *chain = bucket;
  }
  for (unsigned i = 0; i < 2; i++) {
    table->n_slots[i] = (unsigned char)(i + below(9));
    table->slots[i] = zeroed((table->n_slots[i] + 1u) * sizeof *table->slots[i]);
    for (unsigned slot = 0; slot < table->n_slots[i]; slot++)
      table->slots[i][slot] = zeroed(sizeof(struct bucket));
  }
  return table;
}

static void fill_variant(struct variant *variant, unsigned depth) {
  variant->kind = (enum kind)below(depth > 0 ? 4 : 2);
  variant->is_static = below(2) == 0;
  variant->name = variant->is_static ? (char *)(uintptr_t) "static" : text();
  if (variant->kind == TEXT) {
    variant->text = text_or_null();
  } else if (variant->kind == LIST) {
    variant->n = below(7);
    variant->list = zeroed((variant->n + 1) * sizeof *variant->list);
    for (unsigned i = 0; i < variant->n; i++)
      fill_variant(&variant->list[i], depth - 1);
  } else if (variant->kind == PAIR) {
    fill_variant(variant->pair.a = zeroed(sizeof *variant), depth - 1);
    fill_variant(variant->pair.b = zeroed(sizeof *variant), depth - 1);
  } else {
    variant->number = 1.5;
  }
}
static struct variant *new_variant(void) {
  struct variant *variant = zeroed(sizeof *variant);
  fill_variant(variant, 0);
  free(variant->kind == TEXT ? variant->text : NULL);
  variant->kind = LIST;
  variant->n = 20;
  variant->list = zeroed(20 * sizeof *variant->list);
  for (unsigned i = 0; i < 20; i++)
    fill_variant(&variant->list[i], 4);
  return variant;
}

size_t prefixed_measure(const void *behind_its_length) {
  return DMD_REPORT((const size_t *)behind_its_length - 1);
}
static struct sentence *new_sentence(void) {
  struct sentence *sentence = zeroed(sizeof *sentence);
  unsigned n = below(10);
  sentence->words = zeroed((n + 1) * sizeof *sentence->words);
  sentence->names = zeroed((n + 1) * sizeof *sentence->names);
  for (unsigned i = 0; i < n; i++)
    sentence->words[i] = sentence->names[n - 1 - i] = text();
  if (n % 3 == 0)
    return sentence;
  sentence->items = zeroed((n + 1) * sizeof *sentence->items);
  for (unsigned i = 0; i < n; i++)
    fill_item(sentence->items[i] = zeroed(sizeof(struct item)), NULL);
  return sentence;
}
static struct thing *new_thing(unsigned depth) {
  struct thing *thing = zeroed(sizeof *thing);
  thing->encoding = depth > 3 ? IS_LIST : below(depth > 0 ? 5 : 2) & 7u;
  if (thing->encoding == IS_WORD) {
    thing->p = text_or_null();
  } else if (thing->encoding == IS_LIST) {
    things *list = thing->p = zeroed(sizeof *list);
    list->n = below(9);
    list->all = zeroed((list->n + 1) * sizeof *list->all);
    for (size_t i = 0; i < list->n; i++)
      list->all[i] = new_thing(depth - 1);
  } else if (thing->encoding == IS_SENTENCE) {
    thing->p = new_sentence();
  } else if (thing->encoding == IS_PREFIXED) {
    size_t n = below(40);
    size_t *length = zeroed(sizeof n + n + 1);
    *length = n;
    thing->p = length + 1;
  } else {
    thing->p = (void *)"nobody's";
  }
  return thing;
}

static struct record *new_record(void) {
  unsigned n = below(10);
  struct record *record = zeroed(sizeof *record + (n + 1) * sizeof record->fields[0]);
  record->opaque = n % 2 ? opaque_new(100) : NULL;
  record->n_fields = (unsigned short)n;
  for (unsigned i = 0; i < n; i++)
    record->fields[i].text = text_or_null();
  return record;
}

static struct picture *new_picture(void) {
  struct picture *picture = zeroed(sizeof *picture);
  picture->width = 1 + below(30);
  picture->pixels = zeroed(picture->width * sizeof *picture->pixels);
  return picture;
}
/* Many of its pictures occur twice, and some point to each other, also in a cycle. */
static struct album *new_album(void) {
  struct album *album = zeroed(sizeof *album);
  struct picture *made[8];
  for (unsigned i = 0; i < 8; i++)
    made[i] = new_picture();
  for (unsigned i = 0; i < 8; i++)
    made[i]->smaller = i < 4 ? made[(i + 1) % 4] : below(2) ? new_picture() : NULL;
  album->n = 8 + below(300);
  album->pictures = zeroed(album->n * sizeof *album->pictures);
  for (unsigned i = 0; i < album->n; i++)
    album->pictures[i] = i < 8 ? made[i] : below(2) ? made[below(8)] : new_picture();
  album->cover = album->pictures[below((unsigned)album->n)];
  album->title = album->spine = text();
  return album;
}

/* ---- Measured objects ---- */

static const void *roots[64];
static unsigned n_roots;

#define MEASURE(type, made)                                                                        \
  do {                                                                                             \
    char name[40];                                                                                 \
    size_t size;                                                                                   \
    roots[n_roots++] = made;                                                                       \
    snprintf(name, sizeof name, #type "-%u", n_roots);                                             \
    DMD_REPORTER_BEGIN(name);                                                                      \
    size = type##_size_of_including(roots[n_roots - 1]);                                           \
    DMD_REPORTER_END(size);                                                                        \
    printf("%s %p %zu\n", name, roots[n_roots - 1], size);                                         \
  } while (0)

int main(int argc, char **argv) {
  dice = (uint64_t)atoi(argv[argc - 1]);
  for (int i = 0; i < 4; i++) {
    MEASURE(shelf_t, new_shelf());
    MEASURE(link, new_links(1 + below(200)));
    MEASURE(tree, new_tree(1 + below(200)));
    MEASURE(folder, new_folder());
    MEASURE(table, new_table());
    MEASURE(variant, new_variant());
    MEASURE(thing, new_thing(5));
    MEASURE(record, new_record());
    MEASURE(album, new_album());
  }
  DMD_DUMP("all");
  return roots[0] == NULL;
}
