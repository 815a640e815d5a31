/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "enginehost.h"
#include "record/engine/roots.h"

#include <elf.h>
#include <stdio.h>

/* ---- What is mapped, and the threads. ---- */

enum { MAX = 32, PAGE = 4096 };

static dmd_mapping_t g_mappings[MAX];
static uint32_t g_n_mappings;
static dmd_thread_t g_threads[4];
static uint32_t g_n_threads;

static void mappings(void *ctx, dmd_mapping_fn visit, void *visitor) {
  (void)ctx;
  for (uint32_t i = 0; i < g_n_mappings; i++)
    visit(visitor, &g_mappings[i]);
}

static void threads(void *ctx, dmd_thread_fn visit, void *visitor) {
  (void)ctx;
  for (uint32_t i = 0; i < g_n_threads; i++)
    visit(visitor, &g_threads[i]);
}

/* A mapping that can be read and written. */
static dmd_mapping_t *map(uint64_t start, uint64_t end, const char *path, uint64_t offset) {
  g_mappings[g_n_mappings] = (dmd_mapping_t){.start = start,
                                             .end = end,
                                             .path = path,
                                             .offset = offset,
                                             .is_file = path != NULL,
                                             .is_readable = true,
                                             .is_writable = true};
  return &g_mappings[g_n_mappings++];
}

typedef struct {
  enginehost_t h;
  dmd_memory_t memory;
  dmd_roots_t roots;
} fixture_t;

static void begin(fixture_t *f) {
  enginehost_init(&f->h);
  g_n_mappings = g_n_threads = 0;
  f->h.engine_host.mappings = mappings;
  f->h.engine_host.threads = threads;
  f->h.engine_host.word_szB = sizeof(uint64_t);
  f->memory = (dmd_memory_t){.read = f->h.engine_host.memory_read, .ctx = &f->h};
}

static void find(fixture_t *f) {
  const dmd_engine_host_t *host = &f->h.engine_host;
  host->memory_begin(host->ctx);
  dmd_roots_init(&f->roots, host, &f->h.host.env, &f->memory);
  host->memory_end(host->ctx);
}

static void end(fixture_t *f) {
  dmd_roots_destroy(&f->roots);
  enginehost_done(&f->h);
}

/* "kind start-end name thread frame origin object; ..." of all roots, less a base; fields that are
 * 0 or NULL are left out. */
static const char *spell(const fixture_t *f, uint64_t base) {
  static const char *const kinds[] = {"other", "data", "stack", "registers", "storage"};
  static char text[4000];
  size_t n = 0;
  text[0] = '\0';
  for (uint32_t i = 1; i <= dmd_roots_count(&f->roots); i++) {
    const dmd_root_t *root = dmd_roots_at(&f->roots, i);
    n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i > 1 ? "; " : "", kinds[root->kind]);
    if (root->kind == DMD_ROOT_REGISTERS)
      n += (size_t)snprintf(text + n, sizeof text - n, " x %u", root->n_words);
    else
      n += (size_t)snprintf(text + n, sizeof text - n, " %llx-%llx",
                            (unsigned long long)(root->addr - base),
                            (unsigned long long)(root->addr + root->szB - base));
    if (root->name != NULL)
      n += (size_t)snprintf(text + n, sizeof text - n, " %s", root->name);
    if (root->thread != 0)
      n += (size_t)snprintf(text + n, sizeof text - n, " thread %u", root->thread);
    if (root->frame.ip != 0)
      n += (size_t)snprintf(text + n, sizeof text - n, " in %llx",
                            (unsigned long long)root->frame.ip);
    if (root->origin != 0)
      n += (size_t)snprintf(text + n, sizeof text - n, " from %llx",
                            (unsigned long long)(root->origin - base));
    if (root->object != 0)
      n += (size_t)snprintf(text + n, sizeof text - n, " of %u", root->object);
  }
  return text;
}

#define EXPECT(f, base, expected)                                                                  \
  do {                                                                                             \
    find(f);                                                                                       \
    assert_string_equal(spell(f, base), expected);                                                 \
    end(f);                                                                                        \
  } while (0)

/* ---- Mapped memory. ---- */

