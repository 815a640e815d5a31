/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dm_monitor.h: commands typed into vgdb or gdb while the program runs.
 */
#ifndef DMD_TOOL_DM_MONITOR_H
#define DMD_TOOL_DM_MONITOR_H

#include "pub_tool_basics.h"

/* True where the command was one of dmd's. */
Bool dm_handle_monitor_command(const HChar *command);

#endif
