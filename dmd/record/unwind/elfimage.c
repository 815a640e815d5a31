/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/unwind/elfimage.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/str.h"

/* Names and numbers as in the ELF specification. */
enum { PT_LOAD = 1, PT_DYNAMIC = 2, PT_NOTE = 4, PT_TLS = 7 };
enum { DT_NULL = 0, DT_STRTAB = 5, DT_SONAME = 14, NT_GNU_BUILD_ID = 3, EI_CLASS = 4 };

/* Offsets of fields in 32-bit and 64-bit files. Offsets and addresses have the word size. */
typedef struct {
  uint8_t class;
  uint32_t phoff, phentsize, phnum; /* in the ELF header */
  uint32_t p_offset, p_vaddr, p_filesz, p_memsz, p_align, phdr_szB;
} layout_t;

static const layout_t layouts[] = {{1, 28, 42, 44, 4, 8, 16, 20, 28, 32},
                                   {2, 32, 54, 56, 8, 16, 32, 40, 48, 56}};

/* A program header. */
typedef struct {
  uint32_t type;
  uint64_t offset, addr, in_file_szB, szB, alignment;
} part_t;

typedef struct {
  const dmd_memory_t *memory;
  const dmd_mappings_t *mappings;
  const dmd_mapping_t *first;
  const layout_t *layout;
  size_t word_szB;
  uint64_t words[DMD_PAGE_SZB / sizeof(uint64_t)]; /* the first page */
  uint32_t n_parts, parts_at;
} reader_t;

static const uint8_t *bytes_at(const reader_t *r, uint32_t offset) {
  return (const uint8_t *)r->words + offset;
}

static uint64_t number_at(const uint8_t *bytes, size_t szB) {
  uint64_t v = 0;
  dmd_mem_copy(&v, bytes, szB); /* the program has our byte order */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  v >>= 64 - 8 * szB;
#endif
  return v;
}

static bool read_header(reader_t *r) {
  static const uint8_t magic[] = {0x7f, 'E', 'L', 'F'};
  const layout_t *layout = &layouts[r->word_szB == sizeof(uint64_t)];
  if (r->first->start % DMD_PAGE_SZB != 0 || r->first->end - r->first->start < DMD_PAGE_SZB ||
      r->memory->read(r->memory->ctx, r->first->start, r->words, DMD_PAGE_SZB) != DMD_PAGE_SZB ||
      !dmd_mem_equal(r->words, magic, sizeof magic) || *bytes_at(r, EI_CLASS) != layout->class)
    return false;
  uint64_t at = number_at(bytes_at(r, layout->phoff), r->word_szB);
  r->layout = layout;
  r->n_parts = (uint32_t)number_at(bytes_at(r, layout->phnum), 2);
  r->parts_at = (uint32_t)at;
  return number_at(bytes_at(r, layout->phentsize), 2) == layout->phdr_szB && at < DMD_PAGE_SZB &&
         at + (uint64_t)r->n_parts * layout->phdr_szB <= DMD_PAGE_SZB;
}

static part_t part_at(const reader_t *r, uint32_t i) {
  const layout_t *layout = r->layout;
  const uint8_t *header = bytes_at(r, r->parts_at + i * layout->phdr_szB);
  return (part_t){.type = (uint32_t)number_at(header, 4),
                  .offset = number_at(header + layout->p_offset, r->word_szB),
                  .addr = number_at(header + layout->p_vaddr, r->word_szB),
                  .in_file_szB = number_at(header + layout->p_filesz, r->word_szB),
                  .szB = number_at(header + layout->p_memsz, r->word_szB),
                  .alignment = number_at(header + layout->p_align, r->word_szB)};
}

/* True if the first page of a segment is mapped from its place in the file, or if it has nothing in
 * the file. */
static bool is_mapped(const reader_t *r, const part_t *part, uint64_t bias) {
  if (part->in_file_szB == 0)
    return true;
  uint64_t addr = (bias + part->addr) & ~(uint64_t)(DMD_PAGE_SZB - 1);
  uint64_t offset = part->offset & ~(uint64_t)(DMD_PAGE_SZB - 1);
  const dmd_mapping_t *mapping = dmd_mappings_find(r->mappings, addr);
  return mapping != NULL && mapping->path != NULL && dmd_str_equal(mapping->path, r->first->path) &&
         mapping->offset + (addr - mapping->start) == offset;
}

static void take_load(dmd_elfimage_t *image, const part_t *part) {
  uint64_t start = image->bias + part->addr, end = start + part->szB;
  start &= ~(uint64_t)(DMD_PAGE_SZB - 1);
  end = (end + DMD_PAGE_SZB - 1) & ~(uint64_t)(DMD_PAGE_SZB - 1);
  if (start > image->end)
    image->last_start = start;
  if (start < image->start)
    image->start = start;
  if (end > image->end)
    image->end = end;
}

/* Searches notes for the build id. A note has: size of name, size of contents, type, name,
 * contents; the last two padded to 4 bytes. */
