/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fuzz.h: functions that all fuzz targets share.
 *
 * A target is one file fuzz_NAME.c with one function that is called with any bytes. It handles them
 * as dmdv would, and ends the process if a property that must hold for all inputs does not. `make
 * fuzz` links it with libFuzzer, `make check` with replay.c, which calls it with each file of
 * corpus/fuzz_NAME/.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "base/fail.h"
#include "base/out.h"
#include "model/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Ends the process unless the condition holds. */
#define FUZZ_CHECK(good) ((good) ? (void)0 : fuzz_failed(#good, __FILE__, __LINE__))
_Noreturn void fuzz_failed(const char *what, const char *file, int line);

/* A copy of n bytes with a NUL behind them; the caller frees it. */
char *fuzz_string(const uint8_t *data, size_t n);

/* A text that grows; zeros are an empty one. */
typedef struct fuzz_text {
  char *bytes;
  size_t n, room;
} fuzz_text_t;

/* A dmd_write_fn; ctx is a fuzz_text_t. */
bool fuzz_keep(void *ctx, const char *bytes, size_t n);
void fuzz_text_free(fuzz_text_t *text);

/* Ends the process, with the place of the first difference, if the two differ. */
void fuzz_check_equal(const fuzz_text_t *a, const fuzz_text_t *b);

/* Ends the process unless the printed text is UTF-8 and, except for line ends, has no character
 * that a terminal interprets or that changes the direction of text. The second function also frees
 * it. */
void fuzz_check_safe(const fuzz_text_t *printed);
void fuzz_take_safe(fuzz_text_t *printed);

/* The profile as a document. */
void fuzz_write_json(fuzz_text_t *text, const dmd_profile_t *profile);

/* Loads a profile, which need not be initialised, from bytes that come in pieces of this size.
 * Destroy it either way. */
bool fuzz_load(dmd_profile_t *profile, const void *bytes, size_t n, size_t piece, dmd_fail_t *fail);

/* Ends the process unless a file was refused for the same reason at the same place. Gzipped files
 * are exempt: the rest of the input may have been read before the damage was noticed, or not. */
void fuzz_check_same_fail(const uint8_t *data, size_t n, const dmd_fail_t *a, const dmd_fail_t *b);

#endif
