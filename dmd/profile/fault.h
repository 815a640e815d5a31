/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fault.h: what the program did wrong with its heap, its scopes or its reports.
 *
 * Faults that concern reports are misreports: a report of something that is not the start of a live
 * block, a claim that its blocks do not add up to. Faults that are equal in everything but numbers
 * are one fault that happened several times; the sum of the bytes that were off is kept, and the
 * numbers of the time that was off by most.
 *
 * Like groups and report sets, faults are kept by the live heap and by profiles, each with ids of
 * its own. Stacks and names are ids of the owner; DMD_NONE is none.
 *
 * Concurrency: nothing locks; one thread at a time for each collection. Of the live state there is
 * one for the whole process.
 */
#ifndef DMD_PROFILE_FAULT_H
#define DMD_PROFILE_FAULT_H

#include "base/intern.h"
#include "base/pool.h"
#include "base/table.h"

/* What a program did wrong. Names are part of the file format, and so are meanings. */
typedef enum {
  DMD_FAULT_INVALID_FREE,      /* free or delete of an address that is not a live block */
  DMD_FAULT_INVALID_REALLOC,   /* the same of realloc */
  DMD_FAULT_REPORT_INTERIOR,   /* report of an address inside a block, not at its start */
  DMD_FAULT_REPORT_NO_BLOCK,   /* of memory of the heap where no block is (NULL is ignored) */
  DMD_FAULT_SCOPE_UNDERFLOW,   /* a tag popped or a reporter ended that had not begun */
  DMD_FAULT_ABSURD_SIZE,       /* an allocation of an impossible size, which got nothing */
  DMD_FAULT_REPORT_FREED,      /* report of a block that was freed */
  DMD_FAULT_REPORT_STACK,      /* of an address on a stack */
  DMD_FAULT_REPORT_GLOBAL,     /* of an address in a program's or library's data or code */
  DMD_FAULT_REPORT_MAPPED,     /* of an address in other mapped memory */
  DMD_FAULT_REPORT_NO_ADDRESS, /* of an address where nothing is */
  DMD_FAULT_REPORT_LENGTH,     /* with a length that is not the block's */
  DMD_FAULT_REPORT_UNSCOPED,   /* outside of any reporter, where the user asked for one */
  DMD_FAULT_REPORT_MIXED,      /* a shared report of a block that has plain ones, or the reverse */
  DMD_FAULT_REPORT_SHARED_AGAIN, /* shared, by a reporter that had counted the block already */
  DMD_FAULT_UNREPORT_NO_BLOCK, /* DMD_UNREPORT of something that is not the start of a live block */
  DMD_FAULT_CLAIM,             /* a reporter claims another sum than its blocks add up to */
  DMD_FAULT_MEMORY_REPORT,     /* its amount is not what the reporter of that path measured */
  DMD_FAULT_SCOPE_LEFT_OPEN,   /* a tag or reporter that began and never ended */
  DMD_FAULT_MEMORY_REPORT_REFUSED, /* a memory report that is not valid, or too many */
  DMD_FAULT_FREED_COUNTED, /* a memory report's amount holds blocks that were freed meanwhile */
  DMD_FAULT_INVALID_POOL,  /* a memory pool is used that was not created, or created again */
  DMD_FAULT_SCOPE_JOIN,    /* DMD_REPORTER_JOIN of a reporter that is not open */
  DMD_N_FAULTS
} dmd_fault_kind_t;

/* Why a claim may be wrong: what its difference from the measured bytes equals. And why a scope was
 * not ended. */
