/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debuginfo/locals.h"

#include <stdlib.h>

#include "host/process.h"

/* ---- Frame bases. ---- */

enum { N_SHORT_REGISTERS = 32 }; /* registers with an operation of their own */

void dmdv_frame_init(dmdv_frame_t *frame, const dmdv_debugfile_t *file, Dwarf_Die *function,
                     uint64_t pc) {
  Dwarf_Attribute attribute;
  Dwarf_Op *ops;
  size_t n;
  *frame = (dmdv_frame_t){.file = file, .base_register = -1};
  if (dwarf_attr_integrate(function, DW_AT_frame_base, &attribute) == NULL ||
      dwarf_getlocation_addr(&attribute, pc, &ops, &n, 1) != 1 || n != 1)
    return;
  frame->base_is_cfa = ops->atom == DW_OP_call_frame_cfa;
  if (ops->atom >= DW_OP_reg0 && ops->atom < DW_OP_reg0 + N_SHORT_REGISTERS)
    frame->base_register = ops->atom - DW_OP_reg0;
  else if (ops->atom != DW_OP_fbreg)
    dmdv_frame_is_place(ops, &frame->base_register, &frame->base_displacement);
}

static bool place_of_register(const dmdv_debugfile_t *file, uint64_t pc, int reg,
                              int64_t displacement, int64_t *place) {
  Dwarf_Addr shift = 0;
  Dwarf_CFI *cfi = dwfl_module_eh_cfi(file->module, &shift);
  Dwarf_Frame *frame = NULL;
  Dwarf_Op *ops;
  size_t n;
  if (cfi == NULL || dwarf_cfi_addrframe(cfi, pc + file->shift - shift, &frame) != 0)
    return false;
  bool good = dwarf_frame_cfa(frame, &ops, &n) == 0 && n == 1 && ops->atom == DW_OP_bregx &&
              ops->number == (uint64_t)reg;
  /* The place is the register plus displacement; the CFA is the register plus number2. */
  if (good)
    *place = (int64_t)((uint64_t)displacement - ops->number2);
  free(frame);
  return good;
}

bool dmdv_frame_place(const dmdv_frame_t *frame, uint64_t pc, int reg, int64_t displacement,
                      int64_t *place) {
  *place = displacement;
  if (reg != DMDV_FRAME_BASE)
    return place_of_register(frame->file, pc, reg, displacement, place);
  if (frame->base_is_cfa)
    return true;
  uint64_t sum = (uint64_t)frame->base_displacement + (uint64_t)displacement;
  return frame->base_register >= 0 &&
         place_of_register(frame->file, pc, frame->base_register, (int64_t)sum, place);
}

bool dmdv_frame_is_place(const Dwarf_Op *op, int *reg, int64_t *displacement) {
  if (op->atom >= DW_OP_breg0 && op->atom < DW_OP_breg0 + N_SHORT_REGISTERS)
    *reg = op->atom - DW_OP_breg0;
  else if (op->atom == DW_OP_fbreg)
    *reg = DMDV_FRAME_BASE;
  else
    return false;
  *displacement = (int64_t)op->number;
  return true;
}

/* ---- Local variables. ---- */

static void add(dmd_variables_t *variables, const dmdv_dwarfindex_t *index, Dwarf_Die *die,
                uint64_t place) {
  const dmd_types_t *types = index->types->types;
  uint32_t type = dmdv_dwarftypes_of(index->types, die);
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, &dmdv_env);
  dmdv_dwarfindex_variable_name(index, die, &name);
  if (name.n > 0 && dmd_type_has_size(types, type))
    dmd_variables_add(variables,
                      &(dmd_variable_t){.object = DMDV_LOCALS_OBJECT,
                                        .name = dmd_intern_text(&variables->names, name.text),
                                        .type = type,
                                        .addr = DMDV_LOCALS_BASE + place,
                                        .szB = dmd_type_at(types, type)->szB});
  dmd_strbuf_destroy(&name);
}

/* ---- Frames. ---- */

typedef struct {
  dmd_variables_t *variables;
  const dmdv_dwarfindex_t *index;
  dmdv_frame_t frame;
  uint64_t pc;
  dmdv_walk_t walk;
} frame_search_t;

