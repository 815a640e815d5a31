/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture_fixture.h"

#include "dmdv/input/profilefile.h"

#include <stdio.h>

capture_fixture_t g_capture;

/* ---- The program's memory. ---- */

bool capture_has_address(uint64_t addr) {
  return addr >= BASE && addr < BASE + MEMORY_SZB;
}

static size_t read_memory(void *ctx, uint64_t addr, void *to, size_t n) {
  (void)ctx;
  assert_true(n > 0 && addr / DMD_PAGE_SZB == (addr + n - 1) / DMD_PAGE_SZB);
  if (addr >= TABLES && addr - TABLES < sizeof g_capture.tables) {
    memcpy(to, g_capture.tables + (addr - TABLES), n);
    return n;
  }
  if (!capture_has_address(addr) || g_capture.pages[(addr - BASE) / DMD_PAGE_SZB] == UNREADABLE)
    return 0;
  /* Words that pointers lead to are read in place; pages are not. */
  assert_true(n < DMD_PAGE_SZB || !g_capture.knows_pages ||
              g_capture.pages[(addr - BASE) / DMD_PAGE_SZB] != EMPTY);
  memcpy(to, g_capture.memory + (addr - BASE), n);
  return n;
}

static bool holds_memory(void *ctx, uint64_t addr, size_t n, bool *holds) {
  (void)ctx;
  assert_int_equal(addr % DMD_PAGE_SZB, 0);
  for (size_t i = 0; i < n; i++, addr += DMD_PAGE_SZB)
    holds[i] = !capture_has_address(addr) || g_capture.pages[(addr - BASE) / DMD_PAGE_SZB] != EMPTY;
  return g_capture.knows_pages;
}

void capture_put(uint64_t at, uint64_t word) {
  memcpy(g_capture.memory + (at - BASE), &word, g_capture.word_szB);
}

/* ---- Blocks and roots. ---- */

static void add_mapping(dmd_mapping_t mapping) {
  *(dmd_mapping_t *)dmd_pool_at(&g_capture.mappings.mappings,
                                dmd_pool_add(&g_capture.mappings.mappings)) = mapping;
}

void capture_begin_on(const dmd_env_t *env, uint64_t word_szB) {
  g_capture.word_szB = word_szB;
  g_capture.n_blocks = g_capture.n_roots = 0;
  g_capture.knows_pages = true;
  memset(g_capture.memory, 0, sizeof g_capture.memory);
  memset(g_capture.tables, 0, sizeof g_capture.tables);
  memset(g_capture.pages, 0, sizeof g_capture.pages);
  dmd_live_init(&g_capture.live, env,
                &(dmd_live_config_t){.mode = DMD_MODE_DARK_MATTER,
                                     .allocator = DMD_ALLOCATOR_EXACT,
                                     .word_szB = word_szB});
  dmd_pool_init(&g_capture.registers, env, "test.registers", sizeof(uint64_t));
  dmd_mappings_init(&g_capture.mappings, env);
  *(dmd_mapped_object_t *)dmd_pool_at(&g_capture.mappings.objects,
                                      dmd_pool_add(&g_capture.mappings.objects)) =
      (dmd_mapped_object_t){.start = CODE, .end = OBJECT_END, .bias = BIAS};
  add_mapping((dmd_mapping_t){
      .start = CODE, .end = TABLES, .is_file = true, .is_readable = true, .has_code = true});
  add_mapping((dmd_mapping_t){
      .start = TABLES, .end = TABLES + DMD_PAGE_SZB, .is_file = true, .is_readable = true});
}

void capture_end_on(void) {
  dmd_mappings_destroy(&g_capture.mappings);
  dmd_pool_destroy(&g_capture.registers);
  dmd_live_destroy(&g_capture.live);
}

void capture_begin(uint64_t word_szB) {
  host_init(&g_capture.host);
  capture_begin_on(&g_capture.host.env, word_szB);
}

void capture_end(void) {
  capture_end_on();
  host_done(&g_capture.host);
}

