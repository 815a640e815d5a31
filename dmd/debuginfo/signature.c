/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debuginfo/signature.h"

#include "debuginfo/dies.h"

static void read_result(dmdv_signature_t *signature, Dwarf_Die *function) {
  Dwarf_Die type, peeled;
  uint64_t encoding, szB;
  const char *name;
  if (!dmdv_die_follow(function, DW_AT_type, true, &type) ||
      !dmdv_die_peel(&type, &peeled, &name) || dwarf_tag(&peeled) != DW_TAG_base_type ||
      !dmdv_die_number(&peeled, DW_AT_encoding, &encoding) ||
      !dmdv_die_number(&peeled, DW_AT_byte_size, &szB) || szB > sizeof(uint64_t))
    return;
  signature->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
  if (signature->is_signed || encoding == DW_ATE_unsigned || encoding == DW_ATE_unsigned_char)
    signature->result_szB = szB;
}

static void add_target(dmdv_signature_t *signature, dmdv_dwarftypes_t *d, Dwarf_Die *parameter) {
  uint32_t type = dmdv_dwarftypes_of(d, parameter);
  uint32_t target = dmd_type_is(d->types, type, DMD_TYPE_POINTER)
                        ? dmd_type_at(d->types, type)->target
                        : DMD_NONE;
  if (dmd_type_is(d->types, target, DMD_TYPE_STRUCT) && signature->n_targets < DMDV_SIGNATURE_MAX)
    signature->targets[signature->n_targets++] = target;
}

dmdv_signature_t dmdv_signature(dmdv_dwarftypes_t *d, Dwarf_Die *function) {
  dmdv_signature_t signature = {.n_targets = 0};
  dmdv_walk_t walk = {NULL};
  Dwarf_Die die;
  read_result(&signature, function);
  for (bool is_there = dmdv_walk_first(&walk, function, &die); is_there;
       is_there = dmdv_walk_next(&walk, &die))
    if (dwarf_tag(&die) == DW_TAG_formal_parameter)
      add_target(&signature, d, &die);
  return signature;
}

uint64_t dmdv_signature_result(const dmdv_signature_t *signature, uint64_t value) {
  if (signature->result_szB == 0 || signature->result_szB == sizeof(uint64_t))
    return value;
  uint64_t sign = 1ull << (8 * signature->result_szB - 1);
  value &= 2 * sign - 1;
  return signature->is_signed && (value & sign) != 0 ? value | ~(2 * sign - 1) : value;
}
