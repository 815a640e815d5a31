/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/unwind/codes.h"

typedef struct {
  dmd_code_t code;
  dmd_code_kind_t kind;
} entry_t;

static const entry_t *entry_at(const dmd_codes_t *codes, uint32_t id) {
  return DMD_POOL_AT(&codes->pool, const entry_t, id);
}

static bool entry_equal(const void *owner, uint32_t id, const void *key) {
  return dmd_code_equal(entry_at(owner, id)->code, *(const dmd_code_t *)key);
}

void dmd_codes_init(dmd_codes_t *codes, const dmd_engine_host_t *host, const dmd_env_t *env) {
  codes->host = host;
  dmd_pool_init(&codes->pool, env, "dmd.codes", sizeof(entry_t));
  dmd_table_init(&codes->index, env, "dmd.codes.index", entry_equal, codes);
}

void dmd_codes_destroy(dmd_codes_t *codes) {
  dmd_table_destroy(&codes->index);
  dmd_pool_destroy(&codes->pool);
}

uint32_t dmd_codes_id(dmd_codes_t *codes, dmd_code_t code) {
  uint32_t id = dmd_table_find(&codes->index, dmd_code_hash(code), &code);
  if (id == DMD_NONE) {
    id = dmd_pool_add(&codes->pool);
    *DMD_POOL_AT(&codes->pool, entry_t, id) =
        (entry_t){.code = code, .kind = codes->host->code_kind(codes->host->ctx, code)};
    dmd_table_add(&codes->index, dmd_code_hash(code), id);
  }
  return id;
}

dmd_code_t dmd_codes_at(const dmd_codes_t *codes, uint32_t id) {
  return entry_at(codes, id)->code;
}

/* A stack to be cut. */
typedef struct {
  dmd_codes_t *codes;
  const dmd_code_t *all;
} cut_t;

static dmd_code_kind_t kind_of(const void *ctx, uint32_t i) {
  const cut_t *cut = ctx;
  return entry_at(cut->codes, dmd_codes_id(cut->codes, cut->all[i]))->kind;
}

const dmd_code_t *dmd_codes_shown(dmd_codes_t *codes, uint32_t stack, uint32_t *n) {
  const dmd_engine_host_t *host = codes->host;
  const dmd_code_t *all = host->codes(host->ctx, stack, n);
  if (!host->shows_below_main(host->ctx))
    *n = dmd_stack_shown(*n, kind_of, &(cut_t){codes, all});
  return all;
}
