/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_clientreq.h: what the program asks of the tool through dmd.h and valgrind.h.
 *
 * Nothing that comes in is trusted: an address is only looked up, never followed, and a string is
 * read as far as it is readable and DMD_MAX_NAME allows.
 */
#ifndef DMD_TOOL_DM_CLIENTREQ_H
#define DMD_TOOL_DM_CLIENTREQ_H

#include "pub_tool_basics.h"

/* As the core calls it. False where the request is not one of ours. */
Bool dm_handle_client_request(ThreadId tid, UWord *arg, UWord *ret);

/* The same for the requests of which programs make millions, and from translated code: there no
 * trap of the program's memory could be caught, so that nothing with a name is among them. */
Bool dm_answer_frequent_request(ThreadId tid, UWord *arg, UWord *ret);

#endif
