/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "derive/program/read.h"

#include <clang-c/CXCompilationDatabase.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "base/strbuf.h"
#include "derive/model.h"
#include "derive/program/records.h"
#include "host/process.h"

/* ---- Flags of the compiler. ---- */

/* The number of arguments (the option and its value) to skip because they only say what to build
 * and from which file; 0 for a flag to keep. */
static unsigned length_of_other(const char *flag) {
  static const char *const with_value[] = {"-o", "-MF", "-MT", "-MQ", "-x", "-MJ"};
  static const char *const alone[] = {"-c",  "-S",   "-E",  "-M",  "-MM",
                                      "-MD", "-MMD", "-MP", "-MG", "--"};
  for (size_t i = 0; i < sizeof with_value / sizeof with_value[0]; i++)
    if (strcmp(flag, with_value[i]) == 0)
      return 2;
  for (size_t i = 0; i < sizeof alone / sizeof alone[0]; i++)
    if (strcmp(flag, alone[i]) == 0)
      return 1;
  return strncmp(flag, "-x", 2) == 0 || strncmp(flag, "-MF", 3) == 0 ? 1 : 0;
}

static void read_command(dmd_derive_model_t *model, CXCompileCommand command,
                         dmd_derive_flags_t *flags) {
  unsigned n = clang_CompileCommand_getNumArgs(command);
  const char *file = dmd_derive_string(model, clang_CompileCommand_getFilename(command));
  const char *folder = dmd_derive_string(model, clang_CompileCommand_getDirectory(command));
  flags->flags = dmd_derive_new(model, (n + 2) * sizeof *flags->flags);
  flags->flags[flags->n++] = "-working-directory";
  flags->flags[flags->n++] = folder;
  for (unsigned i = 1, others; i < n; i += others) { /* the first is the compiler */
    const char *flag = dmd_derive_string(model, clang_CompileCommand_getArg(command, i));
    others = length_of_other(flag);
    if (others == 0 && strcmp(flag, file) != 0)
      flags->flags[flags->n++] = flag;
    others += others == 0;
  }
}

bool dmd_derive_database_read(dmd_derive_model_t *model, const char *folder, const char *header,
                              dmd_derive_flags_t *flags) {
  CXCompilationDatabase_Error error;
  dmd_strbuf_t file; /* checked first: libclang would print an error if it is missing */
  dmd_strbuf_init(&file, model->env);
  dmd_strbuf_str(&file, folder);
  dmd_strbuf_str(&file, "/compile_commands.json");
  bool is_there = access(file.text, R_OK) == 0;
  if (!is_there)
    dmdv_error("%s: %s", file.text, strerror(errno));
  dmd_strbuf_destroy(&file);
  if (!is_there)
    return false;
  CXCompilationDatabase database = clang_CompilationDatabase_fromDirectory(folder, &error);
  *flags = (dmd_derive_flags_t){0};
  if (error != CXCompilationDatabase_NoError)
    return dmdv_error("%s/compile_commands.json cannot be read", folder);
  CXCompileCommands commands = clang_CompilationDatabase_getCompileCommands(database, header);
  bool found = commands != NULL && clang_CompileCommands_getSize(commands) > 0;
  if (found)
    read_command(model, clang_CompileCommands_getCommand(commands, 0), flags);
  if (commands != NULL)
    clang_CompileCommands_dispose(commands);
  clang_CompilationDatabase_dispose(database);
  return found ||
         dmdv_error("%s/compile_commands.json has no command to compile %s with", folder, header);
}

/* ---- Reading headers. ---- */

/* Name of the source, which messages show only if a header is not found. */
#define SOURCE_NAME "dmd-derive.c"

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data) {
  dmd_derive_reader_t *reader = data;
  (void)parent;
  switch (clang_getCursorKind(cursor)) {
  case CXCursor_FunctionDecl:
    dmd_derive_read_function(reader, cursor);
    return CXChildVisit_Continue;
  case CXCursor_StructDecl:
  case CXCursor_UnionDecl:
    if (clang_isCursorDefinition(cursor) && (reader->with_unmarked || dmd_derive_has_words(cursor)))
      dmd_derive_read_record(reader, cursor);
    return CXChildVisit_Recurse;
  case CXCursor_EnumConstantDecl:
  case CXCursor_VarDecl:
    dmd_derive_read_global(reader, cursor);
    return CXChildVisit_Continue;
  case CXCursor_EnumDecl:
  case CXCursor_FieldDecl: /* a struct may be defined there */
  case CXCursor_TypedefDecl:
    return CXChildVisit_Recurse;
  default:
    return CXChildVisit_Continue;
  }
}

/* True if one of clang's own headers is missing. They are in another package, which libclang does
 * not need until a program includes such a header. */
static bool is_own_header_missing(CXDiagnostic diagnostic) {
  static const char *const own[] = {"stddef.h", "stdarg.h", "stdbool.h", "float.h"};
  CXString text = clang_getDiagnosticSpelling(diagnostic);
  bool is_own = false;
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
    char fault[64];
    snprintf(fault, sizeof fault, "'%s' file not found", own[i]);
    is_own = is_own || strcmp(clang_getCString(text), fault) == 0;
  }
  clang_disposeString(text);
  return is_own;
}

