/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * dmdv merge: merges profiles, such as those of a program's processes, into one.
 */
#include "analyse/transform/merge.h"
#include "analyse/tree/profile_amounts.h"
#include "base/limits.h"
#include "dmdv/commandline/commands.h"
#include "dmdv/commandline/recordoptions.h"
#include "dmdv/commandline/sharedoptions.h"
#include "dmdv/commandline/show.h"
#include "dmdv/input/fleet.h"
#include "host/process.h"

typedef struct {
  bool keep_processes;
  const char *output; /* NULL: standard output */
  dmdv_files_t files;
} options_t;

static const dmd_option_t options[] = {
    {"keep-processes", NULL, NULL,
     "keep processes distinguishable: end each stack with a frame that names its process",
     DMD_OPTION_SWITCH, DMD_OPTION_AT(options_t, keep_processes)},
    DMDV_OUTPUT_OPTION(options_t, output, NULL, DMDV_TO_FILE DMDV_GZIPPED),
};
static const dmd_option_table_t table = {options, sizeof options / sizeof *options};

static const dmdv_part_t parts[] = {
    {.text = "usage: dmdv merge [OPTION...] FILE...\n\n"
             "Writes one profile with the blocks of all FILEs, such as those of a program's\n"
             "processes. All must have the same mode. - is standard input.\n\n",
     .options = &table},
    {0},
};

static bool have_one_time_unit(const char *a, const dmd_profile_t *first, const char *b,
                               const dmd_profile_t *second) {
  static const char *const units[] = {"bytes", "instructions"};
  bool unit = first->run.counts_instructions, other = second->run.counts_instructions;
  return unit == other || !first->lifetimes.is_known || !second->lifetimes.is_known ||
         dmdv_error("the lifetimes of %s are in %s, and those of %s in %s: they cannot be merged",
                    a, units[unit], b, units[other]);
}

static bool add_profile(dmd_merge_t *merge, dmd_profile_t *profile, char **files, int i,
                        bool keep_processes) {
  char *process = dmd_process_name(profile);
  bool good = i == 0 || dmdv_are_of_one_mode(files[0], merge->profile.mode, files[i], profile->mode,
                                             "they cannot be merged");
  good = good && (i == 0 || dmdv_are_sampled_alike(files[0], &merge->profile, files[i], profile,
                                                   "they cannot be merged"));
  good = good && (i == 0 || have_one_time_unit(files[0], &merge->profile, files[i], profile));
  if (good && !dmd_merge_add(merge, profile, keep_processes ? process : NULL))
    good =
        dmdv_error("merge: with %s the result exceeds what a profile can hold (" DMD_MAX_TOTAL_TEXT
                   " bytes, " DMD_MAX_COUNT_TEXT " of any count, %d memory reports)",
                   files[i], DMD_MAX_MEMORY_REPORTS);
  dmd_env_free(&dmdv_env, process);
  return good;
}

bool dmdv_merge_files(dmd_merge_t *merge, const dmdv_files_t *files, bool keep_processes,
                      const dmd_load_options_t *load) {
  dmd_load_options_t named = *load;
  named.namer = dmdv_namer();
  dmdv_fleet_t *fleet = dmdv_fleet_begin(files->names, files->n, &named);
  bool good = true;
  dmd_merge_init(merge, &dmdv_env);
  for (int i = 0; i < files->n && good; i++) {
    dmd_fail_t fail = {0};
    dmd_profile_t *profile = dmdv_fleet_next(fleet, &fail);
    good = profile != NULL ? add_profile(merge, profile, files->names, i, keep_processes)
                           : dmdv_error_in(files->names[i], &fail);
  }
  dmdv_fleet_end(fleet);
  if (good)
    dmd_merge_finish(merge);
  return good;
}

static int run(int argc, char **argv) {
  options_t o = {0};
  int status = dmdv_read_command_line(&dmdv_merge_command, &o, argc, argv, &o.files);
  if (status >= 0)
    return status;
  if (o.files.n == 0) {
    dmdv_error("merge: give the files to merge; see dmdv merge --help");
    return 2;
  }
  dmd_merge_t merge;
  bool good = dmdv_merge_files(&merge, &o.files, o.keep_processes, &(dmd_load_options_t){0}) &&
              dmdv_write_profile(&merge.profile, o.output);
  dmd_merge_destroy(&merge);
  return good ? 0 : 2;
}

const dmdv_command_t dmdv_merge_command = {
    "merge", "merge profiles, such as those of many processes, into one", parts, run};
