/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/text_overview.h"

#include "analyse/findings/findings.h"
#include "analyse/records/sums.h"
#include "base/format.h"
#include "base/jsonout.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "model/profile/profile.h"
#include "show/text/print.h"
#include "show/text/text_findings.h"
#include "show/text/text_timeline.h"
#include "show/text/text_tree.h"

enum { COLUMNS = 98, LINES = 40, MAX_PLACE = 57, MAX_COMMAND = 51, FRAMES = 8 };
enum { RECORDS = 3, LOOKS = 4, FAULTS = 3 }; /* of each at most */
enum { LEAST_DUMPED_SZB = 1 << 20 };         /* where --dump-at-peak begins */

/* ---- Parts of lines. ---- */

static void print_size(dmd_out_t *out, int64_t szB, bool sampled) {
  char text[DMD_AMOUNT_MAX];
  dmd_format_amount(text, szB, DMD_MEMREPORT_BYTES, false);
  dmd_out_str(out, sampled ? "~" : "");
  dmd_out_str(out, text);
}

/* `50.39 MB in 40,002 blocks` */
static void print_sum(dmd_out_t *out, int64_t szB, int64_t n_blocks, bool sampled) {
  print_size(out, szB, sampled);
  dmd_out_str(out, " in ");
  dmd_print_count(out, n_blocks, sampled, "block", "blocks");
}

static void print_share(dmd_out_t *out, int64_t part, int64_t whole, size_t width) {
  char text[DMD_FORMAT_MAX + 1];
  size_t n = dmd_format_fixed(text, dmd_percent(part, whole), 1);
  dmd_mem_copy(text + n, "%", 2);
  dmd_out_right(out, text, width);
}

/* The length of the first line, of at most COLUMNS after an indent if it can be broken at a
 * blank. */
static size_t line_length(const char *text, size_t indent) {
  size_t room = COLUMNS - indent, n = 0, blank = 0;
  for (; text[n] != '\0' && text[n] != '\n'; n++) {
    if (text[n] == ' ')
      blank = n;
    if (n >= room && blank > 0)
      return blank;
  }
  return n;
}

/* Prints text, which is safe for terminals, in lines after an indent. */
static void print_folded(dmd_out_t *out, const char *indent, const char *text) {
  for (size_t n; *text != '\0'; text += n + (text[n] != '\0')) {
    while (*text == ' ')
      text++;
    n = line_length(text, dmd_str_length(indent));
    dmd_out_str(out, indent);
    dmd_out_bytes(out, text, n);
    dmd_out_char(out, '\n');
  }
}

static uint32_t count_lines(const char *text) {
  uint32_t n = 0;
  for (; *text != '\0'; text++)
    n += *text == '\n';
  return n;
}

/* ---- The program and its figures. ---- */

static void print_header(dmd_out_t *out, const dmd_profile_t *profile, const dmd_overview_t *o) {
  const char *command = profile->run.command != NULL ? profile->run.command : o->file;
  dmd_out_str(out, "dmd  ");
  dmd_print_shortened(out, command, MAX_COMMAND);
  if (o->how != NULL) {
    dmd_out_str(out, "    ");
    dmd_out_safe(out, o->how);
  }
  dmd_out_str(out, "\n\n");
}

static void print_peak(dmd_out_t *out, const dmd_run_t *run, bool sampled) {
  const dmd_moment_t *peak = &run->peak;
  if (!peak->is_known)
    return;
  dmd_out_str(out, "  peak      ");
  print_sum(out, (int64_t)peak->szB, (int64_t)peak->n_blocks, sampled);
  dmd_out_str(out, ", ");
  dmd_print_time(out, peak->ms);
  if (run->never_measured_blocks > 0) {
    dmd_out_str(out, "\n            of it ");
    print_sum(out, (int64_t)run->never_measured_szB, (int64_t)run->never_measured_blocks, sampled);
    dmd_out_str(out, " that no reporter has ever covered");
  }
  dmd_out_char(out, '\n');
}