static void what_can_hold_pointers(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  map(0x1000, 0x3000, NULL, 0);
  map(0x3000, 0x4000, "/a file", 0x1000);
  map(0x5000, 0x6000, NULL, 0)->is_readable = false;
  map(0x6000, 0x7000, NULL, 0)->is_writable = false;
  map(0x7000, 0x8000, NULL, 0)->is_heap = true;
  map(0x8000, 0x9000, "/dev/card", 0)->is_device = true;
  map(0x9000, 0xa000, "/a file", 0x1000);
  EXPECT(&f, 0, "other 1000-3000; other 3000-4000 /a file; other 9000-a000 /a file");
}

static void large_memory_is_several_roots(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  map(0x100000000, 0x190000000, NULL, 0);
  EXPECT(&f, 0x100000000, "other 0-40000000; other 40000000-80000000; other 80000000-90000000");
}

static void a_host_that_knows_nothing(void **state) {
  (void)state;
  fixture_t f;
  begin(&f);
  f.h.engine_host.mappings = NULL;
  f.h.engine_host.threads = NULL;
  EXPECT(&f, 0, "");
}

/* ---- Stacks. The code of 0x1000 to 0x2000 was run, that of 0x2000 was not. ---- */

static const uint64_t g_registers[] = {1, 2, 3};
static dmd_code_t g_codes[] = {{.ip = 0x1010}, {.ip = 0x1020}, {.ip = 0x1030}, {.ip = 0x2040}};
static uint64_t g_sps[] = {0x18100, 0x18180, 0x18200, 0x18300};

static dmd_thread_t *add_thread(uint32_t n_frames) {
  g_threads[g_n_threads] = (dmd_thread_t){.thread = g_n_threads + 1,
                                          .sp = 0x18100,
                                          .stack_start = 0x10000,
                                          .stack_end = 0x19000,
                                          .red_zone_szB = 0x80,
                                          .registers = g_registers,
                                          .n_registers = COUNT_OF(g_registers),
                                          .codes = g_codes,
                                          .sps = g_sps,
                                          .n_frames = n_frames};
  return &g_threads[g_n_threads++];
}

static void begin_with_code(fixture_t *f) {
  begin(f);
  dmd_mapping_t *code = map(0x1000, 0x2000, "/bin/app", 0x1000);
  code->is_writable = false;
  code->has_code = true;
  map(0x2000, 0x3000, "/bin/app", 0x2000)->is_writable = false;
}

static void stacks_are_cut_by_frames(void **state) {
  (void)state;
  fixture_t f;
  begin_with_code(&f);
  add_thread(4);
  map(0x10000, 0x19000, NULL, 0);
  EXPECT(&f, 0x10000,
         "registers x 3 thread 1; stack 8080-8180 thread 1 in 1010 from 8180; "
         "stack 8180-8200 thread 1 in 1020 from 8200; stack 8200-9000 thread 1 in 1030");
}

static void frames_that_make_no_sense(void **state) {
  (void)state;
  static const uint64_t below[] = {0x18100, 0x18000, 0x18200, 0},
                        above[] = {0x18100, 0x20000, 0x18200, 0};
  static const struct {
    const uint64_t *sps;
    uint32_t n;
    const char *stack;
  } cases[] = {{below, 3, "stack 8080-9000 thread 1 in 1010"},
               {above, 3, "stack 8080-9000 thread 1 in 1010"},
               {g_sps, 0, "stack 8080-9000 thread 1"}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    fixture_t f;
    char expected[200];
    begin_with_code(&f);
    add_thread(cases[i].n)->sps = cases[i].sps;
    map(0x10000, 0x19000, NULL, 0);
    snprintf(expected, sizeof expected, "registers x 3 thread 1; %s", cases[i].stack);
    EXPECT(&f, 0x10000, expected);
  }
}

/* Only memory known to be below a stack pointer is not in use; the rest of the mapping is. */
static void a_stack_in_a_larger_mapping(void **state) {
  (void)state;
  fixture_t f;
  begin_with_code(&f);
  add_thread(1);
  map(0xe000, 0x1b000, NULL, 0);
  EXPECT(&f, 0,
         "registers x 3 thread 1; stack 18080-19000 thread 1 in 1010; other e000-10000; "
         "other 19000-1b000");
}

