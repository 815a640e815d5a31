/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_attach.h: starts and ends the engine in a program that runs already.
 *
 * A debugger loads this library into the process and calls these functions (dmdv/run/attach.h), in
 * a thread that is neither in the loader nor in the allocator. All other threads run meanwhile.
 *
 * Attaching starts the engine, makes all loaded objects call our functions (pl_bindings.h), and
 * records from then on. Blocks from before are unknown addresses: they are freed and reallocated by
 * the program's own functions.
 *
 * Detaching binds the program's own functions again. This library stays, since threads may be in
 * our functions and come back later, and so does the engine's memory until the engine is attached
 * again. It then starts anew, with new options (g_start).
 */
#ifndef DMD_NATIVE_PL_ATTACH_H
#define DMD_NATIVE_PL_ATTACH_H

/* options: as in DMD_OPTIONS. Returns "", or why it is impossible: the program then runs as
 * before. */
const char *dmd_native_attach(const char *options);

/* Writes the final profile. Returns "+" and its name, "+" if none is to be written, or "-" and why
 * it is impossible. Valid until the next call. */
const char *dmd_native_detach(void);

#endif
