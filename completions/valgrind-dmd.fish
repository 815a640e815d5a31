# SPDX-License-Identifier: GPL-2.0-or-later
#
# Completion of dmd's options of valgrind in fish, beside those that fish itself knows. fish has no other place for
# such: of completions of one command it takes those of one file.

# Where dmd has an answer, no files.
complete --command valgrind --condition 'count (__dmdv_complete) >/dev/null' --no-files --arguments '(__dmdv_complete)'
complete --command valgrind --long-option tool --no-files --arguments dmd --description 'A dark matter detector'
