/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_aspacemgr.h"
#include "pub_tool_basics.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_execontext.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_xarray.h"

#include "base/intern.h"
#include "base/map.h"
#include "base/str.h"
#include "record/unwind/elfimage.h"
#include "valgrind/dm_code.h"
#include "valgrind/dm_env.h"
#include "valgrind/dm_memory.h"
#include "valgrind/dm_options.h"
#include "valgrind/dm_private.h"

static DiEpoch epoch_of(dmd_code_t code) {
  return code.epoch == 0 ? VG_(current_DiEpoch)() : (DiEpoch){.n = code.epoch};
}

/*--- Stacks ---*/

static void note_code(UInt n, DiEpoch epoch, Addr ip, void *codes) {
  (void)n;
  dmd_code_t code = {.ip = ip, .epoch = epoch.n};
  VG_(addToXA)(codes, &code);
}

/* Asks for all frames. Otherwise Valgrind would drop those below main, and look up the name of
 * every frame to find it. The engine cuts stacks itself. */
const dmd_code_t *dm_codes(void *ctx, uint32_t stack, uint32_t *n) {
  static XArray *codes;
  (void)ctx;
  if (codes == NULL)
    codes = VG_(newXA)(VG_(malloc), "dm.code.codes", VG_(free), sizeof(dmd_code_t));
  Bool show = VG_(clo_show_below_main);
  VG_(dropTailXA)(codes, VG_(sizeXA)(codes));
  VG_(clo_show_below_main) = True;
  VG_(apply_ExeContext)(note_code, codes, dm_stack(stack));
  VG_(clo_show_below_main) = show;
  *n = VG_(sizeXA)(codes);
  return *n == 0 ? NULL : VG_(indexXA)(codes, 0);
}

/*--- Objects ---*/

static Bool is_preloaded(const HChar *path) {
  return VG_(strncmp)(VG_(basename)(path), "vgpreload_", 10) == 0;
}

/* Build ids of the objects that are loaded in one epoch, by their DebugInfo. */
static struct {
  Bool is_ready;
  UInt epoch;
  dmd_intern_t texts;
  dmd_map_t known; /* texts */
} g_build_ids;

static void begin_build_ids(void) {
  UInt epoch = VG_(current_DiEpoch)().n;
  if (g_build_ids.is_ready && g_build_ids.epoch == epoch)
    return;
  if (g_build_ids.is_ready)
    dmd_map_destroy(&g_build_ids.known);
  else
    dmd_intern_init(&g_build_ids.texts, &g_env, "dm.code.build_ids");
  dmd_map_init(&g_build_ids.known, &g_env, "dm.code.build_ids");
  g_build_ids.is_ready = True;
  g_build_ids.epoch = epoch;
}

/* Where the header of an object's file is mapped: before its code, in a segment of the same file. 0
 * if the object is no longer there. */
static Addr header_of(const DebugInfo *di) {
  const NSegment *code = VG_(am_find_nsegment)(VG_(DebugInfo_get_text_avma)(di)), *segment = code;
  const HChar *path = code == NULL ? NULL : VG_(am_get_filename)(code);
  if (path == NULL || !VG_STREQ(path, VG_(DebugInfo_get_filename)(di)))
    return 0;
  while (segment != NULL && segment->offset != 0) {
    segment = VG_(am_find_nsegment)(segment->start - 1);
    if (segment != NULL && (segment->dev != code->dev || segment->ino != code->ino))
      segment = NULL;
  }
  return segment == NULL ? 0 : segment->start;
}

static const char *read_build_id(const DebugInfo *di) {
  const dmd_memory_t memory = {.read = dm_memory_read};
  dmd_elfimage_t image;
  dmd_strbuf_t text;
  Addr header = header_of(di);
  if (header == 0)
    return NULL;
  dmd_strbuf_init(&text, &g_env);
  dm_memory_begin(NULL);
  if (dmd_elfimage_read_build_id(&image, &memory, header, sizeof(UWord)))
    dmd_build_id_text(&text, image.build_id, image.n_build_id);
  dm_memory_end(NULL);
  uint32_t id = dmd_intern_str(&g_build_ids.texts, text.text);
  dmd_strbuf_destroy(&text);
  return dmd_intern_get_str(&g_build_ids.texts, id);
}

static const char *build_id_of(const DebugInfo *di) {
  begin_build_ids();
  const char *found = dmd_map_find(&g_build_ids.known, (UWord)di);
  if (found == NULL && (found = read_build_id(di)) != NULL)
    dmd_map_add(&g_build_ids.known, (UWord)di, (void *)(UWord)found);
  return found;
}

