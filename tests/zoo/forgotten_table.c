/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A hash table's entries are measured, its array of buckets is not.
 *
 * Mozilla's DMD: unreported
 *
 * Expect: unreported
 *   blocks: 1
 *   bytes: 2056
 *   allocatedAt: table_new @buckets
 *   proposal: size += table_size_of(table->buckets); in table_measure
 *   holder: explicit/words
 *   text: 100% held at +0x0 of blocks reported by explicit/words
 */
#include <stdlib.h>
#include <valgrind/dmd.h>

enum { N_BUCKETS = 256 };

struct entry {
  struct entry *next;
  int key;
};

struct table {
  struct entry **buckets;
};

DMD_MALLOC_SIZE_OF_FN(table_size_of)

static struct table *table_new(void) {
  struct table *table = malloc(sizeof *table);
  table->buckets = calloc(N_BUCKETS, sizeof *table->buckets); /* @buckets */
  return table;
}

static void table_add(struct table *table, int key) {
  struct entry *entry = malloc(sizeof *entry);
  entry->key = key;
  entry->next = table->buckets[key % N_BUCKETS];
  table->buckets[key % N_BUCKETS] = entry;
}

static void table_measure(const struct table *table) {
  DMD_REPORTER_BEGIN("explicit/words");
  size_t size = table_size_of(table);
#ifdef FIXED
  size += table_size_of(table->buckets);
#endif
  for (int i = 0; i < N_BUCKETS; i++)
    for (const struct entry *entry = table->buckets[i]; entry != NULL; entry = entry->next)
      size += table_size_of(entry);
  DMD_REPORTER_END(size);
}

int main(void) {
  struct table *words = table_new();
  for (int i = 0; i < 1000; i++)
    table_add(words, 7 * i);
  table_measure(words);
  DMD_DUMP("a table");
  return 0;
}
