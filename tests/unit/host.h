/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * host.h: the base of all unit tests of the core: cmocka, a host that watches, a sink, dice.
 *
 * host_t is a dmd_env_t over malloc. It fills new and returned memory with garbage, so that no code
 * can rely on what happens to lie there. It knows every outstanding allocation, so that a test can
 * check that a destroy function freed everything. It can run out of memory at the n-th call. The
 * core's contract is that a failing host does not return: so both "out of memory" and "panic" jump
 * out of the core to the running host_run; without one, they fail the test.
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
  struct host_block *blocks; /* all outstanding blocks, the newest first */
  size_t n_blocks;
  size_t szB;     /* bytes in those blocks */
  size_t n_calls; /* calls of alloc since host_init */
  size_t fail_at; /* the call of alloc that fails, counted from 1; 0 for none */
  jmp_buf *escape;
  const char *panic; /* message of the last panic */
} host_t;

void host_init(host_t *host);

/* Frees what is outstanding, and fails the test if there was anything. */
void host_done(host_t *host);

/* Frees what is outstanding and returns how many allocations that were. */
size_t host_free_all(host_t *host);

typedef enum { HOST_RETURNED, HOST_OUT_OF_MEMORY, HOST_PANICKED } host_end_t;

typedef void (*host_body_fn)(host_t *host, void *arg);

/* Calls body and returns how it ended. Memory that body leaves allocated stays outstanding. */
host_end_t host_run(host_t *host, host_body_fn body, void *arg);

/* Calls body with a host that fails at the first allocation, then with one that fails at the
 * second, and so on until one gets through; that last one must free everything. Returns the number
 * of failures that were tried. */
size_t host_fail_everywhere(host_body_fn body, void *arg);

/* Locks for a test with one thread, which would wait for ever if it had to wait. */
extern const dmd_waiting_t never_waiting;

/* ---- a sink that keeps what is written to it ---- */

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

/* Flushes, and returns all that was written since the start, NUL-terminated. */
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

/* ---- UTF-8, done the slow way ---- */

/* The bytes of a code point; 0 for surrogates and for numbers above U+10FFFF. */
size_t naive_utf8_encode(uint32_t code, unsigned char to[4]);

/* The length of the sequence at s (4 bytes long, or less and ended by NUL) if it is the encoding of
 * some code point, found by encoding; else 0. code may be NULL. */
size_t naive_utf8_length(const char *s, uint32_t *code);

/* Whether all of s is well-formed. */
bool naive_utf8_valid(const char *s);

#endif
