/*
   catalog: a small program that measures its own memory, for trying dmd on.

   It makes up a catalogue of products and loads it into everything that a real program might have:
   structures and indexes of its own, an SQLite database in memory, cJSON documents. It answers the
   same questions with several of them, compares the answers, prints a memory report, asks dmd for a
   dump and frees everything. Nothing in it is random: the same --items gives the same answers.

   What it shows, from top to bottom:
     - Each structure has a reporter, the function whose name ends in _measure. It walks the
       structure and measures each block with its own function made by DMD_MALLOC_SIZE_OF_FN.
     - SQLite gets an allocator that counts. Its blocks are reported when they are allocated and
       published as one sum.
     - cJSON's memory cannot be measured without knowing cJSON inside out, so the program only tags
       it, and dmd can at least say whose it is.
     - Two mistakes were made on purpose; each is marked "BUG on purpose" where it was made. dmd
       finds both. README.md, next to this file, shows how.

   Build: cc -std=c11 -O1 -g catalog.c -lsqlite3 -lcjson
*/

#include <cjson/cJSON.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/dmd.h>

enum {
  DEFAULT_ITEMS = 40000,
  MAX_ITEMS = 10000000,
  GROUPS = 24,
  MAX_WORD = 16, /* bytes, with the terminating zero */
  MIN_DESCRIPTION = 12,
  MAX_DESCRIPTION = 19, /* words */
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

/* ---- Odds and ends -------------------------------------------------------------------------- */

static _Noreturn void die(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("catalog: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  exit(2);
}

static void *checked_realloc(void *p, size_t size) {
  p = realloc(p, size);
  if (!p)
    die("out of memory");
  return p;
}

static void *checked_malloc(size_t size) {
  return checked_realloc(NULL, size);
}

static void *checked_calloc(size_t count, size_t size) {
  void *p = calloc(count, size);
  if (!p)
    die("out of memory");
  return p;
}

static char *copy_text(const char *text, size_t length) {
  char *copy = checked_malloc(length + 1);
  memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

static uint32_t hash_text(const char *text, size_t length) {
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

/* ---- Index by word -------------------------------------------------------------------------- */

static struct term *words_find(const struct word_index *words, const char *word, size_t length) {
  struct term *term = words->buckets[hash_text(word, length) % TERM_BUCKETS];
  while (term && (strncmp(term->word, word, length) || term->word[length]))
    term = term->next;
  return term;
}

static struct term *term_new(struct word_index *words, const char *word, size_t length) {
  struct term **bucket = &words->buckets[hash_text(word, length) % TERM_BUCKETS];
  struct term *term = checked_calloc(1, sizeof *term);
  term->word = copy_text(word, length);
  term->next = *bucket;
  *bucket = term;
  return term;
}

static void term_add_posting(struct term *term, uint32_t document, uint32_t position) {
  if (term->count == term->capacity) {
    term->capacity = term->capacity ? term->capacity + term->capacity / 2 : 4;
    term->postings = checked_realloc(term->postings, term->capacity * sizeof *term->postings);
  }
  term->postings[term->count++] = (struct posting){document, position};
}

static void words_add_text(struct word_index *words, uint32_t document, const char *text) {
  for (uint32_t position = 0; *text; position++) {
    size_t length = strcspn(text, " ");
    struct term *term = words_find(words, text, length);
    if (!term)
      term = term_new(words, text, length);
    term_add_posting(term, document, position);
    text += length;
    text += strspn(text, " ");
  }
}

static void words_load(struct word_index *words, const struct product_list *products) {
  words->buckets = checked_calloc(TERM_BUCKETS, sizeof(struct term *));
  words->texts = checked_malloc(products->count * sizeof *words->texts);
  words->count = products->count;
  for (uint32_t i = 0; i < products->count; i++) {
    words->texts[i] = products->items[i]->description;
    words_add_text(words, i, words->texts[i]);
  }
}

/* How many documents hold the term, however often each. */
static uint32_t words_count_documents(const struct term *term) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < term->count; i++)
    found += !i || term->postings[i].document != term->postings[i - 1].document;
  return found;
}

/* Prints the term where it stands last, with the rest of the text. */
static void words_print_passage(const struct word_index *words, const struct term *term) {
  const struct posting *last = &term->postings[term->count - 1];
  const char *text = words->texts[last->document];
  for (uint32_t i = 0; i < last->position; i++)
    text += strcspn(text, " ") + 1;
  printf("    last in: ... %s\n", text);
}

DMD_MALLOC_SIZE_OF_FN(words_size_of)

static size_t words_measure(const struct catalog *catalog) {
  const struct word_index *words = &catalog->words;
  DMD_REPORTER_BEGIN("explicit/catalog/index/words");
  size_t size = words_size_of(words->buckets) + words_size_of(words->texts);
  for (uint32_t i = 0; i < TERM_BUCKETS; i++) {
    for (const struct term *term = words->buckets[i]; term; term = term->next) {
      /* BUG on purpose: the array term->postings is a block as well, and nobody measures it. */
      size += words_size_of(term);
      size += words_size_of(term->word);
    }
  }
  /* BUG on purpose: the texts are only borrowed. They are the products' descriptions, which
     products_measure has measured already. */
  for (uint32_t i = 0; i < words->count; i++)
    size += words_size_of(words->texts[i]);
  DMD_REPORTER_END(size);
  return size;
}

static void words_free(struct word_index *words) {
  for (uint32_t i = 0; i < TERM_BUCKETS; i++) {
    for (struct term *term = words->buckets[i], *next; term; term = next) {
      next = term->next;
      free(term->word);
      free(term->postings);
      free(term);
    }
  }
  free(words->buckets);
  free(words->texts);
}

/* ---- SQLite, with an allocator that counts -------------------------------------------------- */

#define SQLITE_REPORTER "explicit/sqlite"

/* What SQLite holds now. Static, since SQLite passes its allocator nothing but the block. */
static size_t g_sqlite_bytes;

DMD_MALLOC_SIZE_OF_ON_ALLOC_FN(sqlite_size_of_on_alloc)
DMD_MALLOC_SIZE_OF_ON_FREE_FN(sqlite_size_of_on_free)

static void sqlite_count_block(void *p) {
  DMD_REPORTER_BEGIN(SQLITE_REPORTER);
  size_t size = sqlite_size_of_on_alloc(p);
  DMD_REPORTER_END(size);
  g_sqlite_bytes += size;
}

static void *sqlite_malloc(int size) {
  void *p = malloc((size_t)size);
  if (p)
    sqlite_count_block(p);
  return p;
}

static void sqlite_free(void *p) {
  g_sqlite_bytes -= sqlite_size_of_on_free(p);
  free(p);
}

static void *sqlite_realloc(void *p, int size) {
  g_sqlite_bytes -= sqlite_size_of_on_free(p);
  void *moved = realloc(p, (size_t)size);
  sqlite_count_block(moved ? moved : p); /* where realloc fails the block stays what it was */
  return moved;
}

static int sqlite_block_size(void *p) {
  return p ? (int)DMD_NATIVE_USABLE_SIZE(p) : 0;
}

static int sqlite_round_up(int size) {
  return (size + 7) & ~7;
}

static int sqlite_allocator_start(void *unused) {
  return (void)unused, SQLITE_OK;
}

static void sqlite_allocator_stop(void *unused) {
  (void)unused;
}

static void sqlite_start(void) {
  static const sqlite3_mem_methods allocator = {sqlite_malloc,         sqlite_free,
                                                sqlite_realloc,        sqlite_block_size,
                                                sqlite_round_up,       sqlite_allocator_start,
                                                sqlite_allocator_stop, NULL};
  if (sqlite3_config(SQLITE_CONFIG_MALLOC, &allocator) != SQLITE_OK ||
      sqlite3_initialize() != SQLITE_OK)
    die("SQLite does not start");
}

static size_t sqlite_measure(const struct catalog *catalog) {
  (void)catalog;
  return g_sqlite_bytes; /* its blocks were reported when they were allocated */
}

static void database_check(sqlite3 *database, int result) {
  if (result != SQLITE_OK && result != SQLITE_ROW && result != SQLITE_DONE)
    die("SQLite: %s", sqlite3_errmsg(database));
}

static void database_run(sqlite3 *database, const char *sql) {
  database_check(database, sqlite3_exec(database, sql, NULL, NULL, NULL));
}

static sqlite3_stmt *database_prepare(sqlite3 *database, const char *sql) {
  sqlite3_stmt *statement = NULL;
  database_check(database, sqlite3_prepare_v2(database, sql, -1, &statement, NULL));
  return statement;
}

static void database_insert(sqlite3_stmt *insert, const struct product *product) {
  sqlite3_bind_int64(insert, 1, product->id);
  sqlite3_bind_int64(insert, 2, product->group);
  sqlite3_bind_int64(insert, 3, product->price);
  sqlite3_bind_text(insert, 4, product->name, -1, SQLITE_STATIC);
  sqlite3_bind_text(insert, 5, product->description, -1, SQLITE_STATIC);
  database_check(sqlite3_db_handle(insert), sqlite3_step(insert));
  sqlite3_reset(insert);
}

static sqlite3 *database_load(const struct product_list *products) {
  sqlite3 *database = NULL;
  database_check(database, sqlite3_open(":memory:", &database));
  database_run(database, "CREATE TABLE product (id INTEGER PRIMARY KEY, category INTEGER,"
                         " price INTEGER, name TEXT, description TEXT);"
                         "CREATE UNIQUE INDEX by_name ON product (name);"
                         "BEGIN");
  sqlite3_stmt *insert = database_prepare(database, "INSERT INTO product VALUES (?, ?, ?, ?, ?)");
  for (uint32_t i = 0; i < products->count; i++)
    database_insert(insert, products->items[i]);
  sqlite3_finalize(insert);
  database_run(database, "COMMIT");
  return database;
}

/* The first value that a query returns, or -1 when it returns none. The text is its parameter ?1,
   if it has one. */
static int64_t database_ask(sqlite3 *database, const char *sql, const char *text) {
  sqlite3_stmt *query = database_prepare(database, sql);
  if (sqlite3_bind_parameter_count(query))
    database_check(database, sqlite3_bind_text(query, 1, text, -1, SQLITE_STATIC));
  int result = sqlite3_step(query);
  database_check(database, result);
  int64_t answer = result == SQLITE_ROW ? sqlite3_column_int64(query, 0) : -1;
  sqlite3_finalize(query);
  return answer;
}

static void database_free(sqlite3 *database) {
  database_check(database, sqlite3_close(database));
  sqlite3_shutdown();
  if (g_sqlite_bytes)
    die("SQLite kept %zu bytes, or they were miscounted", g_sqlite_bytes);
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
