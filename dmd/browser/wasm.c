/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The page's core as a WebAssembly program: an allocator, a fatal error handler, and one page
 * (show/page/session.h).
 *
 * Call order: start; then any of the others. Strings and bytes are passed in memory from `alloc`;
 * strings end in NUL. A call with an answer stores `answer_length` bytes of JSON at `answer`, valid
 * until the next call. After `fail` or a trap the program must not be used any longer.
 */
#include "base/arena.h"
#include "base/jsonout.h"
#include "base/str.h"
#include "show/page/asks.h"
#include "show/page/pagedata.h"

#define EXPORT(name) __attribute__((export_name(name), used))
#define IMPORT(name) __attribute__((import_module("host"), import_name(name)))

enum { WASM_PAGE = 65536, MOST_PAGES = 65536, LEAST_GROWTH = 16 * WASM_PAGE, PIECE = 1 << 18 };

/* Ends the program, with n bytes of text as the reason. Does not return. */
IMPORT("fail") _Noreturn void dmdw_host_fail(const char *message, size_t n);

/* Copies up to n of the next bytes of the file being added to `to`. Returns how many; 0 at the
 * end. */
IMPORT("next") size_t dmdw_host_next(char *to, size_t n);

/* Rewinds the file. The first rewind of a file comes before the second call of `next`, or never. */
IMPORT("rewind") void dmdw_host_rewind(void);

/* The double nearest to a decimal number. */
IMPORT("number") double dmdw_host_number(const char *text);

/* is_pattern: whether a text is a valid regular expression. match: whether a valid one matches any
 * part of another text. */
IMPORT("is_pattern") bool dmdw_host_is_pattern(const char *pattern);
IMPORT("match") bool dmdw_host_match(const char *pattern, const char *text);

/* The end of the linker's data. */
extern char __heap_base[];

static const char out_of_memory[] = "out of memory: the browser refuses to give the page more";

static dmd_arena_t g_memory;
static dmd_env_t g_env;
static dmd_session_data_t g_data;
static dmd_session_t g_page;
static dmd_strbuf_t g_answer;

/* ---- Called by compiled code ---- */

void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int c, size_t n);

/* Each of these is one instruction. */
void *memcpy(void *restrict to, const void *restrict from, size_t n) {
  return __builtin_memcpy(to, from, n);
}

void *memmove(void *to, const void *from, size_t n) {
  return __builtin_memmove(to, from, n);
}

void *memset(void *to, int c, size_t n) {
  return __builtin_memset(to, c, n);
}

/* ---- The core's host ---- */

static void fail(const char *message) {
  dmdw_host_fail(message, dmd_str_length(message));
}

/* Grows memory by an eighth, so that growing is rare, or by just as much as is needed if that
 * fails. */
static size_t grow(void *ctx, size_t szB) {
  (void)ctx;
  size_t pages = __builtin_wasm_memory_size(0);
  size_t least = (szB + LEAST_GROWTH) / WASM_PAGE, more = pages / 8;
  if (more > least && __builtin_wasm_memory_grow(0, more) != SIZE_MAX)
    return more * WASM_PAGE;
  return __builtin_wasm_memory_grow(0, least) != SIZE_MAX ? least * WASM_PAGE : 0;
}

static void *host_alloc(void *ctx, const char *cost_centre, size_t szB) {
  (void)ctx, (void)cost_centre;
  void *p = dmd_arena_alloc(&g_memory, szB);
  if (p == NULL)
    fail(out_of_memory);
  return p;
}

static void host_free(void *ctx, void *p) {
  (void)ctx;
  dmd_arena_free(&g_memory, p);
}

static void host_panic(void *ctx, const char *what) {
  (void)ctx;
  fail(what);
}

static bool is_pattern(void *ctx, const char *pattern) {
  (void)ctx;
  return dmdw_host_is_pattern(pattern);
}

static bool match(void *ctx, const char *pattern, const char *text) {
  (void)ctx;
  return dmdw_host_match(pattern, text);
}

/* ---- Called by the page ---- */

