/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/symbols.h"

typedef struct {
  dmd_code_t code;
  dmd_code_kind_t kind;
  uint32_t first, n; /* in the pool of frames; n is 0 until they were asked for */
} address_t;

static bool address_equal(const void *owner, uint32_t id, const void *key) {
  const dmd_symbols_t *symbols = owner;
  return dmd_code_equal(DMD_POOL_AT(&symbols->addresses, address_t, id)->code,
                        *(const dmd_code_t *)key);
}

void dmd_symbols_init(dmd_symbols_t *symbols, const dmd_engine_host_t *host,
                      dmd_profile_t *profile) {
  const dmd_env_t *env = profile->env;
  *symbols = (dmd_symbols_t){.host = host, .profile = profile};
  dmd_pool_init(&symbols->addresses, env, "dmd.symbols", sizeof(address_t));
  dmd_table_init(&symbols->index, env, "dmd.symbols.index", address_equal, symbols);
  dmd_pool_init(&symbols->frames, env, "dmd.symbols.frames", sizeof(uint32_t));
}

void dmd_symbols_destroy(dmd_symbols_t *symbols) {
  dmd_env_free(symbols->profile->env, symbols->ids);
  dmd_pool_destroy(&symbols->frames);
  dmd_table_destroy(&symbols->index);
  dmd_pool_destroy(&symbols->addresses);
}

/* ---- Addresses. ---- */

/* An address whose frames are being added. */
typedef struct {
  dmd_symbols_t *symbols;
  address_t *address;
} visitor_t;

/* An inlined call has no place of its own in the object, but where nothing else is known of it. */
static void add_frame(void *ctx, const dmd_function_t *function) {
  const visitor_t *v = ctx;
  dmd_symbols_t *symbols = v->symbols;
  const dmd_engine_host_t *host = symbols->host;
  dmd_location_t location = {.function = function->name,
                             .file = function->file,
                             .line = function->line,
                             .offset = DMD_OFFSET_UNKNOWN};
  dmd_object_t object;
  if (host->object(host->ctx, v->address->code, &object)) {
    location.object = object.path;
    if (!function->is_inlined || function->file == NULL)
      location.offset = object.offset;
  }
  uint32_t id = dmd_pool_add(&symbols->frames);
  *DMD_POOL_AT(&symbols->frames, uint32_t, id) =
      dmd_frames_add(&symbols->profile->frames, &location);
  v->address->n++;
}

/* What is known of the address; at first only what kind of function it is in. */
static address_t *look_up(dmd_symbols_t *symbols, dmd_code_t code) {
  const dmd_engine_host_t *host = symbols->host;
  uint32_t id = dmd_table_find(&symbols->index, dmd_code_hash(code), &code);
  if (id == DMD_NONE) {
    id = dmd_pool_add(&symbols->addresses);
    *DMD_POOL_AT(&symbols->addresses, address_t, id) =
        (address_t){.code = code, .kind = host->code_kind(host->ctx, code)};
    dmd_table_add(&symbols->index, dmd_code_hash(code), id);
  }
  return DMD_POOL_AT(&symbols->addresses, address_t, id);
}

/* Gives the address its frames, the innermost inlined call first, unless it has them. */
static void find_frames(dmd_symbols_t *symbols, address_t *address) {
  if (address->n > 0)
    return;
  visitor_t visitor = {symbols, address};
  address->first = symbols->frames.last + 1;
  symbols->host->functions(symbols->host->ctx, address->code, add_frame, &visitor);
}

/* ---- Stacks. ---- */

/* How many of a stack's addresses to keep: up to main, or up to the innermost of what is below main
 * where there is no main. */
static uint32_t n_shown(dmd_symbols_t *symbols, const dmd_code_t *codes, uint32_t n) {
  if (symbols->host->shows_below_main(symbols->host->ctx))
    return n;
  uint32_t n_kept = n;
  for (uint32_t i = n; i-- > 0;) {
    dmd_code_kind_t kind = look_up(symbols, codes[i])->kind;
    if (kind != DMD_CODE_OTHER)
      n_kept = i + 1;
    if (kind == DMD_CODE_MAIN)
      break;
  }
  return n_kept;
}

static void add_id(dmd_symbols_t *symbols, uint32_t id) {
  if (symbols->n_ids == symbols->room) {
    uint32_t room = symbols->room == 0 ? 64 : symbols->room * 2;
    uint32_t *ids = dmd_env_alloc(symbols->profile->env, "dmd.symbols.ids", room * sizeof *ids);
    dmd_mem_copy(ids, symbols->ids, symbols->n_ids * sizeof *ids);
    dmd_env_free(symbols->profile->env, symbols->ids);
    symbols->ids = ids;
    symbols->room = room;
  }
  symbols->ids[symbols->n_ids++] = id;
}

uint32_t dmd_symbols_resolve(void *ctx, dmd_profile_t *profile, uint32_t stack) {
  dmd_symbols_t *symbols = ctx;
  uint32_t n;
  const dmd_code_t *codes = symbols->host->codes(symbols->host->ctx, stack, &n);
  n = n_shown(symbols, codes, n);
  symbols->n_ids = 0;
  for (uint32_t i = 0; i < n; i++) {
    address_t *address = look_up(symbols, codes[i]);
    find_frames(symbols, address);
    for (uint32_t k = 0; k < address->n; k++)
      add_id(symbols, *DMD_POOL_AT(&symbols->frames, uint32_t, address->first + k));
  }
  return dmd_profile_stack(profile, symbols->ids, symbols->n_ids);
}