static void say_where_own_headers_are(void) {
  CXString text = clang_getClangVersion(); /* "Debian clang version 14.0.6" */
  const char *version = strstr(clang_getCString(text), "version ");
  size_t n = version == NULL ? 0 : strspn(version + 8, "0123456789");
  dmdv_note("that header is clang's own: install libclang-common-%.*s-dev (Debian) or clang-libs "
            "(Fedora), of the libclang that dmd-derive uses",
            n > 0 ? (int)n : 1, n > 0 ? version + 8 : "N");
  clang_disposeString(text);
}

/* True if it is about our generated source: a header was not found. */
static bool is_about_source(CXDiagnostic diagnostic) {
  CXFile file;
  clang_getSpellingLocation(clang_getDiagnosticLocation(diagnostic), &file, NULL, NULL, NULL);
  CXString name = clang_getFileName(file);
  const char *text = clang_getCString(name);
  bool is = text != NULL && strcmp(text, SOURCE_NAME) == 0;
  clang_disposeString(name);
  return is;
}

static void print_diagnostic(CXDiagnostic diagnostic) {
  bool is_ours = is_about_source(diagnostic);
  CXString text = is_ours
                      ? clang_getDiagnosticSpelling(diagnostic)
                      : clang_formatDiagnostic(diagnostic, clang_defaultDiagnosticDisplayOptions());
  if (is_ours)
    dmdv_error("%s", clang_getCString(text));
  else
    fprintf(stderr, "%s\n", clang_getCString(text));
  if (is_own_header_missing(diagnostic))
    say_where_own_headers_are();
  clang_disposeString(text);
}

/* Prints clang's diagnostics. False if there are errors among them. */
static bool print_diagnostics(CXTranslationUnit unit) {
  bool is_good = true;
  for (unsigned i = 0; i < clang_getNumDiagnostics(unit); i++) {
    CXDiagnostic diagnostic = clang_getDiagnostic(unit, i);
    print_diagnostic(diagnostic);
    is_good = is_good && clang_getDiagnosticSeverity(diagnostic) < CXDiagnostic_Error;
    clang_disposeDiagnostic(diagnostic);
  }
  return is_good;
}

typedef struct listing {
  dmd_derive_model_t *model;
  dmd_derive_hear_file_fn hear_file;
  void *ctx;
} listing_t;

static void list_file(CXFile file, CXSourceLocation *stack, unsigned n, CXClientData data) {
  listing_t *listing = data;
  (void)stack;
  if (n > 0) /* the source itself is not included by anything */
    listing->hear_file(listing->ctx, dmd_derive_file_name(listing->model, file));
}

/* Reads the compiled headers into the model. */
static void read_unit(dmd_derive_model_t *model, const dmd_derive_sources_t *sources,
                      CXTranslationUnit unit) {
  CXFile *wanted = dmd_derive_new(model, (sources->n_headers + 1) * sizeof *wanted);
  for (size_t i = 0; i < sources->n_headers; i++)
    wanted[i] = clang_getFile(unit, sources->headers[i]);
  dmd_derive_reader_t reader = {.model = model,
                                .wanted = wanted,
                                .n_wanted = sources->n_headers,
                                .with_unmarked = sources->with_unmarked};
  clang_visitChildren(clang_getTranslationUnitCursor(unit), visit, &reader);
  dmd_derive_cast(model);
}

/* The source: an #include for each header. */
static void write_source(const dmd_derive_sources_t *sources, dmd_strbuf_t *source) {
  for (size_t i = 0; i < sources->n_headers; i++) {
    dmd_strbuf_str(source, "#include \"");
    dmd_strbuf_str(source, sources->headers[i]);
    dmd_strbuf_str(source, "\"\n");
  }
}

bool dmd_derive_read(dmd_derive_model_t *model, const dmd_derive_sources_t *sources,
                     dmd_derive_hear_file_fn hear_file, void *ctx) {
  static const char *const own[] = {"-xc", "-DDMD_DERIVING", "-Qunused-arguments",
                                    "-Wno-unknown-warning-option"};
  enum { N_OWN = sizeof own / sizeof own[0] };
  const char **flags = dmd_derive_new(model, (sources->n_flags + N_OWN) * sizeof *flags);
  size_t n_flags = 0;
  for (size_t i = 0; i < sources->n_flags; i++)
    flags[n_flags++] = sources->flags[i];
  for (size_t i = 0; i < N_OWN; i++)
    flags[n_flags++] = own[i];
  dmd_strbuf_t source;
  dmd_strbuf_init(&source, model->env);
  write_source(sources, &source);
  struct CXUnsavedFile file = {SOURCE_NAME, source.text, source.n};
  CXIndex index = clang_createIndex(0, 0);
  CXTranslationUnit unit = NULL;
  enum CXErrorCode code =
      clang_parseTranslationUnit2(index, SOURCE_NAME, flags, (int)n_flags, &file, 1,
                                  CXTranslationUnit_SkipFunctionBodies, &unit);
  bool is_good = code == CXError_Success;
  if (!is_good)
    fprintf(stderr, "dmd-derive: clang could not read the headers (error %d)\n", (int)code);
  if (is_good && (is_good = print_diagnostics(unit))) {
    listing_t listing = {model, hear_file, ctx};
    clang_getInclusions(unit, list_file, &listing);
    read_unit(model, sources, unit);
  }
  clang_disposeTranslationUnit(unit);
  clang_disposeIndex(index);
  dmd_strbuf_destroy(&source);
  return is_good;
}
