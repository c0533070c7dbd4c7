#!/bin/bash
# Shells complete commands, options, events and keys as prec itself has them, and make install puts the scripts where they look.
. "$(dirname "$0")/lib/prec.sh"
mkdir bin
ln -s "$PREC" bin/prec
PATH=$PWD/bin:$PATH

# completes BEGINNING...: what bash offers behind these words, sorted, one a line.
completes() {
	bash --norc -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
		_prec prec "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"; printf "%s\n" "${COMPREPLY[@]}"' \
		"$SRC/cmd/completion/prec.bash" "$@" | sort
}
expect "commands" "$(printf '%s\n' record report)" "$(completes prec re | grep -xE 'record|report')"
expect "all commands" "$("$PREC" --list-cmds | sort)" "$(completes prec '' | grep -vx -e '--.*' -e help)"
expect "options" "$("$PREC" report --list-opts | grep -- '^--s' | sort -u)" "$(completes prec report --s | sort -u)"
expect "options before the command" "--no-pager" "$(completes prec --no-p)"
expect "a key of report" "srcfile" "$(completes prec report -s srcf)"
expect "behind a comma" "dso,srcfile" "$(completes prec report -s dso,srcf)"
expect "a field of script" "brstacksym" "$(completes prec script -F brstacks)"
expect "an event" "task-clock" "$(completes prec record -e task-c)"
expect "when" "always" "$(completes prec report --color al)"
expect "files are the shell's" "" "$(completes prec report -i x)"

"$PREC" report --list-opts=described | grep -x -- '--sort:group by.*' >/dev/null || fail "options with what they do"
"$PREC" --list-cmds=described | grep -x 'report:.*' >/dev/null || fail "commands with what they do"
if command -v zsh >/dev/null; then
	zsh -n "$SRC/cmd/completion/_prec" || fail "zsh's does not parse"
fi
if command -v fish >/dev/null; then
	fish --no-execute "$SRC/cmd/completion/prec.fish" || fail "fish's does not parse"
	expect "fish: a command" "annotate" "$(fish --no-config -c "source $SRC/cmd/completion/prec.fish; complete -C 'prec ann'" | cut -f1)"
	expect "fish: an option" "--percent-limit" \
		"$(fish --no-config -c "source $SRC/cmd/completion/prec.fish; complete -C 'prec report --percent-l'" | cut -f1)"
fi
make -s -n -C "$SRC" install DESTDIR="$PWD/root" 2>/dev/null | grep -F bash-completion/completions/prec >/dev/null ||
	fail "make install leaves them out"

# zsh completes at a terminal only.
if command -v zsh >/dev/null && command -v tmux >/dev/null; then
	# shellcheck source=tests/shell/lib/tmux.sh
	. "$SRC/tests/shell/lib/tmux.sh"
	at_end 'end_terminal'
	start_terminal 80x24
	keys "PATH=$PATH PS1='zsh>' zsh -f" Enter
	await 20 shows '^zsh>'
	keys "fpath=($SRC/cmd/completion \$fpath); autoload -Uz compinit; compinit -D -u; PS1=there'>'" Enter
	await 20 shows '^there>'
	keys 'prec ann' Tab
	await 20 shows 'prec annotate'
	keys 'x --source-o' Tab
	await 20 shows 'prec annotate x --source-only'
	keys C-u 'prec report -s dso,srcf' Tab
	await 20 shows 'prec report -s dso,srcfile'
fi
