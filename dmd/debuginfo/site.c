/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debuginfo/site.h"

#include "base/str.h"
#include "debuginfo/flow.h"
#include "debuginfo/locals.h"
#include "host/process.h"

/* Missing in headers of older elfutils. */
#define AT_LLVM_ALLOC_TYPE 0x3e0e

/* Where a variable is while the program counter is in a range: in a register, if it is a pointer,
 * or on the stack. */
typedef struct {
  uint64_t from, to;
  uint32_t type;
  bool is_register;
  int reg;       /* or DMDV_FRAME_BASE, for dmdv_frame_place */
  int64_t place; /* relative to reg */
} home_t;

typedef struct {
  const dmdv_debugfile_t *file;
  const dmdv_dwarfindex_t *index;
  const dmdv_flow_machine_t *machine; /* NULL: its code is not known */
  uint64_t addr;
  dmdv_walk_t walk;
  bool has_function; /* there is debug information of it */
  Dwarf_Die function;
  dmdv_frame_t frame;
  dmd_pool_t homes;
  bool returned;      /* a return of the function was found */
  bool may_return_it; /* the function returns the block there */
  dmdv_site_t site;
} search_t;

static dmd_types_t *types_of(const search_t *s) {
  return s->index->types->types;
}

/* ---- Candidates. ---- */

/* The bytes in front of the first of several values, given that one of them is at the block's start
 * plus lead. False: it is another part of the block, which shows nothing about the rest. */
static bool find_lead(const search_t *s, uint32_t type, int64_t *lead) {
  if (*lead < 0)
    return false;
  *lead = (int64_t)((uint64_t)*lead % dmd_type_at(types_of(s), type)->szB);
  /* C++ stores the number of elements in a word, or in as many bytes as the elements' alignment. */
  return *lead == 0 || *lead == (int64_t)types_of(s)->pointer_szB ||
         *lead == 2 * (int64_t)types_of(s)->pointer_szB;
}

static void add_candidate(search_t *s, uint32_t type, int64_t lead, bool is_of_one) {
  dmd_tells_t tells = dmd_type_tells(types_of(s), type);
  dmdv_site_t *site = &s->site;
  if (tells == DMD_TELLS_NOTHING || !find_lead(s, type, &lead))
    return;
  for (uint8_t i = 0; i < site->n; i++)
    if (site->candidates[i].type == type && site->candidates[i].lead == lead) {
      site->candidates[i].is_of_one &= is_of_one;
      return;
    }
  if (site->n < DMDV_SITE_CANDIDATES)
    site->candidates[site->n++] = (dmdv_candidate_t){
        .type = type, .lead = (uint16_t)lead, .is_of_one = is_of_one, .tells = (uint8_t)tells};
}

/* The type that a pointer of this type points to. */
static uint32_t pointee(const search_t *s, uint32_t type) {
  return dmd_type_is(types_of(s), type, DMD_TYPE_POINTER) ? dmd_type_at(types_of(s), type)->target
                                                          : DMD_NONE;
}

/* ---- Where variables are. ---- */

static void add_home(search_t *s, uint32_t type, uint64_t from, uint64_t to, const Dwarf_Op *op) {
  home_t home = {.from = from, .to = to, .type = type};
  if (op->atom >= DW_OP_reg0 && op->atom < DW_OP_reg0 + DMDV_FLOW_REGISTERS) {
    home.is_register = true;
    home.reg = op->atom - DW_OP_reg0;
  } else if (!dmdv_frame_is_place(op, &home.reg, &home.place))
    return;
  *(home_t *)dmd_pool_at(&s->homes, dmd_pool_add(&s->homes)) = home;
}

