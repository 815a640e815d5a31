/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "show/text/printer.h"
#include "show/text/text.h"

/* `  3 blocks, 120 bytes`. */
static void print_blocks(const dmd_printer_t *p, const dmd_fault_t *fault) {
  dmd_out_str(p->out, "  ");
  dmd_print_unsigned(p->out, fault->num);
  dmd_out_str(p->out, fault->num == 1 ? " block, " : " blocks, ");
  dmd_print_bytes(p->out, fault->bytes);
  dmd_out_char(p->out, '\n');
}

/* `  3 times, 120 bytes`. */
static void print_extent(const dmd_printer_t *p, const dmd_fault_t *fault) {
  dmd_out_str(p->out, "  ");
  dmd_print_unsigned(p->out, fault->num);
  dmd_out_str(p->out, fault->num == 1 ? " time" : " times");
  if (fault->num > 1 && fault->bytes > 0) {
    dmd_out_str(p->out, ", ");
    dmd_print_bytes(p->out, fault->bytes);
    dmd_out_str(p->out, "; the worst time:");
  }
  dmd_out_char(p->out, '\n');
}

/* A reason in words. The scope, memory or stack that it is about follows. */
static const char *reason_text(dmd_reason_t reason) {
  static const char *const texts[DMD_N_REASONS] = {
      [DMD_REASON_CLAIMED_NOTHING] = "the blocks were measured, and then nothing was claimed",
      [DMD_REASON_NOT_MEASURED] = "no block was reported: the size is computed, not measured",
      [DMD_REASON_NEGATIVE] =
          "a negative number was claimed as a size: an error code, or a subtraction that went too "
          "far: ",
      [DMD_REASON_REQUESTED] = "the claim is what was requested of the allocator, without slop",
      [DMD_REASON_CHILD_LEFT_OUT] = "the claim lacks what was measured by ",
      [DMD_REASON_CHILDREN_LEFT_OUT] =
          "the claim lacks what the reporters within it measured; if it should, begin it with "
          "DMD_REPORTER_EXCLUSIVE",
      [DMD_REASON_REPORTS_LEFT_OUT] = "the claim lacks what was reported at the place below",
      [DMD_REASON_CONCURRENT] =
          "another thread was in the same reporter: do they add up in one variable?",
      [DMD_REASON_TWICE] = "the claim is twice what was measured",
      [DMD_REASON_CHILD_TWICE] = "the claim counts twice what was measured by ",
      [DMD_REASON_REPORTS_TWICE] = "the claim counts twice what was reported at the place below",
      [DMD_REASON_NOT_A_BLOCK] =
          "the claim contains the size of an object that is not a heap block: ",
      [DMD_REASON_USABLE_SIZE] =
          "the claim contains what malloc_usable_size answered: report these blocks",
      [DMD_REASON_OTHER_THREADS] =
          "the claim contains what other threads reported meanwhile: they need reporters of their "
          "own",
      [DMD_REASON_IN_KIB] = "the claim is in units of 1,024 bytes",
      [DMD_REASON_IN_BITS] = "the claim is in bits",
      [DMD_REASON_IN_WORDS] = "the claim is in units of 8 bytes",
      [DMD_REASON_WRAPPED_16] = "the claim went through an integer of 16 bits, and lost the rest",
      [DMD_REASON_WRAPPED_32] = "the claim went through an integer of 32 bits, and lost the rest",
      [DMD_REASON_FREED_COUNTED] =
          "the claim is a sum from which freed blocks were not subtracted: see below",
      [DMD_REASON_BLOCK_TWICE] =
          "one of its blocks is counted once too often: where that was allocated, see below",
      [DMD_REASON_BLOCK_LEFT_OUT] =
          "one of its blocks is left out: where that was allocated, see below",
      [DMD_REASON_HELD_BLOCKS] =
          "it contains the sizes of blocks that were not reported, and that its blocks point to: "
          "see below",
      [DMD_REASON_STRUCT_SIZE] =
          "the claim contains bytes that were not reported, perhaps the size of a structure",
      [DMD_REASON_STILL_RUNNING] =
          "the function that began it is still running: the dump came before the end",
  };
  return texts[reason];
}

/* The subject of a reason, if it differs between many reporters. */
static const char *what_differs(dmd_reason_t reason) {
  switch (reason) {
  case DMD_REASON_CHILD_LEFT_OUT:
  case DMD_REASON_CHILD_TWICE:
    return "a reporter within it, another one for each";
  case DMD_REASON_NOT_A_BLOCK:
    return "another one for each";
  default:
    return "";
  }
}

static void print_reason_words(const dmd_printer_t *p, const dmd_fault_t *fault) {
  dmd_out_str(p->out, "Likely reason: ");
  dmd_out_str(p->out, reason_text(fault->reason));
  if (fault->reason == DMD_REASON_NEGATIVE)
    dmd_print_number(p->out, (int64_t)fault->claimed, false);
  else if (fault->reason == DMD_REASON_NOT_A_BLOCK && fault->memory != DMD_NONE)
    dmd_print_name(p, fault->memory);
  else if (fault->scope != DMD_NONE && fault->kind == DMD_FAULT_CLAIM)
    dmd_print_name(p, fault->scope);
  else if (fault->n_names > 0)
    dmd_out_str(p->out, what_differs(fault->reason));
}

