/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * source_memory.h: memory reports out of about:memory's files, and which kind of file a file is.
 */
#ifndef DMD_READER_INPUT_SOURCE_MEMORY_H
#define DMD_READER_INPUT_SOURCE_MEMORY_H

#include "analysis/memreports.h"
#include "reader/host/fail.h"
#include "reader/input/input.h"

#include <stdbool.h>

/* Adds the reports of about:memory's file with this name ("-": standard input) to an initialised
 * collection. The file is read once, front to back; memory grows with its distinct reports. False,
 * with *fail filled in, when it cannot be read or breaks a rule that Firefox demands too. */
bool dmdv_memreports_load(dmd_memreports_t *m, const char *name, dmdv_fail_t *fail);

/* The same from an input that was opened, and that stays the caller's. */
bool dmdv_memreports_load_input(dmd_memreports_t *m, dmdv_input_t *input, dmdv_fail_t *fail);

typedef enum { DMDV_FILE_PROFILE, DMDV_FILE_MEMORY_REPORTS } dmdv_file_kind_t;

/* Which of the two a file is, told by its keys. Standard input, if it cannot be rewound, is copied
 * to a temporary file that takes its place; either way it can be read from the start afterwards.
 * False, with *fail filled in, when it cannot be read or is neither. */
bool dmdv_file_kind(const char *name, dmdv_file_kind_t *kind, dmdv_fail_t *fail);

#endif
