/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debuginfo/dies.h"

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

bool dmdv_die_parameter(Dwarf_Die *class, Dwarf_Die *type) {
  dmdv_walk_t walk = {NULL};
  Dwarf_Die child;
  for (bool found = dmdv_walk_first(&walk, class, &child); found;
       found = dmdv_walk_next(&walk, &child))
    if (dwarf_tag(&child) == DW_TAG_template_type_parameter)
      return dmdv_die_follow(&child, DW_AT_type, false, type);
  return false;
}
