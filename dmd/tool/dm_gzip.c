/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The distribution's zlib was built for programs with a libc. Three things make it work here:
 * memory comes through zalloc and zfree; the few functions that it names all the same are at the
 * end of this file; and where the compiler gave one of its functions a stack guard, that is read
 * from the thread's control block, which a tool has none of (its FS base is 0): around each call
 * into zlib the FS base points to a small block of ours.
 */
#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

#include "base/noise.h"
#include "tool/dm_gzip.h"

#if DM_GZIP_AVAILABLE

#include <zlib.h>

enum {
  /* Level 1: profiles are very repetitive, and a dump holds up the program. */
  LEVEL = 1,
  /* Of noise, such as where pointers lead: zlib spends ten times as long on it as on other bytes,
   * for nothing. */
  LEVEL_OF_NOISE = 0,
  /* What is handed over in smaller pieces is not judged: a profile. */
  JUDGED_FROM_SZB = 8 * 1024,
  GZIP_WRAPPER = 16, /* added to the window bits: a gzip header and trailer */
  OUT_SZB = 32 * 1024
};

typedef struct {
  z_stream stream;
  dmd_write_fn write;
  void *to;
  Bool failed;
  Int level;
  Bytef out[OUT_SZB];
} gzip_t;

#if defined(VGA_amd64)
/* Where the stack guard is looked for: 0x28 bytes above the FS base. */
static UWord g_thread_block[16];

static UWord arch_prctl(UWord code, UWord arg) {
  UWord res;
  __asm__ volatile("syscall"
                   : "=a"(res)
                   : "0"(__NR_arch_prctl), "D"(code), "S"(arg)
                   : "rcx", "r11", "memory");
  return res;
}

enum { SET_FS = 0x1002, GET_FS = 0x1003 };

static UWord enter_zlib(void) {
  UWord before = 0;
  arch_prctl(GET_FS, (UWord)&before);
  arch_prctl(SET_FS, (UWord)g_thread_block);
  return before;
}

static void leave_zlib(UWord before) {
  arch_prctl(SET_FS, before);
}
#else
/* The guard is an ordinary variable (see the end of this file). */
static UWord enter_zlib(void) {
  return 0;
}

static void leave_zlib(UWord before) {
  (void)before;
}
#endif

static voidpf zlib_alloc(voidpf opaque, uInt items, uInt szB) {
  (void)opaque;
  return VG_(calloc)("dm.gzip.zlib", items, szB);
}

static void zlib_free(voidpf opaque, voidpf p) {
  (void)opaque;
  VG_(free)(p);
}

void *dm_gzip_open(void *ctx, dmd_write_fn write, void *to) {
  gzip_t *gzip = VG_(calloc)("dm.gzip", 1, sizeof *gzip);
  (void)ctx;
  gzip->write = write;
  gzip->to = to;
  gzip->level = LEVEL;
  gzip->stream.zalloc = zlib_alloc;
  gzip->stream.zfree = zlib_free;
  UWord before = enter_zlib();
  Int res = deflateInit2(&gzip->stream, LEVEL, Z_DEFLATED, MAX_WBITS + GZIP_WRAPPER,
                         8 /*memLevel: the default*/, Z_DEFAULT_STRATEGY);
  leave_zlib(before);
  /* Memory is never short here, and the arguments are constants. */
  tl_assert(res == Z_OK);
  return gzip;
}

static void empty_out(gzip_t *gzip) {
  gzip->stream.next_out = gzip->out;
  gzip->stream.avail_out = OUT_SZB;
}

static void write_out(gzip_t *gzip) {
  SizeT n = OUT_SZB - gzip->stream.avail_out;
  if (n > 0 && !gzip->failed)
    gzip->failed = !gzip->write(gzip->to, (const char *)gzip->out, n);
}

/* Compresses the stream's input, and with Z_FINISH or Z_BLOCK all that is left. */
static void pump(gzip_t *gzip, Int flush) {
  Int res;
  do {
    empty_out(gzip);
    UWord before = enter_zlib();
    res = deflate(&gzip->stream, flush);
    leave_zlib(before);
    write_out(gzip);
  } while (gzip->stream.avail_out == 0 && res != Z_STREAM_END);
}

/* What went in so far is compressed as before, what follows at this level. */
static void set_level(gzip_t *gzip, Int level) {
  if (gzip->level == level)
    return;
  gzip->stream.avail_in = 0;
  pump(gzip, Z_BLOCK);
  empty_out(gzip);
  UWord before = enter_zlib();
  Int res = deflateParams(&gzip->stream, level, Z_DEFAULT_STRATEGY);
  leave_zlib(before);
  write_out(gzip);
  if (res == Z_OK)
    gzip->level = level;
}

bool dm_gzip_write(void *compressor, const char *bytes, size_t n) {
  gzip_t *gzip = compressor;
  set_level(gzip, n >= JUDGED_FROM_SZB && dmd_is_noise(bytes, n) ? LEVEL_OF_NOISE : LEVEL);
  gzip->stream.next_in = (Bytef *)bytes;
  gzip->stream.avail_in = n;
  pump(gzip, Z_NO_FLUSH);
  return !gzip->failed;
}

void dm_gzip_close(void *compressor) {
  gzip_t *gzip = compressor;
  gzip->stream.avail_in = 0;
  pump(gzip, Z_FINISH);
  UWord before = enter_zlib();
  deflateEnd(&gzip->stream);
  leave_zlib(before);
  VG_(free)(gzip);
}

/*--- What zlib's objects name. ---*/

void *malloc(size_t szB);
void *malloc(size_t szB) {
  return VG_(malloc)("dm.gzip.malloc", szB);
}

void free(void *p);
void free(void *p) {
  VG_(free)(p);
}

void __stack_chk_fail(void);
void __stack_chk_fail(void) {
  VG_(tool_panic)("the stack guard in zlib was overwritten");
}

#if defined(VGA_arm64)
UWord __stack_chk_guard = 0x5bd1e9955bd1e995UL;
#endif

#endif
