/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debuginfo/sizefunctions.h"

#include "base/fnname.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "debuginfo/debugfile.h"
#include "debuginfo/dies.h"
#include "host/process.h"

#include <stdlib.h>
#include <string.h>

/* In lower case and without underscores. */
static const char *const words[] = {"sizeof",      "memsize",   "memorysize",  "memusage",
                                    "memuse",      "memoryuse", "memoryusage", "spaceused",
                                    "computesize", "heapsize",  "footprint",   "getmem"};

static bool is_about_size(const char *name) {
  dmd_fnname_t plain = dmd_fnname_plain(name, strlen(name));
  dmd_strbuf_t letters;
  bool found = false;
  dmd_strbuf_init(&letters, &dmdv_env);
  for (size_t i = 0; i < plain.n; i++) {
    char c = plain.at[i];
    c = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    dmd_strbuf_bytes(&letters, &c, c != '_');
  }
  for (size_t i = 0; i < sizeof words / sizeof *words && !found; i++)
    found = letters.n > 0 && strstr(letters.text, words[i]) != NULL;
  dmd_strbuf_destroy(&letters);
  return found;
}

static bool is_function(const GElf_Sym *symbol) {
  return GELF_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF;
}

static void add_symbols(Dwfl_Module *module, int n, dmd_intern_t *names) {
  for (int i = 1; i < n; i++) {
    GElf_Sym symbol;
    GElf_Addr addr;
    const char *name = dwfl_module_getsym_info(module, i, &symbol, &addr, NULL, NULL, NULL);
    if (name == NULL || *name == '\0' || !is_function(&symbol))
      continue;
    char *freed = NULL;
    const char *printed = dmdv_demangle(name, &freed);
    if (is_about_size(printed))
      dmd_intern_str(names, printed);
    free(freed);
  }
}

bool dmdv_size_functions(const char *path, dmd_intern_t *names) {
  dmdv_debugfiles_t files;
  if (!dmdv_debugfiles_open(&files, NULL))
    return dmdv_error("%s: libdw cannot be used", path);
  Dwfl_Module *module = dmdv_debugfile(&files, &(dmd_graph_object_t){.path = path}).module;
  int n = module == NULL ? 0 : dwfl_module_getsymtab(module);
  if (n > 0)
    add_symbols(module, n, names);
  dmdv_debugfiles_close(&files);
  return n > 0 || dmdv_error("%s: no symbols can be read: this is not a program or library", path);
}
