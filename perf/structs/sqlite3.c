/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * sqlite3.c: schemas of databases in memory, as SQLite keeps them.
 */
#include "measures.h"
#include "objects.h"
#include "sqlite3_by_hand.h"

enum { N = 10 };

static sqlite3 *databases[N];

size_t tables_by_hand(const void *hash) {
  size_t size = Hash_size_of(hash);
  for (const HashElem *element = ((const Hash *)hash)->first; element; element = element->next)
    size += Table_size_of_including(element->data);
  return size;
}

static void run(sqlite3 *database, const char *format, int a, int b) {
  char *text = sqlite3_mprintf(format, a, b, a, b, a);
  if (sqlite3_exec(database, text, NULL, NULL, NULL) != SQLITE_OK)
    abort();
  sqlite3_free(text);
}

/* Tables of all kinds of columns, with and without rowid, that refer to each other. */
static sqlite3 *made(int i) {
  sqlite3 *database;
  if (sqlite3_open(":memory:", &database) != SQLITE_OK)
    abort();
  sqlite3_db_config(database, SQLITE_DBCONFIG_LOOKASIDE, NULL, 0, 0); /* every block is malloc's */
  for (int k = 0; k < 3 * i; k++) {
    run(database,
        "CREATE TABLE table_%d_%d(a INTEGER PRIMARY KEY AUTOINCREMENT, b TEXT UNIQUE, c REAL "
        "COLLATE NOCASE)",
        i, k);
    run(database,
        "CREATE TABLE other_%d_%d(x, y REFERENCES table_%d_%d(a), z, PRIMARY KEY(x, z)) WITHOUT "
        "ROWID",
        i, k);
    run(database, "CREATE INDEX index_%d_%d ON table_%d_%d(c, b DESC)", i, k);
    run(database, "INSERT INTO table_%d_%d(b, c) VALUES ('b', 1.5)", i, k);
  }
  return database;
}

int main(void) {
  objects_t objects = {NULL, 0, 0};
  for (int i = 0; i < N; i++)
    databases[i] = made(i);
  objects_begin(&objects);
  for (int i = 0; i < N; i++) {
    const Schema *schema = databases[i]->aDb[0].pSchema;
    OBJECT(&objects, "schema", schema, Schema_size_of_including(schema));
  }
  objects_end(&objects);
  return 0;
}
