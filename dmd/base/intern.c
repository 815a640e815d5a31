/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/intern.h"

#include "base/mem.h"
#include "base/utf8.h"

typedef struct dmd_intern_chunk {
  struct dmd_intern_chunk *next;
  size_t szB; /* of the following contents */
} chunk_t;

typedef struct {
  const char *bytes;
  size_t n;
} entry_t;

enum { CHUNK = 32 * 1024 };

static bool entry_equal(const void *owner, uint32_t id, const void *key) {
  const dmd_intern_t *in = owner;
  const entry_t *a = DMD_POOL_AT(&in->entries, entry_t, id), *b = key;
  return a->n == b->n && dmd_mem_equal(a->bytes, b->bytes, a->n);
}

void dmd_intern_init(dmd_intern_t *in, const dmd_env_t *env, const char *cost_centre) {
  in->env = env;
  in->cost_centre = cost_centre;
  dmd_pool_init(&in->entries, env, cost_centre, sizeof(entry_t));
  dmd_table_init(&in->index, env, cost_centre, entry_equal, in);
  in->chunks = NULL;
  in->room = 0;
}

void dmd_intern_destroy(dmd_intern_t *in) {
  while (in->chunks != NULL) {
    chunk_t *next = in->chunks->next;
    dmd_env_free(in->env, in->chunks);
    in->chunks = next;
  }
  in->room = 0;
  dmd_table_destroy(&in->index);
  dmd_pool_destroy(&in->entries);
}

/* Copies n bytes and a NUL. A long sequence gets its own chunk, placed after the newest in the
 * list, so that the space left there is not lost. */
static const char *keep(dmd_intern_t *in, const void *bytes, size_t n) {
  size_t need = (n + 1 + 7) & ~(size_t)7;
  char *to;
  if (need > CHUNK / 4) {
    chunk_t *own = dmd_env_alloc(in->env, in->cost_centre, sizeof *own + need);
    own->szB = need;
    if (in->chunks != NULL) {
      own->next = in->chunks->next;
      in->chunks->next = own;
    } else {
      own->next = NULL;
      in->chunks = own;
    }
    to = (char *)(own + 1);
  } else {
    if (need > in->room) {
      chunk_t *fresh = dmd_env_alloc(in->env, in->cost_centre, sizeof *fresh + CHUNK);
      fresh->szB = CHUNK;
      fresh->next = in->chunks;
      in->chunks = fresh;
      in->room = CHUNK;
    }
    to = (char *)(in->chunks + 1) + in->chunks->szB - in->room;
    in->room -= need;
  }
  dmd_mem_copy(to, bytes, n);
  to[n] = '\0';
  return to;
}

uint32_t dmd_intern_bytes(dmd_intern_t *in, const void *bytes, size_t n) {
  entry_t key = {bytes, n};
  uint64_t hash = dmd_hash_bytes(in->env->hash_seed, bytes, n);
  uint32_t id = dmd_table_find(&in->index, hash, &key);
  if (id != DMD_NONE)
    return id;
  const char *kept = keep(in, bytes, n);
  id = dmd_pool_add(&in->entries);
  *DMD_POOL_AT(&in->entries, entry_t, id) = (entry_t){kept, n};
  dmd_table_add(&in->index, hash, id);
  return id;
}

uint32_t dmd_intern_str(dmd_intern_t *in, const char *s) {
  return dmd_intern_bytes(in, s, dmd_str_length(s));
}

uint32_t dmd_intern_find_bytes(const dmd_intern_t *in, const void *bytes, size_t n) {
  entry_t key = {bytes, n};
  return dmd_table_find(&in->index, dmd_hash_bytes(in->env->hash_seed, bytes, n), &key);
}

uint32_t dmd_intern_find_str(const dmd_intern_t *in, const char *s) {
  return dmd_intern_find_bytes(in, s, dmd_str_length(s));
}

static char *repair(const dmd_intern_t *in, const char *s) {
  char *text = dmd_env_alloc(in->env, in->cost_centre, dmd_utf8_repair(NULL, s) + 1);
  dmd_utf8_repair(text, s);
  return text;
}

uint32_t dmd_intern_text(dmd_intern_t *in, const char *s) {
  uint32_t id = dmd_intern_find_str(in, s); /* the common case: known, and therefore valid text */
  if (id != DMD_NONE)
    return id;
  if (dmd_utf8_is_valid(s))
    return dmd_intern_str(in, s);
  char *text = repair(in, s);
  id = dmd_intern_str(in, text);
  dmd_env_free(in->env, text);
  return id;
}

uint32_t dmd_intern_find_text(const dmd_intern_t *in, const char *s) {
  uint32_t id = dmd_intern_find_str(in, s);
  if (id != DMD_NONE || dmd_utf8_is_valid(s))
    return id;
  char *text = repair(in, s);
  id = dmd_intern_find_str(in, text);
  dmd_env_free(in->env, text);
  return id;
}

const void *dmd_intern_get(const dmd_intern_t *in, uint32_t id, size_t *n) {
  const entry_t *e = DMD_POOL_AT(&in->entries, entry_t, id);
  *n = e->n;
  return e->bytes;
}

const char *dmd_intern_get_str(const dmd_intern_t *in, uint32_t id) {
  return DMD_POOL_AT(&in->entries, entry_t, id)->bytes;
}
