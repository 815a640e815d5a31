# SPDX-License-Identifier: GPL-2.0-or-later
#
# Completion of dmd-derive in bash: its options; all else are files, or the compiler's flags. It needs nothing but bash.

_dmd_derive() {
  local word
  COMPREPLY=()
  if [[ $2 != -* || " ${COMP_WORDS[*]:0:COMP_CWORD} " == *" -- "* ]]; then
    compopt -o default
    return
  fi
  compopt -o nospace
  for word in -o -p --output= --header= --compile-commands= --depfile= --check --suggest --graph= --debug-dir= --help --version; do
    [[ $word == "$2"* ]] || continue
    [[ $word == *= ]] || word+=' '
    COMPREPLY+=("$word")
  done
}

complete -F _dmd_derive dmd-derive
