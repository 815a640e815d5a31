/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * output.h: a file that a command writes, plain or gzipped.
 *
 * base/files.h decides under which name the file is written, and when it appears. Gzipped output
 * is one member without a name or time, so that equal input makes equal files.
 */
#ifndef DMD_HOST_OUTPUT_H
#define DMD_HOST_OUTPUT_H

#include "base/out.h"
#include "base/zip/gzip.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- The pager. ----
 *
 * Shows long text on a terminal through a pager, as git does.
 *
 * The pager is the command in DMD_PAGER, else in PAGER, else less if it is installed. The shell
 * runs it. LESS is set to -FRX unless the user has set it: less then ends if all fits on the
 * screen, and passes colours through. An empty command, or "cat", means no pager.
 *
 * A command that writes text calls dmdv_pager_begin before it opens standard output; main calls
 * dmdv_pager_end, so that the pager ends before dmdv does. In between standard output is a pipe, so
 * code that needs to know whether people read the output asks this module, not the system. */

/* Starts the pager if standard output is a terminal and a pager is wanted; otherwise does
 * nothing. */
void dmdv_pager_begin(bool wanted);

/* Waits until the user has left the pager, if one was started. */
void dmdv_pager_end(void);

/* Whether standard output is a terminal, directly or through a pager. */
bool dmdv_is_terminal(void);

/* The width of the terminal. */
uint32_t dmdv_terminal_columns(void);

/* ---- Output. ---- */

typedef struct dmdv_output dmdv_output_t;

/* The compression settings of all of dmdv's output. */
extern const dmd_gzip_way_t dmdv_gzip_way;

/* Opens the file with this name, or standard output if it is NULL. NULL, with one line on stderr,
 * if it cannot be written. The name stays the caller's. */
dmdv_output_t *dmdv_output_open(const char *name, bool gzip);

/* Says that a file cannot be written: its name, and an error of dmd_files_t. */
typedef struct {
  void (*say)(void *ctx, const char *name, int error);
  void *ctx;
} dmdv_report_t;

/* The same; errors, also later ones, go to report instead of stderr. */
dmdv_output_t *dmdv_output_open_reporting(const char *name, bool gzip, dmdv_report_t report);

/* Opens a new file that will replace an existing regular file, with these permissions. */
dmdv_output_t *dmdv_output_open_again(const char *name, bool gzip, uint32_t mode);

/* A dmd_write_fn; ctx is a dmdv_output_t. */
bool dmdv_output_write(void *ctx, const char *bytes, size_t n);

/* Lets the close add szB bytes of another file, from an offset, after everything that is written.
 * The descriptor stays the caller's, who closes it afterwards. */
void dmdv_output_add_at_close(dmdv_output_t *file, int fd, uint64_t at, uint64_t szB);

/* Closes the file. keep: gives it its name; otherwise removes it. False, with one line on stderr,
 * if it was to be kept and a write failed. */
bool dmdv_output_close(dmdv_output_t *file, bool keep);

/* Lets print write text to the file with this name, never gzipped, or to standard output if it is
 * NULL. Standard output goes through a pager if the user wants one; the pager has ended when this
 * returns. False, with one line on stderr, if the text cannot be written. If the file cannot be
 * opened, print is not called. */
bool dmdv_output_print(const char *name, bool wants_pager, void (*print)(void *ctx, dmd_out_t *out),
                       void *ctx);

/* The same for JSON. most: the highest number of elements that the named lists keep (jsonlimit.h);
 * 0: all. */
bool dmdv_output_print_json(const char *name, bool wants_pager, const char *lists, uint32_t most,
                            void (*print)(void *ctx, dmd_out_t *out), void *ctx);

/* The message for an error of dmd_posix_files (base/posix/posix.h). */
const char *dmdv_file_error(int error);

/* Whether output to this name is gzipped: it ends in .gz. False for NULL, standard output. */
bool dmdv_output_is_gzip(const char *name);

#endif
