/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "dmdv/run/received.h"

#include "base/str.h"
#include "host/child.h"
#include "host/output.h"
#include "host/process.h"
#include "record/engine/filename.h"
#include "record/engine/listing.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_OPEN = 256, MAX_KEPT = 16, MAX_PROCESSES = 1 << 20 };

/* Larger than any heap graph; keeps a process from filling the disk. */
#define MAX_FILE_SZB (UINT64_C(64) << 30)

typedef struct {
  uint32_t pid;
  bool has_ended;
} process_t;

/* A file that is being received or, once it is complete, one that is kept. */
typedef struct {
  uint64_t number; /* of the stream */
  uint64_t dump;   /* its number in the process */
  uint32_t pid;
  bool is_graph, is_complete;
  char *name;
  dmdv_output_t *file; /* NULL: the file is kept */
  int kept;            /* an unnamed file; -1: the file is not kept */
  uint64_t szB;
} stream_t;

struct dmdv_received {
  dmdv_native_t *native;
  dmdv_runlog_t *log;
  dmdv_written_t *written;
  dmd_pool_t processes; /* process_t */
  stream_t streams[MAX_OPEN];
  int n_streams;
  uint32_t n_unfinished, n_refused;
};

dmdv_received_t *dmdv_received_new(dmdv_native_t *native, dmdv_runlog_t *log,
                                   dmdv_written_t *written) {
  dmdv_received_t *received = dmd_env_alloc(&dmdv_env, "dmdv.received", sizeof *received);
  memset(received, 0, sizeof *received);
  received->native = native;
  received->log = log;
  received->written = written;
  dmd_pool_init(&received->processes, &dmdv_env, "dmdv.received", sizeof(process_t));
  return received;
}

/* ---- Processes. ---- */

/* The latest process with this number; NULL: none has it. */
static process_t *process_of(const dmdv_received_t *received, uint64_t pid) {
  for (uint32_t i = received->processes.last; i > 0; i--) {
    process_t *process = DMD_POOL_AT(&received->processes, process_t, i);
    if (process->pid == pid)
      return process;
  }
  return NULL;
}

static void add_process(dmdv_received_t *received, uint32_t pid) {
  if (received->processes.last == MAX_PROCESSES)
    return;
  process_t *process = dmd_pool_at(&received->processes, dmd_pool_add(&received->processes));
  *process = (process_t){.pid = pid};
}

dmdv_run_facts_t dmdv_received_facts(const dmdv_received_t *received, uint64_t pid) {
  const process_t *process = process_of(received, pid);
  return (dmdv_run_facts_t){.n_started = received->processes.last,
                            .n_unfinished = received->n_unfinished,
                            .n_refused = received->n_refused,
                            .has_ended = process != NULL && process->has_ended};
}

/* ---- Names. ---- */

static uint64_t pid_of(void *ctx) {
  return *(const uint32_t *)ctx;
}

static const char *environment(void *ctx, const char *name) {
  (void)ctx;
  return getenv(name);
}

/* Whether this can be the name of the process's n-th dump, or of its dump at exit. */
static bool is_name_of(const dmdv_received_t *received, uint32_t pid, uint64_t number,
                       bool is_graph, const char *name) {
  const dmd_engine_host_t host = {.ctx = &pid, .pid = pid_of, .environment = environment};
  bool is_one = false;
  for (int has_number = 0; has_number < 2 && !is_one; has_number++) {
    dmd_strbuf_t pattern;
    dmd_strbuf_init(&pattern, &dmdv_env);
    dmd_strbuf_str(&pattern, received->native->options.out_file);
    if (has_number)
      dmd_filename_number(&pattern, number);
    if (is_graph)
      dmd_filename_make_graph(&pattern);
    is_one = dmd_filename_matches(name, pattern.text, &host, &dmdv_env);
    dmd_strbuf_destroy(&pattern);
  }
  return is_one;
}

/* A line of listing.h, of the process that sent it. */
typedef struct {
  dmd_strbuf_t path;
  dmd_listing_t of;
} listing_t;

static bool read_listing(listing_t *listing, const dmd_packet_t *packet, const char *line) {
  dmd_strbuf_init(&listing->path, &dmdv_env);
  bool good = packet->n > 0 && line[packet->n - 1] == '\n' &&
              dmd_listing_read(&listing->of, &listing->path, line, packet->n - 1) &&
              strlen(listing->path.text) == listing->path.n;
  listing->of.pid = packet->pid;
  return good;
}

static dmdv_dump_id_t dump_of(const dmd_listing_t *listing) {
  return (dmdv_dump_id_t){listing->pid, listing->number};
}

static dmdv_dump_id_t dump_of_stream(const stream_t *stream) {
  return (dmdv_dump_id_t){stream->pid, stream->dump};
}

/* ---- Files being received. ---- */

static stream_t *stream_of(dmdv_received_t *received, const dmd_packet_t *packet) {
  for (int i = 0; i < received->n_streams; i++) {
    stream_t *stream = &received->streams[i];
    if (stream->number == packet->stream && stream->pid == packet->pid && !stream->is_complete)
      return stream;
  }
  return NULL;
}

