/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/description.h"

#include "base/format.h"
#include "record/engine/replacednew.h"

/* Adds the arguments, and their text for people: joined by blanks as they are. */
static void describe_command(const dmd_engine_t *engine, dmd_profile_t *profile) {
  const dmd_engine_host_t *host = engine->host;
  const char *argument;
  dmd_strbuf_t command;
  dmd_strbuf_init(&command, engine->env);
  for (uint32_t i = 0; (argument = host->argument(host->ctx, i)) != NULL; i++) {
    dmd_profile_add_argument(profile, argument);
    dmd_strbuf_str(&command, i > 0 ? " " : "");
    dmd_strbuf_str(&command, argument);
  }
  profile->run.command = dmd_profile_keep(profile, command.text);
  dmd_strbuf_destroy(&command);
}

static void describe_time(const dmd_engine_t *engine, dmd_profile_t *profile) {
  char text[DMD_FORMAT_MAX];
  uint64_t seconds = engine->host->time(engine->host->ctx);
  dmd_format_time(text, seconds);
  profile->run.time = dmd_profile_keep(profile, seconds > 0 ? text : NULL);
}

void dmd_describe_run(const dmd_engine_t *engine, dmd_profile_t *profile, dmd_trigger_t trigger,
                      const char *label) {
  static const char *const triggers[] = {"exit", "request", "monitor"};
  const dmd_engine_host_t *host = engine->host;
  const dmd_strbuf_t *given = &engine->options->given;
  profile->options = given->n == 0 ? NULL : dmd_profile_keep(profile, given->text);
  profile->run.version = host->version;
  profile->run.valgrind_version = host->valgrind_version;
  describe_command(engine, profile);
  describe_time(engine, profile);
  profile->run.folder = dmd_profile_keep(profile, host->start_folder(host->ctx));
  profile->run.host = dmd_profile_keep(profile, host->host_name(host->ctx));
  profile->run.replaced_new = dmd_engine_find_replaced_new(host, profile);
  profile->run.label = dmd_profile_keep(profile, label);
  profile->run.trigger = triggers[trigger];
  profile->run.pid = host->pid(host->ctx);
  profile->run.dump_number = engine->n_dumps;
}
