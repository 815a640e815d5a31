/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * control.h: requests from another process to an engine while the program runs, and the answers.
 *
 * A request is one line, "dmd-control 1 COMMAND ...", where 1 is the version. Commands, named like
 * the monitor's (monitor.h):
 *
 *   status                              reports what is recorded at the moment
 *   dump [graph] [clear] [send] [label TEXT]
 *                                       analyses the heap: writes a profile and, with `graph`, the
 *                                       heap graph of the same moment; with `clear`, then clears
 *                                       reports; with `send`, dmdv run gets them, and no file is
 *                                       written. TEXT is the rest of the line.
 *
 * The answer is a JSON object, described in docs/format.md. Its member "error" says what is wrong
 * with the request or could not be done.
 *
 * The client listens on a socket and sends the socket's number with a signal; the engine's process
 * connects, reads the line and writes the answer (native/pl_control.h,
 * dmdv/run/controlled.h).
 */
#ifndef DMD_RECORD_ENGINE_CONTROL_H
#define DMD_RECORD_ENGINE_CONTROL_H

#include "base/jsonout.h"
#include "base/limits.h"
#include "record/engine/engine.h"

/* ---- Rendezvous. ---- */

/* The signal that announces a request (SIGRTMAX - 4), and the name of the memory file that a
 * process maps if it handles that signal. */
enum { DMD_CONTROL_SIGNAL = 60 };
#define DMD_CONTROL_MARK "dmd-control-1"

/* Appends the abstract name of the socket on which process pid waits for the answer: use it in the
 * kernel's abstract name space, after a NUL. */
void dmd_control_name(dmd_strbuf_t *name, uint32_t pid, uint32_t number);

/* ---- Requests and answers. ---- */

enum { DMD_MAX_CONTROL_REQUEST = DMD_MAX_NAME + 128 }; /* bytes, including the line end */

typedef enum { DMD_CONTROL_STATUS, DMD_CONTROL_DUMP } dmd_control_command_t;

typedef struct dmd_control {
  dmd_control_command_t command;
  bool graph, clear, send;
  const char *label; /* n_label bytes; NULL: none */
  size_t n_label;
} dmd_control_t;

/* Facts that only the host knows. */
typedef struct dmd_control_facts {
  uint64_t start;   /* start of the program, in seconds since 1970; 0: unknown */
  uint64_t own_szB; /* resident memory of the engine itself */
  uint32_t n_stacks;
} dmd_control_facts_t;

/* Appends the request, including the line end. Line ends within a label become blanks. */
void dmd_control_write(dmd_strbuf_t *line, const dmd_control_t *request);

/* Parses a line of n bytes, with or without its line end; the label points into it. Returns false,
 * with the reason in why, if it is not a valid request. */
bool dmd_control_read(dmd_control_t *request, const char *line, size_t n, const char **why);

/* Executes the request in the line of n bytes, and appends the answer. */
void dmd_control_answer(dmd_engine_t *engine, const dmd_control_facts_t *facts, const char *line,
                        size_t n, dmd_strbuf_t *answer);

/* Appends an answer that contains only an error. */
void dmd_control_refuse(dmd_strbuf_t *answer, const char *why);

/* What a dump wrote. */
typedef struct dmd_control_dumped {
  uint64_t number;
  const char *profile, *graph; /* paths, equal ones if both are one file; NULL: not written */
  bool cleared;
  const char *error; /* NULL: none */
} dmd_control_dumped_t;

/* Writes the members of the answer to a dump. */
void dmd_control_write_dumped(dmd_jsonout_t *json, const dmd_control_dumped_t *dumped);

#endif