typedef enum {
  DMD_REASON_NONE,              /* nothing fits */
  DMD_REASON_CLAIMED_NOTHING,   /* the claim is 0 */
  DMD_REASON_NOT_MEASURED,      /* nothing was reported */
  DMD_REASON_NEGATIVE,          /* the claim is a negative number, taken for a size */
  DMD_REASON_REQUESTED,         /* the claim is what was requested, without slop */
  DMD_REASON_CHILD_LEFT_OUT,    /* the claim lacks what a reporter within it measured */
  DMD_REASON_CHILDREN_LEFT_OUT, /* the claim lacks what all reporters within it measured */
  DMD_REASON_REPORTS_LEFT_OUT,  /* the claim lacks what was reported at one place */
  DMD_REASON_CONCURRENT,        /* another thread was in the same reporter */
  DMD_REASON_TWICE,             /* the claim is twice the measured */
  DMD_REASON_CHILD_TWICE,   /* the claim has what a reporter within it measured once too often */
  DMD_REASON_REPORTS_TWICE, /* the same of what was reported at one place */
  DMD_REASON_NOT_A_BLOCK,   /* something that is not a block was reported, and may be in the sum */
  DMD_REASON_USABLE_SIZE,   /* the claim has what malloc_usable_size answered without a report */
  DMD_REASON_OTHER_THREADS, /* the claim has what other threads reported meanwhile */
  DMD_REASON_IN_KIB,        /* the claim is in units of 1,024 bytes */
  DMD_REASON_IN_BITS,       /* the claim is in bits */
  DMD_REASON_IN_WORDS,      /* the claim is in words of 8 bytes */
  DMD_REASON_WRAPPED_16,    /* the claim went through an integer of 16 bits */
  DMD_REASON_WRAPPED_32,    /* the same of 32 bits */
  DMD_REASON_FREED_COUNTED, /* the claim is a sum that holds blocks that were freed */
  DMD_REASON_BLOCK_TWICE,   /* the amount has one of the blocks once too often, see claimblocks.h */
  DMD_REASON_BLOCK_LEFT_OUT, /* it lacks one of them */
  DMD_REASON_HELD_BLOCKS,    /* it has unreported blocks that the reported ones point to */
  DMD_REASON_STRUCT_SIZE,    /* the claim is a little more: as much as a structure may have */
  DMD_REASON_STILL_RUNNING,  /* the function that began the scope is running, and dumped */
  DMD_N_REASONS
} dmd_reason_t;

/* The name in files, e.g. "invalid-free", and in text, e.g. "invalid free". */
const char *dmd_fault_name(dmd_fault_kind_t kind);
const char *dmd_fault_text(dmd_fault_kind_t kind);

/* The name in files, e.g. "claimed-nothing"; "" for DMD_REASON_NONE. */
const char *dmd_reason_name(dmd_reason_t reason);

/* Whether faults of this kind are misreports. */
bool dmd_fault_is_misreport(dmd_fault_kind_t kind);

/* Which numbers faults of a kind have: bits. */
enum {
  DMD_FAULT_HAS_SIZE = 1,    /* the block's usable bytes */
  DMD_FAULT_HAS_OFFSET = 2,  /* in the block */
  DMD_FAULT_HAS_LENGTH = 4,  /* that the program gave */
  DMD_FAULT_HAS_AMOUNTS = 8, /* claimed and measured */
};
unsigned dmd_fault_numbers(dmd_fault_kind_t kind);

/* Names that are kept of a fault that many names have in common. */
enum { DMD_FAULT_NAMES = 8 };

typedef struct dmd_fault {
  uint64_t num; /* times */
  /* What makes two faults one. */
  uint32_t kind;           /* dmd_fault_kind_t */
  uint32_t stack;          /* of the call; of a scope left open: where it began */
  uint32_t reporter;       /* name of the reporter that was open, or that claimed */
  uint32_t reason;         /* dmd_reason_t */
  uint32_t allocated;      /* stack that allocated the block concerned */
  uint32_t freed;          /* stack that freed it */
  uint32_t reported;       /* stack of another report: of that block, or that a reason is about */
  uint32_t other_reporter; /* of that report */
  uint32_t scope;          /* name of the scope that a reason is about, or that was left open */
  uint32_t memory;         /* in words, what memory the address lies in */
  /* Bytes. */
  uint64_t bytes;             /* how much the reports are off, in all: the order of misreports */
  uint64_t claimed, measured; /* of the time that was off by most, and so are the rest */
  uint64_t size, offset, length;
  /* Of many faults that were joined (faultnames.h): how many reporters or scopes it is about, and
   * the first of them, then DMD_NONE. n_names is 0 for a fault of one name, or of none. */
  uint32_t n_names;
  uint32_t names[DMD_FAULT_NAMES];
} dmd_fault_t;

