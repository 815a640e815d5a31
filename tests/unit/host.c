/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include <stdio.h>

enum { GARBAGE_NEW = 0xa5, GARBAGE_OLD = 0xdd, MARK = 0x5ca1ab1e };

/* Header of each block that the core gets; the union keeps what follows aligned. */
typedef struct host_block {
  union {
    struct {
      struct host_block *next, *previous;
      size_t szB;
      uint32_t mark;
    };
    max_align_t align;
  };
} host_block_t;

static void leave(host_t *host, host_end_t how, const char *what) {
  if (host->escape == NULL)
    fail_msg("the core called for help: %s", what);
  longjmp(*host->escape, (int)how);
}

static void *host_alloc(void *ctx, const char *cost_centre, size_t szB) {
  host_t *host = ctx;
  assert_non_null(cost_centre);
  assert_true(szB > 0);
  host->n_calls++;
  if (host->n_calls == host->fail_at)
    leave(host, HOST_OUT_OF_MEMORY, "out of memory");
  host_block_t *block = malloc(sizeof *block + szB);
  assert_non_null(block);
  block->szB = szB;
  block->mark = MARK;
  block->previous = NULL;
  block->next = host->blocks;
  if (block->next != NULL)
    block->next->previous = block;
  host->blocks = block;
  host->n_blocks++;
  host->szB += szB;
  memset(block + 1, GARBAGE_NEW, szB);
  return block + 1;
}

static void drop(host_t *host, host_block_t *block) {
  if (block->mark != MARK)
    fail_msg("free of what was never given, or a block underwritten");
  block->mark = 0;
  if (block->previous != NULL)
    block->previous->next = block->next;
  else
    host->blocks = block->next;
  if (block->next != NULL)
    block->next->previous = block->previous;
  host->n_blocks--;
  host->szB -= block->szB;
  memset(block + 1, GARBAGE_OLD, block->szB);
  free(block);
}

static void host_free(void *ctx, void *p) {
  if (p != NULL)
    drop(ctx, (host_block_t *)p - 1);
}

static void host_panic(void *ctx, const char *what) {
  host_t *host = ctx;
  host->panic = what;
  leave(host, HOST_PANICKED, what);
}

void host_init(host_t *host) {
  *host =
      (host_t){.env = {.alloc = host_alloc, .free = host_free, .panic = host_panic, .ctx = host}};
}

size_t host_free_all(host_t *host) {
  size_t n = host->n_blocks;
  while (host->blocks != NULL)
    drop(host, host->blocks);
  return n;
}

void host_done(host_t *host) {
  size_t n = host_free_all(host);
  if (n > 0)
    fail_msg("%zu allocations were not given back", n);
}

host_end_t host_run(host_t *host, host_body_fn body, void *arg) {
  jmp_buf here;
  jmp_buf *outer = host->escape;
  host->escape = &here;
  /* longjmp's values are those of host_end_t; those of jumps are not 0. */
  int end = setjmp(here);
  if (end == 0)
    body(host, arg);
  host->escape = outer;
  return (host_end_t)end;
}

size_t host_fail_everywhere(host_body_fn body, void *arg) {
  for (size_t n = 1;; n++) {
    host_t host;
    host_init(&host);
    host.fail_at = n;
    host_end_t end = host_run(&host, body, arg);
    if (end == HOST_PANICKED)
      fail_msg("panic instead of out of memory: %s", host.panic);
    if (end == HOST_RETURNED) {
      /* Otherwise the body missed the failure. */
      assert_true(host.n_calls < n);
      host_done(&host);
      return n - 1;
    }
    assert_int_equal(host.n_calls, n);
    host_free_all(&host);
  }
}

static bool sink_write(void *ctx, const char *bytes, size_t n) {
  sink_t *sink = ctx;
  sink->n_writes++;
  if (sink->n_writes == sink->fail_at)
    return false;
  if (sink->n + n + 1 > sink->room) {
    sink->room = 2 * (sink->n + n + 1);
    sink->text = realloc(sink->text, sink->room);
    assert_non_null(sink->text);
  }
  memcpy(sink->text + sink->n, bytes, n);
  sink->n += n;
  return true;
}

void sink_init(sink_t *sink) {
  sink->text = NULL;
  sink->n = sink->room = sink->n_writes = sink->fail_at = 0;
  dmd_out_init(&sink->out, sink_write, sink);
}

void sink_free(sink_t *sink) {
  free(sink->text);
}

const char *sink_text(sink_t *sink) {
  assert_true(dmd_out_flush(&sink->out));
  if (sink->text == NULL)
    return "";
  sink->text[sink->n] = '\0';
  return sink->text;
}

void assert_text_equal(const char *actual, const char *expected) {
  size_t i = 0, start = 0, line = 1;
  for (; actual[i] == expected[i]; i++) {
    if (actual[i] == '\0')
      return;
    if (actual[i] == '\n') {
      start = i + 1;
      line++;
    }
  }
  const char *a = actual + start, *e = expected + start;
  fail_msg("line %zu is\n  %.*s\nand should be\n  %.*s\nin\n%s", line, (int)strcspn(a, "\n"), a,
           (int)strcspn(e, "\n"), e, actual);
}

/* xorshift64*. */
uint64_t dice_u64(dice_t *dice) {
  uint64_t x = dice->state != 0 ? dice->state : 88172645463325252u;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  dice->state = x;
  return x * UINT64_C(2685821657736338717);
}

uint64_t dice_below(dice_t *dice, uint64_t n) {
  return (dice_u64(dice) >> 11) % n;
}

uint64_t dice_any_size(dice_t *dice) {
  unsigned bits = (unsigned)dice_below(dice, 65);
  return bits == 0 ? 0 : dice_u64(dice) >> (64 - bits);
}

size_t naive_utf8_encode(uint32_t code, unsigned char to[4]) {
  if (code < 0x80) {
    to[0] = (unsigned char)code;
    return 1;
  }
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff)
    return 0;
  size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (size_t i = n - 1; i > 0; i--, code >>= 6)
    to[i] = (unsigned char)(0x80 | (code & 0x3f));
  static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
  to[0] = (unsigned char)(lead[n] | code);
  return n;
}

size_t naive_utf8_length(const char *s, uint32_t *code) {
  const unsigned char *u = (const unsigned char *)s;
  static const unsigned char lead_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  for (size_t n = 1; n <= 4; n++) {
    /* Decodes it as a sequence of n bytes, and checks that encoding the result gives these
     * bytes. */
    uint32_t guess = u[0] & lead_bits[n];
    for (size_t i = 1; i < n; i++)
      guess = guess << 6 | (u[i] & 0x3f);
    unsigned char again[4];
    if (naive_utf8_encode(guess, again) == n && memcmp(u, again, n) == 0) {
      if (code != NULL)
        *code = guess;
      return n;
    }
    if (u[n - 1] == '\0')
      break;
  }
  return 0;
}

bool naive_utf8_valid(const char *s) {
  while (*s != '\0') {
    size_t n = naive_utf8_length(s, NULL);
    if (n == 0)
      return false;
    s += n;
  }
  return true;
}

/* ---- Locks. ---- */

static void never_wait(void *ctx, uint32_t *word, uint32_t while_it_is) {
  (void)ctx, (void)word, (void)while_it_is;
  fail_msg("a lock was taken twice");
}

static void never_wake(void *ctx, uint32_t *word) {
  (void)ctx, (void)word;
  fail_msg("somebody waited");
}

const dmd_waiting_t never_waiting = {.wait = never_wait, .wake = never_wake};
