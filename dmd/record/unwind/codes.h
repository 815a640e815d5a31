/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * codes.h: code addresses, each stored once with an id, and the visible part of a stack.
 *
 * Ids count from 1 in the order of first use. The kind of function at an address is looked up once.
 * Frames below main are hidden unless the user wants to see them.
 */
#ifndef DMD_RECORD_UNWIND_CODES_H
#define DMD_RECORD_UNWIND_CODES_H

#include "record/host.h"

typedef struct dmd_codes {
  const dmd_engine_host_t *host;
  dmd_pool_t pool;
  dmd_table_t index;
} dmd_codes_t;

/* Must not move until it is destroyed. */
void dmd_codes_init(dmd_codes_t *codes, const dmd_engine_host_t *host, const dmd_env_t *env);
void dmd_codes_destroy(dmd_codes_t *codes);

/* The id of an address, added if new; and the address with an id. */
uint32_t dmd_codes_id(dmd_codes_t *codes, dmd_code_t code);
dmd_code_t dmd_codes_at(const dmd_codes_t *codes, uint32_t id);

/* The visible frames of a stack, innermost first, *n of them: up to main or, without main, up to
 * the innermost function that belongs below main. Valid until the next call. */
const dmd_code_t *dmd_codes_shown(dmd_codes_t *codes, uint32_t stack, uint32_t *n);

#endif
