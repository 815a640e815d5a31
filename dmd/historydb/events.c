/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "historydb/events.h"

#include "base/strbuf.h"
#include "historydb/origin.h"
#include "host/process.h"
#include "host/sourcefiles.h"
#include "model/profile/frame.h"

#include <string.h>

typedef struct {
  dmdv_events_t *events;
  const char *root;          /* NULL: no repository */
  bool has_git;              /* whether git knows the commits */
  dmdv_sourcefiles_t *files; /* NULL: not searched so far, or root is NULL */
  dmdv_event_t *event;
} finding_t;

static const char *keep(dmdv_events_t *events, const char *text) {
  return dmd_intern_get_str(&events->texts, dmd_intern_str(&events->texts, text));
}

/* ---- Places. ---- */

static bool find_frame(finding_t *f, const dmd_frames_t *frames, uint32_t frame) {
  dmd_location_t location = dmd_frames_location(frames, frame);
  const char *path = location.file == NULL || location.line == 0
                         ? NULL
                         : dmdv_sourcefiles_find(f->files, location.file);
  if (path != NULL)
    f->event->place = (dmdv_place_t){keep(f->events, path), location.line};
  return path != NULL;
}

/* Splits the stack's text into frames, as when a file is loaded. */
static void find_place(finding_t *f, const char *stack) {
  dmd_frames_t frames;
  dmd_strbuf_t text;
  dmd_frames_init(&frames, &dmdv_env);
  dmd_strbuf_init(&text, &dmdv_env);
  for (const char *line = stack; *line != '\0';) {
    size_t n = strcspn(line, "\n");
    dmd_strbuf_cut(&text, 0);
    dmd_strbuf_bytes(&text, line, n);
    if (find_frame(f, &frames, dmd_frames_read_text(&frames, text.text)))
      break;
    line += n + (line[n] == '\n');
  }
  dmd_strbuf_destroy(&text);
  dmd_frames_destroy(&frames);
}

/* ---- What to try next. ---- */

static void find_next(finding_t *f, const dmdv_alarm_t *a) {
  if (a->alarm.step.is_slow)
    return;
  dmd_strbuf_t next;
  dmd_strbuf_init(&next, &dmdv_env);
  if (f->has_git)
    f->event->n_commits = dmdv_checkout_between(&next, f->root, a->sure, a->alarm.latest);
  if (next.n > 0) {
    f->event->next = keep(f->events, next.text);
  } else if (!dmd_alarm_is_certain(&a->alarm)) {
    f->event->next = a->middle;
    f->event->next_is_build = true;
  }
  dmd_strbuf_destroy(&next);
}

/* ---- Events. ---- */

static void add_change(void *ctx, const char *frames, int64_t delta) {
  finding_t *f = ctx;
  dmdv_event_t *event = f->event;
  event->changes[event->n_changes++] = (dmdv_change_t){keep(f->events, frames), delta};
  if (f->files != NULL && event->place.file == NULL)
    find_place(f, frames);
}

/* Makes an event of the alarms from i on that belong together. False, with the reason on stderr. */
static bool add_event(finding_t *f, uint32_t i) {
  dmdv_alarms_t *alarms = f->events->alarms;
  const dmdv_alarm_t *first = dmdv_alarms_at(alarms, i);
  uint32_t id = dmd_pool_add(&f->events->pool), n = dmdv_alarms_count(alarms);
  f->event = DMD_POOL_AT(&f->events->pool, dmdv_event_t, id);
  *f->event = (dmdv_event_t){.first = i};
  for (; i < n; i++) {
    const dmd_alarm_t *alarm = &dmdv_alarms_at(alarms, i)->alarm;
    if (!dmd_alarm_is_one_event(&first->alarm, alarm))
      break;
    f->event->n++;
    f->event->n_new += alarm->state == DMD_ALARM_NEW;
  }
  if (f->files == NULL && f->root != NULL)
    f->files = dmdv_sourcefiles_look("history check", f->root);
  if (f->files == NULL && f->root != NULL)
    return false;
  if (f->event->n_new > 0)
    find_next(f, first);
  return dmdv_alarm_records(alarms, first, add_change, f);
}

/* Without a top folder there may still be a bare repository. */
static bool has_repository(void) {
  dmd_strbuf_t folder;
  dmd_strbuf_init(&folder, &dmdv_env);
  bool has = dmdv_checkout_ask(&folder, NULL, (const char *[]){"rev-parse", "--git-dir", NULL});
  dmd_strbuf_destroy(&folder);
  return has;
}

bool dmdv_events_find(dmdv_events_t *events, dmdv_alarms_t *alarms, const char *source_root) {
  dmd_strbuf_t top;
  dmd_strbuf_init(&top, &dmdv_env);
  *events = (dmdv_events_t){.alarms = alarms};
  dmd_intern_init(&events->texts, &dmdv_env, "dmdv.events");
  dmd_pool_init(&events->pool, &dmdv_env, "dmdv.events", sizeof(dmdv_event_t));
  finding_t f = {.events = events, .root = source_root};
  if (source_root == NULL &&
      dmdv_checkout_ask(&top, NULL, (const char *[]){"rev-parse", "--show-toplevel", NULL}))
    f.root = top.text;
  f.has_git = f.root != NULL || has_repository();
  bool good = true;
  for (uint32_t i = 0; i < dmdv_alarms_count(alarms) && good; i += f.event->n)
    good = add_event(&f, i);
  if (f.files != NULL)
    dmdv_sourcefiles_destroy(f.files);
  dmd_strbuf_destroy(&top);
  return good;
}

void dmdv_events_destroy(dmdv_events_t *events) {
  dmd_pool_destroy(&events->pool);
  dmd_intern_destroy(&events->texts);
}
