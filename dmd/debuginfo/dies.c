/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debuginfo/dies.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/rustname.h"
#include "base/str.h"
#include "host/process.h"

/* ---- Names of classes. ---- */

/* From the C++ library, which declares it in no C header. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *n, int *status);

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* The length of a number's suffix, which only gives its type. */
static size_t suffix(const char *s) {
  size_t n = strspn(s, "uUlL");
  return is_word(s[n]) ? 0 : n;
}

/* The length of "const" and the blanks after it, if the text begins with that; otherwise 0. */
static size_t qualifier(const char *s) {
  enum { LENGTH = 5 };
  if (!dmd_str_begins(s, "const") || is_word(s[LENGTH]))
    return 0;
  return LENGTH + strspn(s + LENGTH, " ");
}

void dmdv_classname_normal(dmd_strbuf_t *to, const char *name) {
  bool in_word = false, is_number = false;
  for (const char *s = name; *s != '\0'; s++) {
    size_t left_out = in_word ? 0 : qualifier(s);
    if (left_out > 0) {
      s += left_out - 1;
      continue;
    }
    if (*s == ' ') {
      if (in_word && is_word(s[1]) && qualifier(s + 1) == 0)
        dmd_strbuf_bytes(to, s, 1);
      in_word = false;
      continue;
    }
    if (is_word(*s) && !in_word)
      is_number = isdigit((unsigned char)*s);
    in_word = is_word(*s);
    size_t skipped = in_word && is_number && !isdigit((unsigned char)*s) ? suffix(s) : 0;
    if (skipped > 0)
      s += skipped - 1;
    else
      dmd_strbuf_bytes(to, s, 1);
  }
}

static char *demangle_rust(const char *symbol) {
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, &dmdv_env);
  char *text = dmd_rust_name(&name, symbol) ? strdup(name.text) : NULL;
  dmd_strbuf_destroy(&name);
  return text;
}

const char *dmdv_demangle(const char *symbol, char **freed) {
  int status = -1;
  if (dmd_is_rust_symbol(symbol)) {
    *freed = demangle_rust(symbol);
    return *freed != NULL ? *freed : symbol;
  }
  *freed = dmd_str_begins(symbol, "_Z") ? __cxa_demangle(symbol, NULL, NULL, &status) : NULL;
  return status == 0 && *freed != NULL ? *freed : symbol;
}

bool dmdv_classname_of_vtable(dmd_strbuf_t *to, const char *symbol) {
  if (!dmd_str_begins(symbol, "_ZTV"))
    return false;
  char *freed;
  const char *name = dmdv_demangle(symbol, &freed);
  static const char before[] = "vtable for ";
  bool good = dmd_str_begins(name, before);
  if (good)
    dmd_strbuf_str(to, name + sizeof before - 1);
  free(freed);
  return good;
}

/* ---- Debug information entries. ---- */

static bool goes_on(dmdv_walk_t *walk, const Dwarf_Die *die) {
  if (walk->furthest != NULL && (uintptr_t)die->addr <= (uintptr_t)walk->furthest)
    return false;
  walk->furthest = die->addr;
  return true;
}

bool dmdv_walk_first(dmdv_walk_t *walk, Dwarf_Die *parent, Dwarf_Die *child) {
  return dwarf_child(parent, child) == 0 && goes_on(walk, child);
}

bool dmdv_walk_next(dmdv_walk_t *walk, Dwarf_Die *child) {
  return dwarf_siblingof(child, child) == 0 && goes_on(walk, child);
}

bool dmdv_die_number(Dwarf_Die *die, unsigned name, uint64_t *number) {
  Dwarf_Attribute attribute;
  Dwarf_Word word;
  if (dwarf_attr(die, name, &attribute) == NULL || dwarf_formudata(&attribute, &word) != 0)
    return false;
  *number = word;
  return true;
}

bool dmdv_die_follow(Dwarf_Die *die, unsigned name, bool integrated, Dwarf_Die *to) {
  Dwarf_Attribute attribute;
  Dwarf_Attribute *found =
      integrated ? dwarf_attr_integrate(die, name, &attribute) : dwarf_attr(die, name, &attribute);
  return found != NULL && dwarf_formref_die(found, to) != NULL;
}