static void print_run_figures(dmd_out_t *out, const dmd_run_t *run) {
  bool is_exit = dmd_run_is_at_exit(run), sampled = run->sample_interval > 0;
  const char *otherwise = dmd_run_is_at_end(run) ? "  at detach " : "  at dump   ";
  print_peak(out, run, sampled);
  dmd_out_str(out, is_exit ? "  at exit   " : otherwise);
  if (run->in_use_blocks == 0 && !sampled)
    dmd_out_str(out, "0 bytes: everything was freed");
  else
    print_sum(out, (int64_t)run->in_use_szB, (int64_t)run->in_use_blocks, sampled);
  dmd_out_str(out, "\n  traffic   ");
  dmd_print_count(out, (int64_t)run->n_allocs, sampled, "allocation", "allocations");
  dmd_out_str(out, ", ");
  print_size(out, (int64_t)run->alloc_szB, sampled);
  dmd_out_str(out, " in all\n");
  dmd_print_attach(out, run, "  recorded  ", "  before    ");
}

static void print_part(dmd_out_t *out, const dmd_blocksum_t *part, const dmd_blocksum_t *all,
                       const char *how) {
  print_size(out, part->bytes, false);
  dmd_out_str(out, " (");
  print_share(out, part->bytes, all->bytes, 0);
  dmd_out_str(out, ") ");
  dmd_out_str(out, how);
}

/* `  measured  14.10 MB (47.7%) once, 4.60 MB (17.8%) twice; 9.00 MB (34.5%) by no reporter` */
static void print_measured(dmd_out_t *out, const dmd_heapsum_t *sum) {
  dmd_out_str(out, "  measured  ");
  print_part(out, &sum->section[DMD_SECTION_ONCE], &sum->all, "once, ");
  print_part(out, &sum->section[DMD_SECTION_TWICE], &sum->all, "twice; ");
  print_part(out, &sum->section[DMD_SECTION_UNREPORTED], &sum->all, "by no reporter\n");
}

static bool has_reports(const dmd_profile_t *profile, const dmd_heapsum_t *sum) {
  return profile->mode == DMD_MODE_DARK_MATTER &&
         (sum->section[DMD_SECTION_ONCE].blocks > 0 || sum->section[DMD_SECTION_TWICE].blocks > 0 ||
          dmd_reporter_runs_count(&profile->reporter_runs) > 0);
}

/* ---- Places. ---- */

/* `  1   50.00 MB  94.4%       1 block   decode (a.cc:8)` */
static void print_line(dmd_out_t *out, const char *number, int64_t szB, int64_t n_blocks,
                       int64_t whole, bool sampled, const char *name) {
  char size[DMD_AMOUNT_MAX], blocks[DMD_FORMAT_MAX + 1] = "~";
  dmd_format_amount(size, szB, DMD_MEMREPORT_BYTES, false);
  dmd_format_commas(blocks + sampled, n_blocks);
  dmd_out_right(out, number, 3);
  dmd_out_right(out, size, 13);
  print_share(out, szB, whole, 8);
  dmd_out_right(out, blocks, 11);
  dmd_out_str(out, n_blocks == 1 ? " block   " : " blocks  ");
  dmd_print_shortened(out, name, MAX_PLACE);
  dmd_out_char(out, '\n');
}

/* What to call the moment that the places are of. */
static const char *title_of(const dmd_profile_t *profile) {
  if (profile->shows_peak)
    return "at the peak";
  return profile->mode == DMD_MODE_CUMULATIVE ? "allocated in all"
                                              : dmd_print_moment(&profile->run);
}

/* The text, and its subject. */
typedef struct {
  const dmd_overview_t *overview;
  dmd_heapsum_t sum;         /* of the dump */
  bool has_reports, is_dark; /* likewise: the mode */
  dmd_printer_t printer, *p; /* p: this printer */
  dmd_findings_t found;
  const dmd_findings_t *findings; /* those found */
  dmd_findingnames_t names;
} screen_t;

