/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/symbols.h"

/* The frames of an address, by its id. */
typedef struct {
  uint32_t first, n; /* range in the pool of frames; n is 0 until looked up */
} address_t;

void dmd_symbols_init(dmd_symbols_t *symbols, const dmd_engine_host_t *host,
                      dmd_profile_t *profile) {
  const dmd_env_t *env = profile->env;
  *symbols = (dmd_symbols_t){.host = host, .profile = profile};
  dmd_codes_init(&symbols->codes, host, env);
  dmd_pool_init(&symbols->addresses, env, "dmd.symbols", sizeof(address_t));
  dmd_pool_init(&symbols->frames, env, "dmd.symbols.frames", sizeof(uint32_t));
}

void dmd_symbols_destroy(dmd_symbols_t *symbols) {
  dmd_env_free(symbols->profile->env, symbols->ids);
  dmd_pool_destroy(&symbols->frames);
  dmd_pool_destroy(&symbols->addresses);
  dmd_codes_destroy(&symbols->codes);
}

/* ---- Addresses. ---- */

/* An address whose frames are being added. */
typedef struct {
  dmd_symbols_t *symbols;
  dmd_code_t code;
  address_t *address;
} visitor_t;

static void add_frame(void *ctx, const dmd_function_t *function) {
  const visitor_t *v = ctx;
  dmd_symbols_t *symbols = v->symbols;
  const dmd_engine_host_t *host = symbols->host;
  dmd_location_t at = {.object = NULL};
  dmd_object_t object;
  if (host->object(host->ctx, v->code, &object))
    at = (dmd_location_t){
        .object = object.path, .build_id = object.build_id, .offset = object.offset};
  uint32_t id = dmd_pool_add(&symbols->frames);
  *DMD_POOL_AT(&symbols->frames, uint32_t, id) =
      dmd_frames_add_function(&symbols->profile->frames, function, &at);
  v->address->n++;
}

/* The address with its frames, the innermost inlined call first. */
static const address_t *look_up(dmd_symbols_t *symbols, dmd_code_t code) {
  uint32_t id = dmd_codes_id(&symbols->codes, code);
  dmd_pool_reach(&symbols->addresses, id);
  address_t *address = DMD_POOL_AT(&symbols->addresses, address_t, id);
  if (address->n == 0) {
    visitor_t visitor = {symbols, code, address};
    address->first = symbols->frames.last + 1;
    symbols->host->functions(symbols->host->ctx, code, add_frame, &visitor);
  }
  return address;
}

/* ---- Stacks. ---- */

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
  const dmd_code_t *codes = dmd_codes_shown(&symbols->codes, stack, &n);
  symbols->n_ids = 0;
  for (uint32_t i = 0; i < n; i++) {
    const address_t *address = look_up(symbols, codes[i]);
    for (uint32_t k = 0; k < address->n; k++)
      add_id(symbols, *DMD_POOL_AT(&symbols->frames, uint32_t, address->first + k));
  }
  return dmd_profile_stack(profile, symbols->ids, symbols->n_ids);
}
