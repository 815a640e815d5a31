/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/engine/options.h"

#include "analyse/limits/size.h"
#include "base/limits.h"
#include "base/mangled.h"
#include "base/str.h"

/* ---- Options with values of their own form. ---- */

static const char *keep(dmd_options_t *options, const char *text, size_t n) {
  return dmd_intern_get(&options->texts, dmd_intern_bytes(&options->texts, text, n), &n);
}

static bool add_rule(dmd_options_t *options, dmd_rule_t rule) {
  uint32_t number = dmd_pool_add(&options->rules);
  *DMD_POOL_AT(&options->rules, dmd_rule_t, number) = rule;
  return true;
}

/* Splits at the last '=', since function names such as operator== contain some. */
static bool take_tag_rule(dmd_options_t *options, dmd_rule_kind_t kind, const char *value,
                          dmd_strbuf_t *why) {
  const char *equals = dmd_str_find_last_char(value, '=');
  dmd_rule_t rule = {.kind = kind, .any_frame = dmd_str_begins(value, "**")};
  const char *glob = rule.any_frame ? value + 2 : value;
  if (equals == NULL) {
    dmd_strbuf_str(why, "'");
    dmd_strbuf_str(why, value);
    dmd_strbuf_str(why, "' is not of the form PATTERN=TAG");
  } else if (glob >= equals) {
    dmd_strbuf_str(why, "the pattern before '=' is empty");
  } else if (equals[1] == '\0') {
    dmd_strbuf_str(why, "the tag after '=' is empty");
  } else if (dmd_str_length(equals + 1) > DMD_MAX_NAME) {
    dmd_strbuf_str(why, "the tag is longer than ");
    dmd_strbuf_u64(why, DMD_MAX_NAME);
    dmd_strbuf_str(why, " bytes");
  } else {
    rule.glob = keep(options, glob, (size_t)(equals - glob));
    rule.tag = keep(options, equals + 1, dmd_str_length(equals + 1));
    return add_rule(options, rule);
  }
  return false;
}

static bool take_tag_library(void *target, const char *value, dmd_strbuf_t *why) {
  return take_tag_rule(target, DMD_RULE_TAG_LIBRARY, value, why);
}

static bool take_tag_fn(void *target, const char *value, dmd_strbuf_t *why) {
  return take_tag_rule(target, DMD_RULE_TAG_FN, value, why);
}

static bool take_report_rule(dmd_options_t *options, dmd_rule_kind_t kind, const char *value,
                             dmd_strbuf_t *why) {
  if (value[0] == '\0') {
    dmd_strbuf_str(why, "the pattern is empty");
    return false;
  }
  const char *glob = keep(options, value, dmd_str_length(value));
  return add_rule(options, (dmd_rule_t){.kind = kind, .glob = glob});
}

static bool take_report_fn(void *target, const char *value, dmd_strbuf_t *why) {
  return take_report_rule(target, DMD_RULE_REPORT_FN, value, why);
}

static bool take_no_report_fn(void *target, const char *value, dmd_strbuf_t *why) {
  return take_report_rule(target, DMD_RULE_NO_REPORT_FN, value, why);
}

/* A set of blocks: `tag:NAME`, `alloc-fn:PATTERN`. */
static const char *keep_set(dmd_options_t *options, const char *key, const char *of) {
  dmd_strbuf_t set;
  dmd_strbuf_init(&set, options->env);
  dmd_strbuf_str(&set, key);
  dmd_strbuf_str(&set, ":");
  dmd_strbuf_str(&set, of);
  const char *kept = keep(options, set.text, set.n);
  dmd_strbuf_destroy(&set);
  return kept;
}

/* Functions are compared by the names that people read, so a mangled one becomes such a name, for
 * all parameters. */
static const char *keep_function(dmd_options_t *options, const char *pattern, size_t n) {
  dmd_strbuf_t given, name;
  dmd_strbuf_init(&given, options->env);
  dmd_strbuf_init(&name, options->env);
  dmd_strbuf_bytes(&given, pattern, n);
  if (dmd_str_begins(given.text, "_Z"))
    dmd_mangled_name(&name, given.text);
  const char *parameters = name.n > 0 ? dmd_str_find(name.text, "(") : NULL;
  const char *kept = parameters == NULL
                         ? keep(options, pattern, n)
                         : keep(options, name.text, (size_t)(parameters - name.text));
  dmd_strbuf_destroy(&name);
  dmd_strbuf_destroy(&given);
  return kept;
}

