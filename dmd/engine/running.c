/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/running.h"

#include "base/fnname.h"
#include "base/str.h"

void dmd_running_init(dmd_running_t *running, const dmd_env_t *env, const dmd_engine_host_t *host) {
  *running = (dmd_running_t){.host = host};
  dmd_intern_init(&running->names, env, "dmd.running");
}

void dmd_running_destroy(dmd_running_t *running) {
  dmd_intern_destroy(&running->names);
}

/* The last function that is visited is not inlined. */
static void keep_name(void *visitor, const dmd_function_t *function) {
  dmd_strbuf_t *name = visitor;
  dmd_strbuf_cut(name, 0);
  dmd_strbuf_str(name, function->name);
}

void dmd_running_name(const dmd_engine_host_t *host, dmd_code_t code, dmd_strbuf_t *name) {
  dmd_strbuf_cut(name, 0);
  host->functions(host->ctx, code, keep_name, name);
}

static void look_at(dmd_running_t *running, uint32_t now) {
  const dmd_engine_host_t *host = running->host;
  const dmd_env_t *env = running->names.env;
  dmd_intern_destroy(&running->names);
  dmd_intern_init(&running->names, env, "dmd.running");
  running->now = now;
  running->begun = DMD_NONE;
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, env);
  uint32_t n;
  const dmd_code_t *codes = host->codes(host->ctx, now, &n);
  for (uint32_t i = 0; i < n; i++) {
    dmd_running_name(host, codes[i], &name);
    if (name.n > 0)
      dmd_intern_str(&running->names, name.text);
  }
  dmd_strbuf_destroy(&name);
}

typedef enum { IS_NOT_THERE, IS_THERE, IS_CONSTRUCTOR, HAS_NO_NAME } spot_t;

/* Whether the function that the address lies in is on the stack now. */
static spot_t look_for(dmd_running_t *running, dmd_code_t code) {
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, running->names.env);
  dmd_running_name(running->host, code, &name);
  spot_t spot = name.n == 0                                                   ? HAS_NO_NAME
                : dmd_intern_find_str(&running->names, name.text) != DMD_NONE ? IS_THERE
                : dmd_fnname_is_constructor(name.text, name.n)                ? IS_CONSTRUCTOR
                                                                              : IS_NOT_THERE;
  dmd_strbuf_destroy(&name);
  return spot;
}

/* Whether the outermost function of these that has a name is on the stack now. */
static bool outermost_is_there(dmd_running_t *running, const dmd_code_t *codes, uint32_t n) {
  spot_t spot = HAS_NO_NAME;
  while (n > 0 && (spot = look_for(running, codes[n - 1])) == HAS_NO_NAME)
    n--; /* below what starts a thread may be anything */
  return spot == IS_THERE;
}

static dmd_begin_state_t judge(dmd_running_t *running, const dmd_code_t *codes, uint32_t n) {
  if (!outermost_is_there(running, codes, n))
    return DMD_BEGIN_UNKNOWN;
  spot_t spot;
  uint32_t i = 0;
  while ((spot = look_for(running, codes[i])) == IS_CONSTRUCTOR)
    i++; /* the last one is there, and none */
  if (spot != IS_NOT_THERE)
    return spot == IS_THERE ? DMD_BEGIN_RUNNING : DMD_BEGIN_UNKNOWN;
  bool no_caller = look_for(running, codes[i + 1]) == IS_NOT_THERE;
  return no_caller ? DMD_BEGIN_LEFT : DMD_BEGIN_UNKNOWN;
}

dmd_begin_state_t dmd_running_ask(dmd_running_t *running, uint32_t begun, uint32_t now) {
  if (begun == DMD_NONE || now == DMD_NONE)
    return DMD_BEGIN_UNKNOWN;
  if (now != running->now)
    look_at(running, now);
  if (begun != running->begun) {
    uint32_t n;
    const dmd_code_t *codes = running->host->codes(running->host->ctx, begun, &n);
    running->state = judge(running, codes, n);
    running->begun = begun;
  }
  return running->state;
}

static dmd_begin_frame_t find_frame(dmd_running_t *running, uint32_t begun) {
  const dmd_engine_host_t *host = running->host;
  dmd_begin_frame_t found = {DMD_FRAME_UNKNOWN, 0};
  uint32_t n;
  const dmd_code_t *codes = host->codes(host->ctx, begun, &n);
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, running->names.env);
  for (uint32_t i = 0; i < n && found.frame == 0; i++) {
    dmd_running_name(host, codes[i], &name);
    if (name.n == 0)
      break; /* it may be a coroutine */
    found.frame = dmd_intern_find_str(&running->names, name.text);
    if (found.frame != 0) {
      found.where = DMD_FRAME_ON_STACK;
    } else if (dmd_fnname_is_coroutine(name.text)) {
      if (outermost_is_there(running, codes, n))
        found.where = DMD_FRAME_SUSPENDED;
      break;
    }
  }
  dmd_strbuf_destroy(&name);
  return found;
}

dmd_begin_frame_t dmd_running_where(dmd_running_t *running, uint32_t begun, uint32_t now) {
  if (begun == DMD_NONE || now == DMD_NONE)
    return (dmd_begin_frame_t){DMD_FRAME_UNKNOWN, 0};
  uint32_t slot = (begun * 31 + now) % (sizeof running->frames / sizeof *running->frames);
  dmd_running_frame_t *known = &running->frames[slot];
  if (known->begun != begun || known->now != now) {
    if (now != running->now)
      look_at(running, now);
    *known = (dmd_running_frame_t){begun, now, find_frame(running, begun)};
  }
  return known->frame;
}