static bool is_sampled(const dmd_records_t *records, const dmd_finding_t *f) {
  if (f->kind == DMD_FINDING_UNREPORTED || f->kind == DMD_FINDING_TWICE)
    return dmd_records_at(records, f->id)->sampled;
  return records->heap.sampled && f->kind == DMD_FINDING_PLACE;
}

static void print_finding(screen_t *s, dmd_out_t *out, const char *number, const dmd_finding_t *f) {
  const dmd_records_t *records = s->p->records;
  dmd_strbuf_t name;
  dmd_strbuf_init(&name, s->p->profile->env);
  dmd_finding_place(&s->names, f, &name);
  print_line(out, number, f->bytes, f->blocks, records->heap.bytes, is_sampled(records, f),
             name.text);
  dmd_strbuf_cut(&name, 0);
  dmd_finding_sentence(&s->names, f, &name);
  print_folded(out, "     ", name.text);
  dmd_strbuf_destroy(&name);
}

/* Prints the findings of one kind, at most `most`. Returns their number. */
static uint32_t print_kind(screen_t *s, dmd_finding_kind_t kind, uint32_t most) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->findings->n && n < most; i++) {
    char number[DMD_FORMAT_MAX];
    if (s->findings->all[i].kind != kind)
      continue;
    dmd_format_u64(number, ++n);
    print_finding(s, s->p->out, number, &s->findings->all[i]);
  }
  return n;
}

static void print_title(dmd_out_t *out, const char *title) {
  dmd_out_char(out, '\n');
  dmd_out_str(out, title);
  dmd_out_char(out, '\n');
}

/* The figures of the run are of requested bytes, places of usable ones. */
static void print_moment(const screen_t *s) {
  dmd_out_t *out = s->p->out;
  const dmd_profile_t *profile = s->p->profile;
  const dmd_run_t *run = &profile->run;
  int64_t requested = (int64_t)(profile->shows_peak ? run->peak.szB : run->in_use_szB);
  int64_t usable = s->p->records->heap.bytes;
  char text[DMD_AMOUNT_MAX], before[DMD_AMOUNT_MAX];
  dmd_format_amount(before, requested, DMD_MEMREPORT_BYTES, false);
  dmd_format_amount(text, usable, DMD_MEMREPORT_BYTES, false);
  dmd_out_char(out, '\n');
  dmd_print_capitalized(out, title_of(profile));
  if (run->is_known && run->sample_interval == 0 && usable > requested &&
      !dmd_str_equal(before, text)) {
    dmd_out_str(out, ", ");
    dmd_out_str(out, text);
    dmd_out_str(out, " with the allocator's rounding");
  }
  dmd_out_char(out, '\n');
}

/* Prints the places that allocated most, and the rest in one line. */
static void print_places(screen_t *s) {
  const dmd_rows_t *rows = &s->findings->places;
  dmd_tally_t others = {.total = 0};
  if (rows->n == 0)
    return;
  print_moment(s);
  uint32_t n = print_kind(s, DMD_FINDING_PLACE, DMD_FINDINGS_OF_KIND);
  for (uint32_t i = n; i < rows->n; i++)
    dmd_tally_add(&others, DMD_SECTION_ALL, dmd_rows_at(rows, i)->num, dmd_rows_at(rows, i)->total);
  if (n < rows->n) {
    char name[DMD_FORMAT_MAX + sizeof " other places"];
    dmd_format_str(name + dmd_format_commas(name, rows->n - n),
                   rows->n - n == 1 ? " other place" : " other places");
    print_line(s->p->out, "", others.total, others.num, s->p->records->heap.bytes,
               s->p->records->heap.sampled, name);
  }
}

