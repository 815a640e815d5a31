/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * download.h: debug information from debuginfod servers, if DEBUGINFOD_URLS names some.
 *
 * libdwfl asks them for the debug information of each file that it opens and finds none for. It
 * uses libdebuginfod, which keeps what it gets in its cache (DEBUGINFOD_CACHE_PATH, or
 * ~/.cache/debuginfod_client). This module adds
 *
 *   - the debug information of objects whose files are not there, such as those of another machine;
 *   - progress on the terminal;
 *   - a limit: if no server sends anything for DMDV_DOWNLOAD_WAIT seconds, this process asks no
 *     more.
 *
 * Servers learn build ids and nothing else. Without libdebuginfod nothing is downloaded.
 */
#ifndef DMD_DEBUGINFO_DOWNLOAD_H
#define DMD_DEBUGINFO_DOWNLOAD_H

#include "host/progress.h"

#include <elfutils/libdwfl.h>
#include <stddef.h>

enum { DMDV_DOWNLOAD_WAIT = 15 };

typedef struct dmdv_download {
  struct debuginfod_client *client; /* libdwfl's; NULL: there is nothing to ask */
  int (*find)(struct debuginfod_client *, const unsigned char *, int, char **);
  dmdv_progress_t progress;
  long received;  /* when something last came: bytes of the current file, */
  double seconds; /* and the time */
} dmdv_download_t;

/* The struct must not move as long as dwfl is used. */
void dmdv_download_init(dmdv_download_t *download, Dwfl *dwfl);

/* Call before files are looked for, and after: a search may download. */
void dmdv_download_begin(dmdv_download_t *download);
void dmdv_download_end(dmdv_download_t *download);

/* The path of a file with the debug information of the object with this build id, to be freed with
 * free; NULL if no server has it. Call between begin and end. */
char *dmdv_download_file(dmdv_download_t *download, const void *build_id, size_t n);

#endif
