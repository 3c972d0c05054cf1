# SPDX-License-Identifier: Apache-2.0
# fish completion for sandlock-oci. Commands and options come from the program's own --help.

function __sandlock_oci_commands
	sandlock-oci --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^ \{1,\}\([a-z]\{1,\}\) \{1,\}\(.*\)/\1\t\2/p'
end

function __sandlock_oci_containers
	set -l root (commandline -opc | string match -r -- '(?<=--root=).*')
	if test -n "$root"
		sandlock-oci --root $root list -q 2>/dev/null
	else
		sandlock-oci list -q 2>/dev/null
	end
end

# Declares the options of a help. $argv[1]: condition; more: the command, none for the global options
function __sandlock_oci_declare
	set -l condition $argv[1]
	set -l pattern 's/^ +(-([a-zA-Z]), )?--([a-z0-9-]+)( ([^ ]+))?(  +(.*))?$/\2\t\3\t\5\t\7/p'
	for line in (sandlock-oci $argv[2..-1] --help 2>/dev/null | sed -nE $pattern)
		# short option, long option, argument, description
		set -l part (string split \t -- $line)
		set -l options -l $part[2] -n $condition
		test -n "$part[1]"; and set -a options -s $part[1]
		test -n "$part[4]"; and set -a options -d $part[4]
		switch "$part[3]"
			case ''
			case DIR
				set -a options -x -a '(__fish_complete_directories)'
			case FILE PATH
				set -a options -r -F
			case PID
				set -a options -x -a '(__fish_complete_pids)'
			case FORMAT
				set -a options -x -a 'text json table'
			case '*|*'
				set -a options -x -a (string replace -a '|' ' ' -- $part[3])
			case '*'
				set -a options -x
		end
		complete -c sandlock-oci $options
	end
end

complete -c sandlock-oci -f
complete -c sandlock-oci -n __fish_use_subcommand -a '(__sandlock_oci_commands)'
__sandlock_oci_declare __fish_use_subcommand
for line in (__sandlock_oci_commands)
	set -l command (string split \t -- $line)[1]
	__sandlock_oci_declare "__fish_seen_subcommand_from $command" $command
	if not contains $command create run spec features list
		complete -c sandlock-oci -n "__fish_seen_subcommand_from $command" -a '(__sandlock_oci_containers)'
	end
end
