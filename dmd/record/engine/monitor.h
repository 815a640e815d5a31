/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * monitor.h: commands that the user gives while the program runs.
 *
 * A command is a line of text: a word, which may be abbreviated, and its operand. The host delivers
 * it (under Valgrind: from vgdb or gdb), and the answer goes through the host's `reply`.
 *
 * Concurrency: for a dump see dump.h.
 */
#ifndef DMD_RECORD_ENGINE_MONITOR_H
#define DMD_RECORD_ENGINE_MONITOR_H

#include "record/engine/engine.h"

/* Executes the command and answers it. Returns false, and does nothing, if the command is
 * unknown. */
bool dmd_engine_monitor(dmd_engine_t *engine, const char *command);

#endif
