/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "enginehost.h"

#include <stdio.h>

/* ---- Code and stacks. ---- */

/* A call's own last byte, before its return address, belongs to the same code. */
static enginehost_code_t *code_of(enginehost_t *h, dmd_code_t code) {
  for (uint32_t i = 0; i < h->n_codes; i++)
    if (h->codes[i].code.ip - code.ip <= 1)
      return &h->codes[i];
  fail_msg("no code at %#llx", (unsigned long long)code.ip);
  return NULL;
}

static uint32_t capture(void *ctx, uint32_t thread) {
  enginehost_t *h = ctx;
  (void)thread;
  h->n_captured++;
  return h->now;
}

static dmd_place_t place(void *ctx, uint32_t thread) {
  (void)thread;
  return ((const enginehost_t *)ctx)->place;
}

static const dmd_code_t *codes(void *ctx, uint32_t stack, uint32_t *n) {
  const enginehost_t *h = ctx;
  assert_in_range(stack, 1, h->n_stacks);
  *n = h->stacks[stack - 1].n;
  return h->stacks[stack - 1].codes;
}

static void functions(void *ctx, dmd_code_t code, dmd_function_fn visit, void *visitor) {
  enginehost_code_t *at = code_of(ctx, code);
  char text[8192];
  at->n_asked++;
  snprintf(text, sizeof text, "%s", at->functions);
  if (text[0] == '\0')
    visit(visitor, &(dmd_function_t){.name = ""});
  for (char *part = strtok(text, "|"), *next; part != NULL; part = next) {
    next = strtok(NULL, "|");
    dmd_function_t function = {.name = part, .is_inlined = next != NULL};
    char *file = strstr(part, " (");
    if (file != NULL) {
      *file = '\0';
      function.file = file + 2;
      char *line = strrchr(file + 2, ':');
      *line = '\0';
      function.line = (uint32_t)atoi(line + 1);
    }
    visit(visitor, &function);
  }
}

static bool object(void *ctx, dmd_code_t code, dmd_object_t *object) {
  const enginehost_code_t *at = code_of(ctx, code);
  if (at->path == NULL)
    return false;
  *object = (dmd_object_t){.path = at->path,
                           .soname = at->soname,
                           .build_id = ((const enginehost_t *)ctx)->build_id,
                           .offset = code.ip,
                           .is_engine = at->is_engine};
  return true;
}

static dmd_code_kind_t code_kind(void *ctx, dmd_code_t code) {
  return code_of(ctx, code)->kind;
}

static bool shows_below_main(void *ctx) {
  return ((const enginehost_t *)ctx)->below_main;
}

static void objects(void *ctx, dmd_object_fn visit, void *visitor) {
  const enginehost_t *h = ctx;
  for (uint32_t i = 0; i < h->n_objects; i++)
    visit(visitor, h->objects[i].path, h->objects[i].soname == NULL ? "" : h->objects[i].soname);
}

static bool defines(void *ctx, const char *soname, const char *function, bool if_unknown) {
  const enginehost_t *h = ctx;
  if (h->knows_no_symbols)
    return if_unknown;
  char word[64];
  snprintf(word, sizeof word, "|%s|", function);
  for (uint32_t i = 0; i < h->n_objects; i++) {
    const char *its = h->objects[i].soname;
    bool same = soname == NULL || its == NULL ? soname == its : strcmp(soname, its) == 0;
    if (same && strstr(h->objects[i].functions, word) != NULL)
      return true;
  }
  return false;
}

static bool replaced(void *ctx, const char *soname, const char *function, dmd_code_t *code) {
  const enginehost_t *h = ctx;
  for (uint32_t i = 0; i < h->n_objects; i++) {
    const char *its = h->objects[i].soname;
    bool same = soname == NULL || its == NULL ? soname == its : strcmp(soname, its) == 0;
    if (same && h->replaces != NULL && strcmp(h->replaces, function) == 0 &&
        defines(ctx, soname, function, false)) {
      *code = h->objects[i].replaced->code;
      return true;
    }
  }
  return false;
}

/* ---- Memory. ---- */

static void memory_begin(void *ctx) {
  enginehost_t *h = ctx;
  assert_false(h->is_reading);
  h->is_reading = true;
}

static void memory_end(void *ctx) {
  enginehost_t *h = ctx;
  assert_true(h->is_reading);
  h->is_reading = false;
}

/* Copies whatever is there, also behind the ends of objects, where AddressSanitizer would complain.
 */
__attribute__((no_sanitize("address"))) static size_t memory_read(void *ctx, uint64_t addr,
                                                                  void *to, size_t n) {
  const enginehost_t *h = ctx;
  assert_true(h->is_reading);
  assert_true(n > 0 && addr / 4096 == (addr + n - 1) / 4096);
  if (addr < 4096 || (h->unreadable != NULL && addr / 4096 == (uintptr_t)h->unreadable / 4096))
    return 0;
  const volatile char *from = (const volatile char *)(uintptr_t)addr;
  for (size_t i = 0; i < n; i++)
    ((char *)to)[i] = from[i];
  return n;
}