/* The seed must not be predictable by authors of profile files. */
EXPORT("start") void dmdw_start(uint32_t seed_low, uint32_t seed_high) {
  if (grow(NULL, LEAST_GROWTH) == 0)
    fail(out_of_memory);
  uintptr_t start = ((uintptr_t)__heap_base + 15) & ~(uintptr_t)15;
  size_t szB = __builtin_wasm_memory_size(0) * WASM_PAGE - start;
  dmd_arena_init(&g_memory, (void *)start, szB, grow, NULL);
  g_env = (dmd_env_t){.alloc = host_alloc,
                      .free = host_free,
                      .panic = host_panic,
                      .hash_seed = (uint64_t)seed_high << 32 | seed_low};
  dmd_strbuf_init(&g_answer, &g_env);
  dmd_session_data_init(&g_data, &g_env);
  dmd_session_init(&g_page, &g_env);
  static const dmd_session_patterns_t patterns = {.is_good = is_pattern, .match = match};
  dmd_session_set_patterns(&g_page, &patterns);
}

EXPORT("alloc") void *dmdw_alloc(size_t szB) {
  return dmd_env_alloc(&g_env, "page", szB);
}

EXPORT("free") void dmdw_free(void *p) {
  dmd_env_free(&g_env, p);
}

/* The answer of a call that only succeeds or fails: {}, or {"error": {"message", "hint"}}. */
static void answer(bool good, const char *why, const char *hint) {
  dmd_out_t out;
  dmd_jsonout_t j;
  dmd_strbuf_cut(&g_answer, 0);
  dmd_out_init(&out, dmd_strbuf_write, &g_answer);
  dmd_jsonout_init(&j, &out);
  dmd_jsonout_object(&j, DMD_JSONOUT_DENSE);
  if (!good) {
    dmd_jsonout_key(&j, "error");
    dmd_jsonout_object(&j, DMD_JSONOUT_DENSE);
    dmd_jsonout_key_str(&j, "message", why);
    dmd_jsonout_key_str(&j, "hint", hint);
    dmd_jsonout_end(&j);
  }
  dmd_jsonout_end(&j);
  dmd_out_flush(&out);
}

/* The bytes must stay valid: some may be in use even if this fails. */
EXPORT("add_image") void dmdw_add_image(void *bytes, size_t n) {
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &g_env);
  bool good = dmd_session_add_image(&g_page, &g_data, bytes, n, dmdw_host_number, &why);
  answer(good, why.text, "the page may have been cut or changed: write it again with dmdv view");
  dmd_strbuf_destroy(&why);
}

static bool next(void *ctx, const char **bytes, size_t *n, dmd_fail_t *fail) {
  (void)fail;
  *bytes = ctx;
  *n = dmdw_host_next(ctx, PIECE);
  return true;
}

static bool rewind_file(void *ctx, dmd_fail_t *fail) {
  (void)ctx, (void)fail;
  dmdw_host_rewind();
  return true;
}

/* How many bytes memory may still grow by. */
static uint64_t room(void) {
  uint64_t pages = __builtin_wasm_memory_size(0);
  return pages < MOST_PAGES ? (MOST_PAGES - pages) * WASM_PAGE : 1;
}

/* Adds a file whose bytes come from `next`. */
EXPORT("add_file") void dmdw_add_file(const char *name) {
  char *piece = dmd_env_alloc(&g_env, "page.piece", PIECE);
  const dmd_source_t source = {.next = next,
                               .rewind = rewind_file,
                               .ctx = piece,
                               .number = dmdw_host_number,
                               .memory_szB = room()};
  dmd_strbuf_t why;
  dmd_strbuf_init(&why, &g_env);
  bool good = dmd_session_add_file(&g_page, &g_data, name, &source, &why);
  answer(
      good, why.text,
      "the page reads profiles of dmd and of Firefox's DMD, heap graphs of dmd, and memory reports "
      "of about:memory, gzipped or not");
  dmd_strbuf_destroy(&why);
  dmd_env_free(&g_env, piece);
}

EXPORT("ask") void dmdw_ask(const char *query) {
  dmd_out_t out;
  dmd_strbuf_cut(&g_answer, 0);
  dmd_out_init(&out, dmd_strbuf_write, &g_answer);
  dmd_session_ask(&g_page, query, &out);
  dmd_out_flush(&out);
}

EXPORT("answer") const char *dmdw_answer(void) {
  return g_answer.text;
}

EXPORT("answer_length") size_t dmdw_answer_length(void) {
  return g_answer.n;
}
