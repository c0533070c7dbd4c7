# Completion of prec for bash: commands and options are asked of prec itself. Installed as
# share/bash-completion/completions/prec; or: source cmd/completion/prec.bash

_prec_words() {
	local command=$1 previous=$2
	case $command:$previous in
	record:-e|record:--event)
		prec list --json 2>/dev/null | sed -n 's/.*"EventName": "\(.*\)".*/\1/p';;
	report:-s|report:--sort|report:-F|report:--fields)
		prec report -s '?' 2>&1 | sed -n 's/.*known are:* //p' | tr ', ' '\n\n';;
	script:-F|script:--fields)
		prec script -F '?' 2>&1 | sed -n 's/.*known are:* //p' | tr ', ' '\n\n';;
	*:--color|*:--stdio-color)
		echo auto always never;;
	esac
}

_prec() {
	local current=$2 previous=$3 command= word before= i
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		[[ $word == -* ]] || { command=$word; break; }
	done
	if [ -z "$command" ]; then
		# shellcheck disable=SC2207
		COMPREPLY=($(compgen -W "$(prec --list-cmds 2>/dev/null) $(prec --list-opts 2>/dev/null) help" -- "$current"))
		return
	fi
	if [[ $current == -* ]]; then
		# shellcheck disable=SC2207
		COMPREPLY=($(compgen -W "$(prec "$command" --list-opts 2>/dev/null)" -- "$current"))
		return
	fi
	word=$(_prec_words "$command" "$previous")
	[ "$word" ] || return		# files
	# Lists: only the part behind the last comma is completed.
	[[ $current != *,* ]] || before=${current%,*},
	# shellcheck disable=SC2207
	COMPREPLY=($(compgen -P "$before" -W "$word" -- "${current##*,}"))
}
complete -o default -o bashdefault -F _prec prec
