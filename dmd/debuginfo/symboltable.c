/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debuginfo/symboltable.h"

#include "base/mangled.h"
#include "base/sort.h"
#include "host/process.h"

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

void dmdv_symboltable_init(dmdv_symboltable_t *table, const dmdv_debugfile_t *file) {
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

void dmdv_symboltable_destroy(dmdv_symboltable_t *table) {
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

const char *dmdv_symboltable_at(const dmdv_symboltable_t *table, uint64_t addr) {
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