static void add_local(frame_search_t *s, Dwarf_Die *die) {
  Dwarf_Op op;
  int reg;
  int64_t displacement, place;
  if (dmdv_die_location(die, s->pc, &op) && dmdv_frame_is_place(&op, &reg, &displacement) &&
      dmdv_frame_place(&s->frame, s->pc, reg, displacement, &place))
    add(s->variables, s->index, die, (uint64_t)place);
}

/* Skips blocks of the source without the program counter: their variables may share places with
 * others. */
static void find_locals(frame_search_t *s, Dwarf_Die *scope, int depth) {
  Dwarf_Die child;
  if (depth > DMDV_DIES_MAX_DEPTH || !dmdv_walk_first(&s->walk, scope, &child))
    return;
  do
    switch (dwarf_tag(&child)) {
    case DW_TAG_variable:
    case DW_TAG_formal_parameter:
      add_local(s, &child);
      break;
    case DW_TAG_lexical_block:
    case DW_TAG_inlined_subroutine:
      if (dwarf_haspc(&child, s->pc) > 0)
        find_locals(s, &child, depth + 1);
      break;
    default:
      break;
    }
  while (dmdv_walk_next(&s->walk, &child));
}

void dmdv_locals_of_frame(dmd_variables_t *variables, const dmdv_debugfile_t *file,
                          const dmdv_dwarfindex_t *index, uint64_t pc) {
  frame_search_t s = {.variables = variables, .index = index, .pc = pc};
  Dwarf_Die function;
  if (!dmdv_dwarfindex_function(index, pc, &function))
    return;
  dmdv_frame_init(&s.frame, file, &function, pc);
  find_locals(&s, &function, 0);
}

/* ---- Threads. ---- */

static bool is_program(Elf *elf) {
  GElf_Ehdr header;
  Elf_Scn *section = NULL;
  if (gelf_getehdr(elf, &header) == NULL)
    return false;
  if (header.e_type == ET_EXEC)
    return true;
  while ((section = elf_nextscn(elf, section)) != NULL) {
    GElf_Shdr shdr;
    GElf_Dyn entry;
    Elf_Data *data;
    if (gelf_getshdr(section, &shdr) == NULL || shdr.sh_type != SHT_DYNAMIC ||
        (data = elf_getdata(section, NULL)) == NULL)
      continue;
    for (int i = 0; gelf_getdyn(data, i, &entry) != NULL && entry.d_tag != DT_NULL; i++)
      if (entry.d_tag == DT_FLAGS_1)
        return (entry.d_un.d_val & DF_1_PIE) != 0;
  }
  return false;
}

/* How far below the thread pointer the program's own thread-local storage begins. On x86 it ends at
 * the thread pointer, rounded up. False on other processors. */
static bool find_storage(Elf *elf, uint64_t *below) {
  GElf_Ehdr header;
  size_t n;
  if (!is_program(elf) || gelf_getehdr(elf, &header) == NULL || elf_getphdrnum(elf, &n) != 0 ||
      (header.e_machine != EM_X86_64 && header.e_machine != EM_386))
    return false;
  for (size_t i = 0; i < n; i++) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf, (int)i, &segment) == NULL || segment.p_type != PT_TLS)
      continue;
    uint64_t align = segment.p_align > 0 ? segment.p_align : 1;
    if ((align & (align - 1)) != 0 || segment.p_memsz > UINT64_MAX - align)
      return false;
    *below = (segment.p_memsz + align - 1) & ~(align - 1);
    return true;
  }
  return false;
}

void dmdv_locals_of_thread(dmd_variables_t *variables, const dmdv_debugfile_t *file,
                           const dmdv_dwarfindex_t *index) {
  GElf_Addr shift;
  Elf *elf = dwfl_module_getelf(file->module, &shift);
  uint64_t below, offset;
  if (elf == NULL || !find_storage(elf, &below))
    return;
  for (uint32_t i = 1; i <= index->variable_dies.last; i++) {
    Dwarf_Die *die = DMD_POOL_AT(&index->variable_dies, Dwarf_Die, i);
    if (dmdv_die_thread_offset(die, &offset) && offset < below)
      add(variables, index, die, offset - below);
  }
}
