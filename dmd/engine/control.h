/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * control.h: what another process may ask an engine while the program runs, and the answers.
 *
 * A request is one line, "dmd-control 1 COMMAND ...": its version, then
 *
 *   status                              what is recorded at the moment
 *   dump [graph] [clear] [label TEXT]   an analysis of the heap: a profile and, where that is
 *                                       wanted, the heap graph of the same moment; then, where that
 *                                       is wanted, reports are forgotten
 *
 * in words that the monitor's commands have, too (monitor.h), and TEXT is what is left of the line.
 * The answer is a JSON object; docs/format.md says what is in it. What is wrong with a request, or
 * could not be done, is in its member "error".
 *
 * Who asks listens on a socket, and sends its name's numbers with a signal; who is asked connects
 * to it, reads the line and writes the answer (preload/pl_control.h, reader/host/controlled.h).
 *
 * Concurrency: reading and writing requests: none. The answer: that of the engine (engine.h).
 */
#ifndef DMD_ENGINE_CONTROL_H
#define DMD_ENGINE_CONTROL_H

#include "base/limits.h"
#include "engine/engine.h"

/* ---- How they meet. ---- */

/* The signal that says that there is a request (SIGRTMAX - 4), and what a process has mapped that
 * knows it: a memory file of this name. */
enum { DMD_CONTROL_SIGNAL = 60 };
#define DMD_CONTROL_MARK "dmd-control-1"

/* The name of the socket on which process pid waits for the answer, in the kernel's own space of
 * names: that of its kind, a NUL and this. Appends it. */
void dmd_control_name(dmd_strbuf_t *name, uint32_t pid, uint32_t number);

/* ---- Requests and answers. ---- */

enum { DMD_MAX_CONTROL_REQUEST = DMD_MAX_NAME + 128 }; /* bytes, with the line end */

typedef enum { DMD_CONTROL_STATUS, DMD_CONTROL_DUMP } dmd_control_command_t;

typedef struct dmd_control {
  dmd_control_command_t command;
  bool graph, clear;
  const char *label; /* of n_label bytes; NULL: none */
  size_t n_label;
} dmd_control_t;

/* What only the host knows of itself. */
typedef struct dmd_control_facts {
  uint64_t start;   /* when the program began, in seconds since 1970; 0: unknown */
  uint64_t own_szB; /* resident memory that is the engine's */
  uint32_t n_stacks;
} dmd_control_facts_t;

/* Appends the request, line end included. A label's line ends become blanks. */
void dmd_control_write(dmd_strbuf_t *line, const dmd_control_t *request);

/* Reads the line of n bytes, its end left out or not; the label is a part of it. False, with what
 * is wrong in why, where it is no request. */
bool dmd_control_read(dmd_control_t *request, const char *line, size_t n, const char **why);

/* Does what the line of n bytes asks, and appends the answer. */
void dmd_control_answer(dmd_engine_t *engine, const dmd_control_facts_t *facts, const char *line,
                        size_t n, dmd_strbuf_t *answer);

/* Appends an answer that says nothing but what is wrong. */
void dmd_control_refuse(dmd_strbuf_t *answer, const char *why);

#endif