static void add_homes(search_t *s, Dwarf_Die *variable) {
  Dwarf_Attribute attribute;
  if (dwarf_attr(variable, DW_AT_location, &attribute) == NULL)
    return;
  uint32_t type = dmdv_dwarftypes_of(s->index->types, variable);
  if (dmd_type_tells(types_of(s), type) != DMD_TELLS_TYPE &&
      dmd_type_tells(types_of(s), pointee(s, type)) == DMD_TELLS_NOTHING)
    return;
  Dwarf_Addr base, from, to;
  Dwarf_Op *ops;
  size_t n;
  ptrdiff_t at = 0;
  while ((at = dwarf_getlocations(&attribute, at, &base, &from, &to, &ops, &n)) > 0)
    if (n == 1 && to > s->addr)
      add_home(s, type, from, to, ops);
}

static void find_homes(search_t *s, Dwarf_Die *parent, int depth) {
  Dwarf_Die child;
  if (depth > DMDV_DIES_MAX_DEPTH || !dmdv_walk_first(&s->walk, parent, &child))
    return;
  do
    switch (dwarf_tag(&child)) {
    case DW_TAG_variable:
    case DW_TAG_formal_parameter:
      add_homes(s, &child);
      break;
    case DW_TAG_lexical_block:
    case DW_TAG_inlined_subroutine:
      find_homes(s, &child, depth + 1);
      break;
    default:
      break;
    }
  while (dmdv_walk_next(&s->walk, &child));
}

/* ---- What the data flow of the result shows. ---- */

/* dmdv_flow_watcher_t.slot */
static bool slot(void *ctx, uint64_t pc, int reg, int64_t displacement, int64_t *place) {
  const search_t *s = ctx;
  return dmdv_frame_place(&s->frame, pc, reg, displacement, place);
}

static bool place_of(const search_t *s, const home_t *home, uint64_t pc, int64_t *place) {
  return dmdv_frame_place(&s->frame, pc, home->reg, home->place, place);
}

static bool has_slots(const dmdv_flow_t *flow) {
  for (int i = 0; i < DMDV_FLOW_SLOTS; i++)
    if (flow->slots[i].is_used)
      return true;
  return false;
}

static const home_t *home_at(const search_t *s, uint32_t id) {
  return DMD_POOL_AT(&s->homes, const home_t, id);
}

/* A pointer to this type has the value. A pointer into the block shows what is there, not what the
 * block begins with; for bytes that makes no difference. */
static void look_at_value(search_t *s, const dmdv_value_t *value, uint32_t type) {
  bool is_bytes = dmd_type_tells(types_of(s), type) == DMD_TELLS_BYTES;
  if (value->kind == DMDV_VALUE_RESULT)
    add_candidate(s, type, is_bytes ? 0 : value->offset, false);
  else if (value->kind == DMDV_VALUE_INSIDE && is_bytes)
    add_candidate(s, type, 0, false);
}

/* The result plus offset is at this place on the stack: checks whether it is a part of this
 * variable. */
static void look_at_place(search_t *s, uint64_t pc, const home_t *home, int64_t place,
                          int64_t offset) {
  int64_t start;
  if (home->is_register || !place_of(s, home, pc, &start))
    return;
  uint64_t within = (uint64_t)(place - start);
  if (within >= dmd_type_at(types_of(s), home->type)->szB)
    return;
  dmdv_value_t value = {DMDV_VALUE_RESULT, offset};
  look_at_value(s, &value, pointee(s, dmd_type_find(types_of(s), home->type, within, NULL)));
}

static void look_at_slots(search_t *s, const dmdv_flow_t *flow, const home_t *home) {
  for (int i = 0; i < DMDV_FLOW_SLOTS; i++)
    if (flow->slots[i].is_used)
      look_at_place(s, flow->pc, home, flow->slots[i].place, flow->slots[i].offset);
}

static bool is_home_at(const home_t *home, uint64_t pc) {
  return pc >= home->from && pc < home->to;
}

