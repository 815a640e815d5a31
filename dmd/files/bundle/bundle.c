/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/bundle/bundle.h"

#include "files/bundle/bundlecursor.h"

/* ---- Source lines. ---- */

/* Lines of source files in a bundle.
 *
 * For each file, the section has its name as in frames, the number of lines, and each line with its
 * number. A missing string ends the list of files. */

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

static void init_source(dmd_bundle_t *image) {
  dmd_pool_init(&image->lines, image->env, "dmd.image", sizeof(line_t));
  dmd_table_init(&image->line_index, image->env, "dmd.image", is_line, &image->lines);
}

static void destroy_source(dmd_bundle_t *image) {
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

/* Reads the section, if there is one. False if it is damaged. */
static bool read_source(dmd_bundle_t *image) {
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

/* ---- Sections. ---- */

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { IS_LITTLE_ENDIAN = true };
#else
enum { IS_LITTLE_ENDIAN = false };
#endif

static bool complain(dmd_strbuf_t *why, const char *what) {
  dmd_strbuf_str(why, what);
  return false;
}

static uint64_t fixed(const char *bytes, unsigned n) {
  uint64_t v = 0;
  for (; n > 0; n--)
    v = v << 8 | (unsigned char)bytes[n - 1];
  return v;
}

/* ---- Sections. ---- */

const dmd_bundle_section_t *dmd_bundle_find(const dmd_bundle_t *image, dmd_bundle_kind_t kind,
                                            uint32_t index) {
  for (uint32_t id = 1; id <= image->sections.last; id++) {
    const dmd_bundle_section_t *section =
        DMD_POOL_AT(&image->sections, const dmd_bundle_section_t, id);
    if (section->kind == kind && section->index == index)
      return section;
  }
  return NULL;
}

static bool check_container(const dmd_bundle_t *image, dmd_strbuf_t *why) {
  if (!IS_LITTLE_ENDIAN)
    return complain(why, "bundles are read on machines with little-endian numbers only");
  if (image->n < DMD_BUNDLE_HEADER_SZB + DMD_BUNDLE_END_SZB ||
      !dmd_mem_equal(image->bytes, DMD_BUNDLE_MAGIC, sizeof DMD_BUNDLE_MAGIC - 1))
    return complain(why, "this is not data of dmdv view");
  uint64_t version = fixed(image->bytes + sizeof DMD_BUNDLE_MAGIC - 1, 4);
  if (version != DMD_BUNDLE_VERSION) {
    dmd_strbuf_str(why, "the bundle has version ");
    dmd_strbuf_u64(why, version);
    dmd_strbuf_str(why, ", and the page reads version ");
    dmd_strbuf_u64(why, DMD_BUNDLE_VERSION);
    return false;
  }
  if ((uintptr_t)image->bytes % sizeof(uint64_t) != 0)
    return complain(why, "the bundle is not aligned to 8 bytes");
  if (!dmd_mem_equal(image->bytes + image->n - 4, DMD_BUNDLE_END, 4))
    return complain(why, "the bundle is cut off");
  return true;
}

/* Checks that profiles and graphs are numbered from 0 in the order of their sections. */
static bool count_section(dmd_bundle_t *image, const dmd_bundle_section_t *section) {
  uint32_t *n = section->kind == DMD_BUNDLE_PROFILE ? &image->n_profiles
                : section->kind == DMD_BUNDLE_GRAPH ? &image->n_graphs
                                                    : NULL;
  return n == NULL || section->index == (*n)++;
}

static bool read_table(dmd_bundle_t *image, dmd_strbuf_t *why) {
  const char *end = image->bytes + image->n - DMD_BUNDLE_END_SZB;
  uint64_t table = fixed(end, 8), n = fixed(end + 8, 4), room = image->n - DMD_BUNDLE_END_SZB;
  if (table > room || room - table != n * DMD_BUNDLE_ENTRY_SZB || n > DMD_BUNDLE_MAX_SECTIONS)
    return complain(why, "the bundle's table of sections is damaged");
  for (const char *at = image->bytes + table; at < end; at += DMD_BUNDLE_ENTRY_SZB) {
    uint64_t offset = fixed(at + 8, 8), szB = fixed(at + 16, 8);
    if (offset % sizeof(uint64_t) != 0 || offset > table || szB > table - offset)
      return complain(why, "a section of the bundle lies outside it");
    uint32_t id = dmd_pool_add(&image->sections);
    dmd_bundle_section_t *section = DMD_POOL_AT(&image->sections, dmd_bundle_section_t, id);
    *section = (dmd_bundle_section_t){.kind = (uint32_t)fixed(at, 4),
                                      .index = (uint32_t)fixed(at + 4, 4),
                                      .bytes = image->bytes + offset,
                                      .n = (size_t)szB};
    if (!count_section(image, section))
      return complain(why, "the bundle's profiles or graphs are not numbered in order");
  }
  return true;
}

/* ---- Files and settings. ---- */

static uint32_t read_beside(dmd_bundlecursor_t *c, uint32_t n) {
  uint32_t beside = (uint32_t)dmd_bundlecursor_up_to(c, DMD_BUNDLE_ALONE);
  if (beside >= n && beside != DMD_BUNDLE_ALONE)
    dmd_bundlecursor_fail(c);
  return beside;
}

static void read_file(dmd_bundle_t *image, dmd_bundlecursor_t *c) {
  uint32_t name = dmd_bundlecursor_string(c, &image->strings, true);
  dmd_bundle_file_t file = {.kind = (dmd_bundle_file_kind_t)dmd_bundlecursor_up_to(c, 1)};
  bool is_graph = file.kind == DMD_BUNDLE_IS_GRAPH;
  uint32_t n = is_graph ? image->n_graphs : image->n_profiles;
  file.index = (uint32_t)dmd_bundlecursor_up_to(c, UINT32_MAX);
  file.beside = read_beside(c, is_graph ? image->n_profiles : image->n_graphs);
  file.reduced.records = dmd_bundlecursor_number(c);
  file.reduced.bytes = dmd_bundlecursor_number(c);
  file.reduced.nodes = dmd_bundlecursor_number(c);
  if (name == DMD_NONE || file.index >= n)
    dmd_bundlecursor_fail(c);
  if (c->failed)
    return;
  file.name = dmd_intern_get_str(&image->strings, name);
  uint32_t id = dmd_pool_add(&image->files);
  *DMD_POOL_AT(&image->files, dmd_bundle_file_t, id) = file;
}

static bool read_files(dmd_bundle_t *image, dmd_strbuf_t *why) {
  const dmd_bundle_section_t *section = dmd_bundle_find(image, DMD_BUNDLE_FILES, 0);
  if (section == NULL)
    return complain(why, "the bundle has no list of files");
  dmd_bundlecursor_t c = dmd_bundlecursor_of(section->bytes, section->n);
  for (uint32_t n = dmd_bundlecursor_count(&c); n > 0 && !c.failed; n--)
    read_file(image, &c);
  return dmd_bundlecursor_is_done(&c) || complain(why, "the bundle's list of files is damaged");
}

static void list_alloc_fns(dmd_bundle_t *image) {
  uint32_t n = image->alloc_fns.last;
  image->alloc_fn_list = dmd_env_alloc(image->env, "dmd.image", (n + 1) * sizeof(char *));
  for (uint32_t i = 0; i < n; i++)
    image->alloc_fn_list[i] =
        dmd_intern_get_str(&image->strings, *DMD_POOL_AT(&image->alloc_fns, uint32_t, i + 1));
  image->settings.frame_view.alloc_fns = image->alloc_fn_list;
  image->settings.frame_view.n_alloc_fns = n;
}

static bool read_settings(dmd_bundle_t *image, dmd_strbuf_t *why) {
  const dmd_bundle_section_t *section = dmd_bundle_find(image, DMD_BUNDLE_SETTINGS, 0);
  if (section == NULL)
    return true;
  dmd_bundlecursor_t c = dmd_bundlecursor_of(section->bytes, section->n);
  image->settings.max_frames = (uint32_t)dmd_bundlecursor_up_to(&c, UINT32_MAX);
  image->settings.frame_view.full_names = dmd_bundlecursor_up_to(&c, 1) != 0;
  for (uint32_t n = dmd_bundlecursor_count(&c); n > 0 && !c.failed; n--) {
    uint32_t pattern = dmd_bundlecursor_string(&c, &image->strings, true);
    if (pattern == DMD_NONE)
      dmd_bundlecursor_fail(&c);
    uint32_t id = dmd_pool_add(&image->alloc_fns);
    *DMD_POOL_AT(&image->alloc_fns, uint32_t, id) = pattern;
  }
  image->settings.moment = (dmd_moment_choice_t)dmd_bundlecursor_up_to(&c, DMD_MOMENT_AUTO);
  if (!dmd_bundlecursor_is_done(&c))
    return complain(why, "the bundle's settings are damaged");
  list_alloc_fns(image);
  return true;
}

/* ---- The bundle. ---- */

bool dmd_bundle_map(dmd_bundle_t *image, const dmd_env_t *env, void *bytes, size_t n,
                    dmd_strbuf_t *why) {
  *image =
      (dmd_bundle_t){.env = env, .bytes = bytes, .n = n, .settings = {.moment = DMD_MOMENT_AUTO}};
  dmd_pool_init(&image->sections, env, "dmd.image", sizeof(dmd_bundle_section_t));
  dmd_intern_init(&image->strings, env, "dmd.image");
  dmd_pool_init(&image->files, env, "dmd.image", sizeof(dmd_bundle_file_t));
  dmd_pool_init(&image->alloc_fns, env, "dmd.image", sizeof(uint32_t));
  init_source(image);
  return check_container(image, why) && read_table(image, why) && read_files(image, why) &&
         read_settings(image, why) &&
         (read_source(image) || complain(why, "the bundle's source lines are damaged"));
}

void dmd_bundle_destroy(dmd_bundle_t *image) {
  destroy_source(image);
  dmd_env_free(image->env, image->alloc_fn_list);
  dmd_pool_destroy(&image->alloc_fns);
  dmd_pool_destroy(&image->files);
  dmd_intern_destroy(&image->strings);
  dmd_pool_destroy(&image->sections);
}

const char *dmd_bundle_profile(const dmd_bundle_t *image, uint32_t i, size_t *n) {
  const dmd_bundle_section_t *section = dmd_bundle_find(image, DMD_BUNDLE_PROFILE, i);
  *n = section->n;
  return section->bytes;
}

const char *dmd_bundle_claims(const dmd_bundle_t *image, uint32_t i, size_t *n) {
  const dmd_bundle_section_t *section = dmd_bundle_find(image, DMD_BUNDLE_CLAIMS, i);
  *n = section == NULL ? 0 : section->n;
  return section == NULL ? NULL : section->bytes;
}