void capture_add_block(uint64_t addr, uint64_t req, uint64_t slop, uint32_t stack, uint32_t flags) {
  g_capture.blocks[g_capture.n_blocks] =
      (added_t){.addr = addr, .req = req, .usable = req + slop, .number = g_capture.n_blocks};
  g_capture.n_blocks++;
  dmd_live_add(&g_capture.live, &(dmd_new_block_t){.addr = addr,
                                                   .req = req,
                                                   .usable = req + slop,
                                                   .stack = stack,
                                                   .thread = 3,
                                                   .flags = flags});
}

void capture_add_register(uint64_t word) {
  *(uint64_t *)dmd_pool_at(&g_capture.registers, dmd_pool_add(&g_capture.registers)) = word;
}

/* ---- The capture. ---- */

static void write_stack(dmd_graphwriter_t *file, uint32_t id) {
  char name[16];
  snprintf(name, sizeof name, "f%u", (unsigned)id);
  dmd_graphwriter_function_t function = {.name = name, .file = "a.c", .line = 1};
  dmd_graphwriter_code(
      file, &(dmd_graphwriter_code_t){.addr = id, .functions = &function, .n_functions = 1});
}

/* Everything uses the env of the live state. The roots are a piece of memory, then a set of
 * registers. */
void capture(dmd_write_fn write, void *to) {
  dmd_memory_t memory = {.read = read_memory, .holds = holds_memory};
  dmd_graphwriter_t file;
  dmd_capture_t c;
  dmd_profile_t profile;
  const dmd_env_t *env = g_capture.live.env;
  dmd_profile_init(&profile, env);
  profile.run.word_szB = g_capture.word_szB;
  dmd_graphwriter_init(&file, env, write, to);
  dmd_graphwriter_header(&file, &profile, true, 0);
  dmd_graphwriter_object(
      &file, &(dmd_graph_object_t){
                 .path = "/bin/app", .bias = BIAS, .start = CODE, .szB = OBJECT_END - CODE});
  dmd_capture_init(&c, &g_capture.live, &memory, &g_capture.mappings, &file, true);
  for (uint32_t i = 0; i < g_capture.n_roots; i++)
    dmd_graphwriter_root(&file, &(dmd_graphwriter_root_t){.addr = g_capture.roots[i][0],
                                                          .szB = g_capture.roots[i][1]});
  dmd_graphwriter_root(
      &file, &(dmd_graphwriter_root_t){.kind = DMD_ROOT_REGISTERS,
                                       .szB = g_capture.registers.last * g_capture.word_szB,
                                       .thread = 1});
  for (uint32_t i = 0; i < g_capture.n_roots; i++)
    dmd_capture_root(&c, g_capture.roots[i][0], g_capture.roots[i][1]);
  dmd_capture_words(&c, &g_capture.registers, 1, g_capture.registers.last);
  dmd_capture_blocks(&c);
  for (uint32_t i = 1; i <= dmd_numbering_count(&c.stacks); i++)
    write_stack(&file, dmd_numbering_id(&c.stacks, i));
  for (uint32_t i = 1; i <= dmd_numbering_count(&c.stacks); i++)
    dmd_graphwriter_stack(&file, &i, 1);
  dmd_capture_reports(&c);
  assert_true(dmd_graphwriter_end(&file));
  dmd_capture_destroy(&c);
  dmd_graphwriter_destroy(&file);
  dmd_profile_destroy(&profile);
}

void capture_and_load(void) {
  sink_t file;
  dmd_fail_t fail = {0};
  sink_init(&file);
  capture(file.out.write, file.out.ctx);
  dmdv_input_t *input = dmdv_input_open_memory(file.text, file.n, SIZE_MAX, &fail);
  if (!dmdv_load_graph_input(&g_capture.graph, input, &(dmd_load_graph_options_t){0}, &fail))
    fail_msg("%s (byte %llu)", fail.reason, (unsigned long long)fail.byte);
  dmdv_input_close(input);
  sink_free(&file);
}
