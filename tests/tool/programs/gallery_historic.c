/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Size functions as they once were in programs, with the mistake that was fixed later, and as they
 * are since, reduced to the structs that they count:
 *
 *   quicklist  redis before #3638: MEMORY USAGE of a list multiplied the mean size of its nodes by
 *              the number of entries, not of nodes
 *   stream     zstd before 7d1ff3817: ZSTD_sizeof_CStream counted the buffers that are a part of
 *              what ZSTD_sizeof_CCtx counts
 *   watched    valkey before #3359: each watched key was counted by the size of a list
 */
#include <stdio.h>
#include <stdlib.h>

#define FUNCTION __attribute__((noipa)) size_t

enum { N = 12, PER_NODE = 4 };

typedef struct node {
  struct node *next;
  unsigned char *entries;
} node_t;

typedef struct {
  node_t *first;
  unsigned long n_entries, n_nodes;
} quicklist_t;

enum { ENTRIES_SZB = 64 };

static quicklist_t *make_quicklist(unsigned long n_nodes) {
  quicklist_t *list = calloc(1, sizeof *list);
  for (; list->n_nodes < n_nodes; list->n_nodes++, list->n_entries += PER_NODE) {
    node_t *node = malloc(sizeof *node);
    *node = (node_t){list->first, malloc(ENTRIES_SZB)};
    list->first = node;
  }
  return list;
}

static size_t mean_of_nodes(const quicklist_t *list) {
  size_t szB = 0, n = 0;
  for (const node_t *node = list->first; node != NULL; node = node->next, n++)
    szB += sizeof *node + ENTRIES_SZB;
  return szB / n;
}

FUNCTION quicklist_size_before(const quicklist_t *list) {
  return sizeof *list + mean_of_nodes(list) * list->n_entries;
}

FUNCTION quicklist_size_since(const quicklist_t *list) {
  return sizeof *list + mean_of_nodes(list) * list->n_nodes;
}

typedef struct {
  char *tables, *in, *out;
  size_t tables_szB, in_szB, out_szB;
} context_t;

static context_t *make_context(size_t i) {
  context_t *c = malloc(sizeof *c);
  *c = (context_t){.tables_szB = 1000 + 100 * i, .in_szB = 300 + 10 * i, .out_szB = 700 + 30 * i};
  c->tables = malloc(c->tables_szB);
  c->in = malloc(c->in_szB);
  c->out = malloc(c->out_szB);
  return c;
}

FUNCTION stream_size_since(const context_t *c) {
  return sizeof *c + c->tables_szB + c->in_szB + c->out_szB;
}

FUNCTION stream_size_before(const context_t *c) {
  return sizeof *c + c->tables_szB + c->in_szB + c->out_szB + c->in_szB + c->out_szB;
}

typedef struct {
  void *key, *db, *client;
  char more[40];
} watched_t;

typedef struct {
  void *head, *tail, *dup, *free, *match;
  unsigned long n;
} redis_list_t;

typedef struct {
  watched_t **keys;
  size_t n;
  char name[40];
} client_t;

static client_t *make_client(size_t n) {
  client_t *client = calloc(1, sizeof *client);
  client->keys = malloc(n * sizeof *client->keys);
  while (client->n < n)
    client->keys[client->n++] = calloc(1, sizeof(watched_t));
  return client;
}

FUNCTION watched_size_before(const client_t *client) {
  return sizeof *client + client->n * (sizeof *client->keys + sizeof(redis_list_t));
}

FUNCTION watched_size_since(const client_t *client) {
  return sizeof *client + client->n * (sizeof *client->keys + sizeof(watched_t));
}

static quicklist_t *lists[N];
static context_t *contexts[N];
static client_t *clients[N];

int main(void) {
  size_t all = 0;
  for (size_t i = 0; i < N; i++) {
    lists[i] = make_quicklist(1 + i);
    contexts[i] = make_context(i);
    clients[i] = make_client(1 + i);
  }
  for (size_t i = 0; i < N; i++) {
    all += quicklist_size_before(lists[i]) + quicklist_size_since(lists[i]);
    all += stream_size_before(contexts[i]) + stream_size_since(contexts[i]);
    all += watched_size_before(clients[i]) + watched_size_since(clients[i]);
  }
  printf("%zu %zu %zu\n", sizeof(node_t) + ENTRIES_SZB, sizeof(watched_t), sizeof(redis_list_t));
  return all == 0;
}
