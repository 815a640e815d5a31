/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * limits.h: limits on the input from programs, files and users.
 *
 * Each limit is defined here once, and messages about it are made from it. docs/format.md lists the
 * limits of files, docs/reference those that users may notice. Sizes of tables and buffers that
 * only affect speed stay with their code.
 */
#ifndef DMD_BASE_LIMITS_H
#define DMD_BASE_LIMITS_H

#include <stdint.h>

/* A limit that is a power of two, given by its exponent, as a number and as messages write it. */
#define DMD_POWER(exponent) (UINT64_C(1) << (exponent))
#define DMD_POWER_TEXT(exponent) DMD_POWER_TEXT_OF(exponent)
#define DMD_POWER_TEXT_OF(exponent) "2^" #exponent

/* A limit that is a literal, as text. */
#define DMD_LIMIT_TEXT(limit) DMD_LIMIT_TEXT_OF(limit)
#define DMD_LIMIT_TEXT_OF(limit) #limit

/* ---- Numbers: no sum of them overflows 64 bits, and doubles represent them exactly. ---- */

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

/* The largest block in which interior addresses are looked up; larger blocks can only be
 * announced. */
#define DMD_MAX_REAL_BLOCK DMD_POWER(40)

/* The length of a part of a heap graph's file, and of any protobuf message. */
#define DMD_MAX_GRAPH_PART INT32_MAX
#define DMD_MAX_GRAPH_PART_TEXT DMD_POWER_TEXT(31) " - 1"

/* ---- Records of a program. ---- */

enum {
  DMD_MAX_NAME = 4096,            /* bytes of a tag, a reporter's path or a label */
  DMD_MAX_TAGS = UINT16_MAX,      /* a block's tag is a 16-bit id */
  DMD_MAX_THREAD = (1 << 15) - 1, /* a group's thread has 15 bits */
  DMD_MAX_TIMEPOINTS = 512,       /* of a timeline, beside that of the dump */
  DMD_MAX_TIMEMARKS = 256,        /* of a timeline */
  DMD_MAX_BREAKDOWNS = 64,        /* of a timeline, beside that of the dump */
  DMD_MAX_TIMESTACKS = 64,        /* of all its breakdowns together */
  DMD_MAX_TIMETAGS = 16,
  DMD_MAX_MEMORY_REPORTS = 1 << 16,    /* published since the last clear; in a profile */
  DMD_MAX_MEMORY_REPORT_TEXT = 1 << 24 /* bytes of their strings together */
};

/* Records of one claim, to find a reason; beyond these limits blocks count, but are never a
 * reason. */
enum {
  DMD_MAX_CLAIM_PLACES = 64,      /* stacks of reports */
  DMD_MAX_CLAIM_REPORTERS = 4096, /* reporters within the one that claims */
  DMD_MAX_STRUCTURE = 4096        /* largest structure, in bytes */
};

/* The search for referrers: bytes read of one block and of all blocks, and the offset from which on
 * a pointer counts as an element of an array and has no offset of its own. */
#define DMD_MAX_BLOCK_READ_EXPONENT 26
#define DMD_MAX_HEAP_READ_EXPONENT 32
#define DMD_MAX_BLOCK_READ DMD_POWER(DMD_MAX_BLOCK_READ_EXPONENT)
#define DMD_MAX_HEAP_READ DMD_POWER(DMD_MAX_HEAP_READ_EXPONENT)
enum { DMD_MAX_OFFSET = 4096 };

/* Largest heap of mode scan: requested bytes in use, and blocks. One block with all these bytes,
 * written as words, is still a readable element: DMD_MAX_JSON_ELEMENT. */
enum { DMD_MAX_SCAN = 16 << 20, DMD_MAX_SCAN_BLOCKS = 1 << 20 };

/* The smallest page size of any platform: one read of the program's memory stays within so many
 * bytes. */
enum { DMD_PAGE_SZB = 4096 };

/* ---- Files that are read. ---- */

enum {
  DMD_MAX_JSON_DEPTH = 64,         /* arrays and objects within each other */
  DMD_MAX_JSON_ELEMENT = 64 << 20, /* bytes of one element, with everything in it */
  DMD_MAX_IGNORE_FILE = 16 << 20   /* bytes */
};
#define DMD_MAX_IGNORE_LINE 65536 /* bytes */

/* ---- Output. ---- */

/* The most records or frames that an option accepts, and the default number of frames as options
 * write it. */
enum { DMD_MAX_SHOWN = 1000000000 };
#define DMD_FRAMES_SHOWN "8"

/* The most that a page of dmdv view holds of one file: of a profile, groups of blocks, and frames
 * in all of its stacks; of a heap graph, blocks and roots, and pointers. */
enum {
  DMD_MAX_VIEW_GROUPS = 1000000,
  DMD_MAX_VIEW_FRAMES = 5000000,
  DMD_MAX_VIEW_NODES = 10000000,
  DMD_MAX_VIEW_EDGES = 50000000,
  DMD_MAX_VIEW_FILES = 1000 /* files on the command line */
};

/* The most frames that a host records of a stack. */
enum { DMD_MAX_FRAMES = 500 };

#endif
