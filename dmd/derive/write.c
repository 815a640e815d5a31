/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "derive/write.h"

#include "base/str.h"
#include "derive/reach.h"
#include "derive/writemember.h"

#define LINE DMD_DERIVE_LINE

/* ---- Text from outside ---- */

static bool is_printable(char c) {
  return c >= ' ' && c <= '~';
}

static void add_octal(dmd_strbuf_t *out, char c) {
  unsigned char byte = (unsigned char)c;
  const char text[] = {'\\', (char)('0' + (byte >> 6)), (char)('0' + (byte >> 3 & 7)),
                       (char)('0' + (byte & 7))};
  dmd_strbuf_bytes(out, text, sizeof text);
}

void dmd_derive_write_in_comment(dmd_strbuf_t *out, const char *text) {
  for (char last = '*'; *text != '\0'; last = *text++) {
    if ((last == '*' && *text == '/') || (last == '/' && *text == '*'))
      dmd_strbuf_str(out, " ");
    if (is_printable(*text))
      dmd_strbuf_bytes(out, text, 1);
    else
      add_octal(out, *text);
  }
}

void dmd_derive_write_string(dmd_strbuf_t *out, const char *text) {
  dmd_strbuf_str(out, "\"");
  for (; *text != '\0'; text++)
    if (*text == '"' || *text == '\\' || *text == '?' || !is_printable(*text))
      add_octal(out, *text);
    else
      dmd_strbuf_bytes(out, text, 1);
  dmd_strbuf_str(out, "\"");
}

/* ---- Functions ---- */

static bool is_written(const dmd_derive_record_t *record) {
  return record->is_wanted && dmd_derive_is_measured(record);
}

static void write_declarations(dmd_derive_writer_t *writer, const dmd_derive_record_t *record) {
  LINE(writer, "size_t ", record->name, "_size_of(const ", record->spelling, " *self);");
  LINE(writer, "size_t ", record->name, "_size_of_including(const ", record->spelling, " *self);");
}

/* Declares the functions of all records, including those in other headers. */
static void write_all_declarations(dmd_derive_writer_t *writer) {
  for (const dmd_derive_record_t *record = writer->model->records; record != NULL;
       record = record->next)
    if (dmd_derive_is_measured(record))
      write_declarations(writer, record);
  LINE(writer, "");
  for (uint32_t i = 0; i < writer->reach->n; i++)
    if (dmd_derive_record_owns(writer->reach->records[i]))
      LINE(writer, "static void dmd_walk_", writer->reach->records[i]->name,
           "(const void *object, struct dmd_walk_ *walk);");
}

static void write_walk(dmd_derive_writer_t *writer, const dmd_derive_record_t *record) {
  bool goes_on = dmd_derive_goes_on(record, record);
  writer->may_have_next = false;
  LINE(writer, "");
  LINE(writer, "static void dmd_walk_", record->name,
       "(const void *object, struct dmd_walk_ *walk) {");
  writer->indent++;
  LINE(writer, "const ", record->spelling, " *self = object;");
  LINE(writer, "size_t size = 0; /* in a register, which the walk is not */");
  if (goes_on) {
    LINE(writer, "struct dmd_mark_ mark = dmd_mark_none_();");
    LINE(writer, "for (;;) {");
    writer->indent++;
    LINE(writer, "const ", record->spelling, " *next = NULL;");
  }
  dmd_derive_write_members(writer);
  if (goes_on) {
    LINE(writer, "if (!(next = dmd_walk_next_(walk, &mark, next, dmd_walk_", record->name, ")))");
    LINE(writer, "  break;");
    LINE(writer, "size += ", writer->shares ? "DMD_WALK_REPORT_(walk, " : "DMD_REPORT(", "next);");
    LINE(writer, "self = next;");
    writer->indent--;
    LINE(writer, "}");
  }
  LINE(writer, "walk->size += size;");
  writer->indent--;
  LINE(writer, "}");
}

/* The body of a function: the sum of what the record owns. */
static void write_sum(dmd_derive_writer_t *writer, const dmd_derive_record_t *record) {
  if (!dmd_derive_record_owns(record)) {
    LINE(writer, "  (void)self;");
    LINE(writer, "  return 0;");
    return;
  }
  LINE(writer, "  struct dmd_walk_ walk;");
  LINE(writer, "  dmd_walk_begin_(&walk);");
  LINE(writer, "  if (self)");
  LINE(writer, "    dmd_walk_", record->name, "(self, &walk);");
  LINE(writer, "  while (dmd_walk_goes_on_(&walk)) {");
  LINE(writer, "    const struct dmd_waiting_ next = walk.next;");
  LINE(writer, "    if (next.flags & DMD_WALK_IS_BLOCK_)");
  LINE(writer, "      walk.size += ", writer->shares ? "DMD_WALK_REPORT_(&walk, " : "DMD_REPORT(",
       "next.object);");
  LINE(writer, "    next.walk(next.object, &walk);");
  LINE(writer, "  }");
  LINE(writer, "  return dmd_walk_end_(&walk);");
}