bool dm_object(void *ctx, dmd_code_t code, dmd_object_t *object) {
  (void)ctx;
  const DebugInfo *di = VG_(find_DebugInfo)(epoch_of(code), code.ip);
  object->soname = "";
  object->build_id = NULL;
  if (di != NULL) {
    object->path = VG_(DebugInfo_get_filename)(di);
    object->offset = code.ip - VG_(DebugInfo_get_text_bias)(di);
    object->build_id = build_id_of(di);
    if (VG_(DebugInfo_get_soname)(di) != NULL)
      object->soname = VG_(DebugInfo_get_soname)(di);
  } else {
    const NSegment *seg = VG_(am_find_nsegment)(code.ip);
    object->path = seg == NULL ? NULL : VG_(am_get_filename)(seg);
    if (object->path == NULL)
      return false;
    object->offset = code.ip - seg->start + seg->offset;
  }
  object->is_engine = is_preloaded(object->path);
  return true;
}

void dm_objects(void *ctx, dmd_object_fn visit, void *visitor) {
  (void)ctx;
  for (const DebugInfo *di = VG_(next_DebugInfo)(NULL); di != NULL; di = VG_(next_DebugInfo)(di)) {
    const HChar *soname = VG_(DebugInfo_get_soname)(di);
    visit(visitor, VG_(DebugInfo_get_filename)(di), soname == NULL ? "" : soname);
  }
}

/* Valgrind's name for objects without a soname is "NONE". */
static const HChar *soname_pattern(const char *soname) {
  return soname == NULL ? "NONE" : soname;
}

bool dm_object_defines(void *ctx, const char *soname, const char *function, bool if_unknown) {
  (void)ctx;
  return dm_defines(soname_pattern(soname), function, if_unknown);
}

bool dm_object_replaced(void *ctx, const char *soname, const char *function, dmd_code_t *code) {
  (void)ctx;
  *code = (dmd_code_t){.ip = dm_replaced(soname_pattern(soname), function)};
  return code->ip != 0;
}

/*--- Functions ---*/

/* Splits the text of VG_(describe_IP). If there is a line number, the source follows the last " (":
 *   0x1234: fn (file.c:12)
 *   0x1234: fn (in /lib/x.so)
 *   0x1234: ??? */
static void parse(HChar *described, dmd_function_t *function) {
  HChar *name = VG_(strstr)(described, ": "), *place = NULL;
  name = name == NULL ? described : name + 2;
  for (HChar *s = VG_(strstr)(name, " ("); s != NULL; s = VG_(strstr)(s + 1, " ("))
    place = s;
  function->name = name;
  if (place == NULL)
    return;
  *place = '\0';
  HChar *line = VG_(strrchr)(place + 1, ':'), *end;
  if (line == NULL || !VG_(isdigit)(line[1]))
    return;
  ULong number = VG_(strtoull10)(line + 1, &end);
  if (!VG_STREQ(end, ")"))
    return;
  *line = '\0';
  function->file = place + 2;
  function->line = number;
}

/* The library of replacements has many copies of malloc, one for each library that may contain one,
 * mostly without line numbers. Readers want to see them as one place. */
static Bool is_replacement(dmd_code_t code) {
  dmd_object_t object;
  return dm_object(NULL, code, &object) && object.is_engine;
}

void dm_functions(void *ctx, dmd_code_t code, dmd_function_fn visit, void *visitor) {
  DiEpoch epoch = epoch_of(code);
  InlIPCursor *cursor = VG_(new_IIPC)(epoch, code.ip);
  Bool is_last;
  (void)ctx;
  do {
    HChar *described = VG_(strdup)("dm.code.described", VG_(describe_IP)(epoch, code.ip, cursor));
    is_last = !VG_(next_IIPC)(cursor);
    dmd_function_t function = {.name = "", .is_inlined = !is_last};
    parse(described, &function);
    /* The outermost function's name is available directly. */
    const HChar *name;
    if (is_last)
      function.name = VG_(get_fnname)(epoch, code.ip, &name) ? name : "";
    if (is_replacement(code)) {
      function.file = "vg_replace_malloc.c";
      function.line = 0;
    }
    visit(visitor, &function);
    VG_(free)(described);
  } while (!is_last);
  VG_(delete_IIPC)(cursor);
}

