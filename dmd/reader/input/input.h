/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * input.h: the bytes of a file, whatever way they come.
 *
 * A file or standard input, plain or gzipped: the first two bytes tell, not the name. Several gzip
 * members in a row are read as one stream. Everything is read front to back, in constant memory,
 * and once unless it is rewound.
 */
#ifndef DMD_READER_INPUT_INPUT_H
#define DMD_READER_INPUT_INPUT_H

#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dmdv_input dmdv_input_t;

/* Opens the file with this name; "-" is standard input. NULL, with *fail filled in, when that
 * cannot be done. */
dmdv_input_t *dmdv_input_open(const char *name, dmd_fail_t *fail);

/* For tests: the n bytes at this place, which must stay there, as if they were a file's. They come
 * in pieces of at most this size (2 or more), also when decompressed. NULL when out of memory. */
dmdv_input_t *dmdv_input_open_memory(const void *bytes, size_t n, size_t piece, dmd_fail_t *fail);
void dmdv_input_close(dmdv_input_t *input);

/* Lets the input be read once more from its start. What cannot be read twice, as a pipe, was copied
 * to a temporary file by the time that this is called: dmdv_input_keep, before anything else. */
bool dmdv_input_keep(dmdv_input_t *input, dmd_fail_t *fail);
bool dmdv_input_rewind(dmdv_input_t *input, dmd_fail_t *fail);

/* Makes the next bytes of the (decompressed) stream available: *bytes points to *n of them, good
 * until the next call. At the end *n is 0. False, with *fail filled in, when they cannot be read or
 * decompressed. */
bool dmdv_input_next(dmdv_input_t *input, const char **bytes, size_t *n, dmd_fail_t *fail);

/* The same, but the next call makes these bytes available once more. */
bool dmdv_input_peek(dmdv_input_t *input, const char **bytes, size_t *n, dmd_fail_t *fail);

/* How many bytes were read of the file itself, compressed or not, and how many it has; 0: unknown.
 */
uint64_t dmdv_input_at(const dmdv_input_t *input);
uint64_t dmdv_input_total(const dmdv_input_t *input);

#endif
