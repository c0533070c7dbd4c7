#!/bin/bash
# Of a PT recording only what --time, -C and --tid let through is decoded, and is what it would be without them.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
pt_traces t 80000 psb=300,cyc,async=4 -- bash -c 'for ((i = 0; i < 3000; i++)); do :; done'
# A second one that is no trace at all, but for its PSBs: who reads it says so.
size=$(stat -c %s t.1.pt)
[ "$size" -gt 250000 ] || fail "the trace has only $size bytes"
for ((n = 0; n < 100; n++)); do
	printf '\x02\x82%.0s' 1 2 3 4 5 6 7 8
	printf '\x02\x23\x02\x2b%01000d' 0
done >bad.pt

# shown OPTIONS...: what script prints; messages: what it says.
shown() {
	"$PREC" script -v -i t.1.data "$@" 2>messages
}

# decoded: "PIECES of ALL", as the last shown() says it.
decoded() {
	sed -n 's/.*of \([0-9]*\) pieces of the trace \([0-9]*\) are decoded.*/\2 of \1/p' messages
}

no_gaps() {
	if grep -q 'gaps\? in\|is lost' messages; then
		fail "$1: what is not shown was decoded: $(<messages)"
	fi
}

# ---- by time ----

pt_recording t 1 0xe603 -1 100 30000
cp t.1.data whole.data
shown --ns --itrace=i1i -F time,ip >whole
read -r first last <<<"$(awk '{ sub(":", "", $1) } NR == 1 { f = $1 } { l = $1 } END { print f, l }' whole)"
at() { # at PERCENT: the time there
	awk -v f="$first" -v l="$last" -v p="$1" 'BEGIN { printf "%.9f", f + (l - f) * p / 100 }'
}
between() { # between FROM TO FILE: the lines of that time, both ends counted
	awk -v f="$1" -v t="$2" '{ n = $1; sub(":", "", n) } n >= f && n <= t' "$3"
}
for letters in i1i b i1us crg i1il; do
	shown --ns --itrace=$letters -F time,ip >whole.$letters
	for span in 0:20 40:45 70:100 45:45.1; do
		from=$(at "${span%:*}") to=$(at "${span#*:}")
		shown --ns --itrace=$letters -F time,ip --time "$from,$to" >got
		between "$from" "$to" whole.$letters >want
		expect_same "--itrace=$letters --time $from,$to" want got
		read -r some _ all <<<"$(decoded)"
		# Chains and last branches know what was before; what is behind is left out all the same.
		[[ $letters$span != *[gl]*:100 ]] || continue
		[ "$some" -lt "$all" ] || fail "--itrace=$letters --time $from,$to: all pieces are decoded: $(<messages)"
	done
done
[ -s want ] || fail "nothing was compared"
shown --ns --itrace=i1ig -F time,ip,sym >whole
from=$(at 40) to=$(at 41)
shown --ns --itrace=i1ig -F time,ip,sym --time "$from,$to" >got
awk -v f="$from" -v t="$to" '/:/ { n = $1; sub(":", "", n); on = n >= f && n <= t } on' whole >want
expect_same "call chains" want got
# Damage outside of what is shown is never met.
head -c $((size * 3 / 5)) t.1.pt >cut.1.pt
head -c $((size * 2 / 5)) /dev/zero | tr '\0' '\377' >>cut.1.pt
cp t.maps cut.maps
pt_recording cut 1 0xe603 -1 100 30000
cp cut.1.data t.1.data
shown --ns --itrace=i1i -F time,ip >/dev/null
grep -q 'gaps\? in' messages || fail "the damage is not told: $(<messages)"
shown --ns --itrace=i1i -F time,ip --time "$(at 10),$(at 30)" >got
no_gaps --time
[ -s got ] || fail "--time shows nothing"

# ---- by CPU and thread ----

compare() { # compare WHAT OPTIONS...
	shown --itrace=i1i -F ip >/dev/null
	grep -q 'gaps\? in' messages || fail "$1: the second trace is not met: $(<messages)"
	shown --itrace=i1i -F ip "${@:2}" >got
	no_gaps "$1"
	expect_same "$1" want got
}
cp whole.data t.1.data
shown --itrace=i1i -F ip >want
PT_SECOND=bad.pt pt_recording t 1 0xe603 -1 100 30000
compare "a thread" --tid 100
PT_SECOND=bad.pt pt_recording t 1 0xe603 0 -1 30000
compare "a CPU" -C 0
