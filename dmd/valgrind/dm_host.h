/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_host.h: starts the engine, with Valgrind as its host (record/host.h).
 */
#ifndef DMD_VALGRIND_DM_HOST_H
#define DMD_VALGRIND_DM_HOST_H

/* Initialises the engine (dm_env.h), after the options are known. */
void dm_start_engine(void);

#endif
