#!/bin/bash
# Every tracepoint of this machine prints as perf prints it; where it does not, a C compiler says that prec is right.
. "$(dirname "$0")/lib/prec.sh"
need_perf
PERFS=("$PERF")
! with_newperf || PERFS+=("$PREC_PERF")
need_root
need_tracepoints
MKTRACE=$(helper mkdata/mktrace)
ROUNDS=5 SEED=7

# "sys:event: text", one a sample: a text may have newlines in it. A blank counts as many, none at the ends.
one_a_line() {
	awk '/^ *[a-z0-9_]+:[a-zA-Z0-9_]+: / { if (s != "") print s; s = "" }
		{ gsub(/[ \t]+/, " "); sub(/^ /, ""); sub(/ $/, ""); s = s == "" ? $0 : s " " $0 }
		END { if (s != "") print s }'
}

# by_perf PERF FORMAT...: there are formats that perf crashes on; what it cannot print is left out.
by_perf() {
	local perf=$1 half=$((($# - 1) / 2))
	shift
	"$MKTRACE" some.data $ROUNDS $SEED "$@"
	if "$perf" script -i some.data -F event,trace >some </dev/null 2>/dev/null; then
		one_a_line <some
	elif [ $half -gt 0 ]; then
		by_perf "$perf" "${@:1:half}"
		by_perf "$perf" "${@:half+1}"
	fi
}

# events WANT GOT: those whose lines are the same in both.
events() {
	awk 'NR == FNR { want[$1] = want[$1] "\n" $0; next }
		{ got[$1] = got[$1] "\n" $0 }
		END { for (e in got) if (want[e] == got[e]) print substr(e, 1, length(e) - 1) }' "$1" "$2" | sort
}

# compile OPTIONS...: what the compiler says is in the file said.
compile() {
	{ cat "$SRC/tests/mkdata/print_fmt.h" constants.h; echo '#line 1 "events.c"'; cat events.c main.c; } >all.c
	cc -std=c11 -w -fmax-errors=0 -Werror=implicit-function-declaration "$@" all.c 2>said
}

# by_compiler FORMAT...: made.raw as these formats, made functions of C, print it. One that cannot be compiled prints nothing.
by_compiler() {
	awk -f "$SRC/tests/mkdata/print_fmt.awk" "$@" >events.c
	: >constants.h
	: >main.c
	compile -fsyntax-only || sed -nE "s/.*error: '([A-Za-z_0-9]+)' undeclared.*/#define \1 0/p" said | sort -u >constants.h
	compile -fsyntax-only || true
	sed -nE 's/^events\.c:([0-9]+):.*error: .*/\1/p' said | sort -un >bad
	awk 'FILENAME == "bad" { bad[$1]; next } { print FNR in bad ? "" : $0 }' bad events.c >good.c
	{
		echo 'int main(void) {'
		awk -v rounds=$ROUNDS '{ printf "for (int i = 0; i < %d && next_hit(); i++) %s\n", rounds, $0 ? "print_" NR - 1 "();" : ";" }' good.c
		echo 'return 0; }'
	} >main.c
	mv good.c events.c
	compile -o printer || fail "$(head -5 said)"
	./printer <made.raw | one_a_line
}

formats=()
for format in "$TRACEFS"/events/*/*/format; do
	[[ $format = */prec_test_* ]] || formats+=("$format")	# which come and go
done
all=${#formats[@]}
[ "$all" -gt 100 ] || fail "there are only $all tracepoints"
"$MKTRACE" -r made.raw made.data $ROUNDS $SEED "${formats[@]}"
"$PREC" script -i made.data -F event,trace | one_a_line >got
expect "lines" $((all * ROUNDS)) "$(wc -l <got)"

: >equal
for perf in "${PERFS[@]}"; do
	by_perf "$perf" "${formats[@]}" >want
	events want got >equal.one
	awk -v n="$(wc -l <equal.one)" -v a="$all" -v p="$("$perf" --version)" \
		'BEGIN { printf "%d tracepoints, %d (%.2f %%) equal to %s\n", a, n, 100 * n / a, p }'
	sort -u equal equal.one -o equal
done

# why EVENT...: what it is that perf reads otherwise than the kernel does, by what is in the formats; how many of each, and
# of one of them a line as C prints it, with the line of the last perf. It is for who reads it: nothing is judged by it.
why() {
	local system event
	while IFS=: read -r system event; do
		printf '%s:%s ' "$system" "$event"
		grep '^print fmt' "$TRACEFS/events/$system/$event/format"
	done | awk '
		function cause() {
			if (/\{ *\(?-([2-9]|1[0-9])/)
				return "a constant below -1 is taken for -1"
			if (/__print_flags.*\{ *[A-Za-z_][A-Za-z_0-9]* *,/)
				return "no flags: a constant that the format does not tell is taken for 0; a cast is passed over"
			if (/\{ *\(?-1/)
				return "an int of -1 is not found in a table that has it"
			if (/<< 63/)
				return "bit 63 of flags is not seen"
			if (/%\*pbl/)
				return "a list of bits is not known"
			if (/__print_flags\(REC->[a-z]+ & \(/)
				return "a mask of more than two constants is misread"
			if (/\?/)
				return "a conditional or comparison is misread, or its signs passed over"
			if (/ \/ /)
				return "a negative number is divided as if it had no sign"
			return "something else, as the sign of a byte"
		}
		{ print cause() "\t" $1 }' | sort >causes
	events of_c of_perf >same
	cut -f1 causes | sort | uniq -c | sort -rn | while read -r number cause; do
		event=$(awk -F'\t' -v c="$cause" 'NR == FNR { same[$0]; next } $1 == c && !($2 in same) { print $2; exit }' same causes)
		echo "$number: $cause"
		{ diff <(grep "^$event: " of_c) <(grep "^$event: " of_perf) || true; } | sed -n 's/^</    C:   /p; s/^>/    perf:/p' |
			sort -s -k1,1 -u | cut -c1-400
	done
}

# Of the others C decides, where it can say what the format prints, with what the kernel prints flags and symbols by.
cut -d: -f1,2 got | sort -u | comm -23 - equal >others
need cc
others=()
while IFS=: read -r system event; do
	others+=("$TRACEFS/events/$system/$event/format")
done <others
"$MKTRACE" -r made.raw made.data $ROUNDS $SEED "${others[@]}"
"$PREC" script -i made.data -F event,trace | one_a_line >got
by_compiler "${others[@]}" >want
cp want of_c
events want got >right
cut -d: -f1,2 want | sort -u | comm -23 - right >wrong
comm -23 others right | comm -23 - wrong >unsettled
awk -v a="$all" -v e="$(wc -l <equal)" -v r="$(wc -l <right)" -v w="$(wc -l <wrong)" -v u="$(wc -l <unsettled)" 'BEGIN {
	printf "%.2f %% equal to a perf, %.2f %% not, but to C; %d are wrong, %d are not settled\n", 100 * e / a, 100 * r / a, w, u
	exit !(100 * e / a >= 90 && 100 * (e + r) / a >= 97) }' || fail "too many tracepoints print differently"
by_perf "${PERFS[-1]}" "${others[@]}" >of_perf
why <right || true
[ ! -s unsettled ] || echo "not settled: $(tr '\n' ' ' <unsettled)"
[ ! -s wrong ] || fail "these print differently: $(tr '\n' ' ' <wrong) $(diff <(grep "^$(head -1 wrong):" want) <(grep "^$(head -1 wrong):" got))"