static dmd_fault_kind_t classify(void *ctx, uint64_t addr, char *text, size_t szB) {
  (void)ctx, (void)addr, (void)text, (void)szB;
  return DMD_FAULT_REPORT_NO_ADDRESS;
}

static bool is_readable(void *ctx, uint64_t addr, uint64_t szB) {
  const enginehost_t *h = ctx;
  uint64_t page = (uintptr_t)h->unreadable / 4096;
  return addr >= 4096 && (page < addr / 4096 || page > (addr + szB - 1) / 4096);
}

/* ---- The program's heap. ---- */

static uint64_t heap_alloc(void *ctx, uint64_t alignB, uint64_t szB) {
  enginehost_t *h = ctx;
  if (h->heap_is_full)
    return 0;
  assert_true(h->n_pieces < ENGINEHOST_MAX && alignB != 0 && (alignB & (alignB - 1)) == 0);
  size_t unit = alignB < sizeof(void *) ? sizeof(void *) : (size_t)alignB;
  void *p = aligned_alloc(unit, ((size_t)szB + unit) / unit * unit);
  assert_non_null(p);
  memset(p, 0xa5, (size_t)szB);
  h->pieces[h->n_pieces++] = (enginehost_piece_t){.p = p, .alignB = alignB, .szB = szB};
  return (uintptr_t)p;
}

static enginehost_piece_t *piece_at(enginehost_t *h, uint64_t addr) {
  for (uint32_t i = 0; i < h->n_pieces; i++)
    if ((uintptr_t)h->pieces[i].p == addr)
      return &h->pieces[i];
  fail_msg("not of this heap: %#llx", (unsigned long long)addr);
  return NULL;
}

static void heap_free(void *ctx, uint64_t addr) {
  enginehost_t *h = ctx;
  enginehost_piece_t *piece = piece_at(h, addr);
  free(piece->p);
  *piece = h->pieces[--h->n_pieces];
}

static uint64_t heap_room(void *ctx, uint64_t addr) {
  return piece_at(ctx, addr)->szB;
}

static uint64_t heap_alignment(void *ctx) {
  return ((const enginehost_t *)ctx)->heap_alignB;
}

static bool realloc_zero_frees(void *ctx) {
  return !((const enginehost_t *)ctx)->zero_keeps;
}

void enginehost_give_heap(enginehost_t *h) {
  h->heap_alignB = 16;
  h->engine_host.heap_alloc = heap_alloc;
  h->engine_host.heap_free = heap_free;
  h->engine_host.heap_room = heap_room;
  h->engine_host.heap_alignment = heap_alignment;
  h->engine_host.realloc_zero_frees = realloc_zero_frees;
  h->engine_host.is_readable = is_readable;
}

/* ---- The process and the user. ---- */

static uint64_t pid(void *ctx) {
  return ((const enginehost_t *)ctx)->pid;
}

static const char *argument(void *ctx, uint32_t i) {
  return ((const enginehost_t *)ctx)->arguments[i];
}

static const char *host_name(void *ctx) {
  (void)ctx;
  return "machine";
}

/* The last second of a leap year's February. */
static uint64_t now(void *ctx) {
  (void)ctx;
  return UINT64_C(1709251199);
}

static const char *start_folder(void *ctx) {
  return ((const enginehost_t *)ctx)->folder;
}

static const char *environment(void *ctx, const char *name) {
  const enginehost_t *h = ctx;
  size_t n = strlen(name);
  for (size_t i = 0; i < COUNT_OF(h->variables) && h->variables[i] != NULL; i++)
    if (strncmp(h->variables[i], name, n) == 0 && h->variables[i][n] == '=')
      return h->variables[i] + n + 1;
  return NULL;
}

static dmd_physical_t measure(void *ctx) {
  return ((const enginehost_t *)ctx)->physical;
}

/* From the second call on what it is after a dump. */
static uint64_t most_resident(void *ctx) {
  enginehost_t *h = ctx;
  uint64_t most = h->most_resident;
  h->most_resident = h->most_resident_after;
  return most;
}

static bool is_quiet(void *ctx) {
  return ((const enginehost_t *)ctx)->quiet;
}

static void say(void *ctx, const char *line) {
  enginehost_t *h = ctx;
  assert_null(strchr(line, '\n'));
  dmd_out_str(&h->said.out, line);
  dmd_out_char(&h->said.out, '\n');
}

static void say_stack(void *ctx, uint32_t stack) {
  enginehost_t *h = ctx;
  dmd_out_str(&h->said.out, "stack ");
  dmd_out_u64(&h->said.out, stack);
  dmd_out_char(&h->said.out, '\n');
}