static void a_thread_on_another_stack(void **state) {
  (void)state;
  fixture_t f;
  begin_with_code(&f);
  add_thread(1)->sp = 0x90000;
  map(0x10000, 0x19000, NULL, 0);
  EXPECT(&f, 0, "registers x 3 thread 1; other 10000-19000");
}

/* Its stack and its storage are parts of a block, and are read as such. */
static void a_stack_from_the_heap(void **state) {
  (void)state;
  fixture_t f;
  begin_with_code(&f);
  add_thread(1)->thread_pointer = 0x18800;
  map(0x10000, 0x19000, NULL, 0)->is_heap = true;
  EXPECT(&f, 0, "registers x 3 thread 1");
}

static void the_red_zone_ends_with_the_stack(void **state) {
  (void)state;
  fixture_t f;
  begin_with_code(&f);
  add_thread(0)->sp = 0x10010;
  map(0x10000, 0x19000, NULL, 0);
  EXPECT(&f, 0x10000, "registers x 3 thread 1; stack 0-9000 thread 1");
}

/* ---- Objects: an image of four pages, as a linker makes it. ---- */

static unsigned char g_image[6 * PAGE] __attribute__((aligned(PAGE)));
static const unsigned char g_build_id[20] = {0xde, 0xad, 1, 2, 3};

enum { VADDR = 0x400000, TLS_SZB = 100, DYNAMIC = 2 * PAGE + 64, STRINGS = 0x900 };

static Elf64_Phdr part(uint32_t type, uint64_t offset, uint64_t in_file, uint64_t szB) {
  return (Elf64_Phdr){.p_type = type,
                      .p_offset = offset,
                      .p_vaddr = VADDR + offset,
                      .p_filesz = in_file,
                      .p_memsz = szB,
                      .p_align = PAGE};
}

/* Header, notes and code; data; then 1.5 pages that are not in the file. */
static void make_image(void) {
  Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                       .e_phoff = sizeof header,
                       .e_phentsize = sizeof(Elf64_Phdr),
                       .e_phnum = 6};
  Elf64_Phdr parts[] = {part(PT_NOTE, 0x800, 64, 64),
                        part(PT_LOAD, 0, 2 * PAGE, 2 * PAGE),
                        part(PT_LOAD, 2 * PAGE, PAGE, PAGE + PAGE / 2),
                        part(PT_TLS, 2 * PAGE, 8, TLS_SZB),
                        part(PT_LOAD, 4 * PAGE, 0, PAGE),
                        part(PT_DYNAMIC, DYNAMIC, 64, 64)};
  parts[3].p_align = 16;
  uint32_t other_note[] = {4, 4, 1, 0x00554e47, 7}, note[] = {4, sizeof g_build_id, 3, 0x00554e47};
  Elf64_Dyn dynamic[] = {{.d_tag = DT_SONAME, .d_un.d_val = 7},
                         {.d_tag = DT_STRTAB, .d_un.d_ptr = VADDR + STRINGS},
                         {.d_tag = DT_NULL}};
  memset(g_image, 0, sizeof g_image);
  memcpy(g_image + DYNAMIC, dynamic, sizeof dynamic);
  memcpy(g_image + STRINGS, "before\0libx.so.1", sizeof "before\0libx.so.1");
  memcpy(g_image, &header, sizeof header);
  memcpy(g_image + sizeof header, parts, sizeof parts);
  memcpy(g_image + 0x800, other_note, sizeof other_note);
  memcpy(g_image + 0x800 + sizeof other_note, note, sizeof note);
  memcpy(g_image + 0x800 + sizeof other_note + sizeof note, g_build_id, sizeof g_build_id);
}

static Elf64_Dyn *dynamic_of_image(uint32_t i) {
  return (Elf64_Dyn *)(void *)(g_image + DYNAMIC) + i;
}

static uint64_t image(void) {
  return (uintptr_t)g_image;
}

static Elf64_Ehdr *header_of_image(void) {
  return (Elf64_Ehdr *)(void *)g_image;
}

static Elf64_Phdr *part_of_image(uint32_t i) {
  return (Elf64_Phdr *)(void *)(g_image + sizeof(Elf64_Ehdr)) + i;
}

