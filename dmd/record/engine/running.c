/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Stacks are cut at a maximum number of frames, so a running function may be missing. Everything
 * further in than the outermost named function of the begin is on the current stack if that
 * function is; otherwise the answer is unknown.
 *
 * Names are interned from the innermost frame outward, so lower ids are further in.
 *
 * All parts of a coroutine have one name: the function that creates it, which may run until the
 * first suspension, and those that resume and destroy it. A name is known to be a coroutine's once
 * such a part was seen. If a compiler inlined all parts into the caller, debug information still
 * has the name, called by the standard library's resume.
 */
#include "record/engine/running.h"

#include "base/fnname.h"
#include "base/mem.h"
#include "base/str.h"

void dmd_running_init(dmd_running_t *running, const dmd_env_t *env, const dmd_engine_host_t *host) {
  *running = (dmd_running_t){.host = host};
  dmd_intern_init(&running->names, env, "dmd.running");
  dmd_intern_init(&running->coroutines, env, "dmd.running.coroutines");
  dmd_pool_init(&running->verdicts, env, "dmd.running.verdicts", sizeof(uint8_t));
}

void dmd_running_destroy(dmd_running_t *running) {
  dmd_pool_destroy(&running->verdicts);
  dmd_intern_destroy(&running->coroutines);
  dmd_intern_destroy(&running->names);
}

/* Gets the name for an address: that of the function that is not inlined, which is visited last. */
typedef struct {
  dmd_strbuf_t *name;
  bool is_coroutine; /* an inlined coroutine was found, whose name is used instead */
} naming_t;

/* Compilers may inline all parts of a coroutine into its caller. Debug information still shows a
 * call from the standard library's resume, which is inlined as well. */
static bool is_resume(const dmd_function_t *function) {
  static const char header[] = "coroutine";
  size_t n = function->file == NULL ? 0 : dmd_str_length(function->file);
  return n >= sizeof header - 1 && dmd_str_equal(function->name, "resume") &&
         dmd_str_equal(function->file + n - (sizeof header - 1), header);
}

static void keep_name(void *visitor, const dmd_function_t *function) {
  naming_t *naming = visitor;
  if (naming->is_coroutine)
    return;
  if (naming->name->n > 0 && is_resume(function)) {
    naming->is_coroutine = true;
    return;
  }
  dmd_strbuf_cut(naming->name, 0);
  dmd_strbuf_str(naming->name, function->name);
}

/* A newly discovered coroutine may change every answer: drops all cached ones. */
static void note_coroutine(dmd_running_t *running, const char *name) {
  if (dmd_intern_find_str(&running->coroutines, name) != DMD_NONE)
    return;
  dmd_intern_str(&running->coroutines, name);
  dmd_mem_zero(running->frames, sizeof running->frames);
  dmd_mem_zero(running->ends, sizeof running->ends);
  running->begun = DMD_NONE;
  dmd_pool_destroy(&running->verdicts);
}

void dmd_running_name(dmd_running_t *running, dmd_code_t code, dmd_strbuf_t *name) {
  const dmd_engine_host_t *host = running->host;
  naming_t naming = {.name = name};
  dmd_strbuf_cut(name, 0);
  dmd_host_functions_now(host, code, keep_name, &naming);
  size_t n = naming.is_coroutine ? name->n : dmd_fnname_coroutine(name->text);
  if (n > 0) {
    dmd_strbuf_cut(name, n);
    note_coroutine(running, name->text);
  }
}

static bool is_coroutine(const dmd_running_t *running, const dmd_strbuf_t *name) {
  return dmd_intern_find_str(&running->coroutines, name->text) != DMD_NONE;
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
    dmd_running_name(running, codes[i], &name);
    if (name.n > 0)
      dmd_intern_str(&running->names, name.text);
  }
  dmd_strbuf_destroy(&name);
}

typedef enum { IS_NOT_THERE, IS_THERE, IS_CONSTRUCTOR, IS_SUSPENDED, HAS_NO_NAME } spot_t;

/* Looks for the function that contains the address on the current stack. */
static spot_t look_for(dmd_running_t *running, dmd_code_t code) {
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, running->names.env);
  dmd_running_name(running, code, &name);
  spot_t spot = name.n == 0                                                   ? HAS_NO_NAME
                : dmd_intern_find_str(&running->names, name.text) != DMD_NONE ? IS_THERE
                : is_coroutine(running, &name)                                ? IS_SUSPENDED
                : dmd_fnname_is_constructor(name.text, name.n)                ? IS_CONSTRUCTOR
                                                                              : IS_NOT_THERE;
  dmd_strbuf_destroy(&name);
  return spot;
}

/* True if the outermost named function of these is on the current stack. */
static bool outermost_is_there(dmd_running_t *running, const dmd_code_t *codes, uint32_t n) {
  spot_t spot = HAS_NO_NAME;
  while (n > 0 && (spot = look_for(running, codes[n - 1])) == HAS_NO_NAME)
    n--; /* below the start function of a thread there may be anything */
  return spot == IS_THERE;
}