/* dmdv_flow_watcher_t.at: looks for variables that have the value now. */
static void look_at_variables(void *ctx, const dmdv_flow_t *flow) {
  search_t *s = ctx;
  bool with_slots = has_slots(flow);
  for (uint32_t id = 1; id <= s->homes.last; id++) {
    const home_t *home = home_at(s, id);
    if (!is_home_at(home, flow->pc))
      continue;
    if (home->is_register)
      look_at_value(s, &flow->registers[home->reg], pointee(s, home->type));
    else if (with_slots)
      look_at_slots(s, flow, home);
  }
}

/* The type that the pointer in a register points to; DMD_NONE if no variable is known to be
 * there. */
static uint32_t pointee_in(search_t *s, const dmdv_flow_t *flow, int reg) {
  const dmdv_value_t *value = &flow->registers[reg];
  for (uint32_t id = 1; id <= s->homes.last; id++) {
    const home_t *home = home_at(s, id);
    int64_t place = 0;
    if (!is_home_at(home, flow->pc))
      continue;
    bool is_there =
        value->kind == DMDV_VALUE_SLOT
            ? !home->is_register && place_of(s, home, flow->pc, &place) && place == value->offset
            : home->is_register && home->reg == reg;
    if (is_there)
      return pointee(s, home->type);
  }
  return DMD_NONE;
}

/* dmdv_flow_watcher_t.store */
static void look_at_store(void *ctx, const dmdv_flow_t *flow, const dmdv_operand_t *to,
                          int64_t lead) {
  search_t *s = ctx;
  uint32_t type = DMD_NONE;
  uint64_t offset = (uint64_t)to->displacement;
  int64_t place;
  /* An element of an array on the stack: all elements have one type, so any will do. */
  if (!to->is_fixed && to->base >= 0 && slot(s, flow->pc, to->base, to->displacement, &place)) {
    for (uint32_t id = 1; id <= s->homes.last; id++)
      if (is_home_at(home_at(s, id), flow->pc))
        look_at_place(s, flow->pc, home_at(s, id), place, lead);
    return;
  }
  if (to->is_fixed) {
    const dmd_variable_t *variable =
        dmd_variables_around(s->index->variables, s->index->object, to->addr);
    if (variable == NULL)
      return;
    type = variable->type;
    offset = to->addr - variable->addr;
  } else if (to->base >= 0 && flow->registers[to->base].kind != DMDV_VALUE_RESULT)
    type = pointee_in(s, flow, to->base);
  if (!dmd_type_has_size(types_of(s), type))
    return;
  uint64_t szB = dmd_type_at(types_of(s), type)->szB;
  if (to->has_index && szB != to->scale)
    return;
  /* An element of an array of these; a negative displacement is an earlier element. */
  if (!to->is_fixed && !dmd_type_is_flexible(types_of(s), type, NULL, NULL))
    offset = to->displacement < 0 ? szB - 1 - (~offset) % szB : offset % szB;
  add_candidate(s, pointee(s, dmd_type_find(types_of(s), type, offset, NULL)), lead, false);
}

