# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# bash completion for sandlock-oci. Commands and options come from the program's own --help.

# Lines "OPTION ARGUMENT" of a command's help. $1: program, more: command
_sandlock_oci_options() {
	"$@" --help 2>/dev/null | sed -nE 's/^ +(-[a-zA-Z], )?(--[a-z0-9-]+)( ([A-Za-z0-9|:=\[\]+))?(  .*)?$/\2 \4/p'
	"$@" --help 2>/dev/null | sed -nE 's/^ +(-[a-zA-Z]), --[a-z0-9-]+( ([A-Za-z0-9|:=\[\]+))?(  .*)?$/\1 \3/p'
}

_sandlock_oci_commands() {
	"$1" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^ \{1,\}\([a-z]\{1,\}\) .*/\1/p'
}

# What may follow an option. $1: program, $2: option, $3: its argument's name, $4: word to complete
_sandlock_oci_argument() {
	case "$2 $3" in
	*' DIR') mapfile -t COMPREPLY < <(compgen -d -- "$4") ;;
	*' FILE' | *' PATH') mapfile -t COMPREPLY < <(compgen -f -- "$4") ;;
	*' PID') mapfile -t COMPREPLY < <(compgen -W "$(cd /proc && echo [0-9]*)" -- "$4") ;;
	'--log-format '*) mapfile -t COMPREPLY < <(compgen -W "text json" -- "$4") ;;
	'--format '* | '-f FORMAT') mapfile -t COMPREPLY < <(compgen -W "table json" -- "$4") ;;
	'--cgroup-manager '*) mapfile -t COMPREPLY < <(compgen -W "cgroupfs systemd disabled" -- "$4") ;;
	*'|'*) mapfile -t COMPREPLY < <(compgen -W "${3//|/ }" -- "$4") ;;
	esac
}

_sandlock_oci() {
	local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} command='' expects='' option='' i token options
	local -a global=() call
	COMPREPLY=()
	type -P -- "${program/#\~/$HOME}" >/dev/null || return 0
	program=${program/#\~/$HOME}
	call=("$program")
	options=$(_sandlock_oci_options "${call[@]}")
	# what stands left of the cursor
	for ((i = 1; i < COMP_CWORD; i++)); do
		token=${COMP_WORDS[i]}
		[ "$token" != = ] || continue
		if [ -n "$expects" ]; then
			case $option in --root | --log) global+=("$option" "$token") ;; esac
			expects=
			continue
		fi
		case $token in
		-*)
			option=$token
			expects=$(awk -v option="$token" '$1 == option { print $2; exit }' <<<"$options")
			;;
		*)
			[ -z "$command" ] || continue
			command=$token
			call+=("$command")
			options=$(_sandlock_oci_options "${call[@]}")
			;;
		esac
	done
	[ "$word" != = ] || word=
	if [ -n "$expects" ]; then
		_sandlock_oci_argument "$program" "$option" "$expects" "$word"
	elif [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(awk '{ print $1 }' <<<"$options") --help" -- "$word")
	elif [ -z "$command" ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_sandlock_oci_commands "$program")" -- "$word")
	else
		case $command in
		create | run | spec | features | list) ;;
		*) mapfile -t COMPREPLY < <(compgen -W "$("$program" "${global[@]}" list -q 2>/dev/null)" -- "$word") ;;
		esac
	fi
}

complete -o filenames -F _sandlock_oci sandlock-oci