static dmd_begin_state_t judge(dmd_running_t *running, const dmd_code_t *codes, uint32_t n) {
  if (!outermost_is_there(running, codes, n))
    return DMD_BEGIN_UNKNOWN;
  spot_t spot;
  uint32_t i = 0;
  while ((spot = look_for(running, codes[i])) == IS_CONSTRUCTOR)
    i++; /* ends: the outermost named function is on the stack */
  if (spot == IS_THERE || spot == IS_SUSPENDED)
    return DMD_BEGIN_RUNNING;
  if (spot != IS_NOT_THERE)
    return DMD_BEGIN_UNKNOWN;
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

/* True if the outermost function of a stack belongs below main: main itself has returned, if the
 * host shows nothing below it as long as it runs. */
static bool main_has_returned(const dmd_running_t *running, const dmd_code_t *begun, uint32_t n) {
  const dmd_engine_host_t *host = running->host;
  uint32_t n_now;
  bool was_in_main = host->code_kind(host->ctx, begun[n - 1]) == DMD_CODE_MAIN;
  const dmd_code_t *now = host->codes(host->ctx, running->now, &n_now);
  return was_in_main && host->code_kind(host->ctx, now[n_now - 1]) == DMD_CODE_BELOW_MAIN;
}

static bool is_main(dmd_running_t *running, dmd_code_t code) {
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, running->names.env);
  dmd_running_name(running, code, &name);
  bool is_main = dmd_str_equal(name.text, "main");
  dmd_strbuf_destroy(&name);
  return is_main;
}

static bool find_end(dmd_running_t *running, uint32_t begun) {
  const dmd_engine_host_t *host = running->host;
  uint32_t n;
  const dmd_code_t *codes = host->codes(host->ctx, begun, &n);
  if (n == 0 || look_for(running, codes[0]) != IS_NOT_THERE || is_main(running, codes[0]))
    return false;
  return outermost_is_there(running, codes, n) || main_has_returned(running, codes, n);
}

bool dmd_running_has_ended(dmd_running_t *running, uint32_t begun, uint32_t now) {
  if (begun == DMD_NONE || now == DMD_NONE)
    return false;
  uint32_t slot = (begun * 31 + now) % (sizeof running->ends / sizeof *running->ends);
  dmd_running_end_t *known = &running->ends[slot];
  if (known->begun != begun || known->now != now) {
    if (now != running->now)
      look_at(running, now);
    *known = (dmd_running_end_t){begun, now, find_end(running, begun)};
  }
  return known->has_ended;
}

static dmd_begin_frame_t find_frame(dmd_running_t *running, uint32_t begun) {
  const dmd_engine_host_t *host = running->host;
  dmd_begin_frame_t found = {DMD_FRAME_UNKNOWN, 0, false};
  uint32_t n;
  const dmd_code_t *codes = host->codes(host->ctx, begun, &n);
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, running->names.env);
  for (uint32_t i = 0; i < n && found.frame == 0; i++) {
    dmd_running_name(running, codes[i], &name);
    if (name.n == 0)
      break; /* it may be a coroutine */
    found.frame = dmd_intern_find_str(&running->names, name.text);
    if (found.frame != 0) {
      found.where = DMD_FRAME_ON_STACK;
      found.is_coroutine = is_coroutine(running, &name);
    } else if (is_coroutine(running, &name)) {
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
    return (dmd_begin_frame_t){DMD_FRAME_UNKNOWN, 0, false};
  uint32_t slot = (begun * 31 + now) % (sizeof running->frames / sizeof *running->frames);
  dmd_running_frame_t *known = &running->frames[slot];
  if (known->begun != begun || known->now != now) {
    if (now != running->now)
      look_at(running, now);
    *known = (dmd_running_frame_t){begun, now, find_frame(running, begun)};
  }
  return known->frame;
}

/* ---- Coroutines. ---- */

/* True if a function only makes or destroys a guard for its caller. */
static bool is_for_caller(const dmd_strbuf_t *name) {
  return dmd_fnname_is_constructor(name->text, name->n) ||
         dmd_str_find(name->text, "::~") != NULL || dmd_str_begins(name->text, "std::");
}

static bool innermost_is_coroutine(dmd_running_t *running, uint32_t stack) {
  uint32_t n, i = 0;
  const dmd_code_t *codes = running->host->codes(running->host->ctx, stack, &n);
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, running->names.env);
  bool is_one = false;
  do {
    if (i == n)
      break;
    dmd_running_name(running, codes[i++], &name);
    is_one = name.n > 0 && is_coroutine(running, &name);
  } while (!is_one && is_for_caller(&name));
  dmd_strbuf_destroy(&name);
  return is_one;
}

bool dmd_running_in_coroutine(dmd_running_t *running, uint32_t stack) {
  enum { IS_NOT = 1, IS_ONE = 2 };
  if (stack == DMD_NONE)
    return false;
  dmd_pool_t *verdicts = &running->verdicts;
  if (stack <= verdicts->last && *DMD_POOL_AT(verdicts, uint8_t, stack) != 0)
    return *DMD_POOL_AT(verdicts, uint8_t, stack) == IS_ONE;
  bool is_one = innermost_is_coroutine(running, stack); /* may clear the cached verdicts */
  dmd_pool_reach(verdicts, stack);
  *DMD_POOL_AT(verdicts, uint8_t, stack) = is_one ? IS_ONE : IS_NOT;
  return is_one;
}

bool dmd_running_has_other_coroutine(dmd_running_t *running, uint32_t begun, uint32_t now) {
  if (begun == DMD_NONE || now == DMD_NONE)
    return false;
  look_at(running, begun);
  uint32_t n;
  const dmd_code_t *codes = running->host->codes(running->host->ctx, now, &n);
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, running->names.env);
  bool found = false;
  for (uint32_t i = 0; i < n && !found; i++) {
    dmd_running_name(running, codes[i], &name);
    found = name.n > 0 && is_coroutine(running, &name) &&
            dmd_intern_find_str(&running->names, name.text) == DMD_NONE;
  }
  dmd_strbuf_destroy(&name);
  return found;
}
