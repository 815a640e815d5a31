/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Stands in for driver_postgresql.c in a build without libpq.
 */
#include "historydb/driver.h"

const dmdv_driver_t *const dmdv_postgresql = NULL;
