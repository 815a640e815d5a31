/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pl_new.h: replacements for C++'s operators new and delete.
 *
 * The C++ library's operators call malloc and free, which are ours, so they are passed through, and
 * their caller shows up on the stack of that call. Some allocators bring operators of their own
 * that do not call malloc. An operator in the same object as the program's malloc is recorded like
 * malloc itself. A library that is loaded later may bring the C++ library with it, out of sight of
 * the others; it is looked for when one of its operators is called.
 *
 * Concurrency: as pl_malloc.h.
 */
#ifndef DMD_NATIVE_PL_NEW_H
#define DMD_NATIVE_PL_NEW_H

#endif