static bool is_aggregate(int tag) {
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* A function that returns a struct may get the place for it as its first argument. */
static void look_at_argument(search_t *s, uint64_t function, int64_t lead) {
  Dwarf_Die die, type, child;
  const char *name;
  dmdv_walk_t walk = {NULL};
  if (!dmdv_dwarfindex_function(s->index, function, &die) ||
      (dmdv_die_follow(&die, DW_AT_type, true, &type) && dmdv_die_peel(&type, &type, &name) &&
       is_aggregate(dwarf_tag(&type))) ||
      !dmdv_walk_first(&walk, &die, &child))
    return;
  do
    if (dwarf_tag(&child) == DW_TAG_formal_parameter) {
      add_candidate(s, pointee(s, dmdv_dwarftypes_of(s->index->types, &child)), lead, true);
      return;
    }
  while (dmdv_walk_next(&walk, &child));
}

/* ---- Functions that return their first argument. ---- */

typedef struct {
  bool ended, is_another;
} returned_t;

static void look_at_nothing(void *ctx, const dmdv_flow_t *flow) {
  (void)ctx, (void)flow;
}

static void store_nothing(void *ctx, const dmdv_flow_t *flow, const dmdv_operand_t *to,
                          int64_t offset) {
  (void)ctx, (void)flow, (void)to, (void)offset;
}

static bool pass_nothing(void *ctx, uint64_t function, int64_t offset) {
  (void)ctx, (void)function, (void)offset;
  return false;
}

static bool no_slot(void *ctx, uint64_t pc, int reg, int64_t displacement, int64_t *place) {
  (void)ctx, (void)pc, (void)reg, (void)displacement, (void)place;
  return false;
}

static void compare_end(void *ctx, const dmdv_value_t *value) {
  returned_t *returned = ctx;
  returned->ended = true;
  returned->is_another |= value->kind != DMDV_VALUE_RESULT || value->offset != 0;
}

/* The code of the function around an address. If the function is unknown, the code near the
 * address: calls are not followed in any case, and jumps may then go wherever they lead. */
static dmdv_code_t code_around(const search_t *s, uint64_t addr) {
  enum { AROUND = 1 << 15 };
  dmdv_code_t code = {NULL, 0, 0};
  uint64_t end = addr + AROUND;
  if (!dmdv_dwarfindex_range(s->index, addr, &code.start, &end))
    code.start = addr > AROUND ? addr - AROUND : 0;
  code.n = dmdv_debugfile_code(s->file, code.start, &code.bytes);
  if (code.n == 0) {
    code.start = addr;
    code.n = dmdv_debugfile_code(s->file, addr, &code.bytes);
  }
  code.n = code.n < end - code.start ? code.n : end - code.start;
  return code;
}

static bool returns_argument(const search_t *s, uint64_t function) {
  dmdv_code_t code = code_around(s, function);
  returned_t returned = {false, false};
  dmdv_flow_watcher_t watcher = {.ctx = &returned,
                                 .at = look_at_nothing,
                                 .store = store_nothing,
                                 .pass = pass_nothing,
                                 .end = compare_end,
                                 .slot = no_slot};
  if (code.n > 0)
    dmdv_flow_follow_argument(s->machine, &code, function, &watcher);
  return returned.ended && !returned.is_another;
}

/* dmdv_flow_watcher_t.pass */
static bool look_at_call(void *ctx, uint64_t function, int64_t lead) {
  search_t *s = ctx;
  look_at_argument(s, function, lead);
  return returns_argument(s, function);
}

/* dmdv_flow_watcher_t.end */
static void look_at_end(void *ctx, const dmdv_value_t *value) {
  search_t *s = ctx;
  s->returned = true;
  s->may_return_it |= value->kind == DMDV_VALUE_RESULT && value->offset == 0;
  if (s->has_function)
    look_at_value(s, value, pointee(s, dmdv_dwarftypes_of(s->index->types, &s->function)));
}

/* If the code does not show it: a function that returns an untyped pointer, or an integer of that
 * size, may return the block. */
static bool may_return_it(const search_t *s) {
  Dwarf_Die function = s->function;
  uint32_t type = dmdv_dwarftypes_of(s->index->types, &function);
  if (!dmd_type_has_size(types_of(s), type))
    return false;
  if (dmd_type_is(types_of(s), type, DMD_TYPE_POINTER))
    return dmd_type_tells(types_of(s), pointee(s, type)) < DMD_TELLS_TYPE;
  return dmd_type_is(types_of(s), type, DMD_TYPE_BASE) &&
         dmd_type_at(types_of(s), type)->szB == types_of(s)->pointer_szB;
}

static const dmdv_flow_machine_t *machine_of(const dmdv_debugfile_t *file) {
  GElf_Addr shift;
  GElf_Ehdr header;
  Elf *elf = dwfl_module_getelf(file->module, &shift);
  return elf == NULL || gelf_getehdr(elf, &header) == NULL ? NULL
                                                           : dmdv_flow_machine(header.e_machine);
}

/* Code of other processors is not analysed: only the first register counts, which has the result on
 * most of them. */
static void follow(search_t *s) {
  dmdv_code_t code = code_around(s, s->addr - 1);
  dmdv_flow_watcher_t watcher = {.ctx = s,
                                 .at = look_at_variables,
                                 .store = look_at_store,
                                 .pass = look_at_call,
                                 .end = look_at_end,
                                 .slot = slot};
  dmdv_flow_t flow = {.pc = s->addr};
  flow.registers[0].kind = DMDV_VALUE_RESULT;
  if (code.n > 0 && s->machine != NULL)
    dmdv_flow_follow(s->machine, &code, s->addr, &watcher);
  else
    look_at_variables(s, &flow);
}

/* ---- What the compiler recorded. ---- */

/* Looks at the functions inlined at the call, and at what the compiler recorded about the call. */
static void look_at_scopes(search_t *s, Dwarf_Die *scope, int depth) {
  Dwarf_Die child, type;
  dmdv_allocated_t allocated = dmdv_dwarftypes_allocated(s->index->types, scope);
  if (allocated.type != DMD_NONE)
    s->site.allocated = allocated; /* the innermost wins */
  if (depth > DMDV_DIES_MAX_DEPTH || !dmdv_walk_first(&s->walk, scope, &child))
    return;
  do {
    int tag = dwarf_tag(&child);
    uint64_t addr;
    bool is_call = tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site;
    if (is_call && dmdv_die_follow(&child, AT_LLVM_ALLOC_TYPE, false, &type) &&
        dmdv_die_address_of(&child, DW_AT_call_return_pc, &addr) && addr == s->addr)
      add_candidate(s, dmdv_dwarftypes_type(s->index->types, &type), 0, false);
    bool is_scope = tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block;
    if (is_scope && dwarf_haspc(&child, s->addr - 1) > 0)
      look_at_scopes(s, &child, depth + 1);
  } while (dmdv_walk_next(&s->walk, &child));
}

static bool is_rust(Dwarf_Die *die) {
  Dwarf_Die unit;
  return dwarf_diecu(die, &unit, NULL, NULL) != NULL && dwarf_srclang(&unit) == DW_LANG_Rust;
}

dmdv_site_t dmdv_site(const dmdv_debugfile_t *file, const dmdv_dwarfindex_t *index, uint64_t addr) {
  search_t s = {.file = file,
                .index = index,
                .machine = machine_of(file),
                .frame = {.file = file, .base_register = -1},
                .addr = addr,
                .site = {.is_known = true}};
  dmd_pool_init(&s.homes, &dmdv_env, "dmdv.site", sizeof(home_t));
  s.has_function = dmdv_dwarfindex_function(index, addr - 1, &s.function);
  if (s.has_function) {
    const char *name = dwarf_diename(&s.function);
    s.site.is_rust = is_rust(&s.function);
    s.site.is_generic_rust = s.site.is_rust && name != NULL && dmd_str_find(name, "<") != NULL;
    look_at_scopes(&s, &s.function, 0);
    dmdv_frame_init(&s.frame, file, &s.function, addr);
    s.walk = (dmdv_walk_t){NULL};
    find_homes(&s, &s.function, 0);
  }
  follow(&s);
  s.site.returns = s.may_return_it     ? DMDV_RETURNS_IT
                   : s.returned        ? DMDV_RETURNS_NOTHING
                   : !s.has_function   ? DMDV_RETURNS_UNKNOWN
                   : may_return_it(&s) ? DMDV_RETURNS_IT
                                       : DMDV_RETURNS_NOTHING;
  dmd_pool_destroy(&s.homes);
  return s.site;
}