/* Whether they are one fault but for the numbers, and a hash of what decides that. */
bool dmd_fault_same(const dmd_fault_t *a, const dmd_fault_t *b);
uint64_t dmd_fault_hash(const dmd_fault_t *fault, uint64_t seed);

/* Counts fault as more of the known one, whose names stay: bytes stop at 2^64 - 1. Of names that
 * the two have in their lists as many are kept as there is room for. How many these are is known
 * where both lists are complete; else it is the larger number. */
void dmd_fault_join(dmd_fault_t *known, const dmd_fault_t *fault);

/* The fault is about one more name, which it was not about. */
void dmd_fault_add_name(dmd_fault_t *fault, uint32_t name);
void dmd_fault_forget_names(dmd_fault_t *fault);

typedef struct dmd_faults {
  dmd_pool_t pool; /* ids 1, 2, 3 ... in the order of first sight */
  dmd_table_t index;
} dmd_faults_t;

/* The collection must stay where it is until it is destroyed. */
void dmd_faults_init(dmd_faults_t *faults, const dmd_env_t *env);
void dmd_faults_destroy(dmd_faults_t *faults);

/* Counts fault->num more of this fault; bytes stop at 2^64 - 1. True when they are the first. */
bool dmd_faults_add(dmd_faults_t *faults, const dmd_fault_t *fault);

/* A copy of all, in the order of their ids; the caller frees it. And: n others in their place, of
 * which those that are equal become one. */
dmd_fault_t *dmd_faults_list(const dmd_faults_t *faults);
void dmd_faults_replace(dmd_faults_t *faults, const dmd_fault_t *list, uint32_t n);

/* Ids in the order in which people read them: misreports by bytes, then by times, the others by
 * kind, then by times. The caller frees the array, which has as many as there are faults. */
uint32_t *dmd_faults_sorted(const dmd_faults_t *faults, const dmd_env_t *env);

/* By how much two amounts are apart. */
static inline uint64_t dmd_distance(uint64_t a, uint64_t b) {
  return a > b ? a - b : b - a;
}

/* ---- What a fault says, field by field: text, files and all who read or translate faults go by
   this one description. ---- */

typedef enum { DMD_FIELD_STACK, DMD_FIELD_NAME, DMD_FIELD_NUMBER } dmd_fault_field_kind_t;

typedef struct dmd_fault_field {
  const char *key; /* in files */
  dmd_fault_field_kind_t kind;
  unsigned numbers; /* of a number: DMD_FAULT_HAS_..., which faults have it */
  size_t place;     /* in dmd_fault_t: of a uint32_t, or of a number's uint64_t */
} dmd_fault_field_t;

/* In the order in which files have them, after the kind, how often, the bytes and the reason. */
enum { DMD_N_FAULT_FIELDS = 13 };
extern const dmd_fault_field_t dmd_fault_fields[DMD_N_FAULT_FIELDS];

/* The id that a stack's or name's field has, to be read or set, and a number's value. */
static inline uint32_t *dmd_fault_id(const dmd_fault_field_t *field, dmd_fault_t *fault) {
  return (uint32_t *)(void *)((char *)fault + field->place);
}

static inline uint64_t *dmd_fault_number(const dmd_fault_field_t *field, dmd_fault_t *fault) {
  return (uint64_t *)(void *)((char *)fault + field->place);
}

/* The kind or reason of this name in files; DMD_N_FAULTS or DMD_REASON_NONE where a later dmd may
 * know it. */
dmd_fault_kind_t dmd_fault_kind_of(const char *name);
dmd_reason_t dmd_reason_of(const char *name);

/* Replaces the stack and name ids by those of another owner. */
void dmd_fault_translate(dmd_fault_t *fault, dmd_translate_fn stack, dmd_translate_fn name,
                         void *ctx);

static inline uint32_t dmd_faults_count(const dmd_faults_t *faults) {
  return faults->pool.last;
}

static inline const dmd_fault_t *dmd_faults_at(const dmd_faults_t *faults, uint32_t id) {
  return DMD_POOL_AT(&faults->pool, const dmd_fault_t, id);
}

#endif
