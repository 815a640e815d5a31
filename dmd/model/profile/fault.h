/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fault.h: what the program did wrong with its heap, its scopes or its reports.
 *
 * Faults about reports are misreports: a report of something that is not the start of a live block,
 * or a claim that differs from the sum of its blocks. Faults that are equal except for numbers are
 * one fault that happened several times; it keeps the sum of the bytes that were off, and the
 * numbers of the worst case.
 *
 * Both the live heap and profiles keep faults, each with its own ids. Stacks and names are ids of
 * the owner, or DMD_NONE.
 */
#ifndef DMD_MODEL_PROFILE_FAULT_H
#define DMD_MODEL_PROFILE_FAULT_H

#include "base/intern.h"
#include "base/pool.h"
#include "base/table.h"

/* Kinds of faults. Their names and meanings are part of the file format. */
typedef enum {
  DMD_FAULT_INVALID_FREE,      /* free or delete of an address that is not a live block */
  DMD_FAULT_INVALID_REALLOC,   /* realloc of such an address */
  DMD_FAULT_REPORT_INTERIOR,   /* report of an address inside a block, not at its start */
  DMD_FAULT_REPORT_NO_BLOCK,   /* of heap memory outside any block (NULL is ignored) */
  DMD_FAULT_SCOPE_UNDERFLOW,   /* end of a tag or reporter that had not begun */
  DMD_FAULT_ABSURD_SIZE,       /* a failed allocation of an impossible size */
  DMD_FAULT_REPORT_FREED,      /* report of a block that was freed */
  DMD_FAULT_REPORT_STACK,      /* of an address on a stack */
  DMD_FAULT_REPORT_GLOBAL,     /* of an address in a program's or library's data or code */
  DMD_FAULT_REPORT_MAPPED,     /* of an address in other mapped memory */
  DMD_FAULT_REPORT_NO_ADDRESS, /* of an unmapped address */
  DMD_FAULT_REPORT_LENGTH,     /* with a length that is not the block's */
  DMD_FAULT_REPORT_UNSCOPED,   /* outside any reporter, with --require-scope=yes */
  DMD_FAULT_REPORT_MIXED,      /* a shared report of a block that has plain ones, or the reverse */
  DMD_FAULT_REPORT_SHARED_AGAIN, /* shared, by a reporter that had already counted the block */
  DMD_FAULT_UNREPORT_NO_BLOCK, /* DMD_UNREPORT of something that is not the start of a live block */
  DMD_FAULT_CLAIM,             /* a claim that differs from the sum of the reporter's blocks */
  DMD_FAULT_MEMORY_REPORT,     /* its amount differs from what the reporter of that path measured */
  DMD_FAULT_SCOPE_LEFT_OPEN,   /* a tag or reporter that was never ended */
  DMD_FAULT_MEMORY_REPORT_REFUSED, /* an invalid memory report, or too many */
  DMD_FAULT_FREED_COUNTED,         /* a memory report's amount contains blocks that were freed */
  DMD_FAULT_INVALID_POOL, /* use of a memory pool that does not exist, or creation of an existing
                             one */
  DMD_FAULT_SCOPE_JOIN,   /* DMD_REPORTER_JOIN of a reporter that is not open */
  DMD_FAULT_ALLOCATION_FAILED, /* an allocation of a possible size, with --dump-at-failure */
  DMD_FAULT_SIZE_FUNCTION,     /* a function, `scope`, returned a wrong size (--claim-fn); `memory`
                                  says what it leaves out or counts too much. Found by dmdv */
  DMD_N_FAULTS
} dmd_fault_kind_t;

/* The likely reason of a wrong claim: what its difference from the measured bytes equals. Also why
 * a scope was not ended. */
