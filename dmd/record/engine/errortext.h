/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * errortext.h: the meaning of system error numbers that can occur when a file is written.
 */
#ifndef DMD_RECORD_ENGINE_ERRORTEXT_H
#define DMD_RECORD_ENGINE_ERRORTEXT_H

/* Descriptive if the user can do something about the error. */
const char *dmd_error_text(int error);

#endif