static void begin_with_image(fixture_t *f) {
  make_image();
  begin(f);
  map(image(), image() + 2 * PAGE, "/lib/x.so", 0)->is_writable = false;
  map(image() + 2 * PAGE, image() + 3 * PAGE, "/lib/x.so", 2 * PAGE);
  map(image() + 3 * PAGE, image() + 6 * PAGE, NULL, 0);
}

static void data_of_objects(void **state) {
  (void)state;
  fixture_t f;
  begin_with_image(&f);
  find(&f);
  assert_int_equal(f.roots.objects.last, 1);
  const dmd_graph_object_t *object = dmd_roots_object(&f.roots, 1);
  assert_string_equal(object->path, "/lib/x.so");
  assert_string_equal(object->soname, "libx.so.1");
  assert_int_equal(object->bias, image() - VADDR);
  assert_int_equal(object->start, image());
  assert_int_equal(object->szB, 5 * PAGE);
  assert_int_equal(object->n_build_id, sizeof g_build_id);
  assert_memory_equal(object->build_id, g_build_id, sizeof g_build_id);
  assert_string_equal(spell(&f, image()),
                      "data 2000-3000 of 1; data 3000-5000 of 1; other 5000-6000");
  end(&f);
}

/* The object's code is one page, and the program asked for the page after it. */
static void memory_in_a_hole_of_an_object(void **state) {
  (void)state;
  fixture_t f;
  begin_with_image(&f);
  part_of_image(1)->p_filesz = part_of_image(1)->p_memsz = PAGE;
  g_n_mappings = 0;
  map(image(), image() + PAGE, "/lib/x.so", 0)->is_writable = false;
  map(image() + PAGE, image() + 2 * PAGE, NULL, 0);
  map(image() + 2 * PAGE, image() + 3 * PAGE, "/lib/x.so", 2 * PAGE);
  map(image() + 3 * PAGE, image() + 5 * PAGE, NULL, 0);
  find(&f);
  assert_string_equal(spell(&f, image()),
                      "other 1000-2000; data 2000-3000 of 1; data 3000-5000 of 1");
  end(&f);
}

/* Memory at the object's start that is not an ELF header: a program can overwrite it. */
static void what_is_no_object(void **state) {
  (void)state;
  for (int i = 0; i < 9; i++) {
    fixture_t f;
    begin_with_image(&f);
    switch (i) {
    case 0:
      g_image[0] = 0;
      break;
    case 1:
      g_image[EI_CLASS] = ELFCLASS32;
      break;
    case 2:
      header_of_image()->e_phoff = UINT64_MAX - 8;
      break;
    case 3:
      header_of_image()->e_phnum = 0xffff;
      break;
    case 4:
      header_of_image()->e_phentsize++;
      break;
    case 5: /* mapped at another file offset, as by a program that reads the file */
      part_of_image(2)->p_offset += PAGE;
      break;
    case 6: /* loaded to where nothing is */
      part_of_image(2)->p_vaddr += 16 * PAGE;
      break;
    case 7:
      header_of_image()->e_phnum = 1;
      break;
    default:
      f.h.unreadable = g_image;
    }
    find(&f);
    if (f.roots.objects.last != 0)
      fail_msg("case %d is an object", i);
    end(&f);
  }
}

static void notes_that_are_broken(void **state) {
  (void)state;
  static const uint32_t sizes[][2] = {
      {UINT32_MAX, 4}, {4, UINT32_MAX}, {UINT32_MAX - 3, 16}, {0, 0}};
  for (size_t i = 0; i < COUNT_OF(sizes); i++) {
    fixture_t f;
    begin_with_image(&f);
    memset(g_image + 0x800, 0, 64);
    memcpy(g_image + 0x800, sizes[i], sizeof sizes[i]);
    find(&f);
    assert_int_equal(f.roots.objects.last, 1);
    assert_int_equal(dmd_roots_object(&f.roots, 1)->n_build_id, 0);
    end(&f);
  }
}

