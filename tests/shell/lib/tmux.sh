# A terminal for tests, by tmux: on_screen WIDTHxHEIGHT COMMAND... types the command into a shell there, awaits its end or a
# pager's prompt, and prints what is on the screen; keys K...: tmux's names of keys; screen: what is there now.
# shellcheck shell=bash
need tmux
export TMUX_TMPDIR=$WORK TERM=xterm-256color

# A server takes a while to end: the next one has a name of its own.
TERMINALS=0

in_tmux() {
	tmux -L "test$$.$TERMINALS" -f /dev/null "$@"
}

# start_terminal WIDTHxHEIGHT: with a shell whose prompt is "ready>".
start_terminal() {
	in_tmux kill-server 2>/dev/null || true
	TERMINALS=$((TERMINALS + 1))
	in_tmux new-session -d -x "${1%x*}" -y "${1#*x}" -s t "PS1='ready>' bash --norc --noprofile" ';' set -g status off
	in_tmux resize-window -t t -x "${1%x*}" -y "${1#*x}"
	await 20 shows 'ready>'
}

end_terminal() {
	in_tmux kill-server 2>/dev/null || true
}

screen() {
	in_tmux capture-pane -p -t t "$@"
}

# shows PATTERN: grep's, in what is on the screen. Without special characters it needs no grep.
shows() {
	local text
	text=$(screen)
	case $1 in
	*[][*.^$\\]*) grep -e "$1" <<<"$text" >/dev/null ;;
	*) [[ $text == *"$1"* ]] ;;
	esac
}

keys() {
	in_tmux send-keys -t t "$@"
}

# Is the last line that is not empty one that waits for keys: the shell's prompt, or ":" or "(END)" of less?
waits() {
	screen | grep . | tail -1 | grep -xE 'ready>|:|\(END\)' >/dev/null
}

# on_screen COMMAND: types it into the terminal that was started. What stood there before goes first.
NR_SCREENS=0
on_screen() {
	NR_SCREENS=$((NR_SCREENS + 1))
	keys "clear; echo before-$NR_SCREENS" Enter
	await 20 shows "^before-$NR_SCREENS"
	keys "clear; $1" Enter
	await 20 eval "! shows 'before-' && waits"
	screen
}
