/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where there is no libpq.
 */
#include "reader/history/driver.h"

const dmdv_driver_t *const dmdv_postgresql = NULL;