/* Splits PATTERN[,arg=N|,tag=NAME|,alloc-fn=PATTERN]. Claims are judged by a heap graph. */
static bool take_claim_fn(void *target, const char *value, dmd_strbuf_t *why) {
  dmd_options_t *options = target;
  const char *argument = dmd_str_find(value, ",arg="), *tag = dmd_str_find(value, ",tag=");
  const char *alloc_fn = dmd_str_find(value, ",alloc-fn="), *wrong = NULL;
  const char *end = argument != NULL ? argument : tag != NULL ? tag : alloc_fn;
  size_t n = end != NULL ? (size_t)(end - value) : dmd_str_length(value);
  dmd_claim_fn_t fn = {.argument = 1};
  if (n == 0)
    wrong = "the pattern is empty";
  else if (argument != NULL &&
           (argument[5] < '1' || argument[5] > '0' + DMD_MAX_CLAIM_ARGUMENT || argument[6] != '\0'))
    wrong = "the argument is not one of 1 to 6";
  else if (argument == NULL && end != NULL && *(dmd_str_find(end, "=") + 1) == '\0')
    wrong = tag != NULL ? "the tag is empty" : "the pattern behind alloc-fn= is empty";
  if (wrong != NULL) {
    dmd_strbuf_str(why, wrong);
    return false;
  }
  fn.glob = keep_function(options, value, n);
  if (argument != NULL)
    fn.argument = (uint32_t)(argument[5] - '0');
  else if (end != NULL)
    fn = (dmd_claim_fn_t){.glob = fn.glob,
                          .set = tag != NULL ? keep_set(options, "tag", tag + 5)
                                             : keep_set(options, "alloc-fn", alloc_fn + 10)};
  uint32_t number = dmd_pool_add(&options->claim_fns);
  *DMD_POOL_AT(&options->claim_fns, dmd_claim_fn_t, number) = fn;
  options->graph = DMD_GRAPH_YES;
  return true;
}

static bool take_alloc_fn(void *target, const char *value, dmd_strbuf_t *why) {
  dmd_options_t *options = target;
  size_t n = options->frame_view.n_alloc_fns;
  if (value[0] == '\0') {
    dmd_strbuf_str(why, "the pattern is empty");
    return false;
  }
  if ((n & (n - 1)) == 0) {
    const char **list =
        dmd_env_alloc(options->env, "dmd.options.alloc_fns", (n == 0 ? 1 : 2 * n) * sizeof *list);
    dmd_mem_copy(list, options->alloc_fns, n * sizeof *list);
    dmd_env_free(options->env, options->alloc_fns);
    options->frame_view.alloc_fns = options->alloc_fns = list;
  }
  options->alloc_fns[options->frame_view.n_alloc_fns++] =
      keep(options, value, dmd_str_length(value));
  return true;
}

static bool take_file(dmd_options_t *options, const char **file, const char *value,
                      dmd_strbuf_t *why) {
  if (value[0] == '\0') {
    dmd_strbuf_str(why, "the file's name is empty");
    return false;
  }
  *file = keep(options, value, dmd_str_length(value));
  return true;
}

static bool take_out_file(void *target, const char *value, dmd_strbuf_t *why) {
  dmd_options_t *options = target;
  return take_file(options, &options->out_file, value, why);
}

static bool take_list_file(void *target, const char *value, dmd_strbuf_t *why) {
  dmd_options_t *options = target;
  return take_file(options, &options->list_file, value, why);
}

static bool take_sample_interval(void *target, const char *value, dmd_strbuf_t *why) {
  dmd_options_t *options = target;
  dmd_size_t size;
  const char *wrong = dmd_size_parse(value, &size);
  if (wrong == NULL && (size.is_percent || size.has_plus))
    wrong = "this is not a number of bytes, such as 512k";
  if (wrong == NULL && size.value > DMD_MAX_SAMPLE_INTERVAL)
    wrong = "this is more than 1 GiB";
  if (wrong == NULL)
    options->sample_interval = size.value;
  else
    dmd_strbuf_str(why, wrong);
  return wrong == NULL;
}

