/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_aspacemgr.h"
#include "pub_tool_basics.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_execontext.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_xarray.h"

#include "tool/dm_env.h"
#include "tool/dm_place.h"
#include "tool/dm_symbols.h"

typedef struct {
  dm_place_t place;
  Vg_FnNameKind kind;
  UInt first, n; /* in the pool of frames; n is 0 until they were asked for */
} address_t;

static bool address_equal(const void *owner, uint32_t id, const void *key) {
  const dm_symbols_t *symbols = owner;
  return dm_place_equal(&DMD_POOL_AT(&symbols->addresses, address_t, id)->place, key);
}

void dm_symbols_init(dm_symbols_t *symbols, dmd_profile_t *profile) {
  symbols->profile = profile;
  dmd_pool_init(&symbols->addresses, &g_env, "dm.symbols", sizeof(address_t));
  dmd_table_init(&symbols->index, &g_env, "dm.symbols.index", address_equal, symbols);
  dmd_pool_init(&symbols->frames, &g_env, "dm.symbols.frames", sizeof(uint32_t));
  symbols->stack = VG_(newXA)(VG_(malloc), "dm.symbols.stack", VG_(free), sizeof(dm_place_t));
  symbols->ids = VG_(newXA)(VG_(malloc), "dm.symbols.ids", VG_(free), sizeof(uint32_t));
}

void dm_symbols_destroy(dm_symbols_t *symbols) {
  VG_(deleteXA)(symbols->ids);
  VG_(deleteXA)(symbols->stack);
  dmd_pool_destroy(&symbols->frames);
  dmd_table_destroy(&symbols->index);
  dmd_pool_destroy(&symbols->addresses);
}

/* Whether a description ends with a line number: ":12)". */
static Bool ends_with_line(const HChar *text) {
  SizeT n = VG_(strlen)(text);
  if (n < 3 || text[n - 1] != ')' || !VG_(isdigit)(text[n - 2]))
    return False;
  for (n -= 2; n > 0 && VG_(isdigit)(text[n]); n--)
    ;
  return text[n] == ':';
}

/* One frame's text as the file format wants it, from what VG_(describe_IP) says of it:
 *   0x1234: fn (file.c:12)      fn (file.c:12)
 *   0x1234: fn (in /lib/x.so)   fn[/lib/x.so +0x234]
 *   0x1234: ???                 ??? (???:???)
 *   0x1234: malloc (in /x/vgpreload_dmd-amd64-linux.so)    malloc (vg_replace_malloc.c:0)
 * The last is Valgrind's replacement function, whose line the distributions' libraries do not tell;
 * its many copies, one for each library that may hold a malloc, are one place to a reader.
 * Returns the frame's id. */
static uint32_t frame_of(dm_symbols_t *symbols, const dm_place_t *place, const HChar *described) {
  dmd_intern_t *frames = &symbols->profile->frames;
  const HChar *text = VG_(strstr)(described, ": ");
  text = text == NULL ? described : text + 2;
  if (ends_with_line(text))
    return dmd_intern_text(frames, text);

  const HChar *object;
  Addr offset;
  if (!dm_place_object(place, &object, &offset))
    return dmd_intern_str(frames, "??? (\?\?\?:\?\?\?)");
  const HChar *in_object = VG_(strstr)(text, " (in ");
  SizeT fn_len = in_object != NULL ? (SizeT)(in_object - text) : VG_(strlen)(text);
  Bool is_replacement = VG_(strncmp)(VG_(basename)(object), "vgpreload_", 10) == 0;
  HChar *buf = VG_(malloc)("dm.symbols.text", fn_len + VG_(strlen)(object) + 64);
  VG_(memcpy)(buf, text, fn_len);
  if (is_replacement)
    VG_(strcpy)(buf + fn_len, " (vg_replace_malloc.c:0)");
  else
    VG_(sprintf)(buf + fn_len, "[%s +0x%lx]", object, offset);
  uint32_t id = dmd_intern_text(frames, buf);
  VG_(free)(buf);
  return id;
}

static void add_frame(dm_symbols_t *symbols, uint32_t frame) {
  uint32_t id = dmd_pool_add(&symbols->frames);
  *DMD_POOL_AT(&symbols->frames, uint32_t, id) = frame;
}

/* What is known of the address; at first only what kind of function it is in. */
static address_t *look_up(dm_symbols_t *symbols, const dm_place_t *place) {
  uint32_t id = dmd_table_find(&symbols->index, dm_place_hash(place), place);
  if (id == DMD_NONE) {
    id = dmd_pool_add(&symbols->addresses);
    *DMD_POOL_AT(&symbols->addresses, address_t, id) =
        (address_t){.place = *place, .kind = VG_(get_fnname_kind_from_IP)(place->epoch, place->ip)};
    dmd_table_add(&symbols->index, dm_place_hash(place), id);
  }
  return DMD_POOL_AT(&symbols->addresses, address_t, id);
}

/* Gives the address its frames, the innermost inlined call first, unless it has them. */
static void find_frames(dm_symbols_t *symbols, address_t *address) {
  if (address->n > 0)
    return;
  const dm_place_t *place = &address->place;
  address->first = symbols->frames.last + 1;
  InlIPCursor *cursor = VG_(new_IIPC)(place->epoch, place->ip);
  do {
    const HChar *described = VG_(describe_IP)(place->epoch, place->ip, cursor);
    add_frame(symbols, frame_of(symbols, place, described));
    address->n++;
  } while (VG_(next_IIPC)(cursor));
  VG_(delete_IIPC)(cursor);
}

/* How many of the collected addresses to keep: up to main, or up to the innermost of what is below
 * main where there is no main. */
static Word n_shown(dm_symbols_t *symbols) {
  Word n = VG_(sizeXA)(symbols->stack);
  if (VG_(clo_show_below_main))
    return n;
  for (Word i = n - 1; i >= 0; i--) {
    Vg_FnNameKind kind = look_up(symbols, VG_(indexXA)(symbols->stack, i))->kind;
    if (kind == Vg_FnNameMain || kind == Vg_FnNameBelowMain)
      n = i + 1;
    if (kind == Vg_FnNameMain)
      break;
  }
  return n;
}

uint32_t dm_symbols_resolve(void *ctx, dmd_profile_t *profile, uintptr_t handle) {
  dm_symbols_t *symbols = ctx;
  dm_place_of_stack(symbols->stack, (ExeContext *)handle);
  VG_(dropTailXA)(symbols->ids, VG_(sizeXA)(symbols->ids));
  Word n = n_shown(symbols);
  for (Word i = 0; i < n; i++) {
    address_t *address = look_up(symbols, VG_(indexXA)(symbols->stack, i));
    find_frames(symbols, address);
    for (UInt k = 0; k < address->n; k++)
      VG_(addToXA)(symbols->ids, DMD_POOL_AT(&symbols->frames, uint32_t, address->first + k));
  }
  return dmd_profile_stack(profile, VG_(indexXA)(symbols->ids, 0), VG_(sizeXA)(symbols->ids));
}
