/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * glib.c: containers of GLib's, of several sizes, that hold strings.
 */
#include "measures.h"
#include "objects.h"

#include "glib_by_hand.h"

enum { N = 30 };

static GArray *arrays[N];
static GByteArray *bytes[N];
static GPtrArray *pointers[N];
static GString *texts[N];
static GList *lists[N];
static GSList *single_lists[N];
static GQueue *queues[N];
static GNode *trees[N];
static GHashTable *tables[N];
static struct strings *strings[N];

static char *text(int i) {
  return g_strdup_printf("%*d", 1 + i % 60, i);
}

/* ---- What is in a table ---- */

typedef struct sum {
  size_t size;
  int with_keys;
} sum_t;

static void add_entry(void *key, void *value, void *to) {
  sum_t *sum = to;
  sum->size += sum->with_keys ? DMD_REPORT(key) : 0;
  sum->size += value && value != key ? DMD_REPORT(value) : 0;
}
size_t table_by_hand(const void *table) {
  GHashTable *measured = (GHashTable *)table;
  sum_t sum = {_GHashTable_size_of_including(measured), measured->hash_func == g_str_hash};
  g_hash_table_foreach(measured, add_entry, &sum);
  return sum.size;
}

/* ---- Objects ---- */

/* Every third is a set, every third has numbers for keys. */
static GHashTable *new_table(int i) {
  GHashTable *table = i % 3 == 2 ? g_hash_table_new(g_direct_hash, g_direct_equal)
                                 : g_hash_table_new(g_str_hash, g_str_equal);
  for (int k = 0; k < 3 * i; k++)
    if (i % 3 == 0)
      g_hash_table_add(table, text(k));
    else
      g_hash_table_insert(table, i % 3 == 2 ? GINT_TO_POINTER(k) : (void *)text(k),
                          k % 4 ? text(k) : NULL);
  return table;
}

static GNode *new_tree(int n) {
  GNode *node = g_node_new(text(n));
  for (; n > 0; n /= 2)
    g_node_append(node, new_tree(n / 3));
  return node;
}

static struct strings *new_strings(int i) {
  struct strings *made = g_new0(struct strings, 1);
  made->table = new_table(i);
  made->names = g_strsplit("some names of no sense", i % 2 ? " " : "e", i);
  return made;
}

static void make(int i) {
  arrays[i] = g_array_new(FALSE, TRUE, sizeof i);
  bytes[i] = g_byte_array_new();
  pointers[i] = g_ptr_array_new();
  texts[i] = g_string_new("text");
  queues[i] = g_queue_new();
  trees[i] = new_tree(i);
  tables[i] = new_table(i);
  strings[i] = new_strings(i);
  for (int k = 0; k <= i * i; k++) {
    g_array_append_val(arrays[i], k);
    g_byte_array_append(bytes[i], (const guint8 *)"bytes", 5);
    g_ptr_array_add(pointers[i], k % 3 ? text(k) : NULL);
    g_string_append_printf(texts[i], " and %d", k);
    lists[i] = g_list_prepend(lists[i], text(k));
    single_lists[i] = g_slist_prepend(single_lists[i], text(k));
    g_queue_push_tail(queues[i], text(k));
  }
}

int main(void) {
  objects_t objects = {NULL, 0, 0};
  for (int i = 0; i < N; i++)
    make(i);
  objects_begin(&objects);
  for (int i = 0; i < N; i++) {
    OBJECT(&objects, "GArray", arrays[i], _GArray_size_of_including(arrays[i]));
    OBJECT(&objects, "GByteArray", bytes[i], _GByteArray_size_of_including(bytes[i]));
    OBJECT(&objects, "GPtrArray", pointers[i], _GPtrArray_size_of_including(pointers[i]));
    OBJECT(&objects, "GString", texts[i], _GString_size_of_including(texts[i]));
    OBJECT(&objects, "GList", lists[i], _GList_size_of_including(lists[i]));
    OBJECT(&objects, "GSList", single_lists[i], _GSList_size_of_including(single_lists[i]));
    OBJECT(&objects, "GQueue", queues[i], _GQueue_size_of_including(queues[i]));
    OBJECT(&objects, "GNode", trees[i], _GNode_size_of_including(trees[i]));
    OBJECT(&objects, "GHashTable", tables[i], table_by_hand(tables[i]));
    OBJECT(&objects, "strings", strings[i], strings_size_of_including(strings[i]));
  }
  objects_end(&objects);
  return 0;
}
