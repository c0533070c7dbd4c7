# The Firefox Profiler's own reader, where it is installed: PREC_PROFILER_CLI is its command, node included. Behind prec.sh.
# shellcheck shell=bash

# reader_loads FILE: begins a session with it, or fails; reader COMMAND... asks that one.
reader_loads() {
	local loaded
	[ "${PREC_PROFILER_CLI:-}" ] || skip "no PREC_PROFILER_CLI (npm: @firefox-devtools/profiler-cli, node 24); the rest passed"
	PROFILER_CLI_SESSION_DIR=$(mktemp -d /tmp/pcli.XXXX)
	export PROFILER_CLI_SESSION_DIR
	at_end 'reader stop >/dev/null 2>&1; rm -rf "$PROFILER_CLI_SESSION_DIR"'
	for _ in 1 2 3 4 5 6; do	# its server may need longer to start than it gives itself
		loaded=yes
		reader load "$1" >load.txt 2>&1 && break
		loaded=
		grep -q 'did not become ready' load.txt || break
		reader stop >/dev/null 2>&1 || true
	done
	[ $loaded ] || fail "the reader refuses the file: $(<load.txt)"
}

reader() {
	# shellcheck disable=SC2086
	$PREC_PROFILER_CLI "$@" --session x
}