/* A hint on names, if the record with the most bytes has none. */
static void print_nameless(const dmd_printer_t *p, dmd_section_t section) {
  const dmd_section_records_t *s = &p->records->section[section];
  dmd_places_t places;
  const char *object;
  if (s->n == 0)
    return;
  dmd_places_init(&places, p->profile);
  const dmd_record_t *r = dmd_records_at(p->records, s->ids[0]);
  if (!dmd_places_has_name(&places, dmd_record_group(p->records, r, 0)->stack, &object) &&
      object != NULL) {
    dmd_out_str(p->out, "\nNo names are known in ");
    dmd_out_safe(p->out, dmd_path_base(object));
    dmd_out_str(p->out, ": install its debug symbols, or set DEBUGINFOD_URLS.\n");
  }
  dmd_places_destroy(&places);
}

/* ---- What reporters did. ---- */

static void print_section(screen_t *screen, dmd_section_t section, dmd_finding_kind_t kind,
                          const char *title) {
  const dmd_section_records_t *s = &screen->p->records->section[section];
  if (s->n == 0)
    return;
  dmd_out_char(screen->p->out, '\n');
  dmd_out_str(screen->p->out, title);
  dmd_out_str(screen->p->out, ": ");
  print_sum(screen->p->out, s->sum.bytes, s->sum.blocks, s->sum.sampled);
  dmd_out_char(screen->p->out, '\n');
  print_kind(screen, kind, RECORDS);
}

/* ---- Faults. ---- */

static void print_fault(const dmd_printer_t *p, const dmd_fault_t *fault) {
  dmd_strbuf_t text;
  dmd_out_t out;
  dmd_printer_t to_text = *p;
  dmd_strbuf_init(&text, p->profile->env);
  dmd_out_init(&out, dmd_strbuf_write, &text);
  to_text.out = &out;
  dmd_print_fault_sentence(&to_text, fault);
  dmd_out_flush(&out);
  print_folded(p->out, "  ", text.text);
  dmd_strbuf_destroy(&text);
}

static void print_faults(const dmd_printer_t *p) {
  const dmd_faults_t *faults = &p->profile->faults;
  uint32_t n = dmd_faults_count(faults);
  uint32_t *ids = dmd_faults_sorted(faults, p->profile->env);
  if (n > 0)
    dmd_out_str(p->out, "\nFaults\n");
  for (uint32_t i = 0; i < n && i < FAULTS; i++)
    print_fault(p, dmd_faults_at(faults, ids[i]));
  if (n > FAULTS) {
    dmd_out_str(p->out, "  and ");
    dmd_print_number(p->out, n - FAULTS, false);
    dmd_out_str(p->out, " more\n");
  }
  dmd_env_free(p->profile->env, ids);
}

/* ---- The findings. ---- */

/* The places at the moment that matters, or what reporters left out and counted twice. */
static void print_places_or_reports(screen_t *s) {
  if (s->has_reports) {
    print_section(s, DMD_SECTION_UNREPORTED, DMD_FINDING_UNREPORTED, "Measured by no reporter");
    print_section(s, DMD_SECTION_TWICE, DMD_FINDING_TWICE, "Measured twice");
  } else {
    print_places(s);
  }
  print_nameless(s->p, dmd_findings_section(s->p->profile));
}

/* Whether the finding is one of those that are worth a look: they say what to do. */
static bool is_worth_a_look(const dmd_finding_t *f) {
  return f->kind == DMD_FINDING_WASTE || f->kind == DMD_FINDING_CLAIM;
}

