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
  dmd_strbuf_init(&symbols->text, env);
}

void dmd_symbols_destroy(dmd_symbols_t *symbols) {
  dmd_strbuf_destroy(&symbols->text);
  dmd_env_free(symbols->profile->env, symbols->ids);
  dmd_pool_destroy(&symbols->frames);
  dmd_table_destroy(&symbols->index);
  dmd_pool_destroy(&symbols->addresses);
}

/* ---- Addresses. ---- */

/* One frame's text as the file format wants it. */
static void write_frame(const dmd_symbols_t *symbols, dmd_code_t code,
                        const dmd_function_t *function, dmd_strbuf_t *text) {
  const dmd_engine_host_t *host = symbols->host;
  const char *name = function->name[0] == '\0' ? "???" : function->name;
  dmd_object_t object;
  dmd_strbuf_cut(text, 0);
  if (function->file != NULL) {
    dmd_strbuf_str(text, name);
    dmd_strbuf_str(text, " (");
    dmd_strbuf_str(text, function->file);
    dmd_strbuf_str(text, ":");
    dmd_strbuf_u64(text, function->line);
    dmd_strbuf_str(text, ")");
  } else if (host->object(host->ctx, code, &object)) {
    dmd_strbuf_str(text, name);
    dmd_strbuf_str(text, "[");
    dmd_strbuf_str(text, object.path);
    dmd_strbuf_str(text, " +0x");
    dmd_strbuf_hex(text, object.offset);
    dmd_strbuf_str(text, "]");
  } else {
    dmd_strbuf_str(text, "??? (\?\?\?:\?\?\?)");
  }
}

/* An address whose frames are being added. */
typedef struct {
  dmd_symbols_t *symbols;
  address_t *address;
} visitor_t;

static void add_frame(void *ctx, const dmd_function_t *function) {
  const visitor_t *v = ctx;
  dmd_symbols_t *symbols = v->symbols;
  write_frame(symbols, v->address->code, function, &symbols->text);
  uint32_t id = dmd_pool_add(&symbols->frames);
  *DMD_POOL_AT(&symbols->frames, uint32_t, id) =
      dmd_intern_text(&symbols->profile->frames, symbols->text.text);
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
