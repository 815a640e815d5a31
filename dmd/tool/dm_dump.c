/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pub_tool_basics.h"
#include "pub_tool_clientstate.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_xarray.h"

#include "dmd-config.h"
#include "live/holders.h"
#include "live/snapshot.h"
#include "profile/json.h"
#include "text/text.h"
#include "tool/dm_allocator.h"
#include "tool/dm_dump.h"
#include "tool/dm_env.h"
#include "tool/dm_gzip.h"
#include "tool/dm_memory.h"
#include "tool/dm_options.h"
#include "tool/dm_outfile.h"
#include "tool/dm_resident.h"
#include "tool/dm_symbols.h"

/* Of this process. */
static UInt g_n_dumps;
static UInt g_n_requested;

UInt dm_n_requested_dumps(void) {
  return g_n_requested;
}

void dm_forget_dumps(void) {
  g_n_dumps = 0;
  g_n_requested = 0;
}

/*--- What to say about the run ---*/

/* The program and its arguments in one string, which the caller frees. */
static HChar *command_line(void) {
  SizeT szB = VG_(strlen)(VG_(args_the_exename)) + 1;
  for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_client)); i++)
    szB += 1 + VG_(strlen)(*(HChar **)VG_(indexXA)(VG_(args_for_client), i));
  HChar *line = VG_(malloc)("dm.dump.command", szB);
  VG_(strcpy)(line, VG_(args_the_exename));
  for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_client)); i++) {
    VG_(strcat)(line, " ");
    VG_(strcat)(line, *(HChar **)VG_(indexXA)(VG_(args_for_client), i));
  }
  return line;
}

static void describe_run(dmd_profile_t *profile, const HChar *trigger, const HChar *label) {
  HChar *command = command_line();
  profile->options =
      g_options.given.n == 0 ? NULL : dmd_profile_keep(profile, g_options.given.text);
  profile->run.version = DMD_VERSION;
  profile->run.valgrind_version = DMD_VALGRIND_VERSION;
  profile->run.command = dmd_profile_keep(profile, command);
  profile->run.label = dmd_profile_keep(profile, label);
  profile->run.trigger = trigger;
  profile->run.pid = VG_(getpid)();
  profile->run.dump_number = g_n_dumps;
  VG_(free)(command);
}

/*--- Advice ---*/

/* Live blocks from which on no holders are looked for unless the user asks for it. */
enum { MANY_BLOCKS = 1000000 };

/* Without reports there is nobody to whom advice could be given. */
static Bool advice_is_wanted(void) {
  if (!dmd_live_keeps_reports(&g_live) || g_options.advice == DMD_NO)
    return False;
  return g_options.advice == DMD_YES ||
         (dmd_live_totals(&g_live).n_blocks < MANY_BLOCKS && g_live.reports.pool.last > 0);
}

static size_t read_memory(void *ctx, uint64_t addr, void *to, size_t n) {
  return dm_memory_read(ctx, (Addr)addr, to, n);
}

/* Fills the profile with what is known of the heap. Returns what dmd_snapshot_take does. */
static ULong take_snapshot(dmd_profile_t *profile) {
  dm_memory_t reader;
  dmd_memory_t memory = {.read = read_memory, .ctx = &reader};
  dm_symbols_t symbols;
  dm_memory_open(&reader);
  dm_symbols_init(&symbols, profile);
  ULong in_blocks_szB = dmd_snapshot_take(&g_live, advice_is_wanted() ? &memory : NULL, profile,
                                          dm_symbols_resolve, &symbols);
  dm_symbols_destroy(&symbols);
  dm_memory_close(&reader);
  return in_blocks_szB;
}

/*--- Text ---*/

/* Hands whole lines to Valgrind's log, which puts the process id before each. */
typedef struct {
  XArray *line; /* of HChar: what has come of the line at hand */
} log_t;

static void end_line(log_t *log) {
  HChar nul = '\0';
  VG_(addToXA)(log->line, &nul);
  VG_(umsg)("%s\n", (HChar *)VG_(indexXA)(log->line, 0));
  VG_(dropTailXA)(log->line, VG_(sizeXA)(log->line));
}

static bool write_log(void *ctx, const char *bytes, size_t n) {
  log_t *log = ctx;
  while (n > 0) {
    size_t part = 0;
    while (part < n && bytes[part] != '\n')
      part++;
    VG_(addBytesToXA)(log->line, bytes, part);
    if (part < n) {
      end_line(log);
      part++;
    }
    bytes += part;
    n -= part;
  }
  return true;
}

