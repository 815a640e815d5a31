/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv push: sends profiles to a store of profiles.
 */
#include "dmdv/commandline/commands.h"
#include "dmdv/commandline/sharedoptions.h"
#include "dmdv/commandline/show.h"
#include "dmdv/push/pushoptions.h"
#include "host/process.h"

typedef struct {
  dmdv_push_options_t push;
  dmd_load_options_t load;
  dmdv_files_t files;
} options_t;

static bool take_label(void *target, const char *value, dmd_strbuf_t *why) {
  return dmdv_push_take_label(&((options_t *)target)->push, value, why);
}

static bool take_header(void *target, const char *value, dmd_strbuf_t *why) {
  return dmdv_push_take_header(&((options_t *)target)->push, value, why);
}

static const dmd_option_t options[] = {
    DMDV_PUSH_OPTIONS(options_t, push, "",
                      "address of the store, http:// or https://, with or without the path",
                      "how long to try for each file", take_label, take_header),
    DMDV_END_OR_PEAK_OPTION(options_t, load.moment,
                            DMDV_END_OR_PEAK "; end: the peak, too, under names of its own"),
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv push --to=URL [OPTION...] FILE...\n\n"
             "Sends profiles to a store: Grafana Pyroscope, Parca, or a collector of\n"
             "OpenTelemetry. If the store is not there or busy, dmdv tries again, after pauses\n"
             "that double, until --timeout. A server's certificate must be valid. dmdv export\n"
             "--format=pprof and otlp write the same to files.\n\n"
             "options:\n",
     .options = &table},
    {0},
};

static bool check_options(options_t *o) {
  return dmdv_push_check(&o->push, "push", "") &&
         (o->files.n > 0 || dmdv_error("push: give one or more files; see dmdv push --help"));
}

/* A failed file does not keep the others from being sent. */
static bool send_files(options_t *o) {
  bool good = true;
  if (o->load.moment == DMD_MOMENT_END)
    o->load.moment = DMD_MOMENT_ALL;
  for (int i = 0; i < o->files.n; i++) {
    dmd_profile_t profile;
    if (!dmdv_load_or_say(&profile, o->files.names[i], &o->load)) {
      good = false;
      continue;
    }
    if (dmdv_push_send(&o->push, "push", o->files.names[i], &profile))
      dmdv_push_note_sent(&o->push, o->files.names[i]);
    else
      good = false;
    dmd_profile_destroy(&profile);
  }
  return good;
}

static int run(int argc, char **argv) {
  options_t o = {.push = dmdv_push_options_none()};
  int status = dmdv_read_command_line(&dmdv_push_command, &o, argc, argv, &o.files);
  if (status < 0)
    status = check_options(&o) && send_files(&o) ? 0 : 2;
  dmdv_push_options_destroy(&o.push);
  return status;
}

const dmdv_command_t dmdv_push_command = {"push", "send profiles to a store of profiles", parts,
                                          run};
