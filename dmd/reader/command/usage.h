/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * usage.h: what to say to people whose command line is wrong. Always one line on stderr.
 */
#ifndef DMD_READER_COMMAND_USAGE_H
#define DMD_READER_COMMAND_USAGE_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

/* An argument that getopt_long did not take; names the nearest of the options that there are. */
bool dmdv_unknown_option(const char *command, const char *arg, const struct option *options);

/* getopt_long without its messages: the next option of the command argv[0], -1 after the last; '?'
 * after it has said what is wrong. letters begin with ':'. Set optind to 1 before the first. */
int dmdv_next_option(int argc, char **argv, const char *letters, const struct option *options);

/* Of n words the one that was probably meant, or NULL. */
const char *dmdv_nearest(const char *word, const char *const *words, int n);

/* The value of option `what` as a number from 1 to 1,000,000,000; false where it is none. */
bool dmdv_parse_count(const char *what, const char *value, uint32_t *count);

#endif