static bool take_emit(void *target, const char *value, dmd_strbuf_t *why) {
  dmd_options_t *options = target;
  options->emits_otel = dmd_str_equal(value, "otel");
  if (!options->emits_otel)
    dmd_strbuf_str(why, "this is not otel");
  else if (options->sample_interval == 0)
    options->sample_interval = DMD_OTEL_INTERVAL;
  return options->emits_otel;
}

/* A number of bytes, of which there is at least one. */
static bool take_bytes(const char *value, uint64_t *szB, dmd_strbuf_t *why) {
  dmd_size_t size;
  const char *wrong = dmd_size_parse(value, &size);
  if (wrong == NULL && (size.is_percent || size.has_plus || size.value == 0))
    wrong = "this is not a number of bytes, such as 512m";
  if (wrong == NULL)
    *szB = size.value;
  else
    dmd_strbuf_str(why, wrong);
  return wrong == NULL;
}

/* `10s`: up to nine digits. */
static bool read_seconds(const char *value, uint64_t *ms) {
  uint64_t n = 0;
  size_t i = 0;
  while (i < 9 && value[i] >= '0' && value[i] <= '9')
    n = n * 10 + (uint64_t)(value[i++] - '0');
  *ms = n * 1000;
  return n > 0 && value[i] == 's' && value[i + 1] == '\0';
}

static bool take_dump_every(void *target, const char *value, dmd_strbuf_t *why) {
  dmd_options_t *options = target;
  uint64_t ms;
  if (!read_seconds(value, &ms))
    return take_bytes(value, &options->dump_every_szB, why);
  options->dump_every_ms = ms;
  return true;
}

static bool take_dump_above(void *target, const char *value, dmd_strbuf_t *why) {
  const uint64_t whole = 100 * 1000000; /* in millionths of a percent */
  dmd_options_t *options = target;
  dmd_size_t size;
  if (dmd_size_parse(value, &size) != NULL || !size.is_percent) {
    options->dump_above_share = 0;
    return take_bytes(value, &options->dump_above_szB, why);
  }
  if (size.has_plus || size.value == 0 || size.value > whole) {
    dmd_strbuf_str(why, "this is not a share of a limit, such as 80%");
    return false;
  }
  options->dump_above_szB = 0;
  options->dump_above_share = (uint32_t)size.value;
  return true;
}

/* ---- The tables. ---- */

#define WORD DMD_OPTION_WORD
#define NUMBER DMD_OPTION_NUMBER
#define AT(field) DMD_OPTION_AT(dmd_options_t, field)