/* "dump 2 "loaded" of ./app -x (pid 123)", which the caller frees. */
static HChar *title_of(const dmd_run_t *run) {
  SizeT szB = VG_(strlen)(run->command) + 100;
  if (run->label != NULL)
    szB += VG_(strlen)(run->label);
  HChar *title = VG_(malloc)("dm.dump.title", szB);
  VG_(sprintf)
  (title, "dmd %s: dump %llu%s%s%s of %s (pid %llu)", run->version, (ULong)run->dump_number,
   run->label != NULL ? " \"" : "", run->label != NULL ? run->label : "",
   run->label != NULL ? "\"" : "", run->command, (ULong)run->pid);
  return title;
}

static void print_text(dmd_profile_t *profile) {
  HChar *title = title_of(&profile->run);
  dmd_text_options_t options = {.title = title, .max_records = g_options.max_records};
  log_t log = {VG_(newXA)(VG_(malloc), "dm.dump.line", VG_(free), sizeof(HChar))};
  dmd_records_t records;
  dmd_out_t out;
  dmd_records_init(&records, profile, g_options.max_frames, g_options.sort_by);
  dmd_out_init(&out, write_log, &log);
  dmd_text_print(&out, &records, &options);
  dmd_out_flush(&out);
  dmd_records_destroy(&records);
  VG_(deleteXA)(log.line);
  VG_(free)(title);
}

/*--- The file ---*/

static Bool ends_with(const HChar *s, const HChar *end) {
  SizeT n = VG_(strlen)(s), n_end = VG_(strlen)(end);
  return n >= n_end && VG_STREQ(s + n - n_end, end);
}

/* The name of this dump's file, which the caller frees: the pattern, with ".n" put before its
 * endings for the n-th dump other than the one at exit. A pipe or a device takes all dumps. */
static HChar *file_name(const dmd_run_t *run) {
  static const HChar *const endings[] = {".json.gz", ".json", ".gz", ""};
  HChar *name = VG_(expand_file_name)("--dmd-out-file", g_options.out_file);
  if (VG_STREQ(run->trigger, "exit") || dm_outfile_is_device(name))
    return name;
  UInt i = 0;
  while (!ends_with(name, endings[i]))
    i++;
  SizeT stem = VG_(strlen)(name) - VG_(strlen)(endings[i]);
  HChar *numbered = VG_(malloc)("dm.dump.name", VG_(strlen)(name) + 32);
  VG_(memcpy)(numbered, name, stem);
  VG_(sprintf)(numbered + stem, ".%llu%s", (ULong)run->dump_number, endings[i]);
  VG_(free)(name);
  return numbered;
}

/* Writes the profile through the compressor where the name asks for one. */
static void write_profile(dm_outfile_t *file, const dmd_profile_t *profile) {
  dmd_out_t out;
#if DM_GZIP_AVAILABLE
  if (ends_with(file->name, ".gz")) {
    dm_gzip_t *gzip = dm_gzip_open(dm_outfile_write, file);
    dmd_out_init(&out, dm_gzip_write, gzip);
    dmd_json_write(&out, profile);
    dmd_out_flush(&out);
    dm_gzip_close(gzip);
    return;
  }
#endif
  dmd_out_init(&out, dm_outfile_write, file);
  dmd_json_write(&out, profile);
  dmd_out_flush(&out);
}

/* A build without zlib writes what it can under a name that says so. */
static void drop_gz(HChar *name) {
  if (!DM_GZIP_AVAILABLE && ends_with(name, ".gz"))
    name[VG_(strlen)(name) - VG_(strlen)(".gz")] = '\0';
}

static Bool write_file(const dmd_profile_t *profile) {
  HChar *name = file_name(&profile->run);
  drop_gz(name);
  dm_outfile_t file;
  Bool good = dm_outfile_open(&file, name);
  if (good) {
    write_profile(&file, profile);
    good = dm_outfile_close(&file);
  }
  if (!good)
    VG_(umsg)
  ("dmd: cannot write %s: %s (error %u)\n"
   "dmd: this dump's profile is lost; name another place with --dmd-out-file=<file>\n",
   name, dm_error_text(file.error), file.error);
  else if (VG_(clo_verbosity) > 0) VG_(umsg)("dmd: wrote %s\n", name);
  dm_outfile_destroy(&file);
  VG_(free)(name);
  return good;
}

Int dm_dump(const HChar *trigger, const HChar *label) {
  g_n_dumps++;
  if (VG_STREQ(trigger, "request"))
    g_n_requested++;
  dmd_profile_t profile;
  dmd_profile_init(&profile, &g_env);
  dm_settle_allocator();
  ULong in_blocks_szB = take_snapshot(&profile);
  describe_run(&profile, trigger, label);
  dm_resident_measure(&profile.memory, in_blocks_szB);
  if (VG_(clo_verbosity) > 0)
    print_text(&profile);
  Bool written = write_file(&profile);
  dmd_profile_destroy(&profile);
  return written ? (Int)g_n_dumps : 0;
}
