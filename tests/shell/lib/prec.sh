# Functions for every shell test. A test begins so:
#
#	#!/bin/bash
#	# One sentence: what must hold.
#	. "$(dirname "$0")/lib/prec.sh"
#
# and is then in an empty directory of its own, which goes when the test ends, as do its background jobs. A command
# that fails ends the test. PREC is the program, BUILD the directory of objects and helpers, SRC the source tree.
#
# "$PREC" ... in the test itself calls prec_called(), whose name is the program's path: no crash gets lost, and no failure
# whose status nobody sees. In the background it is to be exec "$PREC" ... &, so that $! is the program's.
# shellcheck shell=bash
set -euE -o pipefail
export LC_ALL=C TZ=UTC
unset DEBUGINFOD_URLS	# nobody is asked
export PREC_CONFIG=/dev/null PERF_CONFIG=/dev/null	# whoever runs the tests may have settings
SRC=${SRC:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)}
BUILD=${BUILD:-$SRC/build}
PREC=${PREC:-$BUILD/prec}
export SRC BUILD PREC
export PREC_MORE_JOBS=1	# -j8 is eight threads on any machine
WORK=$(mktemp -d "${TMPDIR:-/tmp}/prec.XXXXXX")
cd "$WORK"
mkdir -p "$WORK/.home"
export HOME=$WORK/.home	# what record keeps of binaries is no user's
SKIPPED=
AT_END=()
UNEXPECTED=$WORK.unexpected
trap at_exit EXIT
trap 'echo "${BASH_SOURCE[0]##*/}:$LINENO: status $? of: $BASH_COMMAND" >&2' ERR

# An exit status of a crash: a signal's, or a sanitizer's (tests/run). 129 is usage.
is_crash() {
	[ "$1" = 99 ] || [ "$1" = 128 ] || [ "$1" -gt 129 ]
}

# In a pipe or a substitution the status decides little or nothing of what the test does.
is_unseen() {
	[ "$BASHPID" != $$ ] && [ -p /dev/stdout ]
}

# Has the test said that it may end so?
is_named() {
	[ "$1" = 0 ] || [ "${WANTED:-}" = "$1" ] || { [ "${WANTED:-}" = any ] && ! is_crash "$1"; }
}

prec_called() {
	local status=0
	command "$PREC" "$@" || status=$?
	is_named $status || ! { is_crash $status || is_unseen; } || echo "status $status of: prec $*" >>"$UNEXPECTED"
	return $status
}
eval "function $PREC { prec_called \"\$@\"; }"

# any_status COMMAND...: the test says nothing of its exit status, but that it does not crash.
any_status() {
	local WANTED=any
	"$@" || true
}

# ended PID: waits for a program in the background that a signal of the test may end, but none of its own.
ended() {
	local status=0
	{ wait "$1" || status=$?; } 2>/dev/null
	case $status in 99 | 132 | 134 | 135 | 136 | 139) fail "the program in the background crashed: status $status" ;; esac
}

# Skips a part of a test that needs something missing here; the others go on. tests/run lists it at the end.
part_skipped() {
	echo "${0##*/}: $*" >>"${SKIPPED_PARTS:-/dev/stderr}"
}

# at_end COMMAND: what is to be done when the test ends, however it does; the last one first. Not by a trap of the test's own,
# in which its status is lost.
at_end() {
	AT_END=("$1" "${AT_END[@]}")
}

at_exit() {
	local status=$? jobs command
	trap - ERR
	set +e
	for command in "${AT_END[@]}"; do
		eval "$command"
	done
	if [ -s "$UNEXPECTED" ]; then
		echo "the test names no such status:" >&2
		cat "$UNEXPECTED" >&2
		status=1
	fi
	rm -f "$UNEXPECTED"
	jobs=$(jobs -p)
	# shellcheck disable=SC2086
	[ -z "$jobs" ] || kill -KILL $jobs 2>/dev/null || true
	cd / && rm -rf "$WORK"
	# A command's own status 2 must not look like a skip.
	[ $status != 2 ] || [ "$SKIPPED" ] || status=1
	exit $status
}