typedef enum {
  DMD_REASON_NONE,              /* no reason fits */
  DMD_REASON_CLAIMED_NOTHING,   /* the claim is 0 */
  DMD_REASON_NOT_MEASURED,      /* nothing was reported */
  DMD_REASON_NEGATIVE,          /* the claim is a negative number, used as a size */
  DMD_REASON_REQUESTED,         /* the claim is what was requested, without slop */
  DMD_REASON_CHILD_LEFT_OUT,    /* the claim lacks what a reporter within it measured */
  DMD_REASON_CHILDREN_LEFT_OUT, /* the claim lacks what all reporters within it measured */
  DMD_REASON_REPORTS_LEFT_OUT,  /* the claim lacks what was reported at one place */
  DMD_REASON_CONCURRENT,        /* another thread was in the same reporter */
  DMD_REASON_TWICE,             /* the claim is twice the measured bytes */
  DMD_REASON_CHILD_TWICE,       /* the claim counts a nested reporter's bytes twice */
  DMD_REASON_REPORTS_TWICE,     /* the claim counts what was reported at one place twice */
  DMD_REASON_NOT_A_BLOCK,   /* something that is not a block was reported, and may be in the sum */
  DMD_REASON_USABLE_SIZE,   /* the claim contains sizes from malloc_usable_size, without a report */
  DMD_REASON_OTHER_THREADS, /* the claim contains what other threads reported meanwhile */
  DMD_REASON_IN_KIB,        /* the claim is in units of 1,024 bytes */
  DMD_REASON_IN_BITS,       /* the claim is in bits */
  DMD_REASON_IN_WORDS,      /* the claim is in words of 8 bytes */
  DMD_REASON_WRAPPED_16,    /* the claim was truncated to 16 bits */
  DMD_REASON_WRAPPED_32,    /* the claim was truncated to 32 bits */
  DMD_REASON_FREED_COUNTED, /* the claim contains blocks that were freed */
  DMD_REASON_BLOCK_TWICE,   /* the amount counts one of the blocks twice, see claimblocks.h */
  DMD_REASON_BLOCK_LEFT_OUT, /* the amount lacks one of them */
  DMD_REASON_HELD_BLOCKS,    /* the amount contains unreported blocks that reported ones point to */
  DMD_REASON_STRUCT_SIZE,    /* the claim is larger by what may be the size of a structure */
  DMD_REASON_STILL_RUNNING,  /* the function that began the scope is running, and requested the dump
                              */
  DMD_N_REASONS
} dmd_reason_t;

/* The name in files, e.g. "invalid-free", and in text, e.g. "invalid free". */
const char *dmd_fault_name(dmd_fault_kind_t kind);
const char *dmd_fault_text(dmd_fault_kind_t kind);

/* The name in files, e.g. "claimed-nothing"; "" for DMD_REASON_NONE. */
const char *dmd_reason_name(dmd_reason_t reason);

/* Whether faults of this kind are misreports. */
bool dmd_fault_is_misreport(dmd_fault_kind_t kind);

/* The numbers that faults of a kind have, as bits. */
enum {
  DMD_FAULT_HAS_SIZE = 1,    /* the block's usable bytes */
  DMD_FAULT_HAS_OFFSET = 2,  /* in the block */
  DMD_FAULT_HAS_LENGTH = 4,  /* given by the program */
  DMD_FAULT_HAS_AMOUNTS = 8, /* claimed and measured */
};
unsigned dmd_fault_numbers(dmd_fault_kind_t kind);

/* Names kept of a fault that concerns many names. */
enum { DMD_FAULT_NAMES = 8 };

typedef struct dmd_fault {
  uint64_t num; /* times */
  /* The key: faults that are equal in all of this are one. */
  uint32_t kind;      /* dmd_fault_kind_t */
  uint32_t stack;     /* of the call; for a scope left open: where it began */
  uint32_t reporter;  /* name of the reporter that was open, or that claimed */
  uint32_t reason;    /* dmd_reason_t */
  uint32_t allocated; /* stack that allocated the block concerned */
  uint32_t freed;     /* stack that freed it */
  uint32_t reported; /* stack of another report: of that block, or the one that a reason is about */
  uint32_t other_reporter; /* of that report */
  uint32_t scope;          /* name of the scope that a reason is about or that was left open */
  uint32_t memory;         /* description of the memory that the address lies in */
  /* Bytes. */
  uint64_t bytes;             /* how far the reports are off in total: sorts misreports */
  uint64_t claimed, measured; /* of the worst case, like the next three */
  uint64_t size, offset, length;
  /* For faults that were merged: how many reporters or scopes it concerns, and the
   * first of them, then DMD_NONE. n_names is 0 for a fault with one name or none. */
  uint32_t n_names;
  uint32_t names[DMD_FAULT_NAMES];
} dmd_fault_t;

