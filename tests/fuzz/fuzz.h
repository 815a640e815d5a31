/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fuzz.h: what every fuzz target has in common.
 *
 * A target is one file fuzz_NAME.c with one function that is called with any bytes. It does with
 * them what dmdv would, and checks what must hold whatever they are; what does not hold ends the
 * process. `make fuzz` links it with libFuzzer, `make check` with replay.c, which calls it with
 * each file of corpus/fuzz_NAME/.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "base/fail.h"
#include "base/out.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Ends the process when something that must hold does not. */
#define FUZZ_CHECK(good) ((good) ? (void)0 : fuzz_failed(#good, __FILE__, __LINE__))
_Noreturn void fuzz_failed(const char *what, const char *file, int line);

/* A copy of n bytes with a NUL behind them; the caller frees it. */
char *fuzz_string(const uint8_t *data, size_t n);

/* A dmd_write_fn that drops everything. */
bool fuzz_drop(void *ctx, const char *bytes, size_t n);

/* A text that grows; zeros are an empty one. */
typedef struct fuzz_text {
  char *bytes;
  size_t n, room;
} fuzz_text_t;

/* A dmd_write_fn; ctx is a fuzz_text_t. */
bool fuzz_keep(void *ctx, const char *bytes, size_t n);
void fuzz_text_free(fuzz_text_t *text);

/* Ends the process, and says where, when the two differ. */
void fuzz_check_equal(const fuzz_text_t *a, const fuzz_text_t *b);

/* The profile as a document. */
void fuzz_write_json(fuzz_text_t *text, const dmd_profile_t *profile);

/* Loads a profile, which need not be initialised, from bytes that come in pieces of this size.
 * Destroy it either way. */
bool fuzz_load(dmd_profile_t *profile, const void *bytes, size_t n, size_t piece, dmd_fail_t *fail);

/* Ends the process unless a file was refused for the same reason at the same place. What is gzipped
 * is exempt: before a damage the rest may have been looked at or not. */
void fuzz_check_same_fail(const uint8_t *data, size_t n, const dmd_fail_t *a, const dmd_fail_t *b);

#endif