fail() {
	trap - ERR
	echo "failed: $*" >&2
	exit 1
}

# skips_if_shed PATTERN...: from now on the test is skipped where it would fail, if a recording has shed stacks: the machine is too
# busy, or too slow, for whole stacks, which it counts (test_shedding_counts).
skips_if_shed() {
	SHED=("$@")
	fail() {
		local file
		trap - ERR
		# shellcheck disable=SC2068	# patterns match the files that are there now
		for file in ${SHED[@]}; do
			if any_status "$PREC" report --stdio -i "$file" 2>&1 >/dev/null </dev/null | grep -q 'stacks-shed'; then
				echo "failed: $*" >&2
				skip "stacks were shed: this machine is too slow for them"
			fi
		done
		echo "failed: $*" >&2
		exit 1
	}
}

# The reason is shown beside the test's name.
skip() {
	trap - ERR
	SKIPPED=yes
	echo "$*"
	exit 2
}

# expect WHAT WANT GOT: two strings must be equal.
expect() {
	[ "$2" = "$3" ] && return
	diff -u --label want <(printf '%s\n' "$2") --label got <(printf '%s\n' "$3") >&2 || true
	fail "$1"
}

# expect_same WHAT FILE FILE: the first is what is wanted. A file may be a pipe, which is read once.
expect_same() {
	local want=$2 got=$3

	[ ! -p "$want" ] || { want=$WORK/.want; cat "$2" >"$want"; }
	[ ! -p "$got" ] || { got=$WORK/.got; cat "$3" >"$got"; }
	cmp -s "$want" "$got" && return
	diff -u --label want "$want" --label got "$got" | head -60 >&2 || true
	fail "$1"
}

# expect_near WHAT WANT GOT PERCENT: GOT is within PERCENT of WANT.
expect_near() {
	awk -v w="$2" -v g="$3" -v p="$4" 'BEGIN { d = g - w; if (d < 0) d = -d; exit !(g != "" && d <= w * p / 100) }' ||
		fail "$1: want $2 (within $4 %), got '$3'"
}

# expect_share WHAT WANT GOT SAMPLES: percentages differ by less than two points, which are six standard deviations of the
# largest share of 20,000 samples, or where there are fewer by as many deviations more: sqrt(20000 / SAMPLES) times that.
expect_share() {
	awk -v w="$2" -v g="$3" -v n="$4" 'BEGIN { d = g - w; if (d < 0) d = -d; most = n < 20000 ? 2 * sqrt(20000 / n) : 2
		exit !(g != "" && n >= 1000 && d < most) }' || fail "$1: want $2 %, got '$3' % of $4 samples"
}

# expect_status STATUS COMMAND...: it must end so; its output goes where the caller sends it.
expect_status() {
	local want=$1 got=0 WANTED=$1
	shift
	"$@" || got=$?
	[ "$got" = "$want" ] || fail "want exit status $want, got $got: $*"
}

# expect_finding CODE FILE [REGEX]: FILE, what prec said on standard error, has a finding of that code, whose text matches.
expect_finding() {
	grep -E -- "^prec: (warning: )?.*${3:-}.* \\[$1\\]\$" "$2" >/dev/null || fail "no finding $1${3:+ of '$3'}: $(<"$2")"
}

