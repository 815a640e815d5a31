/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/popsites.h"

#include "base/str.h"
#include "record/engine/codepath.h"
#include "record/request.h"

/* How far to look on both sides of the push. */
enum { REACH_SZB = 16 * 1024 };

/* The code around a push. */
typedef struct {
  dmd_running_t *running;
  uint64_t start; /* its address */
  dmd_strbuf_t function, other;
} code_t;

void dmd_popsites_init(dmd_popsites_t *sites, const dmd_env_t *env, dmd_running_t *running) {
  *sites = (dmd_popsites_t){.env = env, .running = running};
}

/* True if an instruction on the way is in the function itself, not in one that it ends in. */
static bool is_own(void *visitor, size_t at) {
  code_t *code = visitor;
  dmd_running_name(code->running, (dmd_code_t){.ip = code->start + at}, &code->other);
  return dmd_str_equal(code->other.text, code->function.text);
}

/* Reads what can be read in one piece around an address; *start: where that begins. Returns its
 * length. */
static size_t read_around(const dmd_engine_host_t *host, uint64_t ip, uint8_t *bytes,
                          uint64_t *start) {
  uint64_t from = (ip > REACH_SZB ? ip - REACH_SZB : 0) / DMD_PAGE_SZB * DMD_PAGE_SZB;
  uint64_t to = ip + REACH_SZB;
  size_t n = 0;
  host->memory_begin(host->ctx);
  *start = from;
  for (uint64_t at = from, part; at < to; at += part) {
    part = DMD_PAGE_SZB - at % DMD_PAGE_SZB < to - at ? DMD_PAGE_SZB - at % DMD_PAGE_SZB : to - at;
    if (host->memory_read(host->ctx, at, bytes + n, (size_t)part) == part) {
      n += (size_t)part;
      continue;
    }
    if (at + part > ip)
      break;
    n = 0;
    *start = at + part;
  }
  host->memory_end(host->ctx);
  return n;
}

static bool find(dmd_popsites_t *sites, uint64_t ip) {
  enum { ROOM_SZB = 2 * REACH_SZB + DMD_PAGE_SZB };
  const dmd_engine_host_t *host = sites->running->host;
  code_t code = {.running = sites->running};
  dmd_strbuf_init(&code.function, sites->env);
  dmd_strbuf_init(&code.other, sites->env);
  dmd_running_name(code.running, (dmd_code_t){.ip = ip - 1}, &code.function);
  uint8_t *bytes = dmd_env_alloc(sites->env, "dmd.popsites", ROOM_SZB);
  size_t n = read_around(host, ip, bytes, &code.start);
  bool found = code.function.n > 0 && ip - code.start < n &&
               dmd_codepath_find(sites->env, bytes, n, (size_t)(ip - code.start),
                                 DMD_REQUEST_TAG_POP, is_own, &code);
  dmd_env_free(sites->env, bytes);
  dmd_strbuf_destroy(&code.other);
  dmd_strbuf_destroy(&code.function);
  return found;
}

bool dmd_popsites_follows(dmd_popsites_t *sites, uint64_t ip) {
  dmd_popsite_t *known = &sites->known[dmd_hash_u64(ip) % (sizeof sites->known / sizeof *known)];
  if (known->ip != ip)
    *known = (dmd_popsite_t){ip, find(sites, ip)};
  return known->is_there;
}
