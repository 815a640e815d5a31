# SPDX-License-Identifier: GPL-2.0-or-later
#
# Completion of dmd-derive in fish; what it does not name are files.

complete --command dmd-derive --short-option o --long-option output --require-parameter --description 'the .c file to write'
complete --command dmd-derive --long-option header --require-parameter --description 'a header to write that declares the functions'
complete --command dmd-derive --short-option p --long-option compile-commands --require-parameter --description 'take compiler flags from compile_commands.json in this folder'
complete --command dmd-derive --long-option depfile --require-parameter --description 'a dependency file to write, for make or ninja'
complete --command dmd-derive --long-option check --description 'write nothing; say whether files are as they should be'
complete --command dmd-derive --long-option suggest --description 'propose annotations for pointers that have none'
complete --command dmd-derive --long-option graph --require-parameter --description 'the heap graph of a run, for proposals'
complete --command dmd-derive --long-option debug-dir --require-parameter --description 'search this folder first for separate debug information'
complete --command dmd-derive --short-option h --long-option help --description 'print the options'
complete --command dmd-derive --long-option version --description 'print the version'
