/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * graph_write: writes a heap graph of any size to standard output, as dmd would before it
 * compresses it: BLOCKS blocks (default 1,000,000) with POINTERS pointers each (5) from STACKS
 * stacks (20,000). With a fourth argument of 1 every other block has contents, as with --waste=yes:
 * half of these equal a block nearby, half end in zeroes.
 *
 * The first two pointers of block i lead to blocks 2i and 2i + 1, as far as there are such, so that
 * all are reached from the one root; one leads anywhere, the others to blocks nearby.
 */
#include "random.h"

#include "files/graph/graphwriter.h"

#include <stdio.h>
#include <stdlib.h>

enum { NEAR = 1000, FRAMES = 5, FUNCTIONS = 1000, NODE_SZB = 64 };

static void *take(void *ctx, const char *cost_centre, size_t szB) {
  (void)ctx, (void)cost_centre;
  void *p = malloc(szB);
  if (p == NULL)
    abort();
  return p;
}

static void give_back(void *ctx, void *p) {
  (void)ctx;
  free(p);
}

static void panic(void *ctx, const char *what) {
  (void)ctx;
  fputs(what, stderr);
  abort();
}

static bool write_out(void *ctx, const char *bytes, size_t n) {
  (void)ctx;
  return fwrite(bytes, 1, n, stdout) == n;
}

static unsigned long argument(int argc, char **argv, int i, unsigned long fallback) {
  return argc > i ? strtoul(argv[i], NULL, 10) : fallback;
}

static void write_edges(dmd_graphwriter_t *file, uint64_t i, uint64_t n_blocks,
                        unsigned long n_pointers) {
  for (unsigned long p = 0; p < n_pointers; p++) {
    uint64_t target = 2 * i + p;
    if (p > 2)
      target = i + next_random() % NEAR;
    if (p == 2 || target > n_blocks)
      target = 1 + (uint64_t)next_random() * n_blocks / UINT32_MAX;
    dmd_graphwriter_edge(file, &(dmd_graphwriter_edge_t){
                                   .word = (uint32_t)p,
                                   .target = (uint32_t)(target > n_blocks ? n_blocks : target)});
  }
}

static void write_contents(dmd_graphwriter_t *file, uint64_t i) {
  uint32_t back = 1 + next_random() % NEAR;
  dmd_graphwriter_contents_t contents = {.tail = next_random() % 33};
  if (i % 2 == 0 && back < i)
    contents = (dmd_graphwriter_contents_t){.same = back};
  dmd_graphwriter_contents(file, &contents);
}

static void write_nodes(dmd_graphwriter_t *file, uint64_t n_blocks, unsigned long n_pointers,
                        unsigned long n_stacks, bool has_contents) {
  dmd_graphwriter_root(file, &(dmd_graphwriter_root_t){
                                 .kind = DMD_ROOT_DATA, .addr = 4096, .szB = 8, .name = "all"});
  dmd_graphwriter_begin_root(file);
  dmd_graphwriter_edge(file, &(dmd_graphwriter_edge_t){.target = 1});
  for (uint64_t i = 1; i <= n_blocks; i++) {
    dmd_graphwriter_block(
        file, &(dmd_graphwriter_block_t){.addr = i * NODE_SZB,
                                         .req = n_pointers * 8 + next_random() % 8,
                                         .slop = next_random() % 8,
                                         .stack = 1 + (uint32_t)(next_random() % n_stacks),
                                         .reports = next_random() % 4 == 0});
    if (has_contents && next_random() % 2 == 0)
      write_contents(file, i);
    write_edges(file, i, n_blocks, n_pointers);
  }
}

static void write_stacks(dmd_graphwriter_t *file, unsigned long n_stacks) {
  char name[32];
  for (uint32_t i = 1; i <= FUNCTIONS; i++) {
    snprintf(name, sizeof name, "function_%u", (unsigned)i);
    dmd_graphwriter_function_t function = {.name = name, .file = "generated.c", .line = i};
    dmd_graphwriter_code(
        file, &(dmd_graphwriter_code_t){.addr = i, .functions = &function, .n_functions = 1});
  }
  for (unsigned long i = 0; i < n_stacks; i++) {
    uint32_t codes[FRAMES];
    for (int k = 0; k < FRAMES; k++)
      codes[k] = 1 + next_random() % FUNCTIONS;
    dmd_graphwriter_stack(file, codes, FRAMES);
  }
}

int main(int argc, char **argv) {
  uint64_t n_blocks = argument(argc, argv, 1, 1000000);
  unsigned long n_pointers = argument(argc, argv, 2, 5), n_stacks = argument(argc, argv, 3, 20000);
  bool has_contents = argument(argc, argv, 4, 0) == 1;
  const dmd_env_t env = {.alloc = take, .free = give_back, .panic = panic};
  dmd_profile_t profile;
  dmd_graphwriter_t file;
  dmd_profile_init(&profile, &env);
  profile.run.word_szB = 8;
  dmd_graphwriter_init(&file, &env, write_out, NULL);
  dmd_graphwriter_header(&file, &profile, has_contents, 0);
  write_nodes(&file, n_blocks, n_pointers, n_stacks, has_contents);
  write_stacks(&file, n_stacks);
  dmd_graphwriter_name(&file, "explicit/generated");
  dmd_graphwriter_report_set(&file, false, 1,
                             &(dmd_graphwriter_report_t){.stack = 1, .reporter = 1}, 1);
  bool good = dmd_graphwriter_end(&file) && fflush(stdout) == 0;
  dmd_graphwriter_destroy(&file);
  dmd_profile_destroy(&profile);
  return good ? 0 : 1;
}
