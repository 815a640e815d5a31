/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * host.h: what every unit test of the core needs: cmocka, a host that watches, a sink, dice.
 *
 * host_t is a dmd_env_t over malloc. It fills new and returned memory with garbage, so that nobody
 * profits from what happens to lie there; it knows every allocation that is outstanding, so that a
 * test can ask whether a destroy function gave everything back; and it can run out of memory at
 * the n-th call. Because the core's contract is that a failing host does not come back, both "out
 * of memory" and "panic" jump out of the core to the host_run that is under way; without one, they
 * fail the test.
 *
 * A typical test:
 *
 *   host_t host;
 *   host_init(&host);
 *   dmd_pool_init(&pool, &host.env, "test", 12);
 *   ...
 *   dmd_pool_destroy(&pool);
 *   host_done(&host);            fails the test when anything is outstanding
 */
#ifndef TESTS_UNIT_HOST_H
#define TESTS_UNIT_HOST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/env.h"
#include "base/lock.h"
#include "base/out.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- the host ---- */

typedef struct host {
  dmd_env_t env;
  struct host_block *blocks; /* all that is outstanding, the newest first */
  size_t n_blocks;
  size_t szB;     /* in those blocks */
  size_t n_calls; /* of alloc since host_init */
  size_t fail_at; /* the call of alloc that fails, counted from 1; 0 for none */
  jmp_buf *escape;
  const char *panic; /* what the last panic said */
} host_t;

void host_init(host_t *host);

/* Frees what is outstanding, and fails the test if that was anything. */
void host_done(host_t *host);

/* Frees what is outstanding and says how many allocations that were. */
size_t host_free_all(host_t *host);

typedef enum { HOST_RETURNED, HOST_OUT_OF_MEMORY, HOST_PANICKED } host_end_t;

typedef void (*host_body_fn)(host_t *host, void *arg);

/* Calls body and says how it ended. What it leaves allocated stays outstanding. */
host_end_t host_run(host_t *host, host_body_fn body, void *arg);

/* Calls body with a host that fails at the first allocation, then with one that fails at the
 * second, and so on until one gets through; that last one must give everything back. Returns the
 * number of failures that were tried. */
size_t host_fail_everywhere(host_body_fn body, void *arg);

/* Locks of a test that has one thread, and so never has to wait: that would be for ever. */
extern const dmd_waiting_t never_waiting;

/* ---- a sink that keeps what it is given ---- */

typedef struct sink {
  dmd_out_t out;
  char *text;
  size_t n;
  size_t room;
  size_t n_writes;
  size_t fail_at; /* the write that fails, counted from 1; 0 for none */
} sink_t;

void sink_init(sink_t *sink);
void sink_free(sink_t *sink);

/* Flushes, and gives all that was written since the start, NUL-terminated. */
const char *sink_text(sink_t *sink);

/* Fails with the place of the first difference, which an assertion on two long texts hides. */
void assert_text_equal(const char *actual, const char *expected);

/* ---- dice: the same throws in every run ---- */

typedef struct dice {
  uint64_t state;
} dice_t;

uint64_t dice_u64(dice_t *dice);
/* 0 to n - 1; n > 0. */
uint64_t dice_below(dice_t *dice, uint64_t n);
/* Any 64-bit number, small ones as likely as large ones. */
uint64_t dice_any_size(dice_t *dice);

/* ---- UTF-8, done the slow way round ---- */

/* The bytes of a code point; 0 for surrogates and what is above U+10FFFF. */
size_t naive_utf8_encode(uint32_t code, unsigned char to[4]);

/* The length of the sequence at s (4 bytes long, or less and ended by NUL) if some code point is
 * encoded so, found by encoding; else 0. code may be NULL. */
size_t naive_utf8_length(const char *s, uint32_t *code);

/* Whether all of s is well-formed. */
bool naive_utf8_valid(const char *s);

#endif
