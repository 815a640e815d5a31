/*
   catalog: a small program that measures its own memory, for trying dmd on.

   It makes up a catalogue of products and loads it into everything that a real program might have:
   structures and indexes of its own, an SQLite database in memory, cJSON documents. It answers the
   same questions with several of them, compares the answers, prints a memory report, asks dmd for a
   dump and frees everything. Nothing in it is random: the same --items gives the same answers.

   What it shows, from top to bottom:
     - Each structure has a reporter, the function whose name ends in _measure. It walks the
       structure and measures each block with its own function made by DMD_MALLOC_SIZE_OF_FN.
     - SQLite gets an allocator that counts (catalog_database.c). Its blocks are reported when they
       are allocated and published as one sum.
     - cJSON's memory cannot be measured without knowing cJSON inside out, so the program only tags
       it, and dmd can at least say whose it is.
     - Two mistakes were made on purpose; each is marked "BUG on purpose" where it was made, in
       catalog_words.c. dmd finds both. README.md, next to this file, shows how.

   Build: cc -std=c11 -O1 -g catalog*.c -lsqlite3 -lcjson
*/

#include "catalog.h"

#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/dmd.h>

enum {
  DEFAULT_ITEMS = 40000,
  MAX_ITEMS = 10000000,
  MAX_WORD = 16, /* bytes, with the terminating zero */
  MIN_DESCRIPTION = 12,
  MAX_DESCRIPTION = 19, /* words */
};

/* ---- Odds and ends -------------------------------------------------------------------------- */

