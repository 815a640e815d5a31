/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * limits.h: how much there may be of anything that a program, a file or a user brings.
 *
 * Each limit is said here once; messages about it are made from it. docs/format.md says what of
 * this holds for files, and docs/manual.md what users may notice. Sizes of tables and buffers,
 * which change nothing but speed, stay with the code that they belong to.
 */
#ifndef DMD_BASE_LIMITS_H
#define DMD_BASE_LIMITS_H

#include <stdint.h>

/* A limit that is a power of two, given by its exponent, as a number and as messages write it. */
#define DMD_POWER(exponent) (UINT64_C(1) << (exponent))
#define DMD_POWER_TEXT(exponent) DMD_POWER_TEXT_OF(exponent)
#define DMD_POWER_TEXT_OF(exponent) "2^" #exponent

/* The same for a limit that is a literal. */
#define DMD_LIMIT_TEXT(limit) DMD_LIMIT_TEXT_OF(limit)
#define DMD_LIMIT_TEXT_OF(limit) #limit

/* ---- Numbers. None of their sums overflows 64 bits, and readers that use doubles count exactly.
 */

/* Any count of a profile, and the amount of a memory report on either side of 0. */
#define DMD_MAX_COUNT_EXPONENT 53
#define DMD_MAX_COUNT DMD_POWER(DMD_MAX_COUNT_EXPONENT)
#define DMD_MAX_COUNT_TEXT DMD_POWER_TEXT(DMD_MAX_COUNT_EXPONENT)

/* The usable bytes of all blocks of a profile. */
#define DMD_MAX_TOTAL_EXPONENT 61
#define DMD_MAX_TOTAL DMD_POWER(DMD_MAX_TOTAL_EXPONENT)
#define DMD_MAX_TOTAL_TEXT DMD_POWER_TEXT(DMD_MAX_TOTAL_EXPONENT)

/* The absolute amounts of all memory reports of a tree together. */
#define DMD_MAX_AMOUNTS_EXPONENT 60
#define DMD_MAX_AMOUNTS DMD_POWER(DMD_MAX_AMOUNTS_EXPONENT)
#define DMD_MAX_AMOUNTS_TEXT DMD_POWER_TEXT(DMD_MAX_AMOUNTS_EXPONENT)

/* The bytes between two samples of --sample-interval, on average. */
#define DMD_MAX_SAMPLE_INTERVAL DMD_POWER(30)

/* A size on a command line. */
#define DMD_MAX_SIZE_EXPONENT 62
#define DMD_MAX_SIZE DMD_POWER(DMD_MAX_SIZE_EXPONENT)
#define DMD_MAX_SIZE_TEXT DMD_POWER_TEXT(DMD_MAX_SIZE_EXPONENT)

/* A block in which an address says anything; a program can only announce larger ones. */
#define DMD_MAX_REAL_BLOCK DMD_POWER(40)

/* The length of a part of a heap graph's file, and of any protobuf message. */
#define DMD_MAX_GRAPH_PART INT32_MAX
#define DMD_MAX_GRAPH_PART_TEXT DMD_POWER_TEXT(31) " - 1"

/* ---- What is kept of a program. */

enum {
  DMD_MAX_NAME = 4096,                 /* bytes of a tag, a reporter's path, a label */
  DMD_MAX_TAGS = UINT16_MAX,           /* a block's tag is a 16-bit id */
  DMD_MAX_THREAD = (1 << 15) - 1,      /* a group's thread has 15 bits */
  DMD_MAX_MEMORY_REPORTS = 1 << 16,    /* published since the last clear; in a profile */
  DMD_MAX_MEMORY_REPORT_TEXT = 1 << 24 /* bytes of their strings together */
};

/* What is kept of one claim to find a reason; what is beyond counts, but is never a reason. */
enum {
  DMD_MAX_CLAIM_PLACES = 64,      /* stacks of reports */
  DMD_MAX_CLAIM_REPORTERS = 4096, /* reporters within the one that claims */
  DMD_MAX_STRUCTURE = 4096        /* bytes that a structure may have */
};

/* The search for holders: bytes that are read of a block, and of all, and the offset from which on
 * a pointer is one of an array's and has no offset of its own. */
#define DMD_MAX_BLOCK_READ_EXPONENT 26
#define DMD_MAX_HEAP_READ_EXPONENT 32
#define DMD_MAX_BLOCK_READ DMD_POWER(DMD_MAX_BLOCK_READ_EXPONENT)
#define DMD_MAX_HEAP_READ DMD_POWER(DMD_MAX_HEAP_READ_EXPONENT)
enum { DMD_MAX_OFFSET = 4096 };

/* What mode scan writes the contents of: requested bytes in use, and blocks. A block of all of
 * them, written as words, is still an element that can be read: DMD_MAX_JSON_ELEMENT. */
enum { DMD_MAX_SCAN = 16 << 20, DMD_MAX_SCAN_BLOCKS = 1 << 20 };

/* The least that a page of memory has on any platform: bytes that one read of the program's memory
 * stays within. */
enum { DMD_PAGE_SZB = 4096 };

/* ---- What is read of files. */

enum {
  DMD_MAX_JSON_DEPTH = 64,         /* arrays and objects within each other */
  DMD_MAX_JSON_ELEMENT = 64 << 20, /* bytes of one element: no nest and no string is larger */
  DMD_MAX_IGNORE_FILE = 16 << 20   /* bytes */
};
#define DMD_MAX_IGNORE_LINE 65536 /* bytes */

/* ---- What is shown. */

/* Records or frames that somebody may ask for, and frames if nobody does, as options say it. */
enum { DMD_MAX_SHOWN = 1000000000 };
#define DMD_FRAMES_SHOWN "8"

/* What a page of dmdv view has of one file at most: of a profile groups of blocks, and frames in
 * all of its stacks; of a heap graph blocks and roots, and pointers. */
enum {
  DMD_MAX_VIEW_GROUPS = 1000000,
  DMD_MAX_VIEW_FRAMES = 5000000,
  DMD_MAX_VIEW_NODES = 10000000,
  DMD_MAX_VIEW_EDGES = 50000000,
  DMD_MAX_VIEW_FILES = 1000 /* that are given */
};

/* Frames that a host records of a stack. */
enum { DMD_MAX_FRAMES = 500 };

#endif