static void print_reason(const dmd_printer_t *p, const dmd_fault_t *fault) {
  dmd_out_str(p->out, "  ");
  print_reason_words(p, fault);
  dmd_out_char(p->out, '\n');
}

/* What dmd compared the difference of a claim with when no reason fitted. Parts that several
 * reporters or places share are not told apart, hence `no single`. */
static void print_ruled_out(const dmd_printer_t *p, const dmd_fault_t *fault) {
  dmd_out_str(p->out,
              "  No likely reason: the claim is neither without slop nor in another unit or "
              "integer, and\n    no single reporter within it, place");
  dmd_out_str(p->out, fault->claimed < fault->measured
                          ? " or block that was left out explains the difference\n"
                          : ", block, other thread or structure explains the difference\n");
}

/* The block or memory that the fault is about; each part is printed between `before` and
 * `after`. */
static void print_object(const dmd_printer_t *p, const dmd_fault_t *fault, const char *before,
                         const char *after) {
  unsigned numbers = dmd_fault_numbers(fault->kind);
  if ((numbers & DMD_FAULT_HAS_SIZE) && fault->size > 0) {
    dmd_out_str(p->out, before);
    if ((numbers & DMD_FAULT_HAS_OFFSET) && fault->offset > 0) {
      dmd_print_bytes(p->out, fault->offset);
      dmd_out_str(p->out, " into a block of ");
    } else {
      dmd_out_str(p->out, "a block of ");
    }
    dmd_print_bytes(p->out, fault->size);
    if (numbers & DMD_FAULT_HAS_LENGTH) {
      dmd_out_str(p->out, ", reported with a length of ");
      dmd_print_bytes(p->out, fault->length);
    }
    dmd_out_str(p->out, after);
  }
  if (fault->memory != DMD_NONE && fault->reason != DMD_REASON_NOT_A_BLOCK) {
    dmd_out_str(p->out, before);
    dmd_out_str(p->out, fault->kind == DMD_FAULT_SIZE_FUNCTION ? "why: " : "in ");
    dmd_print_name(p, fault->memory);
    dmd_out_str(p->out, after);
  }
}

static void print_scope(const dmd_printer_t *p, const dmd_fault_t *fault) {
  if (fault->scope == DMD_NONE)
    return;
  dmd_out_str(p->out, fault->kind == DMD_FAULT_SIZE_FUNCTION ? "  Function: " : "  Scope: ");
  dmd_print_name(p, fault->scope);
  dmd_out_char(p->out, '\n');
}

static void print_other_stack(const dmd_printer_t *p, const char *what, uint32_t stack) {
  if (stack != DMD_NONE)
    dmd_print_stack(p, what, p->records->cut[stack]);
}

/* Where the block of a fault was freed. */
static void print_freed(const dmd_printer_t *p, const dmd_fault_t *fault) {
  if (fault->kind == DMD_FAULT_REPORT_FREED && fault->freed == DMD_NONE)
    dmd_out_str(p->out,
                "  Block freed at an unknown place: dmd records the stacks of frees only from "
                "the first\n    report or reporter on\n");
  print_other_stack(p, "Block freed", fault->freed);
}

/* Describes what happened at the fault's own stack. */
static const char *what_stack(dmd_fault_kind_t kind) {
  switch (kind) {
  case DMD_FAULT_SCOPE_LEFT_OPEN:
    return "Begun";
  case DMD_FAULT_CLAIM:
    return "Claimed";
  case DMD_FAULT_FREED_COUNTED:
    return "Sum published";
  case DMD_FAULT_SIZE_FUNCTION:
    return "Asked";
  default:
    return "";
  }
}

/* The names of a fault that is about many, as far as they were kept. */
static void print_names(const dmd_printer_t *p, const dmd_fault_t *fault) {
  uint32_t i = 0;
  dmd_out_str(p->out, "  ");
  dmd_print_count(p->out, fault->n_names, false,
                  fault->kind == DMD_FAULT_SCOPE_LEFT_OPEN ? "scope {\n" : "reporter {\n",
                  fault->kind == DMD_FAULT_SCOPE_LEFT_OPEN ? "scopes {\n" : "reporters {\n");
  for (; i < DMD_FAULT_NAMES && fault->names[i] != DMD_NONE; i++) {
    dmd_out_str(p->out, "    ");
    dmd_print_name(p, fault->names[i]);
    dmd_out_char(p->out, '\n');
  }
  if (i < fault->n_names) {
    dmd_out_str(p->out, "    and ");
    dmd_print_number(p->out, fault->n_names - i, false);
    dmd_out_str(p->out, " more\n");
  }
  dmd_out_str(p->out, "  }\n");
}

