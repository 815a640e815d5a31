/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/bundle/bundlesource.h"

#include "files/bundle/bundlecursor.h"
#include "files/bundle/bundlesection.h"

typedef struct {
  uint32_t file, text; /* ids in the bundle's strings */
  uint64_t line;
} line_t;

static bool is_line(const void *owner, uint32_t id, const void *key) {
  const line_t *a = DMD_POOL_AT((const dmd_pool_t *)owner, line_t, id), *b = key;
  return a->file == b->file && a->line == b->line;
}

static uint64_t hash_of(const dmd_bundle_t *image, const line_t *line) {
  return dmd_hash_u64(dmd_table_hash(&image->line_index, line->file) ^ line->line);
}

void dmd_imagesource_init(dmd_bundle_t *image) {
  dmd_pool_init(&image->lines, image->env, "dmd.image", sizeof(line_t));
  dmd_table_init(&image->line_index, image->env, "dmd.image", is_line, &image->lines);
}

void dmd_imagesource_destroy(dmd_bundle_t *image) {
  dmd_table_destroy(&image->line_index);
  dmd_pool_destroy(&image->lines);
}

/* A duplicate line is an error. */
static void read_line(dmd_bundle_t *image, dmd_bundlecursor_t *c, uint32_t file) {
  size_t n;
  line_t line = {.file = file, .line = dmd_bundlecursor_number(c)};
  const char *text = dmd_bundlecursor_bytes(c, &n);
  uint64_t hash = hash_of(image, &line);
  if (c->failed || dmd_table_find(&image->line_index, hash, &line) != DMD_NONE) {
    dmd_bundlecursor_fail(c);
    return;
  }
  line.text = dmd_intern_bytes(&image->strings, text, n);
  uint32_t id = dmd_pool_add(&image->lines);
  *DMD_POOL_AT(&image->lines, line_t, id) = line;
  dmd_table_add(&image->line_index, hash, id);
}

bool dmd_imagesource_read(dmd_bundle_t *image) {
  const dmd_bundle_section_t *section = dmd_bundle_find(image, DMD_BUNDLE_SOURCES, 0);
  if (section == NULL)
    return true;
  dmd_bundlecursor_t c = dmd_bundlecursor_of(section->bytes, section->n);
  uint32_t file;
  while ((file = dmd_bundlecursor_string(&c, &image->strings, true)) != DMD_NONE)
    for (uint32_t n = dmd_bundlecursor_count(&c); n > 0 && !c.failed; n--)
      read_line(image, &c, file);
  return dmd_bundlecursor_is_done(&c);
}

const char *dmd_bundle_source_line(const dmd_bundle_t *image, const char *file, uint64_t line) {
  line_t key = {.file = dmd_intern_find_str(&image->strings, file), .line = line};
  uint32_t id = key.file == DMD_NONE
                    ? DMD_NONE
                    : dmd_table_find(&image->line_index, hash_of(image, &key), &key);
  return id == DMD_NONE ? NULL
                        : dmd_intern_get_str(&image->strings,
                                             DMD_POOL_AT(&image->lines, const line_t, id)->text);
}
