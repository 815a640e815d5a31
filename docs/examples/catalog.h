/*
   What catalog keeps, and what its three files have from each other.
*/
#ifndef CATALOG_H
#define CATALOG_H

#include <cjson/cJSON.h>
#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

enum {
  GROUPS = 24,
  NAME_BUCKETS = 16384,
  TERM_BUCKETS = 4096,
};

struct product {
  uint32_t id;
  uint32_t group;
  uint32_t price; /* in cents */
  char *name;     /* unique */
  char *description;
};

struct product_list {
  struct product **items;
  uint32_t count;
};

/* Finds a product by its name: a hash table with chains. */
struct name_entry {
  struct name_entry *next;
  const struct product *product;
};

struct name_index {
  struct name_entry **buckets;
};

/* Finds products by price: all of them, sorted by it. */
struct price_index {
  const struct product **sorted;
  uint32_t count;
};

/* Finds products by the words in their descriptions: for each word (a term) where it stands. */
struct posting {
  uint32_t document;
  uint32_t position;
};

struct term {
  struct term *next;
  char *word;
  struct posting *postings; /* ascending */
  uint32_t count;
  uint32_t capacity;
};

struct word_index {
  struct term **buckets;
  const char **texts; /* one a document, to show passages of; they are the descriptions */
  uint32_t count;
};

struct catalog {
  struct product_list products;
  struct name_index names;
  struct price_index prices;
  struct word_index words;
  sqlite3 *database;
  cJSON *groups[GROUPS];
};

/* ---- catalog.c ------------------------------------------------------------------------------ */

/* Prints `catalog: ...` and ends the program with status 2. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* malloc and the like, but where there is no memory the program ends. */
void *checked_malloc(size_t size);
void *checked_calloc(size_t count, size_t size);
void *checked_realloc(void *p, size_t size);

char *copy_text(const char *text, size_t length);
uint32_t hash_text(const char *text, size_t length);

/* ---- catalog_words.c ------------------------------------------------------------------------ */

void words_load(struct word_index *words, const struct product_list *products);
void words_free(struct word_index *words);
size_t words_measure(const struct catalog *catalog);

/* The term of a word, or NULL. */
struct term *words_find(const struct word_index *words, const char *word, size_t length);

/* How many documents hold the term, however often each. */
uint32_t words_count_documents(const struct term *term);

/* Prints the term where it stands last, with the rest of the text. */
void words_print_passage(const struct word_index *words, const struct term *term);

/* ---- catalog_database.c --------------------------------------------------------------------- */

/* Before anything else of SQLite: gives it the allocator that counts. */
void sqlite_start(void);

#define SQLITE_REPORTER "explicit/sqlite"

/* What SQLite holds now, in bytes. Its blocks were reported when they were allocated. */
size_t sqlite_bytes(void);

sqlite3 *database_load(const struct product_list *products);

/* The first value that a query returns, or -1 when it returns none. The text is its parameter ?1,
   if it has one. */
int64_t database_ask(sqlite3 *database, const char *sql, const char *text);
void database_free(sqlite3 *database);

#endif
