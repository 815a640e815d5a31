/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * monitor.h: commands that the user gives while the program runs.
 *
 * A command is a line of text: a word, which may be cut short, and what belongs to it. How it gets
 * here is the host's business (under Valgrind: typed into vgdb or gdb); the answer goes through the
 * host's `reply`.
 *
 * Concurrency: that of the engine (engine.h); a dump needs what dump.h says.
 */
#ifndef DMD_ENGINE_MONITOR_H
#define DMD_ENGINE_MONITOR_H

#include "engine/engine.h"

/* Does what the command says, and answers it. False, and nothing is done, where it is none of these
 * commands. */
bool dmd_engine_monitor(dmd_engine_t *engine, const char *command);

#endif