static void forget(dmdv_received_t *received, stream_t *stream) {
  if (stream->file != NULL)
    dmdv_output_close(stream->file, false);
  if (stream->kept >= 0)
    close(stream->kept);
  dmd_env_free(&dmdv_env, stream->name);
  *stream = received->streams[--received->n_streams];
}

static int count_kept(const dmdv_received_t *received) {
  int n = 0;
  for (int i = 0; i < received->n_streams; i++)
    n += received->streams[i].kept >= 0;
  return n;
}

/* Opening it, or writing to it, could block dmdv while it listens to the program. */
static bool is_special(const stream_t *stream) {
  struct stat st;
  return stat(stream->name, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static bool is_of_program(const stream_t *stream) {
  return !stream->is_graph && (pid_t)stream->pid == dmdv_child_pid();
}

static char *copy(const dmd_strbuf_t *text) {
  char *name = dmd_env_alloc(&dmdv_env, "dmdv.received", text->n + 1);
  memcpy(name, text->text, text->n + 1);
  return name;
}

static void say_nothing(void *ctx, const char *name, int error) {
  (void)ctx;
  (void)name;
  (void)error;
}

/* Opens the file that the stream is written to. For a stream that is kept, only checks that its
 * file could be opened. */
static bool open_file(stream_t *stream, bool is_kept, bool is_special) {
  if (is_kept && (stream->kept = memfd_create("dmd-profile", MFD_CLOEXEC)) < 0)
    return false;
  if (is_special)
    return true;
  stream->file =
      dmdv_output_open_reporting(stream->name, false, (dmdv_report_t){say_nothing, NULL});
  bool good = stream->file != NULL;
  if (is_kept && good) {
    dmdv_output_close(stream->file, false);
    stream->file = NULL;
  }
  return good;
}

static bool open_stream(dmdv_received_t *received, const dmd_packet_t *packet,
                        const listing_t *listing) {
  stream_t stream = {.number = packet->stream,
                     .dump = listing->of.number,
                     .pid = packet->pid,
                     .is_graph = listing->of.is_graph,
                     .name = copy(&listing->path),
                     .kept = -1};
  /* The main program's profile is kept until its frames have names. */
  bool waits = is_special(&stream);
  bool is_kept = (waits || is_of_program(&stream)) && count_kept(received) < MAX_KEPT;
  bool good = (is_kept || !waits) && open_file(&stream, is_kept, waits);
  received->streams[received->n_streams++] = stream;
  if (!good)
    forget(received, &received->streams[received->n_streams - 1]);
  return good;
}

static bool take_open(dmdv_received_t *received, const dmd_packet_t *packet, const char *line) {
  listing_t listing;
  bool good = false;
  if (!read_listing(&listing, packet, line) || received->n_streams == MAX_OPEN ||
      stream_of(received, packet) != NULL) {
    received->n_refused++;
  } else if (!is_name_of(received, packet->pid, listing.of.number, listing.of.is_graph,
                         listing.path.text)) {
    received->n_refused++;
    dmdv_error("run: process %" PRIu32 " wants to write %s, which --dmd-out-file does not mean: "
               "that is refused",
               packet->pid, listing.path.text);
  } else {
    good = open_stream(received, packet, &listing);
  }
  dmd_strbuf_destroy(&listing.path);
  return good;
}

static bool write_kept(int fd, const char *bytes, size_t n) {
  while (n > 0) {
    ssize_t part = write(fd, bytes, n);
    if (part < 0 && errno != EINTR)
      return false;
    bytes += part > 0 ? part : 0;
    n -= part > 0 ? (size_t)part : 0;
  }
  return true;
}

/* Drops packets of a stream that was refused: some may still arrive. */
static bool take_data(dmdv_received_t *received, const dmd_packet_t *packet, const char *bytes) {
  stream_t *stream = stream_of(received, packet);
  if (stream == NULL)
    return true;
  stream->szB += packet->n;
  bool good = stream->szB <= MAX_FILE_SZB &&
              (stream->kept < 0 || write_kept(stream->kept, bytes, packet->n));
  if (stream->file != NULL)
    dmdv_output_write(stream->file, bytes, packet->n); /* reported when the file is closed */
  if (stream->szB > MAX_FILE_SZB)
    dmdv_error("run: %s: it is too large", stream->name);
  if (!good)
    forget(received, stream);
  return good;
}

static bool take_close(dmdv_received_t *received, const dmd_packet_t *packet) {
  stream_t *stream = stream_of(received, packet);
  if (stream == NULL)
    return true;
  stream->is_complete = true;
  if (stream->kept >= 0)
    return true;
  bool good = stream->file != NULL && dmdv_output_close(stream->file, true);
  stream->file = NULL;
  if (good && stream->is_graph)
    dmdv_written_add_graph(received->written, stream->name, dump_of_stream(stream));
  else if (good)
    dmdv_written_add(received->written, stream->name, dump_of_stream(stream), true);
  forget(received, stream);
  return good;
}

static void take_abandon(dmdv_received_t *received, const dmd_packet_t *packet) {
  stream_t *stream = stream_of(received, packet);
  if (stream != NULL)
    forget(received, stream);
}

int dmdv_received_take_out(dmdv_received_t *received, uint64_t n) {
  for (int i = 0; i < received->n_streams; i++) {
    stream_t *stream = &received->streams[i];
    int fd = stream->kept;
    if (fd < 0 || !stream->is_complete || stream->dump != n || !is_of_program(stream))
      continue;
    stream->kept = -1;
    forget(received, stream);
    return fd;
  }
  return -1;
}

/* ---- Files that the process wrote itself. ---- */

/* Accepts only files that dmdv could have written itself. */
static void take_wrote(dmdv_received_t *received, const dmd_packet_t *packet, const char *line) {
  listing_t listing;
  if (read_listing(&listing, packet, line)) {
    const char *path = dmdv_written_shorten(received->written, listing.path.text);
    bool is_ours = is_name_of(received, packet->pid, listing.of.number, listing.of.is_graph, path);
    if (!listing.of.is_graph)
      dmdv_written_add(received->written, path, dump_of(&listing.of), is_ours);
    else if (is_ours)
      dmdv_written_add_graph(received->written, path, dump_of(&listing.of));
  }
  dmd_strbuf_destroy(&listing.path);
}

/* ---- Packets. ---- */

static void take_end(dmdv_received_t *received, uint32_t pid) {
  process_t *process = process_of(received, pid);
  if (process != NULL)
    process->has_ended = true;
}

bool dmdv_received_take(void *ctx, const dmd_packet_t *packet, const char *payload) {
  dmdv_received_t *received = ctx;
  switch ((dmd_packet_kind_t)packet->kind) {
  case DMD_PACKET_START:
    dmdv_runlog_begin(received->log, packet->pid);
    add_process(received, packet->pid);
    break;
  case DMD_PACKET_FORK:
    add_process(received, packet->pid);
    break;
  case DMD_PACKET_END:
    take_end(received, packet->pid);
    break;
  case DMD_PACKET_SAY:
    dmdv_runlog_say(received->log, packet->pid, payload);
    break;
  case DMD_PACKET_WROTE:
    take_wrote(received, packet, payload);
    break;
  case DMD_PACKET_OPEN:
    return take_open(received, packet, payload);
  case DMD_PACKET_DATA:
    return take_data(received, packet, payload);
  case DMD_PACKET_CLOSE:
    return take_close(received, packet);
  case DMD_PACKET_ABANDON:
    take_abandon(received, packet);
    break;
  case DMD_PACKET_KINDS:
    break;
  }
  return true;
}

/* ---- The end. ---- */

bool dmdv_received_is_waiting(const void *ctx) {
  const dmdv_received_t *received = ctx;
  for (int i = 0; i < received->n_streams; i++)
    if (!received->streams[i].is_complete)
      return true;
  return false;
}

typedef struct {
  dmdv_received_t *received;
  const stream_t *stream;
} kept_file_t;

static void say_line(void *ctx, const char *line) {
  const kept_file_t *kept = ctx;
  dmdv_runlog_say(kept->received->log, kept->stream->pid, line);
}

/* Logs the error in place of the engine, which believes that the file arrived. */
static void say_lost(void *ctx, const char *name, int error) {
  dmd_strbuf_t path, why;
  dmd_strbuf_init(&path, &dmdv_env);
  dmd_strbuf_init(&why, &dmdv_env);
  dmdv_absolute_path(&path, name);
  dmd_lostfile_why(&why, error, dmd_error_text(error));
  dmd_lostfile_say(&dmdv_env, path.text, ((kept_file_t *)ctx)->stream->is_graph, why.text, say_line,
                   ctx);
  dmd_strbuf_destroy(&why);
  dmd_strbuf_destroy(&path);
}

static void write_kept_file(dmdv_received_t *received, const stream_t *stream) {
  kept_file_t kept = {received, stream};
  void *bytes = stream->szB == 0 ? MAP_FAILED
                                 : mmap(NULL, stream->szB, PROT_READ, MAP_PRIVATE, stream->kept, 0);
  if (bytes == MAP_FAILED) {
    received->n_unfinished++;
    return;
  }
  if (dmdv_native_write(received->native, stream->name, bytes, stream->szB,
                        (dmdv_report_t){say_lost, &kept}))
    dmdv_written_add(received->written, stream->name, dump_of_stream(stream), false);
  munmap(bytes, stream->szB);
}

void dmdv_received_finish(dmdv_received_t *received) {
  while (received->n_streams > 0) {
    stream_t *stream = &received->streams[received->n_streams - 1];
    if (stream->is_complete)
      write_kept_file(received, stream);
    else
      received->n_unfinished++;
    forget(received, stream);
  }
}

void dmdv_received_free(dmdv_received_t *received) {
  while (received->n_streams > 0)
    forget(received, &received->streams[received->n_streams - 1]);
  dmd_pool_destroy(&received->processes);
  dmd_env_free(&dmdv_env, received);
}