_Noreturn void die(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("catalog: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  exit(2);
}

static void *checked(void *p) {
  if (!p)
    die("out of memory");
  return p;
}

void *checked_realloc(void *p, size_t size) {
  return checked(p ? realloc(p, size) : malloc(size));
}

void *checked_malloc(size_t size) {
  return checked(malloc(size));
}

void *checked_calloc(size_t count, size_t size) {
  return checked(calloc(count, size));
}

char *copy_text(const char *text, size_t length) {
  char *copy = checked_malloc(length + 1);
  memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

uint32_t hash_text(const char *text, size_t length) {
  uint32_t hash = 2166136261u; /* FNV-1a */
  for (size_t i = 0; i < length; i++)
    hash = (hash ^ (unsigned char)text[i]) * 16777619u;
  return hash;
}

/* The next of a fixed series of numbers, below the limit (xorshift64*). */
static uint32_t next_number(uint64_t *state, uint32_t limit) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return (uint32_t)(((*state * 2685821657736338717u) >> 32) * limit >> 32);
}

/* ---- Products ------------------------------------------------------------------------------- */

/* Writes the n-th word of the catalogue's language, n below 4096, and returns its length. */
static size_t write_word(char *out, uint32_t n) {
  static const char syllables[16][3] = {"ba", "do", "fi", "gu", "ha", "jo", "ki", "la",
                                        "me", "no", "pi", "ru", "sa", "te", "vo", "zu"};
  for (int i = 0; i < 3; i++, n >>= 4)
    memcpy(out + 2 * i, syllables[n & 15], 2);
  out[6] = '\0';
  return 6;
}

/* A number below 4096, small ones far more often, as the words of a real language are. */
static uint32_t common_number(uint64_t *state) {
  return next_number(state, next_number(state, next_number(state, 4096) + 1) + 1);
}

static char *product_describe(uint64_t *state) {
  char text[MAX_DESCRIPTION * MAX_WORD];
  size_t length = 0;
  uint32_t words = MIN_DESCRIPTION + next_number(state, MAX_DESCRIPTION - MIN_DESCRIPTION + 1);
  for (uint32_t i = 0; i < words; i++) {
    if (i)
      text[length++] = ' ';
    length += write_word(text + length, common_number(state));
  }
  return copy_text(text, length);
}

static struct product *product_new(uint32_t id, uint64_t *state) {
  struct product *product = checked_malloc(sizeof *product);
  char first[MAX_WORD], second[MAX_WORD], name[2 * MAX_WORD + 16];
  write_word(first, next_number(state, 4096));
  write_word(second, next_number(state, 4096));
  int length = snprintf(name, sizeof name, "%s %s %u", first, second, (unsigned)id);
  product->id = id;
  product->group = next_number(state, GROUPS);
  product->price = 99 + 50 * next_number(state, 2000);
  product->name = copy_text(name, (size_t)length);
  product->description = product_describe(state);
  return product;
}

static void products_load(struct product_list *products, uint32_t count) {
  uint64_t state = 20111206;
  products->items = checked_malloc(count * sizeof *products->items);
  products->count = count;
  for (uint32_t i = 0; i < count; i++)
    products->items[i] = product_new(i + 1, &state);
}

DMD_MALLOC_SIZE_OF_FN(products_size_of)

static size_t products_measure(const struct catalog *catalog) {
  const struct product_list *products = &catalog->products;
  DMD_REPORTER_BEGIN("explicit/catalog/products");
  size_t size = products_size_of(products->items);
  for (uint32_t i = 0; i < products->count; i++) {
    const struct product *product = products->items[i];
    size += products_size_of(product);
    size += products_size_of(product->name);
    size += products_size_of(product->description);
  }
  DMD_REPORTER_END(size);
  return size;
}

static void products_free(struct product_list *products) {
  for (uint32_t i = 0; i < products->count; i++) {
    free(products->items[i]->name);
    free(products->items[i]->description);
    free(products->items[i]);
  }
  free(products->items);
}

/* ---- Index by name -------------------------------------------------------------------------- */

static struct name_entry **names_bucket(const struct name_index *names, const char *name) {
  return &names->buckets[hash_text(name, strlen(name)) % NAME_BUCKETS];
}

static void names_load(struct name_index *names, const struct product_list *products) {
  names->buckets = checked_calloc(NAME_BUCKETS, sizeof(struct name_entry *));
  for (uint32_t i = 0; i < products->count; i++) {
    struct name_entry **bucket = names_bucket(names, products->items[i]->name);
    struct name_entry *entry = checked_malloc(sizeof *entry);
    entry->product = products->items[i];
    entry->next = *bucket;
    *bucket = entry;
  }
}

static const struct product *names_find(const struct name_index *names, const char *name) {
  const struct name_entry *entry = *names_bucket(names, name);
  while (entry && strcmp(entry->product->name, name))
    entry = entry->next;
  return entry ? entry->product : NULL;
}

DMD_MALLOC_SIZE_OF_FN(names_size_of)

static size_t names_measure(const struct catalog *catalog) {
  const struct name_index *names = &catalog->names;
  DMD_REPORTER_BEGIN("explicit/catalog/index/names");
  size_t size = names_size_of(names->buckets);
  for (uint32_t i = 0; i < NAME_BUCKETS; i++)
    for (const struct name_entry *entry = names->buckets[i]; entry; entry = entry->next)
      size += names_size_of(entry);
  DMD_REPORTER_END(size);
  return size;
}

static void names_free(struct name_index *names) {
  for (uint32_t i = 0; i < NAME_BUCKETS; i++) {
    for (struct name_entry *entry = names->buckets[i], *next; entry; entry = next) {
      next = entry->next;
      free(entry);
    }
  }
  free(names->buckets);
}

/* ---- Index by price ------------------------------------------------------------------------- */

static int compare_prices(const void *left, const void *right) {
  const struct product *a = *(const struct product *const *)left;
  const struct product *b = *(const struct product *const *)right;
  if (a->price != b->price)
    return a->price < b->price ? -1 : 1;
  return a->id < b->id ? -1 : a->id > b->id;
}

static void prices_load(struct price_index *prices, const struct product_list *products) {
  prices->sorted = checked_malloc(products->count * sizeof *prices->sorted);
  prices->count = products->count;
  for (uint32_t i = 0; i < products->count; i++)
    prices->sorted[i] = products->items[i];
  qsort(prices->sorted, prices->count, sizeof *prices->sorted, compare_prices);
}

/* How many products are cheaper than the price. */
static uint32_t prices_below(const struct price_index *prices, uint32_t price) {
  uint32_t low = 0, high = prices->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (prices->sorted[middle]->price < price)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

DMD_MALLOC_SIZE_OF_FN(prices_size_of)

static size_t prices_measure(const struct catalog *catalog) {
  DMD_REPORTER_BEGIN("explicit/catalog/index/prices");
  size_t size = prices_size_of(catalog->prices.sorted);
  DMD_REPORTER_END(size);
  return size;
}

static void prices_free(struct price_index *prices) {
  free(prices->sorted);
}

/* ---- cJSON documents, one a group, which can only be tagged --------------------------------- */

static void groups_load(cJSON **groups, const struct product_list *products) {
  cJSON *prices[GROUPS];
  DMD_TAG_PUSH("cjson");
  for (int i = 0; i < GROUPS; i++) {
    groups[i] = cJSON_CreateObject();
    prices[i] = cJSON_AddArrayToObject(groups[i], "prices");
    if (!cJSON_AddNumberToObject(groups[i], "group", i) || !prices[i])
      die("out of memory");
  }
  for (uint32_t i = 0; i < products->count; i++) {
    const struct product *product = products->items[i];
    if (!cJSON_AddItemToArray(prices[product->group], cJSON_CreateNumber(product->price)))
      die("out of memory");
  }
  DMD_TAG_POP();
}

static int64_t group_total(const cJSON *group) {
  const cJSON *price;
  int64_t total = 0;
  cJSON_ArrayForEach(price, cJSON_GetObjectItemCaseSensitive(group, "prices")) {
    total += price->valueint;
  }
  return total;
}

static void groups_free(cJSON **groups) {
  for (int i = 0; i < GROUPS; i++)
    cJSON_Delete(groups[i]);
}

/* ---- The catalogue -------------------------------------------------------------------------- */

static void catalog_load(struct catalog *catalog, uint32_t items) {
  products_load(&catalog->products, items);
  names_load(&catalog->names, &catalog->products);
  prices_load(&catalog->prices, &catalog->products);
  words_load(&catalog->words, &catalog->products);
  catalog->database = database_load(&catalog->products);
  groups_load(catalog->groups, &catalog->products);
}

static void catalog_free(struct catalog *catalog) {
  groups_free(catalog->groups);
  database_free(catalog->database);
  words_free(&catalog->words);
  prices_free(&catalog->prices);
  names_free(&catalog->names);
  products_free(&catalog->products);
}

/* Prints what our structures say and whether the database agrees; returns that. */
static bool answer(const char *question, int64_t ours, int64_t database) {
  printf("  %-42s %12lld", question, (long long)ours);
  if (ours == database)
    printf("\n");
  else
    printf("  (the database says %lld)\n", (long long)database);
  return ours == database;
}

static bool catalog_query(const struct catalog *catalog) {
  sqlite3 *database = catalog->database;
  const struct product *middle = catalog->products.items[catalog->products.count / 2];
  const char *text = middle->description;
  const struct term *term = words_find(&catalog->words, text, strcspn(text, " "));
  char question[64], pattern[64];

  snprintf(question, sizeof question, "price of '%s'", middle->name);
  int64_t ours = names_find(&catalog->names, middle->name)->price;
  int64_t theirs =
      database_ask(database, "SELECT price FROM product WHERE name = ?1", middle->name);
  bool agree = answer(question, ours, theirs);

  ours = prices_below(&catalog->prices, 2000) - prices_below(&catalog->prices, 1000);
  theirs = database_ask(database, "SELECT count(*) FROM product WHERE price BETWEEN 1000 AND 1999",
                        NULL);
  agree &= answer("products from 10.00 to 19.99", ours, theirs);

  ours = group_total(catalog->groups[7]);
  theirs = database_ask(database, "SELECT total(price) FROM product WHERE category = 7", NULL);
  agree &= answer("total price of group 7", ours, theirs);

  snprintf(question, sizeof question, "products described by '%s'", term->word);
  snprintf(pattern, sizeof pattern, "%% %s %%", term->word);
  ours = words_count_documents(term);
  theirs = database_ask(
      database, "SELECT count(*) FROM product WHERE ' ' || description || ' ' LIKE ?1", pattern);
  agree &= answer(question, ours, theirs);
  words_print_passage(&catalog->words, term);
  return agree;
}

/* ---- The memory report ---------------------------------------------------------------------- */

static size_t sqlite_measure(const struct catalog *catalog) {
  (void)catalog;
  return sqlite_bytes(); /* its blocks were reported when they were allocated */
}

static void catalog_report_memory(const struct catalog *catalog) {
  static const struct {
    const char *path;
    size_t (*measure)(const struct catalog *);
  } reporters[] = {
      {"explicit/catalog/products", products_measure},
      {"explicit/catalog/index/names", names_measure},
      {"explicit/catalog/index/prices", prices_measure},
      {"explicit/catalog/index/words", words_measure},
      {SQLITE_REPORTER, sqlite_measure},
  };
  size_t total = 0;
  printf("memory report, bytes:\n");
  for (size_t i = 0; i < sizeof reporters / sizeof *reporters; i++) {
    size_t size = reporters[i].measure(catalog);
    printf("  %-42s %12zu\n", reporters[i].path, size);
    total += size;
  }
  printf("  %-42s %12zu\n", "explicit", total);
}

/* ---- The program ---------------------------------------------------------------------------- */

static uint32_t parse_items(const char *text) {
  char *end = NULL;
  unsigned long items = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
  if (!end || *end || items < 1 || items > MAX_ITEMS)
    die("--items=%s: needs a number from 1 to %d", text, MAX_ITEMS);
  return (uint32_t)items;
}

int main(int argc, char **argv) {
  static const char items_option[] = "--items=";
  uint32_t items = DEFAULT_ITEMS;
  for (int i = 1; i < argc; i++) {
    if (!strncmp(argv[i], items_option, sizeof items_option - 1)) {
      items = parse_items(argv[i] + sizeof items_option - 1);
    } else if (!strcmp(argv[i], "--help")) {
      printf(
          "usage: catalog [--items=N]\n"
          "Make up a catalogue of N products (%d unless told), load it into indexes, SQLite and\n"
          "cJSON, query it, and report how much memory that takes.\n",
          DEFAULT_ITEMS);
      return 0;
    } else {
      die("unknown argument '%s'; --help lists what there is", argv[i]);
    }
  }

  struct catalog catalog;
  sqlite_start();
  catalog_load(&catalog, items);
  printf("catalogue of %u products:\n", (unsigned)items);
  bool agree = catalog_query(&catalog);
  catalog_report_memory(&catalog);
  DMD_DUMP("loaded");
  catalog_free(&catalog);
  return agree ? 0 : 1;
}