/* Prints as many of these findings as fit into this number of lines. */
static void print_worth_a_look(screen_t *s, uint32_t lines) {
  dmd_strbuf_t text;
  dmd_out_t *out = s->p->out, to_text;
  uint32_t n = 0, used = 2;
  dmd_strbuf_init(&text, s->p->profile->env);
  dmd_out_init(&to_text, dmd_strbuf_write, &text);
  for (uint32_t i = 0; i < s->findings->n && n < LOOKS; i++) {
    char letter[] = {(char)('a' + n), '\0'};
    if (!is_worth_a_look(&s->findings->all[i]))
      continue;
    dmd_strbuf_cut(&text, 0);
    print_finding(s, &to_text, letter, &s->findings->all[i]);
    dmd_out_flush(&to_text);
    used += count_lines(text.text);
    if (used > lines)
      break;
    if (n++ == 0)
      print_title(out, "Worth a look");
    dmd_out_str(out, text.text);
  }
  dmd_strbuf_destroy(&text);
}

static void print_command(dmd_out_t *out, const char *command, const char *file, const char *what) {
  dmd_out_str(out, "dmdv ");
  dmd_out_str(out, command);
  dmd_out_char(out, ' ');
  dmd_print_quoted(out, file);
  dmd_out_str(out, "  ");
  dmd_out_str(out, what);
  dmd_out_char(out, '\n');
}

static bool has_command(const dmd_findings_t *findings, const char *command) {
  for (uint32_t i = 0; i < findings->n; i++)
    if (is_worth_a_look(&findings->all[i]) &&
        dmd_str_equal(dmd_finding_command(findings, &findings->all[i]), command))
      return true;
  return false;
}

/* The commands that show more. */
static void print_next(const screen_t *s) {
  static const struct {
    const char *command, *what;
  } more[] = {{"waste", "says what could be saved"},
              {"leaks", "lists the lost blocks"},
              {"claims", "checks the sizes that functions return"}};
  const char *file = s->overview->file;
  const dmd_profile_t *profile = s->p->profile;
  dmd_out_t *out = s->p->out;
  bool reports = s->has_reports;
  dmd_out_char(out, '\n');
  print_command(out, "view", file, "shows all of it in a browser");
  if (profile->timeline.points.last > 0)
    print_command(out, "timeline", file, "draws the heap over time");
  print_command(out, "print", file, "prints the stacks");
  if (dmd_findings_are_scattered(s->findings))
    print_command(out, "print --by=library", file, "adds up by library");
  if (reports)
    print_command(out, "tree", file, "prints what each reporter measured");
  for (size_t i = 0; i < sizeof more / sizeof *more; i++)
    if (has_command(s->findings, more[i].command))
      print_command(out, more[i].command, file, more[i].what);
  if (s->overview->waste != NULL && !profile->shows_peak && !has_command(s->findings, "waste"))
    print_command(out, "waste", file, "says what could be saved: little");
  /* The graph at exit lacks what was freed. */
  if (profile->shows_peak && dmd_run_is_at_exit(&profile->run) &&
      profile->run.peak.szB >= LEAST_DUMPED_SZB)
    dmd_out_str(out,
                "dmdv run --graph=yes --dump-at-peak=yes --dump-at-exit=no ...  finds what could "
                "be saved\n");
  if (reports && s->overview->waste == NULL && s->overview->left_out == NULL)
    dmd_out_str(out, "dmdv run --graph=yes ...  also finds the owners of unmeasured blocks\n");
}

/* What follows the findings. */
static void print_end(const screen_t *s) {
  dmd_out_t *out = s->p->out;
  const dmd_profile_t *profile = s->p->profile;
  print_faults(s->p);
  bool is_unseen = dmd_print_unseen(out, &profile->run);
  if (!s->has_reports && !is_unseen && s->is_dark)
    dmd_out_str(out, "\nNo memory reporter ran: dmd cannot tell what the program's own statistics, "
                     "if any, leave out.\n");
  if (s->overview->left_out != NULL)
    print_title(out, s->overview->left_out);
  print_next(s);
}

/* ---- The whole. ---- */

