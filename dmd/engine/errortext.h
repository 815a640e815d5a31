/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * errortext.h: what an error number of the system means, of those that writing a file has.
 *
 * Concurrency: pure.
 */
#ifndef DMD_ENGINE_ERRORTEXT_H
#define DMD_ENGINE_ERRORTEXT_H

/* In words where it is one that a user can do something about. */
const char *dmd_error_text(int error);

#endif
