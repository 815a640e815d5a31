/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debuginfo/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mangled.h"
#include "base/pool.h"
#include "base/sort.h"
#include "base/str.h"
#include "debuginfo/breakpad.h"
#include "debuginfo/codeunits.h"
#include "debuginfo/debugfile.h"
#include "debuginfo/dies.h"
#include "host/process.h"

/* ---- Symbol tables. ---- */

/* Finds the functions of an object by its symbols.
 *
 * Several symbols may cover one address. As in Valgrind, the one with the shortest range wins, then
 * the one with the shortest name; a version, "@..." at its end, is not counted, but a name with one
 * is preferred; then the first in alphabetical order.
 *
 * If no function of known size covers the address, the table asks libdw, which knows the labels of
 * hand-written code. It searches all symbols for that, so the table first checks whether it can
 * find one. */

typedef struct dmdv_symboltable {
  const dmdv_debugfile_t *file;
  dmd_pool_t symbols; /* of functions */
  uint32_t *order; /* their ids, by address; of those with the same address the worst comes first */
  uint64_t longest; /* the longest range of a symbol */
  dmd_pool_t marks; /* starts of symbols of all kinds */
  uint32_t *marks_order;
} dmdv_symboltable_t;

typedef struct {
  uint64_t from, to; /* to is exclusive */
  const char *name;
} symbol_t;

/* Summary of all symbols up to one that begins here. */
typedef struct {
  uint64_t from;
  uint64_t to;    /* the end of the last one that is not a label; 0: there are only labels */
  uint64_t label; /* the last one without a size; 0: none */
} mark_t;

static const symbol_t *symbol_at(const dmdv_symboltable_t *table, uint32_t id) {
  return DMD_POOL_AT(&table->symbols, const symbol_t, id);
}

static mark_t *mark_at(const dmdv_symboltable_t *table, uint32_t id) {
  return DMD_POOL_AT(&table->marks, mark_t, id);
}

static int compare(const void *ctx, uint32_t a, uint32_t b) {
  const symbol_t *x = symbol_at(ctx, a), *y = symbol_at(ctx, b);
  if (x->from != y->from)
    return x->from < y->from ? -1 : 1;
  if (x->to != y->to)
    return x->to > y->to ? -1 : 1;
  return -dmd_symbol_compare(x->name, y->name);
}

static int compare_marks(const void *ctx, uint32_t a, uint32_t b) {
  uint64_t x = mark_at(ctx, a)->from, y = mark_at(ctx, b)->from;
  return x < y ? -1 : x > y;
}

static bool is_place(const GElf_Sym *symbol) {
  int type = GELF_ST_TYPE(symbol->st_info);
  return type != STT_SECTION && type != STT_FILE && type != STT_TLS &&
         symbol->st_shndx != SHN_UNDEF;
}

static bool is_function(const GElf_Sym *symbol) {
  int type = GELF_ST_TYPE(symbol->st_info);
  return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_size > 0;
}

static void add_symbol(dmdv_symboltable_t *table, const GElf_Sym *symbol, uint64_t from,
                       const char *name) {
  uint64_t szB = symbol->st_size < UINT64_MAX - from ? symbol->st_size : UINT64_MAX - from;
  *(mark_t *)dmd_pool_at(&table->marks, dmd_pool_add(&table->marks)) =
      (mark_t){.from = from, .to = szB > 0 ? from + szB : 0, .label = szB > 0 ? 0 : from};
  if (!is_function(symbol))
    return;
  *(symbol_t *)dmd_pool_at(&table->symbols, dmd_pool_add(&table->symbols)) =
      (symbol_t){.from = from, .to = from + szB, .name = name};
  if (szB > table->longest)
    table->longest = szB;
}

/* Makes each mark a summary of all marks up to it. */
static void add_up(dmdv_symboltable_t *table) {
  for (uint32_t i = 1; i < table->marks.last; i++) {
    const mark_t *before = mark_at(table, table->marks_order[i - 1]);
    mark_t *mark = mark_at(table, table->marks_order[i]);
    mark->to = before->to > mark->to ? before->to : mark->to;
    mark->label = before->label > mark->label ? before->label : mark->label;
  }
}

/* The file must outlive the table. */
static void symboltable_init(dmdv_symboltable_t *table, const dmdv_debugfile_t *file) {
  *table = (dmdv_symboltable_t){.file = file};
  dmd_pool_init(&table->symbols, &dmdv_env, "dmdv.names", sizeof(symbol_t));
  dmd_pool_init(&table->marks, &dmdv_env, "dmdv.names", sizeof(mark_t));
  int n = dwfl_module_getsymtab(file->module);
  for (int i = 1; i < n; i++) {
    GElf_Sym symbol;
    GElf_Addr addr;
    const char *name = dwfl_module_getsym_info(file->module, i, &symbol, &addr, NULL, NULL, NULL);
    if (name != NULL && *name != '\0' && is_place(&symbol))
      add_symbol(table, &symbol, addr - file->shift, name);
  }
  table->order = dmd_sorted_ids(&dmdv_env, table->symbols.last, compare, table);
  table->marks_order = dmd_sorted_ids(&dmdv_env, table->marks.last, compare_marks, table);
  add_up(table);
}

static void symboltable_destroy(dmdv_symboltable_t *table) {
  dmd_env_free(&dmdv_env, table->order);
  dmd_env_free(&dmdv_env, table->marks_order);
  dmd_pool_destroy(&table->symbols);
  dmd_pool_destroy(&table->marks);
}

