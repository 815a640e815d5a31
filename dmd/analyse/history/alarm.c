/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analyse/history/alarm.h"

#include "base/str.h"

const char *dmd_alarm_state_name(dmd_alarm_state_t state) {
  static const char *const names[] = {[DMD_ALARM_NEW] = "new",
                                      [DMD_ALARM_ACKNOWLEDGED] = "acknowledged",
                                      [DMD_ALARM_FIXED] = "fixed",
                                      [DMD_ALARM_IMPROVED] = "improved"};
  return names[state];
}

int64_t dmd_alarm_delta(const dmd_alarm_t *alarm) {
  return (int64_t)(alarm->step.after - alarm->step.before);
}

bool dmd_alarm_is_certain(const dmd_alarm_t *alarm) {
  return dmd_str_equal(alarm->earliest, alarm->latest);
}

bool dmd_alarm_is_one_event(const dmd_alarm_t *a, const dmd_alarm_t *b) {
  return dmd_str_equal(a->first_build, b->first_build) && dmd_str_equal(a->branch, b->branch) &&
         dmd_str_equal(a->moment, b->moment) && dmd_str_equal(a->environment, b->environment) &&
         (a->state == DMD_ALARM_IMPROVED) == (b->state == DMD_ALARM_IMPROVED);
}