bool dmdv_die_flag(Dwarf_Die *die, unsigned name) {
  Dwarf_Attribute attribute;
  bool flag;
  return dwarf_attr(die, name, &attribute) != NULL && dwarf_formflag(&attribute, &flag) == 0 &&
         flag;
}

static bool stands_for_another(int tag) {
  switch (tag) {
  case DW_TAG_typedef:
  case DW_TAG_const_type:
  case DW_TAG_volatile_type:
  case DW_TAG_restrict_type:
  case DW_TAG_atomic_type:
  case DW_TAG_packed_type:
  case DW_TAG_shared_type:
  case DW_TAG_template_alias:
    return true;
  default:
    return false;
  }
}

bool dmdv_die_peel(Dwarf_Die *type, Dwarf_Die *peeled, const char **name) {
  *peeled = *type;
  *name = NULL;
  for (int i = 0; i < DMDV_DIES_MAX_DEPTH; i++) {
    if (!stands_for_another(dwarf_tag(peeled)))
      return true;
    if (dwarf_tag(peeled) == DW_TAG_typedef)
      *name = dwarf_diename(peeled);
    Dwarf_Die next;
    if (!dmdv_die_follow(peeled, DW_AT_type, false, &next))
      return false;
    *peeled = next;
  }
  return false;
}

bool dmdv_die_location(Dwarf_Die *die, uint64_t addr, Dwarf_Op *op) {
  Dwarf_Attribute attribute;
  Dwarf_Op *ops;
  size_t n;
  if (dwarf_attr(die, DW_AT_location, &attribute) == NULL ||
      dwarf_getlocation_addr(&attribute, addr, &ops, &n, 1) != 1 || n != 1)
    return false;
  *op = ops[0];
  return true;
}

bool dmdv_die_address_of(Dwarf_Die *die, unsigned name, uint64_t *addr) {
  Dwarf_Attribute attribute;
  Dwarf_Addr found;
  if (dwarf_attr(die, name, &attribute) == NULL || dwarf_formaddr(&attribute, &found) != 0)
    return false;
  *addr = found;
  return true;
}

bool dmdv_die_address(Dwarf_Die *die, uint64_t *addr) {
  Dwarf_Op op;
  Dwarf_Attribute location, target;
  if (!dmdv_die_location(die, 0, &op))
    return false;
  *addr = op.number;
  if (op.atom == DW_OP_addr)
    return true;
  Dwarf_Addr found;
  if ((op.atom != DW_OP_addrx && op.atom != DW_OP_GNU_addr_index) ||
      dwarf_attr(die, DW_AT_location, &location) == NULL ||
      dwarf_getlocation_attr(&location, &op, &target) != 0 || dwarf_formaddr(&target, &found) != 0)
    return false;
  *addr = found;
  return true;
}

bool dmdv_die_thread_offset(Dwarf_Die *die, uint64_t *offset) {
  Dwarf_Attribute attribute;
  Dwarf_Op *ops;
  size_t n;
  if (dwarf_attr(die, DW_AT_location, &attribute) == NULL ||
      dwarf_getlocation_addr(&attribute, 0, &ops, &n, 1) != 1 || n != 2 ||
      (ops[1].atom != DW_OP_form_tls_address && ops[1].atom != DW_OP_GNU_push_tls_address))
    return false;
  *offset = ops[0].number;
  /* The size of the number depends on the size of the program's addresses. */
  return ops[0].atom == DW_OP_addr || ops[0].atom == DW_OP_const4u || ops[0].atom == DW_OP_const8u;
}

bool dmdv_die_parameter(Dwarf_Die *die, const char *name, Dwarf_Die *type) {
  dmdv_walk_t walk = {NULL};
  Dwarf_Die child;
  for (bool found = dmdv_walk_first(&walk, die, &child); found;
       found = dmdv_walk_next(&walk, &child)) {
    const char *own = dwarf_diename(&child);
    if (dwarf_tag(&child) == DW_TAG_template_type_parameter &&
        (name == NULL || (own != NULL && dmd_str_equal(own, name))))
      return dmdv_die_follow(&child, DW_AT_type, false, type);
  }
  return false;
}
