# SPDX-License-Identifier: GPL-2.0-or-later
#
# Completion of dmdv in bash. What there is to offer `dmdv complete` says. It needs nothing but bash: `. dmdv.bash`.

# _dmdv_words: the line up to the cursor as dmdv would get it. bash also splits at the characters in COMP_WORDBREAKS,
# such as =; here what stands together in the line is one word again, in `words`. `first` has, for each, where it begins
# in COMP_WORDS.
_dmdv_words() {
  local rest=${COMP_LINE:0:COMP_POINT} word begin i
  for ((i = 0; i <= COMP_CWORD; i++)); do
    begin=${rest#"${rest%%[![:space:]]*}"}
    word=${COMP_WORDS[i]}
    [[ $begin == "$word"* ]] || word=$begin # the cursor is in it
    if ((i > 0)) && [[ $begin == "$rest" ]]; then
      words[-1]+=$word
    else
      words+=("$word")
      first+=("$i")
    fi
    rest=${begin#"$word"}
  done
}

# _dmdv_offer ANSWER-LINE...: the words of the answer, of which bash wants what follows the last = that it splits at.
_dmdv_offer() {
  local typed=${words[-1]} line prefix=
  if [[ $COMP_WORDBREAKS == *=* && $typed == *=* ]]; then
    prefix=${typed%"${typed#*=}"}
  fi
  compopt -o nospace
  for line; do
    line=${line%%$'\t'*}
    [[ $line == *= ]] || line+=' '
    COMPREPLY+=("${line#"$prefix"}")
  done
}

# _dmdv_program N: what follows is the line of another program.
_dmdv_program() {
  if declare -F _comp_command_offset >/dev/null; then
    _comp_command_offset "${first[$1]}"
  elif declare -F _command_offset >/dev/null; then
    _command_offset "${first[$1]}"
  else
    (($1 < ${#words[@]} - 1)) || mapfile -t COMPREPLY < <(compgen -c -- "${words[-1]}")
    compopt -o default
  fi
}

_dmdv() {
  local words=() first=() answer
  COMPREPLY=()
  _dmdv_words
  mapfile -t answer < <("${words[0]/#\~/$HOME}" complete "${words[@]}" 2>/dev/null)
  case ${answer[0]-} in
    words) _dmdv_offer "${answer[@]:1}" ;;
    'files '*) compopt -o default ;;
    program\ *) _dmdv_program "${answer[0]#* }" ;;
  esac
}

complete -F _dmdv dmdv
