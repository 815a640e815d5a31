/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "native/pl_place.h"

#include "base/mem.h"
#include "base/str.h"
#include "native/pl_lines.h"
#include "native/pl_memory.h"
#include "native/pl_objects.h"
#include "native/pl_stack.h"
#include "native/pl_state.h"
#include "native/pl_symbols.h"

static void put(char *text, size_t szB, const char *what, const char *path) {
  size_t n = 0;
  for (; *what != '\0' && n + 1 < szB; what++)
    text[n++] = *what;
  for (; *path != '\0' && n + 1 < szB; path++)
    text[n++] = *path;
  text[n] = '\0';
}

static void describe_own_stack(uint64_t addr, char *text, size_t szB) {
  const pl_thread_t *thread = pl_thread();
  dmd_strbuf_t words;
  dmd_code_t code;
  dmd_strbuf_init(&words, &g_env);
  dmd_strbuf_str(&words, "the stack of thread ");
  dmd_strbuf_u64(&words, thread->number);
  const char *name = pl_stack_frame_around(thread, addr, &code) ? pl_symbol_at(code) : NULL;
  if (name != NULL) {
    dmd_strbuf_str(&words, ", in the frame of ");
    dmd_strbuf_str(&words, name);
  }
  put(text, szB, words.text, "");
  dmd_strbuf_destroy(&words);
}

static dmd_fault_kind_t describe(const pl_mapping_t *mapping, uint64_t addr, char *text,
                                 size_t szB) {
  const char *path = mapping->path;
  uint64_t sp = pl_thread()->entry.sp;
  if (sp >= mapping->start && sp < mapping->end) {
    describe_own_stack(addr, text, szB);
    return DMD_FAULT_REPORT_STACK;
  }
  if (dmd_str_equal(path, "[stack]")) {
    put(text, szB, "the stack of thread 1", "");
    return DMD_FAULT_REPORT_STACK;
  }
  if (dmd_str_equal(path, "[heap]"))
    return DMD_FAULT_REPORT_NO_BLOCK;
  put(text, szB, path[0] == '/' ? "a mapping of " : "memory that the program mapped",
      path[0] == '/' ? path : "");
  return DMD_FAULT_REPORT_MAPPED;
}

static dmd_fault_kind_t describe_data(uint32_t object, uint64_t addr, char *text, size_t szB) {
  const char *variable = pl_variable_at(object, addr);
  put(text, szB, variable == NULL ? "the data of " : "the global variable ",
      variable == NULL ? pl_object(object)->path : variable);
  return DMD_FAULT_REPORT_GLOBAL;
}

dmd_fault_kind_t pl_classify(void *ctx, uint64_t addr, char *text, size_t szB) {
  uint32_t object = pl_object_around(addr);
  pl_lines_t lines;
  const char *line;
  dmd_fault_kind_t kind = DMD_FAULT_REPORT_NO_ADDRESS;
  (void)ctx;
  put(text, szB, "", "");
  if (object != DMD_NONE)
    return describe_data(object, addr, text, szB);
  pl_lines_open(&lines, "/proc/thread-self/maps");
  while (kind == DMD_FAULT_REPORT_NO_ADDRESS && (line = pl_lines_next(&lines)) != NULL) {
    pl_mapping_t mapping = pl_read_mapping(line);
    if (addr >= mapping.start && addr < mapping.end)
      kind = describe(&mapping, addr, text, szB);
  }
  pl_lines_close(&lines);
  return kind;
}
