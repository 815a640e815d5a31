# SPDX-License-Identifier: GPL-2.0-or-later
#
# Completion of dmdv's commands and options in bash. It needs nothing but bash: `. dmdv.bash` is enough.

# _dmdv_command: sets `command` to the command on the line, if there is one before the word that is completed.
_dmdv_command() {
  command=
  if ((COMP_CWORD > 1)); then
    command=${COMP_WORDS[1]}
  fi
}

# _dmdv_words WORD...: offers those that begin with what is typed. A word that ends in = waits for its value.
_dmdv_words() {
  local word
  COMPREPLY=()
  for word; do
    if [[ $word == "$typed"* ]]; then
      [[ $word == *= ]] || word+=' '
      COMPREPLY+=("$word")
    fi
  done
}

_dmdv_files() {
  compopt -o filenames +o nospace 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$typed")
}

# _dmdv_value OPTION: offers values. Fails for an option whose values are not known.
_dmdv_value() {
  case $command:$1 in
    export:--format | export:-F)
      mapfile -t words < <(_dmdv_help '()(pprof|collapsed|speedscope|dhat|about-memory) ' export)
      _dmdv_words "${words[@]}"
      ;;
    check:--format) _dmdv_words text json junit github ;;
    export:--section) _dmdv_words unreported once twice all ;;
    *:--section) _dmdv_words unreported once twice misreported ;;
    *:--sort-by | *:-s) _dmdv_words usable req slop num-blocks ;;
    *:--by) _dmdv_words record reporter tag thread function library ;;
    *:--max-records) _dmdv_words all ;;
    run:--mode) _dmdv_words dark-matter live cumulative ;;
    run:--stacks) _dmdv_words full partial ;;
    run:--dump-at-exit) _dmdv_words auto yes no ;;
    run:--allocator) _dmdv_words auto glibc exact jemalloc mozjemalloc tcmalloc mimalloc ;;
    run:--trace-children) _dmdv_words yes no ;;
    *:--output | *:-o | *:--baseline | *:--ignore | run:--dmd-out-file) _dmdv_files ;;
    *) return 1 ;;
  esac
}

# What dmdv's own help lists: the lines that begin with this, an extended regular expression.
_dmdv_help() {
  local pattern=$1
  shift
  "${COMP_WORDS[0]}" "$@" --help 2>/dev/null | sed -nE "s/^ +$pattern.*/\\2/p"
}

_dmdv_options() {
  local words
  mapfile -t words < <(_dmdv_help '(-[A-Za-z], )?(--[a-z-]+=?)' "$command")
  if [[ $command == run ]]; then
    words+=(--mode= --stacks= --sample-below= --seed= --allocator= --sort-by= --max-records= --max-frames=
      --dump-at-exit= --dmd-out-file= --num-callers= --trace-children= --log-file= -q)
  fi
  _dmdv_words "${words[@]}"
}

# _dmdv_program: with run, whether the word belongs to the program: a word before it is no option, or it is --. Sets
# `program` to the place of the program's name.
_dmdv_program() {
  for ((program = 2; program < COMP_CWORD; program++)); do
    case ${COMP_WORDS[program]} in
      --)
        ((program++))
        return 0
        ;;
      # Where = breaks words, `--name=value` is three of them.
      = | -o) ((program++)) ;;
      -*) ;;
      *) return 0 ;;
    esac
  done
  return 1
}

_dmdv() {
  local command program words typed=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  _dmdv_command
  if [[ -z $command ]]; then
    mapfile -t words < <(_dmdv_help '()([a-z]+) ')
    _dmdv_words "${words[@]}" --help --version
    return
  fi
  if [[ $command == run ]] && _dmdv_program; then
    compopt -o filenames +o nospace 2>/dev/null
    if ((program >= COMP_CWORD)); then
      mapfile -t COMPREPLY < <(compgen -c -f -- "$typed")
    else
      _dmdv_files
    fi
    return
  fi
  # `--name=value` is one word or, where = breaks words, three.
  if [[ $typed == = && $before == --* ]]; then
    typed=
    _dmdv_value "$before" && return
  elif [[ $before == = ]] && ((COMP_CWORD > 2)); then
    _dmdv_value "${COMP_WORDS[COMP_CWORD - 2]}" && return
  elif [[ $before == -[osF] ]] && _dmdv_value "$before"; then
    return
  fi
  case $typed in
    -*) _dmdv_options ;;
    *)
      if [[ $command == run ]]; then
        compopt -o filenames +o nospace 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -c -f -- "$typed")
      else
        _dmdv_files
      fi
      ;;
  esac
}

complete -o nospace -F _dmdv dmdv