# expect_kept DATA ERR: each finding that record printed on ERR comes back from DATA with its numbers, in report, summary, verify
# and export.
expect_kept() {
	local code data=$1 command numbers
	"$PREC" report --stdio -i "$data" >kept.out 2>kept.report || true
	"$PREC" export -o kept.folded -i "$data" >kept.out 2>kept.export || true
	"$PREC" summary -i "$data" >kept.summary 2>&1 || true
	"$PREC" verify "$data" >kept.verify 2>&1 || true
	grep -oE '\[[a-z-]+\]$' "$2" | tr -d '[]' | sort -u >kept.codes
	[ -s kept.codes ] || fail "record finds nothing in $data: $(<"$2")"
	while read -r code; do
		numbers=$(sed -nE "s/^prec: (.*) \\[$code\\]\$/\1/p" "$2" | grep -oE '[0-9]+' | head -1)
		for command in report export summary verify; do
			grep -- "\b$code\b" kept.$command | grep -qE "\b${numbers:-$code}\b" || {
				cat kept.$command
				fail "$command does not say $code${numbers:+ of $numbers}: $(grep -- "$code" "$2")"
			}
		done
	done <kept.codes
}

# The path of a program of tests/work: $(workload shares) 4
workload() {
	helper "work/$1"
}

# The path of another helper: $(helper mkdata/mkdata)
helper() {
	[ -x "$BUILD/tests/$1" ] || fail "no $BUILD/tests/$1; 'make test' builds it"
	echo "$BUILD/tests/$1"
}

# Who makes programs of these flags: COMPILER, or for -m32, which on Debian the compilers of other machines exclude, that of i386.
compiler_for() {	# COMPILER FLAGS
	if [[ " $2 " == *" -m32 "* ]] && command -v i686-linux-gnu-gcc >/dev/null &&
	   ! echo '#include <stdint.h>' | "$1" -m32 -x c -c -o /dev/null - 2>/dev/null; then
		echo i686-linux-gnu-gcc
	else
		echo "$1"
	fi
}

# The C files of the project, by their paths from SRC, where one must be: sources '*.h'
sources() {
	(cd "$SRC" && { find cmd core arch auxtrace -name "$1" 2>/dev/null || true; } | sort | grep .)
}

# Leaks cannot be looked for in a program that is traced.
strace() {
	ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" command strace "$@"
}

# The program is built with a sanitizer, whose own system calls are among its.
sanitized() {
	ldd "$PREC" | grep -E 'lib(a|t|ub)san' >/dev/null
}

# The build id of an ELF file, as mkdata wants it; without one it has to be mapped as it really is.
build_id_of() {
	readelf -n "$1" | sed -n 's/.*Build ID: /buildid=/p'
}

need() {
	command -v "$1" >/dev/null || skip "no $1"
}

need_root() {
	[ "$(id -u)" = 0 ] || skip "not root"
}

# This machine lets us open events: need_events [kernel|all]; alone: of our own process, in user mode.
need_events() {
	"$(workload opens)" "$@" || skip "cannot open events${1:+ ($1)} here"
}

# Breakpoints can be opened here, and fire.
have_breakpoints() {
	"$(workload opens)" breakpoint 2>/dev/null
}

# Stock perf, of any version, as PERF.
need_perf() {
	PERF=$(command -v perf) || skip "no perf"
	"$PERF" --version >/dev/null 2>&1 || skip "perf does not run"
}

# perf_agrees FILE...: stock perf, where there is one, shows as many samples of each file as prec does.
perf_agrees() {
	local f
	with_perf || return 0
	for f; do
		expect "$f: samples by perf" "$("$PREC" script -i "$f" -G -F event 2>/dev/null | wc -l)" \
			"$(perf script -i "$f" -G -F event 2>/dev/null </dev/null | wc -l)"
	done
}

# perf_counts FILE TYPE...: it has as many records of these types (as report --stats calls them) for perf as for prec.
perf_counts() {
	local type
	with_perf || return 0
	"$PREC" report -i "$1" --stats >counts.prec 2>/dev/null
	perf report -i "$1" --stats >counts.perf 2>/dev/null </dev/null
	for type in "${@:2}"; do
		expect "$1: $type records by perf" "$(awk -v t="$type" '$1 == t { print $3; exit }' counts.prec)" \
			"$(awk -v t="$type" '$1 == t { print $3; exit }' counts.perf)"
	done
}

