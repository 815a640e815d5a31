/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A library that has a reporter while it is loaded, for test_reporters.c.
 */
#include "dmd-reporters.h"

static int g_id, g_amount = 7;

static void measure(struct dmd_reporters_call *call, void *closure) {
  dmd_reporters_report(call, "plugin", DMD_REPORTERS_OTHER, DMD_REPORTERS_COUNT, *(int *)closure,
                       NULL);
}

__attribute__((constructor)) static void begin(void) {
  g_id = dmd_reporters_register(measure, &g_amount, "plugin", DMD_REPORTERS_ANY_THREAD);
}

__attribute__((destructor)) static void end(void) {
  dmd_reporters_unregister(g_id);
}