void dmd_print_fault(const dmd_printer_t *p, const dmd_fault_t *fault) {
  bool of_claim = fault->kind == DMD_FAULT_CLAIM;
  bool left_open = fault->kind == DMD_FAULT_SCOPE_LEFT_OPEN;
  dmd_print_opening(p, dmd_fault_text(fault->kind), DMD_RED);
  if (fault->kind == DMD_FAULT_FREED_COUNTED)
    print_blocks(p, fault);
  else
    print_extent(p, fault);
  if (fault->n_names > 0)
    print_names(p, fault);
  else if (left_open || fault->kind == DMD_FAULT_SIZE_FUNCTION)
    print_scope(p, fault);
  else
    dmd_print_reporter(p, fault->reporter);
  if (dmd_fault_numbers(fault->kind) & DMD_FAULT_HAS_AMOUNTS)
    dmd_print_amounts(p->out, "  ", fault);
  if (fault->reason != DMD_REASON_NONE)
    print_reason(p, fault);
  else if (of_claim)
    print_ruled_out(p, fault);
  print_object(p, fault, "  ", "\n");
  dmd_print_stack(p, what_stack(fault->kind), p->records->cut[fault->stack]);
  print_other_stack(p, "Block allocated", fault->allocated);
  print_freed(p, fault);
  if (fault->reported != DMD_NONE) {
    dmd_print_reporter(p, fault->other_reporter);
    print_other_stack(p, of_claim ? "Reported" : "Block reported", fault->reported);
  }
  dmd_out_str(p->out, "}\n\n");
}

/* The originator of the fault: `, by explicit/a`, `, by 3 reporters`; for an open scope `:
 * explicit/a`. */
static void print_whose(const dmd_printer_t *p, const dmd_fault_t *fault) {
  bool left_open = fault->kind == DMD_FAULT_SCOPE_LEFT_OPEN;
  bool is_of_scope = left_open || fault->kind == DMD_FAULT_SIZE_FUNCTION;
  uint32_t name = is_of_scope ? fault->scope : fault->reporter;
  if (fault->n_names > 0) {
    dmd_out_str(p->out, left_open ? ": " : ", by ");
    dmd_print_count(p->out, fault->n_names, false, left_open ? "scope" : "reporter",
                    left_open ? "scopes" : "reporters");
  } else if (name != DMD_NONE) {
    dmd_out_str(p->out, is_of_scope ? ": " : ", by ");
    dmd_print_name(p, name);
  }
}

void dmd_print_fault_sentence(const dmd_printer_t *p, const dmd_fault_t *fault) {
  dmd_print_capitalized(p->out, dmd_fault_text(fault->kind));
  print_whose(p, fault);
  if (fault->num > 1) {
    dmd_out_str(p->out, ", ");
    dmd_print_unsigned(p->out, fault->num);
    dmd_out_str(p->out, fault->kind == DMD_FAULT_FREED_COUNTED ? " blocks" : " times");
  }
  if (dmd_fault_numbers(fault->kind) & DMD_FAULT_HAS_AMOUNTS) {
    dmd_out_str(p->out, fault->num > 1 ? ", at worst " : ", ");
    dmd_print_amounts_words(p->out, fault);
  }
  print_object(p, fault, ", ", "");
  if (fault->reason != DMD_REASON_NONE) {
    dmd_out_str(p->out, ". ");
    print_reason_words(p, fault);
  }
}

void dmd_print_faults(const dmd_printer_t *p) {
  const dmd_faults_t *faults = &p->profile->faults;
  uint32_t n = dmd_faults_count(faults);
  if (n == 0 || (p->only != 0 && !(p->only & DMD_TEXT_FAULTS)))
    return;
  uint32_t *ids = dmd_faults_sorted(faults, p->profile->env);
  dmd_out_str(p->out, DMD_SEPARATOR);
  dmd_out_char(p->out, '\n');
  uint32_t n_printed = p->max_records == 0 || p->max_records > n ? n : p->max_records;
  for (uint32_t i = 0; i < n_printed; i++)
    dmd_print_fault(p, dmd_faults_at(faults, ids[i]));
  if (n_printed < n) {
    dmd_out_str(p->out, "# the first ");
    dmd_print_number(p->out, n_printed, false);
    dmd_out_str(p->out, " of ");
    dmd_print_number(p->out, n, false);
    dmd_out_str(p->out, " kinds and places of faults (--max-records=all shows them)\n\n");
  }
  dmd_env_free(p->profile->env, ids);
}

void dmd_print_fault_counts(const dmd_printer_t *p) {
  const dmd_faults_t *faults = &p->profile->faults;
  for (uint32_t kind = 0; kind < DMD_N_FAULTS; kind++) {
    uint64_t times = 0;
    for (uint32_t id = 1; id <= dmd_faults_count(faults); id++)
      if (dmd_faults_at(faults, id)->kind == kind)
        times += dmd_faults_at(faults, id)->num;
    if (times == 0)
      continue;
    dmd_out_str(p->out, "  ");
    dmd_print_capitalized(p->out, dmd_fault_text(kind));
    dmd_out_str(p->out, ": ");
    dmd_print_unsigned(p->out, times);
    dmd_out_str(p->out, times == 1 ? " time\n" : " times\n");
  }
}