/* Adds fault to the known one, whose names stay; bytes saturate at 2^64 - 1. Merges the lists of
 * names as far as there is room. Their count is exact if both lists are complete; else it is the
 * larger of the two. */
void dmd_fault_join(dmd_fault_t *known, const dmd_fault_t *fault);

/* Adds a name that the fault did not have; removes all names. */
void dmd_fault_add_name(dmd_fault_t *fault, uint32_t name);

typedef struct dmd_faults {
  dmd_pool_t pool; /* ids 1, 2, 3 ... in the order of addition */
  dmd_table_t index;
} dmd_faults_t;

/* The collection must not move until it is destroyed. */
void dmd_faults_init(dmd_faults_t *faults, const dmd_env_t *env);
void dmd_faults_destroy(dmd_faults_t *faults);

/* Adds fault->num occurrences of this fault; bytes saturate at 2^64 - 1. Returns true if they are
 * the first. */
bool dmd_faults_add(dmd_faults_t *faults, const dmd_fault_t *fault);

/* Returns a copy of all faults in the order of their ids, which the caller frees. replace: puts n
 * others in their place, and merges equal ones. */
dmd_fault_t *dmd_faults_list(const dmd_faults_t *faults);
void dmd_faults_replace(dmd_faults_t *faults, const dmd_fault_t *list, uint32_t n);

/* Ids in the order for display: misreports by bytes, then by count, the others by kind, then by
 * count. The caller frees the array, which has one element per fault. */
uint32_t *dmd_faults_sorted(const dmd_faults_t *faults, const dmd_env_t *env);

/* The difference of two amounts. */
static inline uint64_t dmd_distance(uint64_t a, uint64_t b) {
  return a > b ? a - b : b - a;
}

/* ---- The fields of a fault: writing, reading and translating all use this description. ---- */

typedef enum { DMD_FIELD_STACK, DMD_FIELD_NAME, DMD_FIELD_NUMBER } dmd_fault_field_kind_t;

typedef struct dmd_fault_field {
  const char *key; /* in files */
  dmd_fault_field_kind_t kind;
  unsigned numbers; /* of a number: DMD_FAULT_HAS_..., the faults that have it */
  size_t place;     /* offset in dmd_fault_t of a uint32_t, or of a number's uint64_t */
} dmd_fault_field_t;

/* In the order of files, after the kind, the count, the bytes and the reason. */
enum { DMD_N_FAULT_FIELDS = 13 };
extern const dmd_fault_field_t dmd_fault_fields[DMD_N_FAULT_FIELDS];

/* The id of a stack or name field, to read or set, and the value of a number field. */
static inline uint32_t *dmd_fault_id(const dmd_fault_field_t *field, dmd_fault_t *fault) {
  return (uint32_t *)(void *)((char *)fault + field->place);
}

static inline uint64_t *dmd_fault_number(const dmd_fault_field_t *field, dmd_fault_t *fault) {
  return (uint64_t *)(void *)((char *)fault + field->place);
}

/* The kind or reason with this name in files; DMD_N_FAULTS or DMD_REASON_NONE if unknown, as in the
 * file of a later dmd. */
dmd_fault_kind_t dmd_fault_kind_of(const char *name);
dmd_reason_t dmd_reason_of(const char *name);

/* Replaces stack and name ids by those of another owner. */
void dmd_fault_translate(dmd_fault_t *fault, dmd_translate_fn stack, dmd_translate_fn name,
                         void *ctx);

static inline uint32_t dmd_faults_count(const dmd_faults_t *faults) {
  return faults->pool.last;
}

static inline const dmd_fault_t *dmd_faults_at(const dmd_faults_t *faults, uint32_t id) {
  return DMD_POOL_AT(&faults->pool, const dmd_fault_t, id);
}

/* ---- Faults that differ only in names. ----
 *
 * Merges faults of one mistake in code that handles many names.
 *
 * A program may make a reporter for each of its documents. One wrong line then causes as many
 * faults, of one kind and with equal stacks and reasons, which differ only in names. They become
 * one fault with the number of its names and the first of them. */

/* Merges faults that differ only in names and numbers, if there are more than DMD_FAULT_NAMES of
 * them. Counts the reporters or, for scopes left open, the scopes, and keeps the first names. Other
 * names stay if all have the same. Ids change, but their order stays. Linear. */
void dmd_faults_join_names(dmd_faults_t *faults);

#endif
