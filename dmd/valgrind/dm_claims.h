/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_claims.h: sees functions return that say how large something is (--claim-fn).
 *
 * A call of the tool is inserted where such a function begins: it notes the stack pointer, the
 * return address and the argument. Another one is inserted at the return address. When control
 * arrives there and the stack pointer is where the function's return leaves it, the function has
 * returned, with its result in the return register. Functions that longjmp or an exception left are
 * further down the stack; they are dropped. A function that ends in a jump to another one has the
 * same stack pointer and return address as that one, and both returned the same.
 *
 * A call within a call of the same function for the same object is a part of the latter, and no
 * claim of its own.
 *
 * Only translations that begin at a function's entry or at such a return address get a call; all
 * other code runs as before. A translation that follows a call into such a function is made again
 * without (dm_private.h). A return address that was already translated is translated again, too.
 *
 * On x86 no claims are seen.
 */
#ifndef DMD_VALGRIND_DM_CLAIMS_H
#define DMD_VALGRIND_DM_CLAIMS_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/* The translation with the insertions; the same one if there is nothing to insert. */
IRSB *dm_claims_instrument(IRSB *sb, const VgCallbackClosure *closure,
                           const VexGuestLayout *layout);

void dm_claims_end_thread(ThreadId tid);

/* Whether a graph should be written before the block at p is freed or moved. */
Bool dm_claims_need(const void *p);

/* Prints, for --stats=yes, how many translations got calls. */
void dm_claims_print_stats(void);

/* Call before the engine's exit: finds inlined calls of the functions in code that ran. */
void dm_claims_find_inlined(void);

/* Call whenever the program continues outside of translated code: writes a graph if a function has
 * just returned and one is due. */
void dm_claims_continue(void);

#endif