/* Whether a symbol of any kind is around the address, or a label is before it and no symbol ends in
 * between. */
static bool can_be_named(const dmdv_symboltable_t *table, uint64_t addr) {
  uint32_t next;
  DMD_SEARCH(next, 0, table->marks.last, mark_at(table, table->marks_order[next])->from <= addr);
  if (next == 0)
    return false;
  const mark_t *mark = mark_at(table, table->marks_order[next - 1]);
  return mark->to > addr || (mark->label > 0 && mark->label >= mark->to);
}

/* The name of the function at an address, as in the file; NULL if there is no function. */
static const char *symboltable_at(const dmdv_symboltable_t *table, uint64_t addr) {
  enum { MAX_STEPS = 64 }; /* backwards past symbols that end before the address */
  uint32_t next;
  DMD_SEARCH(next, 0, table->symbols.last, symbol_at(table, table->order[next])->from <= addr);
  for (uint32_t steps = 0; next > 0 && steps < MAX_STEPS; steps++) {
    const symbol_t *symbol = symbol_at(table, table->order[--next]);
    if (addr < symbol->to)
      return symbol->name;
    if (addr - symbol->from >= table->longest)
      break;
  }
  if (!can_be_named(table, addr))
    return NULL;
  uint64_t into;
  return dmdv_debugfile_symbol(table->file, addr, &into);
}

/* ---- Names. ---- */

typedef struct {
  dmdv_debugfile_t file;
  dmdv_symboltable_t symbols;
  dmdv_codeunits_t units;
  dmdv_breakpad_t *breakpad; /* NULL: none */
  uint64_t n_nameless;       /* frames without a name since the file is missing */
} object_t;

struct dmdv_names {
  dmd_namer_t namer;
  dmdv_debugfiles_t files;
  bool is_open, has_files; /* whether the file was opened, and whether that worked */
  dmd_intern_t keys;       /* path, NUL, build id */
  dmd_pool_t objects;      /* by key id */
  const char *debug_folder, *symbol_folder;
  dmdv_names_counts_t counts;
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
    names->has_files = dmdv_debugfiles_open(&names->files, names->debug_folder);
  }
  if (names->has_files)
    object->file = dmdv_debugfile(&names->files, &wanted);
  if (names->symbol_folder != NULL && at->build_id != NULL) {
    bool is_other;
    object->breakpad =
        dmdv_breakpad_open(names->symbol_folder, at->object, at->build_id, &is_other);
    object->file.was_changed |= is_other;
  }
  if (object->file.module == NULL)
    return;
  symboltable_init(&object->symbols, &object->file);
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
    char *freed = NULL;
    dmd_function_t function = {.name = inlined->name == NULL ? ""
                                                             : dmdv_demangle(inlined->name, &freed),
                               .file = source.file,
                               .line = (uint32_t)source.line,
                               .is_inlined = true};
    visit(visitor, &function);
    free(freed);
    source = inlined->caller;
  }
  visit_function(names, symbol, kind, &source, visit, visitor);
}

/* Finds a place by the object's own files, else by its Breakpad file, which is also asked where the
 * files have no line. Returns the symbol, or NULL; the place's source may be known even so. */
static const char *find_place(object_t *object, uint64_t offset, dmdv_codeplace_t *place) {
  const char *symbol = NULL;
  place->source = (dmdv_source_t){0};
  place->n_inlined = 0;
  if (object->file.module != NULL) {
    dmdv_codeunits_find(&object->units, offset, place);
    symbol = symboltable_at(&object->symbols, offset);
    if (symbol == NULL)
      symbol = place->function;
  }
  if (object->breakpad == NULL || place->source.file != NULL)
    return symbol;
  dmdv_codeplace_t other;
  dmdv_breakpad_find(object->breakpad, offset, &other);
  if (other.function == NULL)
    return symbol;
  *place = other;
  return other.function;
}

/* dmd_namer_t.functions */
static bool functions(void *ctx, const dmd_location_t *at, dmd_function_fn visit, void *visitor,
                      dmd_code_kind_t *kind) {
  dmdv_names_t *names = ctx;
  object_t *object = object_of(names, at);
  names->counts.n_asked++;
  if (object->file.module == NULL && object->breakpad == NULL) {
    object->n_nameless++;
    return false;
  }
  dmdv_codeplace_t place;
  const char *symbol = find_place(object, at->offset, &place);
  if (symbol == NULL && place.source.file == NULL)
    return false;
  names->counts.n_named++;
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

void dmdv_names_search_debug(dmdv_names_t *names, const char *debug_folder) {
  names->debug_folder = debug_folder;
}

void dmdv_names_search(dmdv_names_t *names, const char *debug_folder, const char *symbol_folder) {
  dmdv_names_search_debug(names, debug_folder);
  names->symbol_folder = symbol_folder;
  names->namer.adds_lines = true;
}

dmdv_names_counts_t dmdv_names_counts(const dmdv_names_t *names) {
  return names->counts;
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
    if (object_at(names, id)->breakpad != NULL)
      dmdv_breakpad_close(object_at(names, id)->breakpad);
  for (uint32_t id = 1; id <= names->objects.last; id++)
    if (object_at(names, id)->file.module != NULL) {
      dmdv_codeunits_destroy(&object_at(names, id)->units);
      symboltable_destroy(&object_at(names, id)->symbols);
    }
  dmd_pool_destroy(&names->objects);
  dmd_intern_destroy(&names->keys);
  if (names->has_files)
    dmdv_debugfiles_close(&names->files);
  dmd_env_free(&dmdv_env, names);
}
