# SPDX-License-Identifier: GPL-2.0-or-later

function __dmdv_complete --description 'Completions of dmdv, and of the options of dmd'
    # What there is to offer `dmdv complete` says.
    set -l typed (commandline --current-token --cut-at-cursor)
    set -l words (commandline --tokenize --current-process --cut-at-cursor)
    set -l dmdv dmdv
    string match --quiet '*dmdv' -- $words[1]; and set dmdv $words[1]
    set -l answer ($dmdv complete $words "$typed" 2>/dev/null)
    set -q answer[1]; or return
    set -l rest (string split --max 1 ' ' -- $answer[1])[2]
    switch $answer[1]
        case words
            printf '%s\n' $answer[2..]
        case 'files *'
            for file in (__fish_complete_path (string replace -- "$rest" '' "$typed"))
                printf '%s%s\n' "$rest" $file
            end
        case 'program *'
            set -l line (string escape -- $words[(math $rest + 1)..] | string join ' ')
            complete --do-complete "$line $typed"
    end
end
