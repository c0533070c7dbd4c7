# The Firefox Profiler's own reader, where it is installed: PREC_PROFILER_CLI is its command, node included. Behind prec.sh.
# shellcheck shell=bash

# reader_loads FILE: begins a session with it, or fails; reader COMMAND... asks that one.
reader_loads() {
	[ "${PREC_PROFILER_CLI:-}" ] || skip "no PREC_PROFILER_CLI (npm: @firefox-devtools/profiler-cli, node 24); the rest passed"
	PROFILER_CLI_SESSION_DIR=$(mktemp -d /tmp/pcli.XXXX)
	export PROFILER_CLI_SESSION_DIR
	at_end 'reader stop >/dev/null 2>&1; rm -rf "$PROFILER_CLI_SESSION_DIR"'
	reader load "$1" >load.txt 2>&1 && return
	# Its server gives itself half a second to start, and goes on to start when that is over.
	grep -q 'did not become ready' load.txt || fail "the reader refuses the file: $(<load.txt)"
	await 60 reader_answers
}

reader_answers() {
	reader profile info >/dev/null 2>&1
}

reader() {
	# shellcheck disable=SC2086
	$PREC_PROFILER_CLI "$@" --session x
}