static void sonames(void **state) {
  (void)state;
  for (int i = 0; i < 5; i++) {
    fixture_t f;
    begin_with_image(&f);
    if (i == 0) /* as the loader of the C library leaves it */
      dynamic_of_image(1)->d_un.d_ptr = image() + STRINGS;
    else if (i == 1)
      dynamic_of_image(0)->d_tag = DT_NULL;
    else if (i == 2) /* in the first page, which is empty */
      dynamic_of_image(1)->d_un.d_ptr = 16 - (image() - VADDR);
    else if (i == 3)
      memset(g_image + STRINGS + 7, 'x', 600);
    else
      part_of_image(5)->p_vaddr++;
    find(&f);
    assert_int_equal(f.roots.objects.last, 1);
    const char *soname = dmd_roots_object(&f.roots, 1)->soname;
    assert_string_equal(soname == NULL ? "none" : soname, i == 0 ? "libx.so.1" : "none");
    end(&f);
  }
}

/* A thread whose stack and thread pointer are in one mapping. */
static dmd_thread_t *add_thread_with_storage(void) {
  const uint64_t stack = image() + 0x100000;
  map(stack, stack + 0x9000, NULL, 0);
  dmd_thread_t *thread = add_thread(0);
  thread->sp = stack + 0x8000;
  thread->stack_start = stack;
  thread->stack_end = stack + 0x9000;
  thread->thread_pointer = stack + 0x8800;
  return thread;
}

/* It ends at the thread pointer, which is followed by the C library's thread data: here, and in a
 * thread that has both on its stack's mapping, above the stack. */
static void thread_local_storage(void **state) {
  (void)state;
  fixture_t f;
  begin_with_image(&f);
  uint64_t stack = add_thread_with_storage()->stack_start;
  find(&f);
  /* 100 bytes, and up to 16 that they are aligned by. */
  char expected[300];
  snprintf(expected, sizeof expected,
           "registers x 3 thread 1; storage %x-9000 thread 1 from %x; stack 7f80-%x thread 1",
           0x8800 - TLS_SZB - 16, 0x8800, 0x8800 - TLS_SZB - 16);
  const char *all = spell(&f, stack), *rest = strstr(all, "; data");
  assert_non_null(rest);
  assert_int_equal(rest - all, strlen(expected));
  assert_memory_equal(all, expected, strlen(expected));
  end(&f);
}

/* As on arm64: two words, and the storage after them. What lies below is the stack's. */
static void thread_local_storage_that_follows(void **state) {
  (void)state;
  fixture_t f;
  begin_with_image(&f);
  dmd_thread_t *thread = add_thread_with_storage();
  uint64_t stack = thread->stack_start;
  thread->storage_follows = true;
  find(&f);
  const uint64_t stored = 0x8800 + 16 + TLS_SZB + 16;
  char expected[300];
  snprintf(
      expected, sizeof expected,
      "registers x 3 thread 1; storage 8800-%llx thread 1 from 8800; stack 7f80-8800 thread 1; ",
      (unsigned long long)stored);
  assert_memory_equal(spell(&f, stack), expected, strlen(expected));
  snprintf(expected, sizeof expected, "; other %llx-9000", (unsigned long long)stored);
  assert_non_null(strstr(spell(&f, stack), expected));
  end(&f);
}

static void use(host_t *host, void *arg) {
  fixture_t *f = arg;
  dmd_roots_t roots;
  dmd_roots_init(&roots, &f->h.engine_host, &host->env, &f->memory);
  dmd_roots_destroy(&roots);
}

static void out_of_memory(void **state) {
  (void)state;
  fixture_t f;
  begin_with_image(&f);
  add_thread(2);
  f.h.is_reading = true;
  assert_true(host_fail_everywhere(use, &f) > 5);
  enginehost_done(&f.h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_can_hold_pointers),
      cmocka_unit_test(large_memory_is_several_roots),
      cmocka_unit_test(a_host_that_knows_nothing),
      cmocka_unit_test(stacks_are_cut_by_frames),
      cmocka_unit_test(frames_that_make_no_sense),
      cmocka_unit_test(a_stack_in_a_larger_mapping),
      cmocka_unit_test(a_thread_on_another_stack),
      cmocka_unit_test(a_stack_from_the_heap),
      cmocka_unit_test(the_red_zone_ends_with_the_stack),
      cmocka_unit_test(data_of_objects),
      cmocka_unit_test(memory_in_a_hole_of_an_object),
      cmocka_unit_test(what_is_no_object),
      cmocka_unit_test(notes_that_are_broken),
      cmocka_unit_test(sonames),
      cmocka_unit_test(thread_local_storage),
      cmocka_unit_test(thread_local_storage_that_follows),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
