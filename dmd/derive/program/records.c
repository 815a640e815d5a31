/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "derive/program/records.h"

#include "base/str.h"

typedef struct dmd_derive_known {
  CXCursor cursor;
  dmd_derive_record_t *record;
  struct dmd_derive_known *next;
} known_t;

const char *dmd_derive_string(dmd_derive_model_t *model, CXString string) {
  const char *text = clang_getCString(string);
  const char *copy = text != NULL ? dmd_derive_copy(model, text, dmd_str_length(text)) : "";
  clang_disposeString(string);
  return copy;
}

const char *dmd_derive_file_name(dmd_derive_model_t *model, CXFile file) {
  const char *name = dmd_derive_string(model, clang_getFileName(file));
  while (name[0] == '.' && name[1] == '/' && name[2] != '/')
    name += 2;
  return name;
}

static dmd_derive_place_t place_of(dmd_derive_reader_t *reader, CXCursor cursor) {
  CXFile file;
  dmd_derive_place_t place;
  clang_getFileLocation(clang_getCursorLocation(cursor), &file, &place.line, &place.column, NULL);
  place.file = dmd_derive_file_name(reader->model, file);
  return place;
}

static bool is_wanted(const dmd_derive_reader_t *reader, CXCursor cursor) {
  CXFile file;
  clang_getFileLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, NULL);
  size_t i = 0;
  while (i < reader->n_wanted && !clang_File_isEqual(file, reader->wanted[i]))
    i++;
  return i < reader->n_wanted;
}

/* ---- Words ---- */

typedef struct words {
  dmd_derive_model_t *model;
  dmd_derive_word_t *first, **end;
} words_t;

static enum CXChildVisitResult visit_word(CXCursor cursor, CXCursor parent, CXClientData data) {
  words_t *words = data;
  (void)parent;
  if (clang_getCursorKind(cursor) == CXCursor_AnnotateAttr) {
    const char *text = dmd_derive_string(words->model, clang_getCursorSpelling(cursor));
    dmd_derive_word_t *word = dmd_derive_word_of(words->model, text);
    if (word != NULL) {
      *words->end = word;
      words->end = &word->next;
    }
  }
  return CXChildVisit_Continue;
}

/* Cuts off and returns the words from the second DMD_WHEN on; NULL without a second one. */
static dmd_derive_word_t *cut_alternative(dmd_derive_word_t *words) {
  unsigned n_conditions = words->kind == DMD_DERIVE_WHEN;
  for (; words->next != NULL; words = words->next)
    if (words->next->kind == DMD_DERIVE_WHEN && ++n_conditions == 2) {
      dmd_derive_word_t *rest = words->next;
      words->next = NULL;
      return rest;
    }
  return NULL;
}

static void read_words(words_t *words, CXCursor cursor) {
  clang_visitChildren(cursor, visit_word, words);
}

static enum CXChildVisitResult visit_any_word(CXCursor cursor, CXCursor parent, CXClientData data) {
  (void)parent;
  if (clang_getCursorKind(cursor) != CXCursor_AnnotateAttr)
    return CXChildVisit_Continue;
  CXString text = clang_getCursorSpelling(cursor);
  bool *found = data;
  *found = *found || dmd_str_begins(clang_getCString(text), "dmd:");
  clang_disposeString(text);
  return CXChildVisit_Continue;
}

bool dmd_derive_has_words(CXCursor cursor) {
  bool found = false;
  clang_visitChildren(cursor, visit_any_word, &found);
  return found;
}

/* ---- Types ---- */

static dmd_derive_type_kind_t kind_of(CXType type) {
  switch (type.kind) {
  case CXType_Void:
    return DMD_DERIVE_VOID;
  case CXType_Pointer:
  case CXType_BlockPointer:
    return DMD_DERIVE_POINTER;
  case CXType_FunctionProto:
  case CXType_FunctionNoProto:
    return DMD_DERIVE_FUNCTION;
  case CXType_ConstantArray:
  case CXType_IncompleteArray:
    return DMD_DERIVE_ARRAY;
  case CXType_Record:
    return DMD_DERIVE_RECORD;
  case CXType_Enum:
    return DMD_DERIVE_INTEGER;
  default:
    return type.kind >= CXType_Bool && type.kind <= CXType_Int128 ? DMD_DERIVE_INTEGER
                                                                  : DMD_DERIVE_PLAIN;
  }
}

static dmd_derive_type_t *read_type(dmd_derive_reader_t *reader, CXType declared) {
  CXType type = clang_getCanonicalType(declared);
  if (type.kind == CXType_Atomic)
    type = clang_getCanonicalType(clang_Type_getValueType(type));
  dmd_derive_type_t *made = dmd_derive_new(reader->model, sizeof *made);
  made->kind = kind_of(type);
  made->is_const = clang_isConstQualifiedType(type) != 0;
  made->is_volatile = clang_isVolatileQualifiedType(type) != 0;
  made->spelling =
      dmd_derive_string(reader->model, clang_getTypeSpelling(made->is_volatile ? type : declared));
  long long szB = clang_Type_getSizeOf(type);
  made->szB = szB > 0 ? (uint64_t)szB : 0;
  if (made->kind == DMD_DERIVE_POINTER) {
    made->of = read_type(reader, clang_getPointeeType(type));
  } else if (made->kind == DMD_DERIVE_ARRAY) {
    dmd_derive_type_t *element = read_type(reader, clang_getArrayElementType(type));
    element->is_volatile |= made->is_volatile; /* clang has the qualifiers at the array */
    made->of = element;
    made->n = type.kind == CXType_ConstantArray ? (uint64_t)clang_getArraySize(type) : 0;
  } else if (made->kind == DMD_DERIVE_RECORD) {
    made->record = dmd_derive_read_record(reader, clang_getTypeDeclaration(type));
  }
  return made;
}

