/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * input.h: the bytes of a file or of standard input, plain or gzipped.
 *
 * The first two bytes decide whether the input is gzipped, not the name. Several gzip members in a
 * row are read as one stream. Everything is read front to back, in constant memory, and once unless
 * it is rewound. A heap graph after a profile (files/graph/graphmember.h) is passed over, or read
 * instead of the profile.
 */
#ifndef DMD_DMDV_INPUT_INPUT_H
#define DMD_DMDV_INPUT_INPUT_H

#include "base/fail.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dmdv_input dmdv_input_t;

/* Opens the file with this name; "-" is standard input. NULL, with *fail filled in, if that
 * fails. */
dmdv_input_t *dmdv_input_open(const char *name, dmd_fail_t *fail);

/* Opens the input on a descriptor. The descriptor is closed with the input, or at once if this
 * fails. */
dmdv_input_t *dmdv_input_open_fd(int fd, dmd_fail_t *fail);

/* For tests: the input is these n bytes, which must stay in place. They are returned in pieces of
 * at most this size (2 or more), even when decompressed. NULL if memory runs out. */
dmdv_input_t *dmdv_input_open_memory(const void *bytes, size_t n, size_t piece, dmd_fail_t *fail);
void dmdv_input_close(dmdv_input_t *input);

/* Goes back to the start of the input. keep must be called before anything is read: it copies an
 * input that can be read only once, such as a pipe, to a temporary file. */
bool dmdv_input_keep(dmdv_input_t *input, dmd_fail_t *fail);
bool dmdv_input_rewind(dmdv_input_t *input, dmd_fail_t *fail);

/* As keep. If the file is a profile with a heap graph after it, the graph is what is read, also
 * after a rewind. */
bool dmdv_input_for_graph(dmdv_input_t *input, dmd_fail_t *fail);

/* Where the heap graph after a profile begins in an open file, and how many bytes it has; the
 * position stays. False: it is not a regular file, or there is no graph. */
bool dmdv_input_find_graph(int fd, uint64_t *at, uint64_t *szB);

/* Whether the regular file with this name is a profile with a heap graph after it. */
bool dmdv_input_has_graph(const char *name);

/* Makes the next bytes of the (decompressed) stream available: *bytes points to *n of them, valid
 * until the next call. At the end *n is 0. False, with *fail filled in, if they cannot be read or
 * decompressed. */
bool dmdv_input_next(dmdv_input_t *input, const char **bytes, size_t *n, dmd_fail_t *fail);

/* As next, but the next call returns these bytes again. */
bool dmdv_input_peek(dmdv_input_t *input, const char **bytes, size_t *n, dmd_fail_t *fail);

/* The number of bytes read from the file itself, before decompression, and the file's size; 0:
 * unknown.
 */
uint64_t dmdv_input_at(const dmdv_input_t *input);
uint64_t dmdv_input_total(const dmdv_input_t *input);

#endif
