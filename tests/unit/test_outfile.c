/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * base/outfile.h over a file system of at most four files, in memory, that fails on request.
 */
#include "host.h"

#include "base/outfile.h"

enum { MAX_FILES = 4, MAX_TEXT = 64, AT_ONCE = 5, NO_SPACE = 28 };

typedef struct {
  char name[32];
  char text[MAX_TEXT];
  size_t n;
  bool special;
} file_t;

typedef struct {
  file_t files[MAX_FILES];
  int n_calls, fail_at; /* of open, write, close and rename; from 1, 0: none fails */
  int n_open;
} disk_t;

static file_t *find(disk_t *disk, const char *name) {
  for (int i = 0; i < MAX_FILES; i++)
    if (strcmp(disk->files[i].name, name) == 0)
      return &disk->files[i];
  return NULL;
}

static bool fails(disk_t *disk) {
  return ++disk->n_calls == disk->fail_at;
}

static bool is_special(void *ctx, const char *name) {
  const file_t *file = find(ctx, name);
  return file != NULL && file->special;
}

static int open_file(void *ctx, const char *name, bool exclusive, int *fd) {
  disk_t *disk = ctx;
  if (fails(disk))
    return NO_SPACE;
  file_t *file = find(disk, name);
  assert_true(!exclusive || file == NULL);
  if (file == NULL)
    file = find(disk, "");
  strcpy(file->name, name);
  file->n = 0;
  disk->n_open++;
  *fd = (int)(file - disk->files);
  return 0;
}

/* Takes a few bytes at a time, as a pipe may. */
static int write_file(void *ctx, int fd, const char *bytes, size_t n, size_t *written) {
  disk_t *disk = ctx;
  file_t *file = &disk->files[fd];
  if (fails(disk))
    return NO_SPACE;
  *written = n < AT_ONCE ? n : AT_ONCE;
  memcpy(file->text + file->n, bytes, *written);
  file->n += *written;
  return 0;
}

static int close_file(void *ctx, int fd) {
  disk_t *disk = ctx;
  (void)fd;
  disk->n_open--;
  return fails(disk) ? NO_SPACE : 0;
}

static void unlink_file(void *ctx, const char *name) {
  file_t *file = find(ctx, name);
  if (file != NULL)
    *file = (file_t){0};
}

static int rename_file(void *ctx, const char *from, const char *to) {
  if (fails(ctx))
    return NO_SPACE;
  file_t *file = find(ctx, from);
  unlink_file(ctx, to);
  strcpy(file->name, to);
  return 0;
}

static uint64_t pid(void *ctx) {
  (void)ctx;
  return 7;
}

static dmd_files_t files_of(disk_t *disk) {
  return (dmd_files_t){is_special,  open_file,   write_file, close_file,
                       rename_file, unlink_file, pid,        disk};
}

/* What the file of this name holds, "" for nothing and NULL where it is not there. */
static const char *text_of(disk_t *disk, const char *name) {
  file_t *file = find(disk, name);
  if (file == NULL)
    return NULL;
  file->text[file->n] = '\0';
  return file->text;
}

/* Writes "twelve bytes" to "a", in two parts; whether all went well. */
static bool write_twelve(host_t *host, disk_t *disk, bool keep, int *error) {
  dmd_files_t files = files_of(disk);
  dmd_outfile_t file;
  bool good = dmd_outfile_open(&file, &host->env, &files, "a");
  if (good) {
    dmd_outfile_write(&file, "twelve", 6);
    dmd_outfile_write(&file, " bytes", 6);
    good = dmd_outfile_close(&file, keep);
  }
  *error = file.error;
  dmd_outfile_destroy(&file);
  assert_int_equal(disk->n_open, 0);
  return good;
}

static void appears_when_it_is_complete(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  disk_t disk = {.files = {{.name = "a", .text = "older", .n = 5}}};
  dmd_files_t files = files_of(&disk);
  dmd_outfile_t file;
  assert_true(dmd_outfile_open(&file, &host.env, &files, "a"));
  dmd_outfile_write(&file, "new", 3);
  assert_string_equal(text_of(&disk, "a"), "older");
  assert_string_equal(text_of(&disk, "a.tmp.7"), "new");
  assert_true(dmd_outfile_close(&file, true));
  assert_string_equal(text_of(&disk, "a"), "new");
  assert_null(text_of(&disk, "a.tmp.7"));
  assert_int_equal(file.written, 3);
  dmd_outfile_destroy(&file);
  host_done(&host);
}

/* Whichever call fails, the older file is as it was and nothing else is left. */
static void a_failure_loses_no_older_file(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  int fail_at = 1, error;
  for (;; fail_at++) {
    disk_t disk = {.files = {{.name = "a", .text = "older", .n = 5}}, .fail_at = fail_at};
    bool good = write_twelve(&host, &disk, true, &error);
    assert_null(text_of(&disk, "a.tmp.7"));
    assert_string_equal(text_of(&disk, "a"), good ? "twelve bytes" : "older");
    assert_int_equal(error, good ? 0 : NO_SPACE);
    if (good)
      break;
  }
  /* open, two writes of six bytes, five at a time, close, rename */
  assert_int_equal(fail_at, 8);
  host_done(&host);
}

static void what_is_not_kept_leaves_nothing(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  disk_t disk = {0};
  int error;
  assert_true(write_twelve(&host, &disk, false, &error));
  assert_null(text_of(&disk, "a"));
  assert_null(text_of(&disk, "a.tmp.7"));
  host_done(&host);
}

static void a_leftover_of_the_same_process_number_is_no_obstacle(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  disk_t disk = {.files = {{.name = "a.tmp.7", .text = "half a file", .n = 11}}};
  int error;
  assert_true(write_twelve(&host, &disk, true, &error));
  assert_string_equal(text_of(&disk, "a"), "twelve bytes");
  host_done(&host);
}

static void a_pipe_is_written_to_directly(void **state) {
  (void)state;
  host_t host;
  host_init(&host);
  disk_t disk = {.files = {{.name = "a", .special = true}}};
  int error;
  assert_true(write_twelve(&host, &disk, true, &error));
  assert_true(find(&disk, "a")->special);
  assert_string_equal(text_of(&disk, "a"), "twelve bytes");
  host_done(&host);
}

static void use(host_t *host, void *arg) {
  int error;
  *(disk_t *)arg = (disk_t){0};
  write_twelve(host, arg, true, &error);
}

static void out_of_memory(void **state) {
  (void)state;
  disk_t disk;
  assert_true(host_fail_everywhere(use, &disk) >= 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(appears_when_it_is_complete),
      cmocka_unit_test(a_failure_loses_no_older_file),
      cmocka_unit_test(what_is_not_kept_leaves_nothing),
      cmocka_unit_test(a_leftover_of_the_same_process_number_is_no_obstacle),
      cmocka_unit_test(a_pipe_is_written_to_directly),
      cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
