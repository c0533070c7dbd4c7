#!/bin/bash
# Only the parts of CoreSight and SPE that --time, -C and --tid select are decoded, with the same result as without them.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/cs.sh"

# shown OPTIONS...: what script prints of made.data; messages: what it says.
shown() {
	"$PREC" script -v -i made.data "$@" 2>messages
}

# fewer WHAT [PIECES]: not all pieces, or just so many, were decoded for the last shown().
fewer() {
	local all some
	read -r all some <<<"$(sed -n 's/.*of \([0-9]*\) pieces of the trace \([0-9]*\) are decoded.*/\1 \2/p' messages)"
	[ "${some:-none}" != none ] || fail "$1: what is decoded is not told: $(<messages)"
	[ "$some" -lt "$all" ] || fail "$1: all $all pieces are decoded"
	[ $# = 1 ] || expect "$1: pieces decoded" "$2" "$some"
}

between() { # between FROM TO FILE: the lines of that time, both ends counted; a time is a line's first word
	awk -v f="$1" -v t="$2" '/:/ { n = $1; sub(":", "", n); on = n >= f && n <= t } on' "$3"
}

# spans LETTERS FIELDS: of the whole and of parts the same is shown.
spans() {
	local first last from to span
	shown --ns --itrace="$1" -F "$2" >whole
	read -r first last <<<"$(awk '/:/ { l = $1; sub(":", "", l); if (!f) f = l } END { print f, l }' whole)"
	for span in 0:20 40:45 80:100; do
		read -r from to <<<"$(awk -v f="$first" -v l="$last" -v a="${span%:*}" -v b="${span#*:}" \
			'BEGIN { printf "%.9f %.9f", f + (l - f) * a / 100, f + (l - f) * b / 100 }')"
		between "$from" "$to" whole >want
		[ -s want ] || fail "$1 --time $from,$to: nothing is there"
		for jobs in 1 3; do
			shown -j$jobs --ns --itrace="$1" -F "$2" --time "$from,$to" >got
			expect_same "--itrace=$1 --time $from,$to (-j$jobs)" want got
			# What was before is known to the last ones.
			[[ $span = *:100 && $1 != i1i && $1 != b ]] || fewer "--itrace=$1 --time $from,$to (-j$jobs)"
		done
	done
}

# ---- by time ----

WITH_TIMES=1
"$gen" -s 31 -n 700000 -o cc -o user trace
recording 0 -1 4242 100000000
for letters in i1i b i100i crg; do
	spans $letters time,ip
done
spans i100ig time,ip,sym
spans i100il time,ip,brstack

# Without timestamps a part's time is its AUX record's.
WITH_TIMES=
rm -r trace
"$gen" -s 32 -n 20000 trace
size=$(stat -c %s trace/trace.bin)
recording 0 0 -1 100000000
{
	grep -v '^raw type=71\|^bytes' made.txt
	echo "aux 4242/4242 off=$size size=$size flags=0 t=900001000 cpu=0 event=cs_etm id=1"
	auxtrace trace/trace.bin 0 -1
	auxtrace trace/trace.bin 0 -1 100000000 "$size"
} >two.txt
"$mkdata" two.txt made.data
shown --ns --itrace=i1i -F time,ip >whole
for at in 0.900000000 0.900001000; do
	shown --ns --itrace=i1i -F time,ip --time $at,$at >got
	fewer "--time $at,$at" 1
	between $at $at whole >want
	expect_same "AUX records: --time $at,$at" want got
done

# ---- by CPU and thread ----

rm -r trace
"$gen" -s 33 -n 8000 -o two -o cid trace
recording 0 -1 4242 100000000
shown --itrace=bi1i -F tid,cpu,ip >whole
for cpu in 0 1; do
	shown --itrace=bi1i -F tid,cpu,ip -C $cpu >got
	fewer "-C $cpu" 1
	grep "\[00$cpu\]" whole >want
	[ -s want ] || fail "CPU $cpu has nothing"
	expect_same "-C $cpu" want got
done
# Contexts in the trace give its thread.
tid=$(awk 'NR == 1000 { print $1 }' whole)
shown --itrace=bi1i -F tid,cpu,ip --tid "$tid" >got
expect_same "--tid $tid" <(grep "^ *$tid " whole) got

# The trace of another thread is not looked at, though it is damaged.
rm -r trace
"$gen" -s 34 -n 8000 trace
{ head -c 600 trace/trace.bin; head -c 3000 /dev/zero | tr '\0' '\376'; } >bad.bin
recording 0 -1 4242 100000000
shown --itrace=i1i -F tid,ip >want
alone=$(grep 'gaps\? in' messages)
{
	grep -v '^raw type=71\|^bytes' made.txt
	sed -n '/^comm 4242/,/^aux/p' made.txt | sed "s/4242/4243/g; s/size=[0-9]*/size=$(stat -c %s bad.bin)/; s/t=9/t=91/"
	auxtrace trace/trace.bin -1 4242
	auxtrace bad.bin -1 4243
} >two.txt
"$mkdata" two.txt made.data
shown --itrace=i1i -F tid,ip >whole
[ "$(grep 'gaps\? in' messages)" != "$alone" ] || fail "the damage is not told: $(<messages)"
shown --itrace=i1i -F tid,ip --tid 4242 >got
fewer "--tid 4242" 1
expect "--tid 4242: what is told of it" "$alone" "$(grep 'gaps\? in' messages)"
expect_same "--tid 4242" want got

# ---- SPE ----

. "$SRC/tests/shell/lib/spe.sh"
for n in 0 1; do
	for part in 0 1 2 3; do
		echo "accesses $((part + 5)) 100 $((1000 + 5 * n + 1000 * part)) 10" | "$gen" >part
		cat part >>"$n.bin"
		stat -c %s part
	done >"sizes.$n"
done
recording 2 0:$N1:0:0.bin 1:$OTHER:0:1.bin
# An AUXTRACE record for each part.
{
	grep -v '^raw type=71\|^bytes' made.txt
	for n in 0 1; do
		at=0
		while read -r size; do
			tail -c +$((at + 1)) $n.bin >rest
			head -c "$size" rest >part
			auxtrace part $n -1 100000000 $at
			at=$((at + size))
		done <"sizes.$n"
	done
} >parts.txt
"$mkdata" parts.txt made.data
for letters in i1itM i3ib; do
	shown --ns --itrace=$letters -F time,cpu,event,ip,addr >whole
	[ "$(wc -l <whole)" -gt 200 ] || fail "SPE: next to nothing is shown"
	for span in 0.000001000,0.000001500 0.000002300,0.000003100 0.000004000,0.000009000; do
		awk -v f="${span%,*}" -v t="${span#*,}" '{ n = $2; sub(":", "", n) } n >= f && n <= t' whole >want
		for jobs in 1 3; do
			shown -j$jobs --ns --itrace=$letters -F time,cpu,event,ip,addr --time $span >got
			expect_same "SPE $letters --time $span (-j$jobs)" want got
			fewer "SPE $letters --time $span"
		done
	done
	shown --ns --itrace=$letters -F time,cpu,event,ip,addr -C 1 >got
	fewer "SPE -C 1" 4
	expect_same "SPE -C 1" <(grep '\[001\]' whole) got
done
