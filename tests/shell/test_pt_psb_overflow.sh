#!/bin/bash
# An overflow inside the PSB+ with which a trace begins ends that PSB+; the FUP behind it tells where the program is.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
need xxd

# 1000: nop, nop, jne 1004, nop, hlt
printf '\x90\x90\x75\x00\x90\xf4' >t.img
echo "1000-1006 r-xp 00000000 00:00 1 t.img" >t.maps
psb=02820282028202820282028202820282

# trace HEX...: a recording of it, in which nothing tells the time.
trace() {
	printf '%s' "$@" | xxd -r -p >t.1.pt
	pt_recording t 1 0x2001 -1 100 1000000
}

views=(b c r i1i iq iqq i1il i1ig i1ix b,i1ilgxwpe L G cr,l8,g y1i bqe)
# Overflow, FUP 1001, TNT T, FUP 1004, TIP.PGD; the same with the mode in front of it; with TIP.PGE in place of FUP; cut.
for packets in "02f3 7d011000000000 06 3d0410 01" "9901 02f3 7d011000000000 06 3d0410 01" \
	"02f3 71011000000000 06 3d0410 01" "02f3 7d01" "02f3 02f3 7d011000000000 06 3d0410 01"; do
	trace "$psb" "${packets// /}"
	for view in "${views[@]}"; do
		for command in "script --itrace=$view" "report --stdio --itrace=$view"; do
			status=0
			# shellcheck disable=SC2086
			"$PREC" $command -i t.1.data >out 2>messages || status=$?
			[ $status = 0 ] || fail "$packets: $command ends with $status: $(<messages)"
		done
	done
	want="1001 1002"
	[[ $packets != *7d01 ]] || want=
	expect "instructions behind $packets" "$want" "$("$PREC" script --itrace=i1i -F ip -i t.1.data 2>messages | xargs)"
	grep -q 'trace buffer overflow in hardware' messages || fail "$packets: $(<messages)"
done
