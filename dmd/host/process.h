/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * process.h: an ordinary process as the host of the core.
 */
#ifndef DMD_HOST_PROCESS_H
#define DMD_HOST_PROCESS_H

#include "base/env.h"
#include "base/fail.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

/* Allocates with malloc. If memory runs out, or an invariant is broken, prints one line and exits
 * with status 2. */
extern dmd_env_t dmdv_env;

/* Call it first: it seeds the hash functions with random numbers. */
void dmdv_host_init(void);

/* ---- Memory. ----
 *
 * How much memory is available. */

/* Bytes that this process can still take: the smaller of the machine's available memory and the
 * rest of the process's own limit (ulimit -v). UINT64_MAX if unknown. */
uint64_t dmdv_memory_available(void);

/* ---- Other processes. ---- */

/* The number behind "WORD:" in the kernel's status of a process, 0 being this one; base: 10, or 16
 * for a mask. 0 if the process, or the line, does not exist. */
uint64_t dmdv_process_status(uint32_t pid, const char *word, int base);

/* ---- Messages. ----
 *
 * Messages of dmdv on stderr, errors and notes, one line each.
 *
 * File names and texts from files may contain anything; control characters are written as \xNN. */

/* Appends a file's name, after the current folder unless it is absolute or that is unknown. */
void dmdv_absolute_path(dmd_strbuf_t *path, const char *name);

/* The prefix of lines, "dmdv" unless another program sets it. */
extern const char *dmdv_program;

/* Prints a note, `dmdv: ...` and a line end. */
void dmdv_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* From now on errors are JSON, {"error": "..."}, a line each. Notes stay as they are. */
void dmdv_errors_as_json(void);

/* Prints an error in the same form. Returns false, for `return dmdv_error(...)`. */
bool dmdv_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reports that a file ("-": standard input) could not be read: why, and at which place. Returns
 * false. */
bool dmdv_error_in(const char *name, const dmd_fail_t *fail);

/* ---- Times. ----
 *
 * Parses times as people and files write them. */

/* Parses a time: seconds since 1970, or ISO 8601 such as 2026-11-23T02:00:00Z, with or without the
 * time of day. UTC, unless +HH:MM or -HH:MM gives the clock's offset from it. False if it is
 * neither. */
bool dmdv_parse_time(const char *text, int64_t *time);

#endif
