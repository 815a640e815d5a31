/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * redis.c: linked into redis-server, it measures the keyspace and all clients when the process
 * ends, by what dmd-derive makes of redis' headers (redis.words) and by what redis_by_hand.h says.
 */
#include "server.h"
#include "stream.h"

#include "measures.h"
#include "objects.h"
#include "redis_by_hand.h"

/* Defined in server.c and rax.c; no header declares them. */
void dictObjectDestructor(dict *d, void *value);
void dictVanillaFree(dict *d, void *value);
void dictListDestructor(dict *d, void *value);
void *raxGetData(raxNode *node);

typedef size_t measure_fn(const void *object);

size_t sds_by_hand(const void *text) {
  return DMD_REPORT(sdsAllocPtr((char *)text));
}

static size_t block_by_hand(const void *block) {
  return DMD_REPORT(block);
}

/* An object that others hold as well is not measured here: where it is counted once, it is owned.
 */
static size_t object_by_hand(const void *object) {
  const robj *counted = object;
  return counted->refcount == 1 ? redisObject_size_of_including(counted) : 0;
}

static size_t list_by_hand(const list *list, measure_fn *measure) {
  size_t size = list_size_of_including(list);
  for (const listNode *node = list->head; node; node = node->next)
    size += measure(node->value);
  return size;
}
size_t list_of_sds_by_hand(const void *list) {
  return list_by_hand(list, sds_by_hand);
}
size_t list_of_blocks_by_hand(const void *list) {
  const struct list *replies = list;
  size_t size = list_size_of_including(replies);
  for (const listNode *node = replies->head; node; node = node->next)
    size += node->value ? DMD_REPORT(node->value) : 0;
  return size;
}
static size_t list_alone_by_hand(const void *list) {
  return list_size_of_including(list);
}

/* ---- Tables: their type describes their contents. ---- */

static measure_fn *measure_for(void (*destructor)(dict *, void *)) {
  if (destructor == dictSdsDestructor)
    return sds_by_hand;
  if (destructor == dictObjectDestructor)
    return object_by_hand;
  if (destructor == dictListDestructor)
    return list_alone_by_hand;
  return destructor == dictVanillaFree ? block_by_hand : NULL;
}

size_t dict_by_hand(const void *table) {
  const dict *d = table;
  measure_fn *of_key = measure_for(d->type->keyDestructor);
  measure_fn *of_value = measure_for(d->type->valDestructor);
  size_t size = dict_size_of_including(d);
  for (int t = 0; t < 2; t++)
    for (unsigned long i = 0; i < DICTHT_SIZE(d->ht_size_exp[t]); i++)
      for (const dictEntry *entry = d->ht_table[t][i]; entry; entry = entry->next) {
        size += of_key ? of_key(entry->key) : 0;
        size += of_value && entry->v.val ? of_value(entry->v.val) : 0;
      }
  return size;
}

/* ---- Radix trees: nodes that are bytes with pointers in them. ---- */

/* A node and the nodes below it, and their values by `measure` unless that is null. */
static size_t node_by_hand(raxNode *node, measure_fn *measure) {
  size_t size = DMD_REPORT(node), n_children = node->iscompr ? 1 : node->size;
  const size_t at = node->size + (-(sizeof *node + node->size) & (sizeof(void *) - 1));
  for (size_t i = 0; i < n_children; i++) {
    raxNode *child;
    memcpy(&child, node->data + at + i * sizeof child, sizeof child);
    size += node_by_hand(child, measure);
  }
  if (measure && node->iskey && !node->isnull)
    size += measure(raxGetData(node));
  return size;
}
size_t rax_nodes_by_hand(const void *node) {
  return node_by_hand((raxNode *)node, NULL);
}
static size_t rax_by_hand(const rax *rax, measure_fn *measure) {
  return DMD_REPORT(rax) + node_by_hand(rax->head, measure);
}
size_t rax_of_blocks_by_hand(const void *rax) {
  return rax_by_hand(rax, block_by_hand);
}
static size_t group_by_hand(const void *group) {
  return streamCG_size_of_including(group);
}
size_t rax_of_groups_by_hand(const void *rax) {
  return rax_by_hand(rax, group_by_hand);
}
static size_t consumer_by_hand(const void *consumer) {
  return streamConsumer_size_of_including(consumer);
}
size_t rax_of_consumers_by_hand(const void *rax) {
  return rax_by_hand(rax, consumer_by_hand);
}

/* ---- What is measured ---- */

static size_t databases_by_hand(void) {
  size_t size = DMD_REPORT(server.db);
  for (int i = 0; i < server.dbnum; i++)
    size += redisDb_size_of(&server.db[i]);
  return size;
}

/* The first dump has db 0's keyspace and all clients, the second all databases as one object. */
__attribute__((destructor)) static void measure_objects(void) {
  objects_t objects = {NULL, 0, 0};
  if (!server.db || !getenv("DMD_OBJECTS"))
    return;
  objects_begin(&objects);
  OBJECT(&objects, "keyspace", server.db[0].dict, dict_by_hand(server.db[0].dict));
  for (const listNode *node = server.clients->head; node; node = node->next)
    OBJECT(&objects, "client", node->value, client_size_of_including(node->value));
  objects_end(&objects);
  objects_begin(&objects);
  OBJECT(&objects, "databases", server.db, databases_by_hand());
  objects_end(&objects);
}