static void write_head(dmd_derive_writer_t *writer, const char *before, const char *after,
                       const dmd_derive_record_t *record) {
  LINE(writer, "");
  LINE(writer, before, record->name, after, "(const ", record->spelling, " *self) {");
}

/* The rest of a function of a record with a path: its reporter measures the memory. */
static void write_reported(dmd_derive_writer_t *writer, const dmd_derive_record_t *record,
                           const char *path, const char *and_block) {
  dmd_strbuf_t literal;
  dmd_strbuf_init(&literal, writer->model->env);
  dmd_derive_write_string(&literal, path);
  LINE(writer, "  size_t size;");
  LINE(writer, "  DMD_REPORTER_BEGIN(", literal.text, ");");
  LINE(writer, "  size = ", and_block, "dmd_sum_", record->name, "(self);");
  LINE(writer, "  DMD_REPORTER_END(size);");
  LINE(writer, "  return size;");
  LINE(writer, "}");
  dmd_strbuf_destroy(&literal);
}

static void write_functions(dmd_derive_writer_t *writer, const dmd_derive_record_t *record) {
  const dmd_derive_word_t *as = dmd_derive_find(record->words, DMD_DERIVE_MEASURED_AS);
  const char *block = "DMD_REPORT(self) + ";
  write_head(writer, as != NULL ? "static size_t dmd_sum_" : "size_t ",
             as != NULL ? "" : "_size_of", record);
  write_sum(writer, record);
  LINE(writer, "}");
  if (as != NULL) {
    write_head(writer, "size_t ", "_size_of", record);
    write_reported(writer, record, as->text, "");
  }
  write_head(writer, "size_t ", "_size_of_including", record);
  if (as != NULL) {
    write_reported(writer, record, as->text, block);
  } else {
    LINE(writer, "  return ", block, record->name, "_size_of(self);");
    LINE(writer, "}");
  }
}

/* ---- Files ---- */

static void write_top(const dmd_derive_written_t *written, dmd_strbuf_t *out) {
  dmd_strbuf_str(out, "/* Made by dmd-derive. Do not edit: change the header, and run\n *\n *   ");
  dmd_derive_write_in_comment(out, written->command);
  dmd_strbuf_str(out, "\n */\n");
}

static void write_includes(const dmd_derive_written_t *written, dmd_strbuf_t *out) {
  for (size_t i = 0; i < written->n_includes; i++) {
    dmd_strbuf_str(out, "#include \"");
    dmd_strbuf_str(out, written->includes[i]);
    dmd_strbuf_str(out, "\"\n");
  }
}

static bool word_anywhere(const dmd_derive_model_t *model, dmd_derive_word_kind_t kind) {
  for (const dmd_derive_record_t *record = model->records; record != NULL; record = record->next)
    for (const dmd_derive_member_t *member = record->members; member != NULL; member = member->next)
      if (dmd_derive_find(member->words, kind) != NULL)
        return true;
  return false;
}

void dmd_derive_write(const dmd_derive_model_t *model, const dmd_derive_written_t *written,
                      dmd_strbuf_t *out) {
  dmd_derive_reach_t reach;
  dmd_derive_reach_init(&reach, model);
  dmd_derive_writer_t writer = {.model = model,
                                .reach = &reach,
                                .shares = word_anywhere(model, DMD_DERIVE_SHARES),
                                .out = out};
  write_top(written, out);
  write_includes(written, out);
  LINE(&writer, "#include <valgrind/dmd-derived.h>\n");
  write_all_declarations(&writer);
  for (uint32_t i = 0; i < reach.n; i++) {
    writer.record = reach.records[i];
    writer.n_names = 0;
    if (dmd_derive_record_owns(writer.record))
      write_walk(&writer, writer.record);
    write_functions(&writer, writer.record);
  }
  dmd_derive_reach_destroy(&reach);
}

/* An include guard made from the header's name. */
static void write_guard(const char *name, dmd_strbuf_t *out) {
  dmd_strbuf_str(out, "DMD_DERIVED_");
  for (; *name != '\0'; name++) {
    bool is_word = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
                   (*name >= '0' && *name <= '9');
    dmd_strbuf_bytes(out, is_word ? name : "_", 1);
  }
  dmd_strbuf_str(out, "\n");
}

void dmd_derive_write_header(const dmd_derive_model_t *model, const dmd_derive_written_t *written,
                             const char *name, dmd_strbuf_t *out) {
  dmd_derive_writer_t writer = {.model = model, .out = out};
  write_top(written, out);
  dmd_strbuf_str(out, "#ifndef ");
  write_guard(name, out);
  dmd_strbuf_str(out, "#define ");
  write_guard(name, out);
  dmd_strbuf_str(out, "\n");
  write_includes(written, out);
  dmd_strbuf_str(out, "#include <stddef.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
  for (const dmd_derive_record_t *record = model->records; record != NULL; record = record->next)
    if (is_written(record))
      write_declarations(&writer, record);
  dmd_strbuf_str(out, "#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}