# A newer perf, by the environment variable PREC_PERF, as NEWPERF.
need_newperf() {
	NEWPERF=${PREC_PERF:-}
	[ -x "$NEWPERF" ] || skip "no PREC_PERF"
}

# For parts of a test: is there a newer perf (as PREC_PERF), stock perf, a corpus, are there traces? If not, a message says so.
with_newperf() {
	[ -x "${PREC_PERF:-}" ] || { part_skipped "${1:-what the newer perf says}: no PREC_PERF"; return 1; }
}
with_perf() {
	{ command -v perf && perf --version; } >/dev/null 2>&1 || { part_skipped "${1:-what perf says}: no perf"; return 1; }
}
with_corpus() {
	[ -d "${PREC_CORPUS:-}" ] || { part_skipped "${1:-files of others}: no PREC_CORPUS"; return 1; }
}
with_traces() {
	[ -d "${PREC_TRACES:-}/cs" ] || { part_skipped "${1:-recorded traces}: no cs in PREC_TRACES"; return 1; }
}

# The perfs that there are, stock perf and the newer one: for perf in $(perfs)
perfs() {
	! with_perf || command -v perf
	! with_newperf || echo "$PREC_PERF"
}

# need_corpus [PATH]: a collection of others' perf.data files in PREC_CORPUS, and PATH below it.
need_corpus() {
	[ -d "${PREC_CORPUS:-}" ] || skip "no PREC_CORPUS"
	[ -e "$PREC_CORPUS/${1:-}" ] || skip "no ${1:-} in PREC_CORPUS"
}

# need_traces [PATH]: hardware traces in PREC_TRACES.
need_traces() {
	[ -d "${PREC_TRACES:-}" ] || skip "no PREC_TRACES"
	[ -e "$PREC_TRACES/${1:-}" ] || skip "no ${1:-} in PREC_TRACES"
}

# need_cpus CPU...: they are there, and this test may use them.
need_cpus() {
	local cpu
	for cpu; do
		taskset -c "$cpu" true 2>/dev/null || skip "no CPU $cpu here"
	done
}

# A CPU that this test may use: what runs on it alone has one counter and one ring.
one_cpu() {
	taskset -pc $$ | sed 's/.*[ ,-]//'
}

# had_ms PID: the CPU time that the process has had, in steps of 10 ms. has_run PID MS: it has had that much, which is
# what to await where samples of it are wanted.
had_ms() {
	awk '{ sub(/.*[)] /, ""); print ($12 + $13) * 10 }' "/proc/$1/stat"
}
has_run() {
	[ "$(had_ms "$1")" -ge "$2" ]
}

# end_with_samples PID [FILE]: end the recorder when there are samples in its new file (data), which are written once a second.
end_with_samples() {
	local file=${2:-data}
	await 60 eval '[ "$(any_status "$PREC" script -i "$file" -F event 2>/dev/null | wc -l)" -gt 0 ]'
	kill "$1"
	wait "$1"
}

# Tracepoints can be looked up and opened; TRACEFS is where they are.
need_tracepoints() {
	for TRACEFS in /sys/kernel/tracing /sys/kernel/debug/tracing; do
		[ -r "$TRACEFS/events/header_page" ] && need_events kernel && return
	done
	[ "$(id -u)" = 0 ] || skip "cannot read tracefs (not root)"
	TRACEFS=/sys/kernel/tracing
	mount -t tracefs tracefs "$TRACEFS" 2>/dev/null || skip "cannot mount tracefs"
	need_events kernel
}

# await SECONDS COMMAND...: until it succeeds; fails after that time. Nothing comes from the pipe: the pause needs no process.
await() {
	local end=$((SECONDS + $1))
	shift
	[ -p "$WORK/.pause" ] || mkfifo "$WORK/.pause"
	until "$@"; do
		[ $SECONDS -le $end ] || fail "waited too long for: $*"
		read -rt 0.02 <>"$WORK/.pause" || true
	done
}
