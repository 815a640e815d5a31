/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_clientreq.h: handles the program's requests, made through dmd.h and valgrind.h.
 *
 * Input is not trusted: an address is looked up but never dereferenced, and a string is read only
 * as far as it is readable and DMD_MAX_NAME allows.
 */
#ifndef DMD_VALGRIND_DM_CLIENTREQ_H
#define DMD_VALGRIND_DM_CLIENTREQ_H

#include "pub_tool_basics.h"

/* Called by the core. Returns False if the request is not one of ours. */
Bool dm_handle_client_request(ThreadId tid, UWord *arg, UWord *ret);

/* As dm_handle_client_request, for the requests that programs make by the million, called from
 * translated code. There a trap on the program's memory could not be caught, so requests that take
 * a name are not handled here. */
Bool dm_answer_frequent_request(ThreadId tid, UWord *arg, UWord *ret);

#endif