static const dmd_option_t engine_options[] = {
    {"mode", "dark-matter|live|cumulative|scan", "dark-matter",
     "what to record: live blocks and who reported them, live blocks only, all blocks of the run, "
     "or live blocks with their contents",
     WORD, AT(mode)},
    {"stacks", "full|partial|fp", "full",
     "a stack for every block, or for a sample of them weighted by size; fp, for the native engine "
     "only: for every block, found by frame pointers alone",
     WORD, AT(stacks)},
    {"sample-below", "<bytes>", "0", "sample blocks smaller than this; 0: record every block",
     NUMBER, AT(sample_below), .least = 0, .most = 1 << 30},
    {"sample-interval", "<size>", "0",
     "for the native engine: sample blocks at random, one per this many bytes on average, such as "
     "512k, and estimate the rest; 0: record every block",
     DMD_OPTION_OWN, .take = take_sample_interval},
    {"emit", "otel", NULL,
     "for the native engine: tell tracers of each sampled block by OpenTelemetry's USDT probes, "
     "otel_memory:alloc and otel_memory:free; samples by --sample-interval=512k, unless it is "
     "given",
     DMD_OPTION_OWN, .take = take_emit, .words = "otel"},
    {"seed", "<number>", "1", "seed of the sampling", NUMBER, AT(seed), .least = INT64_MIN,
     .most = INT64_MAX},
    {"allocator", "auto|glibc|exact|jemalloc|mozjemalloc|tcmalloc|mimalloc", "auto",
     "whose usable sizes the program gets; auto: those of the loaded allocator", WORD,
     AT(allocator)},
    {"tag-threads", "inherit|none", "inherit",
     "whether a new thread carries the tag of the thread that creates it", WORD,
     AT(no_inherited_tags)},
    {"tag-library", "<pattern>=<tag>", NULL,
     "tag blocks whose allocating function is in a library that matches; **<pattern>: any function "
     "on the stack. Repeatable",
     DMD_OPTION_OWN, .take = take_tag_library},
    {"tag-fn", "<pattern>=<tag>", NULL,
     "tag blocks whose allocating function has a name that matches; **<pattern>: any function on "
     "the stack. Repeatable",
     DMD_OPTION_OWN, .take = take_tag_fn},
    {"alloc-fn", "<pattern>", NULL,
     "a function that matches only allocates for its callers, as malloc does. Repeatable",
     DMD_OPTION_OWN, .take = take_alloc_fn},
    {"report-fn", "<pattern>", NULL,
     "a call of malloc_usable_size by or below a function that matches is its report of the block. "
     "Repeatable",
     DMD_OPTION_OWN, .take = take_report_fn},
    {"report-usable-size", "no|yes", "no",
     "every such call is a report by its caller, except for calls by the allocator itself", WORD,
     AT(report_usable_size)},
    {"no-report-fn", "<pattern>", NULL,
     "such a call by or below a function that matches only asks for the capacity, and is not a "
     "report. Repeatable",
     DMD_OPTION_OWN, .take = take_no_report_fn},
    {"claim-fn", "<pattern>[,arg=<n>|,tag=<name>|,alloc-fn=<pattern>]", NULL,
     "for Valgrind: a function that matches returns the size of what its argument points to, the "
     "first or the n-th, or of all blocks with a tag or that a function which matches allocated; "
     "its results are kept in a heap graph, where dmdv claims checks them. Repeatable",
     DMD_OPTION_OWN, .take = take_claim_fn},
    {"require-scope", "no|yes", "no", "a report outside of any reporter is a misreport", WORD,
     AT(require_scope)},
    {"freed-blocks", "<number>", "10000",
     "freed blocks to remember, to tell where a stale pointer comes from; 0: none", NUMBER,
     AT(freed_blocks), .least = 0, .most = 1 << 24},
    {"sort-by", "usable|req|slop|num-blocks", "usable",
     "order of the printed records, largest first", WORD, AT(sort_by)},
    {"max-records", "<number>|all", "10", "records printed in each section",
     DMD_OPTION_NUMBER_OR_ALL, AT(max_records), .least = 1, .most = DMD_MAX_SHOWN},
    {"max-frames", "<number>", DMD_FRAMES_SHOWN,
     "frames printed in each stack; records with equal frames are one", NUMBER, AT(max_frames),
     .least = 1, .most = DMD_MAX_FRAMES},
    {"full-names", "no|yes", "no", "do not shorten long names of functions", WORD,
     AT(frame_view.full_names)},
    {"dump-at-exit", "auto|yes|no", "auto", "auto: unless the program dumped by itself", WORD,
     AT(dump_at_exit)},
    {"dump-every", "<seconds>s|<size>", NULL,
     "also dump whenever so many seconds have passed, such as 10s, or so many bytes were "
     "allocated, such as 100m; when the program allocates",
     DMD_OPTION_OWN, .take = take_dump_every},
    {"dump-above", "<size>|<share>%", NULL,
     "also dump when the heap becomes larger than this, and again if it was smaller in between; a "
     "share, such as 80%, is of the memory limit of the process's cgroup, and then all memory that "
     "the cgroup uses counts",
     DMD_OPTION_OWN, .take = take_dump_above},
    {"dump-at-peak", "no|yes", "no",
     "also dump when the heap is larger than ever: first at 1 MiB, then whenever it has grown by "
     "an "
     "eighth",
     WORD, AT(dump_at_peak)},
    {"dump-at-failure", "no|yes", "no",
     "also dump when the allocator cannot give the program what it asks for", WORD,
     AT(dump_at_failure)},
    {"max-dumps", "<number>", "100",
     "dumps for --dump-every, --dump-above, --dump-at-peak and --dump-at-failure in each process",
     NUMBER, AT(max_dumps), .least = 1, .most = 100000},
    {"advice", "auto|yes|no", "auto",
     "search for the referrers of unreported blocks; auto: below a million live blocks", WORD,
     AT(hint)},
    {"peak", "yes|no", "yes",
     "record when the heap was largest, and its blocks at that moment; not in mode cumulative",
     WORD, AT(no_peak)},
    {"timeline", "yes|no", "yes",
     "record how the heap grows and shrinks over time; only with the peak", WORD, AT(no_timeline)},
    {"lifetimes", "no|yes", "no",
     "record what each stack allocates in the whole run, and how long its blocks live; only with "
     "the peak",
     WORD, AT(lifetimes)},
    {"time-unit", "bytes|i", "bytes",
     "for Valgrind: the unit of lifetimes, bytes allocated meanwhile, or instructions of the "
     "program, which makes it slower; with i the peak and the timeline have instructions, too",
     WORD, AT(counts_instructions)},
    {"graph", "no|yes|auto", "no",
     "write each dump's heap graph as well: all blocks, and the pointers that lead to them; auto: "
     "for dumps at exit and those that the program requests, where it is possible",
     WORD, AT(graph)},
    {"waste", "no|yes", "no",
     "in heap graphs compare the contents of blocks, for dmdv waste: which are equal, which end in "
     "equal bytes; also numbers beside pointers, such as the length of a string, and with the "
     "native "
     "engine which pages between blocks are in memory",
     WORD, AT(waste)},
    {"fill", "no|yes", "no",
     "fill new memory with a pattern, except for that of calloc: if contents are compared, a heap "
     "graph then knows which ends of blocks were never written; all of it becomes resident",
     WORD, AT(fill)},
    {"dmd-out-file", "<file>", "dmd.out.%p.json.gz",
     "where to write the profile; %p is the pid, %q{VAR} an environment variable; gzipped if it "
     "ends in .gz",
     DMD_OPTION_OWN, .take = take_out_file, .is_file = true},
};