/* ---- Members ---- */

typedef struct members {
  dmd_derive_reader_t *reader;
  dmd_derive_member_t **end;
} members_t;

static enum CXVisitorResult visit_member(CXCursor cursor, CXClientData data) {
  members_t *members = data;
  dmd_derive_reader_t *reader = members->reader;
  dmd_derive_member_t *member = dmd_derive_new(reader->model, sizeof *member);
  words_t words = {.model = reader->model, .end = &words.first};
  CXCursor type = clang_getTypeDeclaration(clang_getCanonicalType(clang_getCursorType(cursor)));
  bool has_name = !clang_Cursor_isAnonymousRecordDecl(type);
  member->type = read_type(reader, clang_getCursorType(cursor));
  member->name = has_name ? dmd_derive_string(reader->model, clang_getCursorSpelling(cursor)) : "";
  member->place = place_of(reader, cursor);
  long long bits = clang_Cursor_getOffsetOfField(cursor);
  member->offset = bits > 0 ? (uint64_t)bits / 8 : 0;
  read_words(&words, cursor);
  if (!has_name) /* the words before an anonymous type are on the type */
    read_words(&words, type);
  for (dmd_derive_word_t *alternative = words.first;;) {
    dmd_derive_word_t *rest = alternative != NULL ? cut_alternative(alternative) : NULL;
    member->words = alternative;
    *members->end = member;
    members->end = &member->next;
    if (rest == NULL)
      return CXVisit_Continue;
    alternative = rest;
    dmd_derive_member_t *again = dmd_derive_new(reader->model, sizeof *again);
    *again = *member;
    member = again;
    member->next = NULL;
  }
}

/* ---- Records ---- */

/* The name without "struct " or "union "; "" if clang invented one. */
static const char *record_name(const char *spelling) {
  if (dmd_str_find_char(spelling, '(') != NULL)
    return "";
  const char *space = dmd_str_find_last_char(spelling, ' ');
  return space != NULL ? space + 1 : spelling;
}

static bool is_record(CXCursor cursor) {
  enum CXCursorKind kind = clang_getCursorKind(cursor);
  return kind == CXCursor_StructDecl || kind == CXCursor_UnionDecl;
}

static dmd_derive_record_t *new_record(dmd_derive_reader_t *reader, CXCursor cursor) {
  dmd_derive_record_t *record = dmd_derive_new(reader->model, sizeof *record);
  known_t *known = dmd_derive_new(reader->model, sizeof *known);
  *known = (known_t){cursor, record, reader->known};
  reader->known = known;
  return record;
}

const dmd_derive_record_t *dmd_derive_read_record(dmd_derive_reader_t *reader, CXCursor declared) {
  CXCursor cursor = clang_getCursorDefinition(declared);
  bool is_complete = !clang_Cursor_isNull(cursor);
  if (!is_complete)
    cursor = clang_getCanonicalCursor(declared);
  for (known_t *known = reader->known; known != NULL; known = known->next)
    if (clang_equalCursors(known->cursor, cursor))
      return known->record;
  dmd_derive_record_t *record =
      new_record(reader, cursor); /* before its members, which may lead back to it */
  CXType type = clang_getCursorType(cursor);
  CXCursor outer = clang_getCursorLexicalParent(cursor);
  words_t words = {.model = reader->model, .end = &words.first};
  members_t members = {.reader = reader, .end = (dmd_derive_member_t **)&record->members};
  long long szB = clang_Type_getSizeOf(type);
  read_words(&words, cursor);
  record->words = words.first;
  record->spelling = dmd_derive_string(reader->model, clang_getTypeSpelling(type));
  record->name = record_name(record->spelling);
  record->place = place_of(reader, cursor);
  record->szB = szB > 0 ? (uint64_t)szB : 0;
  record->is_union = clang_getCursorKind(cursor) == CXCursor_UnionDecl;
  record->is_complete = is_complete;
  record->is_wanted = is_wanted(reader, cursor);
  if (is_record(outer))
    record->outer = dmd_derive_read_record(reader, outer);
  clang_Type_visitFields(type, visit_member, &members);
  if (reader->last != NULL)
    reader->last->next = record;
  else
    reader->model->records = record;
  reader->last = record;
  return record;
}

/* ---- Constants and variables ---- */

void dmd_derive_read_global(dmd_derive_reader_t *reader, CXCursor cursor) {
  dmd_derive_global_t *global = dmd_derive_new(reader->model, sizeof *global);
  global->name = dmd_derive_string(reader->model, clang_getCursorSpelling(cursor));
  global->is_constant = clang_getCursorKind(cursor) == CXCursor_EnumConstantDecl;
  global->value = global->is_constant ? clang_getEnumConstantDeclUnsignedValue(cursor) : 0;
  global->is_wanted = is_wanted(reader, cursor);
  global->next = reader->model->globals;
  reader->model->globals = global;
}

/* ---- Functions ---- */

void dmd_derive_read_function(dmd_derive_reader_t *reader, CXCursor cursor) {
  CXType type = clang_getCursorType(cursor);
  CXType result = clang_getCanonicalType(clang_getResultType(type));
  dmd_derive_function_t *function = dmd_derive_new(reader->model, sizeof *function);
  function->name = dmd_derive_string(reader->model, clang_getCursorSpelling(cursor));
  function->returns_size = clang_getNumArgTypes(type) == 1 &&
                           (result.kind == CXType_ULong || result.kind == CXType_UInt ||
                            result.kind == CXType_ULongLong);
  if (reader->last_function != NULL)
    reader->last_function->next = function;
  else
    reader->model->functions = function;
  reader->last_function = function;
}
