/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debuginfo/names.h"

#include "base/str.h"
#include "debuginfo/classname.h"
#include "debuginfo/codeunits.h"
#include "debuginfo/symboltable.h"
#include "host/process.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  dmdv_debugfile_t file;
  dmdv_symboltable_t symbols;
  dmdv_codeunits_t units;
  uint64_t n_nameless; /* frames without a name since the file is missing */
} object_t;

struct dmdv_names {
  dmd_namer_t namer;
  dmdv_debugfiles_t files;
  bool is_open, has_files; /* whether the file was opened, and whether that worked */
  dmd_intern_t keys;       /* path, NUL, build id */
  dmd_pool_t objects;      /* by key id */
};

static object_t *object_at(const dmdv_names_t *names, uint32_t id) {
  return DMD_POOL_AT(&names->objects, object_t, id);
}

/* ---- Objects. ---- */

static void open_object(dmdv_names_t *names, object_t *object, const dmd_location_t *at) {
  uint8_t build_id[DMD_MAX_BUILD_ID_TEXT / 2];
  dmd_graph_object_t wanted = {.path = at->object, .build_id = (const char *)build_id};
  wanted.n_build_id = at->build_id == NULL ? 0 : dmd_build_id_bytes(build_id, at->build_id);
  if (!names->is_open) {
    names->is_open = true;
    names->has_files = dmdv_debugfiles_open(&names->files, NULL);
  }
  if (names->has_files)
    object->file = dmdv_debugfile(&names->files, &wanted);
  if (object->file.module == NULL)
    return;
  dmdv_symboltable_init(&object->symbols, &object->file);
  dmdv_codeunits_init(&object->units, &object->file);
}

static object_t *object_of(dmdv_names_t *names, const dmd_location_t *at) {
  dmd_strbuf_t key;
  dmd_strbuf_init(&key, &dmdv_env);
  dmd_strbuf_bytes(&key, at->object, strlen(at->object) + 1);
  dmd_strbuf_str(&key, at->build_id == NULL ? "" : at->build_id);
  uint32_t id = dmd_intern_bytes(&names->keys, key.text, key.n);
  dmd_strbuf_destroy(&key);
  bool is_new = id > names->objects.last;
  dmd_pool_reach(&names->objects, id);
  if (is_new)
    open_object(names, object_at(names, id), at);
  return object_at(names, id);
}

/* ---- Functions. ---- */

static dmd_code_kind_t kind_of(const char *symbol) {
  static const char *const below[] = {"__libc_start_main", "__libc_start_main_impl",
                                      "__libc_start_call_main", "generic_start_main", "_start"};
  if (strcmp(symbol, "main") == 0)
    return DMD_CODE_MAIN;
  size_t n = strcspn(symbol, "@");
  for (size_t i = 0; i < sizeof below / sizeof *below; i++)
    if (strlen(below[i]) == n && strncmp(symbol, below[i], n) == 0)
      return DMD_CODE_BELOW_MAIN;
  return DMD_CODE_OTHER;
}

/* Visits the function that was not inlined. */
static void visit_function(const dmdv_names_t *names, const char *symbol, dmd_code_kind_t kind,
                           const dmdv_source_t *source, dmd_function_fn visit, void *visitor) {
  char *freed = NULL;
  bool is_hidden = kind == DMD_CODE_BELOW_MAIN && !names->namer.shows_below_main;
  dmd_function_t function = {.name = is_hidden        ? "(below main)"
                                     : symbol == NULL ? ""
                                                      : dmdv_demangle(symbol, &freed),
                             .file = source->file,
                             .line = (uint32_t)source->line};
  visit(visitor, &function);
  free(freed);
}

/* Visits the inlined calls; the place of each call is in the function that it was inlined into. */
static void visit_all(const dmdv_names_t *names, const dmdv_codeplace_t *place, const char *symbol,
                      dmd_code_kind_t kind, dmd_function_fn visit, void *visitor) {
  dmdv_source_t source = place->source;
  for (uint32_t i = place->n_inlined; i-- > 0;) {
    const dmdv_inlined_t *inlined = &place->inlined[i];
    dmd_function_t function = {.name = inlined->name == NULL ? "" : inlined->name,
                               .file = source.file,
                               .line = (uint32_t)source.line,
                               .is_inlined = true};
    visit(visitor, &function);
    source = inlined->caller;
  }
  visit_function(names, symbol, kind, &source, visit, visitor);
}

/* dmd_namer_t.functions */
static bool functions(void *ctx, const dmd_location_t *at, dmd_function_fn visit, void *visitor,
                      dmd_code_kind_t *kind) {
  dmdv_names_t *names = ctx;
  object_t *object = object_of(names, at);
  if (object->file.module == NULL) {
    object->n_nameless++;
    return false;
  }
  dmdv_codeplace_t place;
  dmdv_codeunits_find(&object->units, at->offset, &place);
  const char *symbol = dmdv_symboltable_at(&object->symbols, at->offset);
  if (symbol == NULL)
    symbol = place.function;
  if (symbol == NULL && place.source.file == NULL)
    return false;
  *kind = symbol == NULL ? DMD_CODE_OTHER : kind_of(symbol);
  visit_all(names, &place, symbol, *kind, visit, visitor);
  return true;
}

/* ---- All. ---- */

dmdv_names_t *dmdv_names_new(bool shows_below_main) {
  dmdv_names_t *names = dmd_env_alloc(&dmdv_env, "dmdv.names", sizeof *names);
  *names = (dmdv_names_t){
      .namer = {.ctx = names, .shows_below_main = shows_below_main, .functions = functions}};
  dmd_intern_init(&names->keys, &dmdv_env, "dmdv.names");
  dmd_pool_init(&names->objects, &dmdv_env, "dmdv.names", sizeof(object_t));
  return names;
}

const dmd_namer_t *dmdv_names_namer(const dmdv_names_t *names) {
  return &names->namer;
}

void dmdv_names_tell(dmdv_names_t *names) {
  uint64_t n = 0;
  uint32_t worst = 0, n_objects = 0;
  for (uint32_t id = 1; id <= names->objects.last; id++) {
    uint64_t here = object_at(names, id)->n_nameless;
    n += here;
    n_objects += here > 0;
    if (here > 0 && (worst == 0 || here > object_at(names, worst)->n_nameless))
      worst = id;
  }
  if (n == 0)
    return;
  char others[40] = "";
  if (n_objects > 1)
    snprintf(others, sizeof others, "; of %" PRIu32 " other %s", n_objects - 1,
             n_objects == 2 ? "file" : "files");
  dmdv_note(
      "%" PRIu64 " %s, since %s is %s%s", n, n == 1 ? "frame has no name" : "frames have no names",
      dmd_intern_get_str(&names->keys, worst),
      object_at(names, worst)->file.was_changed ? "from a different build than the program that ran"
                                                : "missing",
      others);
  for (uint32_t id = 1; id <= names->objects.last; id++)
    object_at(names, id)->n_nameless = 0;
}

void dmdv_names_free(dmdv_names_t *names) {
  for (uint32_t id = 1; id <= names->objects.last; id++)
    if (object_at(names, id)->file.module != NULL) {
      dmdv_codeunits_destroy(&object_at(names, id)->units);
      dmdv_symboltable_destroy(&object_at(names, id)->symbols);
    }
  dmd_pool_destroy(&names->objects);
  dmd_intern_destroy(&names->keys);
  if (names->has_files)
    dmdv_debugfiles_close(&names->files);
  dmd_env_free(&dmdv_env, names);
}