const dmd_option_table_t dmd_engine_options = {engine_options,
                                               sizeof engine_options / sizeof *engine_options};

static const dmd_option_t starter_options[] = {
    {"dmd-list-file", "<file>", NULL,
     "append a line for each profile that was written to this file, which must exist: process, "
     "number, "
     "trigger, name",
     DMD_OPTION_OWN, .take = take_list_file, .is_file = true},
    {"dmd-file-mode", "<number>", NULL,
     "permissions that the files which are written may have, in decimal, beside what the program's "
     "umask allows",
     NUMBER, AT(file_mode), .least = 1, .most = 0777},
};

const dmd_option_table_t dmd_starter_options = {starter_options,
                                                sizeof starter_options / sizeof *starter_options};

/* ---- Set-up. ---- */

void dmd_options_init(dmd_options_t *options, const dmd_env_t *env) {
  dmd_mem_zero(options, sizeof *options);
  options->env = env;
  dmd_pool_init(&options->rules, env, "dmd.options.rules", sizeof(dmd_rule_t));
  dmd_pool_init(&options->claim_fns, env, "dmd.options.claim_fns", sizeof(dmd_claim_fn_t));
  dmd_strbuf_init(&options->given, env);
  dmd_intern_init(&options->texts, env, "dmd.options.texts");
  dmd_options_set_defaults(&dmd_engine_options, options, env);
}

void dmd_options_destroy(dmd_options_t *options) {
  dmd_env_free(options->env, options->alloc_fns);
  dmd_intern_destroy(&options->texts);
  dmd_strbuf_destroy(&options->given);
  dmd_pool_destroy(&options->claim_fns);
  dmd_pool_destroy(&options->rules);
}

void dmd_options_note(dmd_options_t *options, const char *argument) {
  if (options->given.n > 0)
    dmd_strbuf_str(&options->given, " ");
  dmd_strbuf_str(&options->given, argument);
}

