/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "derive/program/compilecommands.h"

#include "base/strbuf.h"
#include "derive/program/records.h"
#include "host/message.h"

#include <clang-c/CXCompilationDatabase.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

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
