/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Containers of GLib that have more memory than they need, or that are full:
 *   waste_glib KIND wasteful|thrifty
 * Prints how many bytes are unused. Nothing is freed.
 */
#include <glib.h>
#include <stdio.h>
#include <string.h>

/* All have a capacity of so many bytes, a power of two, since GLib rounds up to one. */
enum { N = 400, CAPACITY = 4096 };

/* As in GLib's garray.c, whose debug information a system may not have: GArray and GPtrArray are
 * only the first members of these. */
typedef struct GRealArray {
  guint8 *data;
  guint len, elt_capacity, elt_size, flags;
  gint ref_count;
  GDestroyNotify clear_func;
} GRealArray;

typedef struct GRealPtrArray {
  gpointer *pdata;
  guint len, alloc;
  gint ref_count;
  guint8 null_terminated;
  GDestroyNotify free_func;
} GRealPtrArray;

static GRealArray **arrays, **byte_arrays;
static GRealPtrArray **pointer_arrays;
static GString **strings;

static gboolean is_thrifty;

static guint next_number(void) {
  static guint number = 1;
  number = number * 1664525 + 1013904223;
  return number | 0x1010101;
}

/* How many elements of a size an example has. */
static guint elements(guint szB) {
  return (is_thrifty ? CAPACITY : CAPACITY / 8) / szB;
}

static guint array(guint i) {
  GArray *made = g_array_sized_new(FALSE, FALSE, sizeof(guint), CAPACITY / sizeof(guint));
  for (guint k = 0; k < elements(sizeof(guint)); k++) {
    guint number = next_number();
    g_array_append_val(made, number);
  }
  arrays[i] = (GRealArray *)made;
  return made->len * (guint)sizeof(guint);
}

static guint pointers(guint i) {
  GPtrArray *made = g_ptr_array_sized_new(CAPACITY / sizeof(gpointer));
  for (guint k = 0; k < elements(sizeof(gpointer)); k++)
    g_ptr_array_add(made, (gpointer)((gsize)next_number() << 32 | next_number()));
  pointer_arrays[i] = (GRealPtrArray *)made;
  return made->len * (guint)sizeof(gpointer);
}

static guint bytes(guint i) {
  GByteArray *made = g_byte_array_sized_new(CAPACITY);
  for (guint k = 0; k < elements(sizeof(guint)); k++) {
    guint number = next_number();
    g_byte_array_append(made, (const guint8 *)&number, sizeof number);
  }
  byte_arrays[i] = (GRealArray *)made;
  return made->len;
}

static guint string(guint i) {
  strings[i] = g_string_sized_new(CAPACITY - 1);
  for (guint k = 0; k + 1 < elements(1); k++)
    g_string_append_c(strings[i], (gchar)((next_number() >> 16 & 127) | 64));
  return (guint)strings[i]->len + 1;
}

static const struct {
  const char *name;
  guint (*make)(guint i);
} kinds[] = {{"array", array}, {"pointers", pointers}, {"bytes", bytes}, {"string", string}};

int main(int argc, char **argv) {
  gulong wasted = 0;
  if (argc != 3)
    return 1;
  arrays = g_new0(GRealArray *, N);
  byte_arrays = g_new0(GRealArray *, N);
  pointer_arrays = g_new0(GRealPtrArray *, N);
  strings = g_new0(GString *, N);
  is_thrifty = strcmp(argv[2], "thrifty") == 0;
  for (gsize kind = 0; kind < G_N_ELEMENTS(kinds); kind++)
    for (guint i = 0; strcmp(kinds[kind].name, argv[1]) == 0 && i < N; i++)
      wasted += CAPACITY - kinds[kind].make(i);
  printf("%lu\n", wasted);
  fflush(stdout);
  return 0;
}