dmd_code_kind_t dm_code_kind(void *ctx, dmd_code_t code) {
  (void)ctx;
  switch (VG_(get_fnname_kind_from_IP)(epoch_of(code), code.ip)) {
  case Vg_FnNameMain:
    return DMD_CODE_MAIN;
  case Vg_FnNameBelowMain:
    return DMD_CODE_BELOW_MAIN;
  default:
    return DMD_CODE_OTHER;
  }
}

/*--- Inlined calls ---*/

static Bool g_leave_out;

void dm_inlined_default(void) {
  dm_set_read_inline_info(True);
}

void dm_inlined_init(void) {
  g_leave_out = dm_option_given("read-inline-info=") == NULL;
}

/* Including the dynamic linker. */
static Bool is_c_library(const HChar *path) {
  static const HChar *const names[] = {"libc.so.6", "libc-2.*.so", "ld-linux*.so.*", "ld-2.*.so"};
  const HChar *slash = VG_(strrchr)(path, '/');
  for (UInt i = 0; i < sizeof names / sizeof *names; i++)
    if (dmd_glob_matches(names[i], slash == NULL ? path : slash + 1))
      return True;
  return False;
}

/* Newer Valgrinds read most of an object's debug information when an address in it is first
 * described, which happens for the C library sooner or later in any case. This makes them read it
 * now. */
static void have_it_read(Addr code, SizeT szB) {
  const DebugInfo *di = NULL;
  while ((di = VG_(next_DebugInfo)(di)) != NULL)
    if (VG_(DebugInfo_get_text_avma)(di) - code < szB)
      VG_(describe_IP)(VG_(current_DiEpoch)(), VG_(DebugInfo_get_text_avma)(di), NULL);
}

/* The core reports each part of an object after it was mapped, and reads the object when it has
 * seen the last part, which is data; the code is mapped earlier. (Objects present from the start,
 * including the dynamic linker, were read before the core reports any.) */
void dm_inlined_mapped(Addr a, SizeT szB, Bool is_code, ULong di_handle) {
  static Addr code;
  static SizeT code_szB;
  const NSegment *segment = g_leave_out ? VG_(am_find_nsegment)(a) : NULL;
  const HChar *path = segment == NULL ? NULL : VG_(am_get_filename)(segment);
  if (path == NULL)
    return;
  Bool is_ours = is_c_library(path);
  if (is_ours && is_code && di_handle == 0) {
    code = a;
    code_szB = szB;
    dm_set_read_inline_info(False);
  } else if (!is_ours || di_handle != 0) {
    if (is_ours)
      have_it_read(code, code_szB);
    dm_set_read_inline_info(True);
  }
}

/*--- Instructions ---*/

static ULong g_n_instructions;

static void add_to_count(IRSB *sb, UInt n) {
  IREndness end = Iend_LE;
  IRTemp before = newIRTemp(sb->tyenv, Ity_I64), after = newIRTemp(sb->tyenv, Ity_I64);
  IRExpr *at = sizeof(UWord) == 8 ? IRExpr_Const(IRConst_U64((UWord)&g_n_instructions))
                                  : IRExpr_Const(IRConst_U32((UInt)(UWord)&g_n_instructions));
  addStmtToIRSB(sb, IRStmt_WrTmp(before, IRExpr_Load(end, Ity_I64, at)));
  addStmtToIRSB(sb, IRStmt_WrTmp(after, IRExpr_Binop(Iop_Add64, IRExpr_RdTmp(before),
                                                     IRExpr_Const(IRConst_U64(n)))));
  addStmtToIRSB(sb, IRStmt_Store(end, at, IRExpr_RdTmp(after)));
}

/* Counts before each exit what has run since the last one, as massif does. */
IRSB *dm_instructions_instrument(IRSB *sb) {
  if (!g_options.counts_instructions)
    return sb;
  IRSB *counted = deepCopyIRSBExceptStmts(sb);
  UInt n = 0;
  for (Int i = 0; i < sb->stmts_used; i++) {
    IRStmt *statement = sb->stmts[i];
    n += statement->tag == Ist_IMark;
    if (statement->tag == Ist_Exit && n > 0) {
      add_to_count(counted, n);
      n = 0;
    }
    addStmtToIRSB(counted, statement);
  }
  if (n > 0)
    add_to_count(counted, n);
  return counted;
}

uint64_t dm_instructions(void *ctx) {
  (void)ctx;
  return g_n_instructions;
}