/* `  one of    3 profiles: dump 1 of process 7 has the largest peak (dmdv FILE shows another)` */
static void print_choice(dmd_out_t *out, const dmd_profile_t *profile, uint32_t n_files) {
  dmd_out_str(out, "  one of    ");
  dmd_print_number(out, n_files, false);
  dmd_out_str(out, " profiles: dump ");
  dmd_out_u64(out, profile->run.dump_number);
  dmd_out_str(out, " of process ");
  dmd_out_u64(out, profile->run.pid);
  dmd_out_str(out, " has the largest peak (dmdv FILE shows another)\n");
}

static void print_figures(const screen_t *s) {
  const dmd_profile_t *profile = s->p->profile;
  print_header(s->p->out, profile, s->overview);
  if (s->overview->n_files > 1)
    print_choice(s->p->out, profile, s->overview->n_files);
  if (profile->run.is_known)
    print_run_figures(s->p->out, &profile->run);
  dmd_print_growth(s->p->out, "  growing   steadily by ", profile);
  if (s->has_reports)
    print_measured(s->p->out, &s->sum);
}

static void print_screen(screen_t *s, dmd_out_t *out) {
  dmd_strbuf_t begin, end;
  dmd_out_t to_begin, to_end;
  dmd_strbuf_init(&begin, s->p->profile->env);
  dmd_strbuf_init(&end, s->p->profile->env);
  dmd_out_init(&to_begin, dmd_strbuf_write, &begin);
  dmd_out_init(&to_end, dmd_strbuf_write, &end);
  s->p->out = &to_begin;
  print_figures(s);
  print_places_or_reports(s);
  dmd_out_flush(&to_begin);
  s->p->out = &to_end;
  print_end(s);
  dmd_out_flush(&to_end);
  uint32_t lines = count_lines(begin.text) + count_lines(end.text);
  dmd_out_str(out, begin.text);
  s->p->out = out;
  print_worth_a_look(s, lines < LINES ? LINES - lines : 0);
  dmd_out_str(out, end.text);
  dmd_strbuf_destroy(&end);
  dmd_strbuf_destroy(&begin);
}

/* Finds what matters at the moment that the profile shows, and lets print print it. */
static void find_and_print(screen_t *screen, dmd_profile_t *profile, dmd_out_t *out,
                           void (*print)(screen_t *screen, dmd_out_t *out)) {
  const dmd_overview_t *o = screen->overview;
  dmd_records_t records;
  dmd_hintsum_t hints;
  dmd_allocfns_t allocfns;
  dmd_growth_t growth;
  dmd_records_init(&records, profile, FRAMES, DMD_SORT_USABLE);
  dmd_hintsum_init(&hints, &records);
  dmd_allocfns_init(&allocfns, profile);
  dmd_findings_of_t of = {.records = &records,
                          .has_reports = screen->has_reports,
                          .growth = dmd_growth_find(&profile->timeline, &growth) ? &growth : NULL,
                          .waste = o->waste,
                          .claims = o->claims};
  dmd_findings_init(&screen->found, &of);
  screen->printer = (dmd_printer_t){.out = out,
                                    .records = &records,
                                    .profile = profile,
                                    .hint = &hints,
                                    .owners = o->owners,
                                    .allocfns = &allocfns};
  screen->p = &screen->printer;
  screen->findings = &screen->found;
  dmd_findingnames_init(&screen->names, &screen->found, screen->p);
  print(screen, out);
  dmd_findingnames_destroy(&screen->names);
  dmd_findings_destroy(&screen->found);
  dmd_allocfns_destroy(&allocfns);
  dmd_hintsum_destroy(&hints);
  dmd_records_destroy(&records);
}

static void print_overview(dmd_out_t *out, dmd_profile_t *profile, const dmd_overview_t *overview,
                           void (*print)(screen_t *screen, dmd_out_t *out)) {
  bool is_peak = dmd_peak_matters(profile);
  dmd_moment_side_t other;
  screen_t screen = {.overview = overview,
                     .sum = dmd_heapsum_of(profile),
                     .is_dark = profile->mode == DMD_MODE_DARK_MATTER};
  screen.has_reports = has_reports(profile, &screen.sum);
  if (is_peak) {
    dmd_moment_side_init_peak(&other, profile);
    dmd_moment_swap(profile, &other);
  }
  find_and_print(&screen, profile, out, print);
  if (is_peak) {
    dmd_moment_swap(profile, &other);
    dmd_moment_side_destroy(&other);
  }
}

