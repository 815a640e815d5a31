/*
   catalog's SQLite database, and the allocator that SQLite gets: it counts, its blocks are reported
   when they are allocated, and they are published as one sum.
*/

#include "catalog.h"

#include <stdlib.h>
#include <valgrind/dmd.h>

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

void sqlite_start(void) {
  static const sqlite3_mem_methods allocator = {sqlite_malloc,         sqlite_free,
                                                sqlite_realloc,        sqlite_block_size,
                                                sqlite_round_up,       sqlite_allocator_start,
                                                sqlite_allocator_stop, NULL};
  if (sqlite3_config(SQLITE_CONFIG_MALLOC, &allocator) != SQLITE_OK ||
      sqlite3_initialize() != SQLITE_OK)
    die("SQLite does not start");
}

size_t sqlite_bytes(void) {
  return g_sqlite_bytes;
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

sqlite3 *database_load(const struct product_list *products) {
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

int64_t database_ask(sqlite3 *database, const char *sql, const char *text) {
  sqlite3_stmt *query = database_prepare(database, sql);
  if (sqlite3_bind_parameter_count(query))
    database_check(database, sqlite3_bind_text(query, 1, text, -1, SQLITE_STATIC));
  int result = sqlite3_step(query);
  database_check(database, result);
  int64_t answer = result == SQLITE_ROW ? sqlite3_column_int64(query, 0) : -1;
  sqlite3_finalize(query);
  return answer;
}

void database_free(sqlite3 *database) {
  database_check(database, sqlite3_close(database));
  sqlite3_shutdown();
  if (g_sqlite_bytes)
    die("SQLite kept %zu bytes, or they were miscounted", g_sqlite_bytes);
}