static bool has_sets(const dmd_options_t *options) {
  for (uint32_t i = 1; i <= options->claim_fns.last; i++)
    if (DMD_POOL_AT(&options->claim_fns, const dmd_claim_fn_t, i)->set != NULL)
      return true;
  return false;
}

dmd_conflict_t dmd_options_conflict(const dmd_options_t *options) {
  bool samples = options->sample_interval > 0;
  const struct {
    bool is_there;
    dmd_conflict_t conflict;
  } conflicts[] = {
      {options->mode == DMD_MODE_SCAN && options->sample_below > 0,
       {"--mode=scan",
        "this mode needs every block, so it cannot be combined with --sample-below"}},
      {options->mode == DMD_MODE_SCAN && samples,
       {"--mode=scan",
        "this mode needs every block, so it cannot be combined with --sample-interval"}},
      {options->sample_below > 0 && samples,
       {"--sample-below",
        "it cannot be combined with --sample-interval, another kind of sampling"}},
      {options->stacks == DMD_STACKS_PARTIAL && samples,
       {"--stacks=partial", "with --sample-interval every sampled block has its stack"}},
      {options->graph == DMD_GRAPH_YES && samples,
       {"--graph=yes", "a heap graph needs every block, and --sample-interval records few"}},
      {has_sets(options) && (options->sample_below > 0 || options->stacks == DMD_STACKS_PARTIAL),
       {"--claim-fn with a tag or alloc-fn",
        "it needs the stacks of all blocks, so it cannot be combined with sampling"}},
      {options->emits_otel && !samples,
       {"--emit=otel", "tracers learn of sampled blocks only, so it cannot be combined with "
                       "--sample-interval=0"}},
      {options->lifetimes && (samples || options->sample_below > 0),
       {"--lifetimes=yes", "lifetimes need every block, so it cannot be combined with sampling"}},
      {options->lifetimes && (options->no_peak || options->mode == DMD_MODE_CUMULATIVE),
       {"--lifetimes=yes", "it needs the peak, which --peak=no and --mode=cumulative turn off"}},
      {options->counts_instructions && (options->no_peak || options->mode == DMD_MODE_CUMULATIVE),
       {"--time-unit=i", "it needs the peak, which --peak=no and --mode=cumulative turn off"}},
      {((options->dump_every_ms | options->dump_every_szB | options->dump_above_szB |
         options->dump_above_share) != 0 ||
        options->dump_at_peak) &&
           (options->no_peak || options->mode == DMD_MODE_CUMULATIVE),
       {"--dump-every, --dump-above or --dump-at-peak",
        "they need the peak, which --peak=no and --mode=cumulative turn off"}},
      {options->hint == DMD_YES && samples,
       {"--advice=yes",
        "the referrers of a block are unknown if --sample-interval records few blocks"}},
  };
  for (size_t i = 0; i < sizeof conflicts / sizeof *conflicts; i++)
    if (conflicts[i].is_there)
      return conflicts[i].conflict;
  return (dmd_conflict_t){NULL, NULL};
}

dmd_live_config_t dmd_options_live(const dmd_options_t *options) {
  bool is_auto = options->allocator == 0;
  return (dmd_live_config_t){.mode = options->mode,
                             /* the GNU C library's, unless another one is found */
                             .allocator = is_auto ? DMD_ALLOCATOR_GLIBC
                                                  : (dmd_allocator_t)(options->allocator - 1),
                             .allocator_is_auto = is_auto,
                             .partial_stacks = options->stacks == DMD_STACKS_PARTIAL,
                             .inherit_tags = !options->no_inherited_tags,
                             .sample_below = options->sample_below,
                             .sample_interval = options->sample_interval,
                             .seed = options->seed,
                             .freed_blocks = options->freed_blocks,
                             .require_scope = options->require_scope,
                             .records_peak = !options->no_peak,
                             .records_timeline = !options->no_timeline,
                             .records_lifetimes = options->lifetimes,
                             .dump_every_ms = options->dump_every_ms,
                             .dump_every_szB = options->dump_every_szB,
                             .dump_above_szB = options->dump_above_szB,
                             .dumps_at_peak = options->dump_at_peak};
}