static void reply(void *ctx, const char *text) {
  enginehost_t *h = ctx;
  dmd_out_str(&h->replied.out, text);
}

/* ---- Files: everything that is not in enginehost_disk.c. ---- */

static const char *file_error(void *ctx, int error) {
  (void)ctx;
  return error == NO_SPACE ? "no space left" : "no reason";
}

static void file_append(void *ctx, const char *name, const char *bytes, size_t n) {
  enginehost_t *h = ctx;
  dmd_out_str(&h->appended.out, name);
  dmd_out_str(&h->appended.out, ": ");
  dmd_out_bytes(&h->appended.out, bytes, n);
}

/* Does not compress, but marks the data, so that tests recognise it. */
typedef struct {
  dmd_write_fn write;
  void *to;
} compressor_t;

static void *gzip_open(void *ctx, dmd_write_fn write, void *to) {
  enginehost_t *h = ctx;
  compressor_t *compressor = malloc(sizeof *compressor);
  *compressor = (compressor_t){.write = write, .to = to};
  if (write == dmd_outfile_write)
    h->files[h->n_files - 1].compressed = true;
  return compressor;
}

static bool gzip_write(void *ctx, const char *bytes, size_t n) {
  const compressor_t *compressor = ctx;
  return compressor->write(compressor->to, bytes, n);
}

static void gzip_close(void *ctx) {
  free(ctx);
}

/* ---- The whole. ---- */

void enginehost_init(enginehost_t *h) {
  memset(h, 0, sizeof *h);
  host_init(&h->host);
  sink_init(&h->said);
  sink_init(&h->replied);
  sink_init(&h->appended);
  h->pid = 4711;
  h->arguments[0] = "./app";
  h->arguments[1] = "-x";
  h->folder = "/start";
  h->engine_host = (dmd_engine_host_t){.ctx = h,
                                       .version = "1.2",
                                       .valgrind_version = "3.4",
                                       .word_szB = 8,
                                       .capture = capture,
                                       .place = place,
                                       .codes = codes,
                                       .functions = functions,
                                       .object = object,
                                       .code_kind = code_kind,
                                       .shows_below_main = shows_below_main,
                                       .objects = objects,
                                       .defines = defines,
                                       .replaced = replaced,
                                       .memory_begin = memory_begin,
                                       .memory_read = memory_read,
                                       .memory_end = memory_end,
                                       .classify = classify,
                                       .pid = pid,
                                       .argument = argument,
                                       .start_folder = start_folder,
                                       .host_name = host_name,
                                       .time = now,
                                       .environment = environment,
                                       .measure = measure,
                                       .most_resident = most_resident,
                                       .is_quiet = is_quiet,
                                       .say = say,
                                       .say_stack = say_stack,
                                       .reply = reply,
                                       .files = &h->disk,
                                       .file_error = file_error,
                                       .file_is_stream = enginehost_is_stream,
                                       .file_append = file_append,
                                       .gzip_open = gzip_open,
                                       .gzip_write = gzip_write,
                                       .gzip_close = gzip_close};
  enginehost_init_disk(h);
}

void enginehost_done(enginehost_t *h) {
  for (uint32_t i = 0; i < h->n_pieces; i++)
    free(h->pieces[i].p);
  enginehost_drop_files(h);
  sink_free(&h->said);
  sink_free(&h->replied);
  sink_free(&h->appended);
  host_done(&h->host);
}

enginehost_code_t *enginehost_code(enginehost_t *h, uint64_t ip, const char *path,
                                   const char *soname, const char *functions_at) {
  assert_true(h->n_codes < ENGINEHOST_MAX);
  enginehost_code_t *code = &h->codes[h->n_codes++];
  *code = (enginehost_code_t){
      .code = {.ip = ip}, .path = path, .soname = soname, .functions = functions_at};
  return code;
}

uint32_t enginehost_stack(enginehost_t *h, uint32_t n, ...) {
  assert_true(h->n_stacks < ENGINEHOST_MAX && n <= ENGINEHOST_FRAMES);
  enginehost_stack_t *stack = &h->stacks[h->n_stacks++];
  va_list ips;
  va_start(ips, n);
  stack->n = n;
  for (uint32_t i = 0; i < n; i++)
    stack->codes[i] = (dmd_code_t){.ip = va_arg(ips, uint64_t)};
  va_end(ips);
  return h->n_stacks;
}

enginehost_code_t *enginehost_object(enginehost_t *h, const char *path, const char *soname,
                                     const char *functions_of) {
  assert_true(h->n_objects < COUNT_OF(h->objects));
  h->objects[h->n_objects].path = path;
  h->objects[h->n_objects].soname = soname;
  h->objects[h->n_objects].functions = functions_of;
  h->objects[h->n_objects].replaced =
      enginehost_code(h, 0xf0000 + h->n_objects, path, soname, "operator new");
  return h->objects[h->n_objects++].replaced;
}