static void take_notes(const reader_t *r, dmd_elfimage_t *image, const part_t *part) {
  enum { HEADER = 12 };
  static const uint8_t gnu[] = {'G', 'N', 'U', 0};
  uint8_t notes[1024] __attribute__((aligned(sizeof(uint64_t))));
  uint64_t addr = image->bias + part->addr;
  size_t n = part->szB < sizeof notes ? (size_t)part->szB : sizeof notes;
  if (n > DMD_PAGE_SZB - addr % DMD_PAGE_SZB)
    n = (size_t)(DMD_PAGE_SZB - addr % DMD_PAGE_SZB);
  if (image->n_build_id > 0 || r->memory->read(r->memory->ctx, addr, notes, n) != n)
    return;
  for (uint64_t at = 0; n - at >= HEADER;) {
    uint64_t name_szB = (number_at(notes + at, 4) + 3) & ~UINT64_C(3);
    uint64_t szB = number_at(notes + at + 4, 4), type = number_at(notes + at + 8, 4);
    at += HEADER;
    if (name_szB > n - at || ((szB + 3) & ~UINT64_C(3)) > n - at - name_szB)
      return;
    if (type == NT_GNU_BUILD_ID && name_szB == sizeof gnu && szB <= sizeof image->build_id &&
        dmd_mem_equal(notes + at, gnu, sizeof gnu)) {
      image->n_build_id = (uint32_t)szB;
      dmd_mem_copy(image->build_id, notes + at + name_szB, (size_t)szB);
      return;
    }
    at += name_szB + ((szB + 3) & ~UINT64_C(3));
  }
}

static bool read_word(const reader_t *r, uint64_t addr, uint64_t *word) {
  uint8_t bytes[sizeof *word] __attribute__((aligned(sizeof *word)));
  if (addr % r->word_szB != 0 ||
      r->memory->read(r->memory->ctx, addr, bytes, r->word_szB) != r->word_szB)
    return false;
  *word = number_at(bytes, r->word_szB);
  return true;
}

/* Reads the string at an address, if it fits. */
static void take_soname(const reader_t *r, dmd_elfimage_t *image, uint64_t addr) {
  for (uint32_t i = 0; i < sizeof image->soname; i++)
    if (r->memory->read(r->memory->ctx, addr + i, &image->soname[i], 1) != 1)
      break;
    else if (image->soname[i] == '\0')
      return;
  image->soname[0] = '\0';
}

/* Reads pairs of words, a tag and its value, up to DT_NULL. The loader may have relocated file
 * addresses to addresses in the program. */
static void take_dynamic(const reader_t *r, dmd_elfimage_t *image, const part_t *part) {
  enum { MAX_ENTRIES = 256 };
  uint64_t strings = 0, soname = 0, tag = DT_NULL, value;
  uint64_t addr = image->bias + part->addr;
  for (uint32_t i = 0; i < MAX_ENTRIES; i++, addr += 2 * r->word_szB) {
    if (!read_word(r, addr, &tag) || tag == DT_NULL || !read_word(r, addr + r->word_szB, &value))
      break;
    if (tag == DT_STRTAB)
      strings = value >= image->start && value < image->end ? value : value + image->bias;
    else if (tag == DT_SONAME)
      soname = value;
  }
  if (strings != 0 && soname != 0)
    take_soname(r, image, strings + soname);
}

/* The first loadable segment determines where all the others are. */
static bool find_bias(const reader_t *r, dmd_elfimage_t *image) {
  for (uint32_t i = 0; i < r->n_parts; i++) {
    part_t part = part_at(r, i);
    if (part.type == PT_LOAD) {
      image->bias = r->first->start - (part.addr - part.offset);
      return true;
    }
  }
  return false;
}

bool dmd_elfimage_read(dmd_elfimage_t *image, const dmd_memory_t *memory,
                       const dmd_mappings_t *mappings, const dmd_mapping_t *first,
                       uint64_t word_szB) {
  reader_t r = {
      .memory = memory, .mappings = mappings, .first = first, .word_szB = (size_t)word_szB};
  *image = (dmd_elfimage_t){.start = first->start};
  if (!read_header(&r) || !find_bias(&r, image))
    return false;
  for (uint32_t i = 0; i < r.n_parts; i++) {
    part_t part = part_at(&r, i);
    if (part.type == PT_LOAD && part.szB > 0) {
      if (!is_mapped(&r, &part, image->bias))
        return false;
      take_load(image, &part);
    } else if (part.type == PT_NOTE) {
      take_notes(&r, image, &part);
    } else if (part.type == PT_TLS) {
      image->tls_szB = part.szB;
      image->tls_alignment = part.alignment;
    }
  }
  for (uint32_t i = 0; i < r.n_parts; i++) {
    part_t part = part_at(&r, i);
    if (part.type == PT_DYNAMIC)
      take_dynamic(&r, image, &part);
  }
  return image->start == first->start && image->end > image->start;
}

bool dmd_elfimage_read_build_id(dmd_elfimage_t *image, const dmd_memory_t *memory, uint64_t start,
                                uint64_t word_szB) {
  const dmd_mapping_t first = {.start = start, .end = start + DMD_PAGE_SZB};
  reader_t r = {.memory = memory, .first = &first, .word_szB = (size_t)word_szB};
  *image = (dmd_elfimage_t){.start = start};
  if (!read_header(&r) || !find_bias(&r, image))
    return false;
  for (uint32_t i = 0; i < r.n_parts; i++) {
    part_t part = part_at(&r, i);
    if (part.type == PT_NOTE)
      take_notes(&r, image, &part);
  }
  return image->n_build_id > 0;
}