void dmd_overview_print(dmd_out_t *out, dmd_profile_t *profile, const dmd_overview_t *overview) {
  print_overview(out, profile, overview, print_screen);
}

/* ---- JSON. ---- */

static void write_sum(dmd_jsonout_t *j, const char *key, int64_t bytes, int64_t blocks) {
  dmd_jsonout_key(j, key);
  dmd_jsonout_object(j, DMD_JSONOUT_INLINE);
  dmd_jsonout_key_any(j, "bytes");
  dmd_jsonout_i64(j, bytes);
  dmd_jsonout_key_any(j, "blocks");
  dmd_jsonout_i64(j, blocks);
  dmd_jsonout_end(j);
}

static void write_run(dmd_jsonout_t *j, const dmd_run_t *run) {
  if (run->command != NULL)
    dmd_jsonout_key_str(j, "command", run->command);
  if (run->peak.is_known) {
    write_sum(j, "peak", (int64_t)run->peak.szB, (int64_t)run->peak.n_blocks);
    dmd_jsonout_key_u64(j, "peakMilliseconds", run->peak.ms);
  }
  write_sum(j, "dump", (int64_t)run->in_use_szB, (int64_t)run->in_use_blocks);
  dmd_jsonout_key_bool(j, "atExit", dmd_run_is_at_exit(run));
  if (dmd_run_is_attached(run))
    dmd_jsonout_key_str(j, "attached", run->attach.time);
  dmd_jsonout_key_u64(j, "allocations", run->n_allocs);
  dmd_jsonout_key_u64(j, "allocated", run->alloc_szB);
}

static void write_measured(dmd_jsonout_t *j, const dmd_heapsum_t *sum) {
  static const dmd_section_t sections[] = {DMD_SECTION_UNREPORTED, DMD_SECTION_ONCE,
                                           DMD_SECTION_TWICE};
  for (int i = 0; i < 3; i++)
    write_sum(j, dmd_section_name(sections[i]), sum->section[sections[i]].bytes,
              sum->section[sections[i]].blocks);
}

static void write_screen(screen_t *s, dmd_out_t *out) {
  const dmd_profile_t *profile = s->p->profile;
  dmd_jsonout_t j;
  dmd_jsonout_init(&j, out);
  dmd_jsonout_object(&j, DMD_JSONOUT_LINES);
  dmd_jsonout_key_str(&j, "file", s->overview->file);
  if (profile->run.is_known)
    write_run(&j, &profile->run);
  if (s->has_reports)
    write_measured(&j, &s->sum);
  dmd_jsonout_key_str(&j, "moment", profile->shows_peak ? "peak" : "dump");
  write_sum(&j, "heap", s->p->records->heap.bytes, s->p->records->heap.blocks);
  dmd_jsonout_key_u64(&j, "faults", dmd_faults_count(&profile->faults));
  if (s->overview->left_out != NULL)
    dmd_jsonout_key_str(&j, "leftOut", s->overview->left_out);
  dmd_jsonout_key(&j, "findings");
  dmd_jsonout_array(&j, DMD_JSONOUT_LINES);
  for (uint32_t i = 0; i < s->findings->n; i++) {
    dmd_jsonout_object(&j, DMD_JSONOUT_INLINE);
    dmd_finding_write(&j, &s->names, &s->findings->all[i]);
    dmd_jsonout_end(&j);
  }
  dmd_jsonout_end(&j);
  dmd_jsonout_end(&j);
}

void dmd_overview_json(dmd_out_t *out, dmd_profile_t *profile, const dmd_overview_t *overview) {
  print_overview(out, profile, overview, write_screen);
}
