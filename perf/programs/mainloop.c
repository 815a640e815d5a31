/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mainloop: a glib program: timers and idle work in a main loop, a thread that fills a queue, and a
 * table of strings.
 */
#include <glib.h>

enum { TICKS = 200, ITEMS = 20000 };

static guint g_ticks, g_items;
static GHashTable *g_names;

static gboolean tick(gpointer loop) {
  g_autofree char *text = g_strdup_printf("tick %u", g_ticks);
  if (++g_ticks < TICKS)
    return G_SOURCE_CONTINUE;
  g_main_loop_quit(loop);
  return G_SOURCE_REMOVE;
}

static gpointer produce(gpointer queue) {
  for (int i = 0; i < ITEMS; i++)
    g_async_queue_push(queue, g_strdup_printf("item %d", i));
  return NULL;
}

/* Every tenth item is kept. */
static gboolean consume(gpointer queue) {
  char *item = g_async_queue_try_pop(queue);
  if (item == NULL)
    return g_items < ITEMS;
  if (g_items++ % 10 == 0)
    g_hash_table_insert(g_names, item, NULL);
  else
    g_free(item);
  return g_items < ITEMS;
}

int main(void) {
  GMainLoop *loop = g_main_loop_new(NULL, FALSE);
  GAsyncQueue *queue = g_async_queue_new_full(g_free);
  g_names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  GThread *producer = g_thread_new("producer", produce, queue);
  g_timeout_add(1, tick, loop);
  g_idle_add(consume, queue);
  g_main_loop_run(loop);
  g_thread_join(producer);
  while (g_items < ITEMS)
    consume(queue);
  g_print("%u ticks, %u items, %u names\n", g_ticks, g_items, g_hash_table_size(g_names));
  g_hash_table_unref(g_names);
  g_async_queue_unref(queue);
  g_main_loop_unref(loop);
  return 0;
}
