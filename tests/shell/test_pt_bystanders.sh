#!/bin/bash
# Samples of other events get the calls and branches that an Intel PT trace tells of the time before them, for any -j.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
pt_traces t 60000 "psb=2048" "psb=1000,async=37,no-mtc" -- bash -c 'for i in 1 2 3 4; do echo $((40 + i)); done'
clock="attr cpu-clock type=1 config=0 sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER read=ID period=1000 sample_id_all ids=2"

# Samples at an address of their own; one of a thread that does not run.
samples() { # FIRST LAST STEP
	for ((t = $1; t < $2; t += $3)); do
		echo "sample 100/100 t=$t cpu=0 ip=0x123 period=1 mode=user event=cpu-clock id=2"
	done
	echo "sample 200/200 t=$(($1 + 5)) cpu=0 ip=0x456 period=1 mode=user event=cpu-clock id=2"
}

# Branches have come before a sample where their time is before its own. What leaves the user's space came after it.
last_branches='
/branches/ { time[++n] = $1; from[n] = "0x" $3; to[n] = "0x" $5; next }
$3 == 123 { asked[++m] = $1; got[m] = ""; for (i = 4; i <= NF; i++) { split($i, p, "/"); got[m] = got[m] " " p[1] "/" p[2] } next }
$3 == 456 && NF > 3 { print "a thread that does not run has branches"; exit 1 }
END {
	for (i = 1; i <= m; i++) {
		while (k < n && time[k + 1] < asked[i]) k++
		for (at = k; at && to[at] == "0x0"; at--) ;
		want = ""
		for (b = at; b > at - 4 && b > 0; b--) want = want " " from[b] "/" to[b]
		if (want != got[i]) { print asked[i] " want" want " got" got[i]; exit 1 }
		some += want != ""
	}
	if (some < 80) { print "only " some " samples have branches"; exit 1 }
}'

# The chain behind the sample's address is that of the instruction behind the last branch; an interrupt, which ends the trace,
# changes nothing.
chains='
function ended() {
	if (kind == "asked" && ip == "123") { asked[++m] = time; got[m] = chain }
	if (kind == "insn" && n && !(n in of)) of[n] = chain
	kind = ""
}
/branches/ { ended(); when[++n] = $1; leaves[n] = $NF == 0; next }
/cpu-clock|instructions/ { ended(); kind = /cpu-clock/ ? "asked" : "insn"; time = $1; ip = chain = ""; next }
NF && ip == "" { ip = $1; next }
NF { chain = chain " " $1 }
END { ended()
	for (i = 1; i <= m; i++) {
		while (k < n && when[k + 1] < asked[i]) k++
		for (at = k; at && leaves[at]; at--) ;
		if (!(at in of)) continue
		if (of[at] != got[i]) { print asked[i] " want" of[at] " got" got[i]; exit 1 }
		some += got[i] != ""
	}
	if (some < 50) { print "only " some " samples have chains"; exit 1 }
}'

for i in 1 2; do
	last=$(($(tail -1 t.$i.times) / 2))
	for place in "0 -1" "-1 100"; do
		# shellcheck disable=SC2086
		PT_EVENTS=$clock PT_RECORDS=$(samples 16777301 $last $(((last - 16777301) / 97))) pt_recording t $i 0xe601 $place 30011
		"$PREC" script -i t.$i.data --ns --itrace=bL4 -F event,time,ip,addr,brstack 2>/dev/null | awk "$last_branches" >said ||
			fail "last branches in t.$i of $place: $(head -1 said)"
		"$PREC" script -i t.$i.data --ns --itrace=bi1igG6 -F event,time,ip,addr 2>/dev/null | tr -d '=>' | awk "$chains" >said ||
			fail "chains in t.$i of $place: $(head -1 said)"
		for what in G GL3 bi100igGl5L; do
			"$PREC" script -i t.$i.data -j1 --itrace=$what -F comm,tid,event,ip,sym,brstack >one 2>/dev/null
			for jobs in 2 5; do
				"$PREC" script -i t.$i.data -j$jobs --itrace=$what -F comm,tid,event,ip,sym,brstack >many 2>/dev/null
				expect_same "-j$jobs --itrace=$what of t.$i" one many
			done
		done
	done
done
# Also in reports.
"$PREC" report -i t.1.data --itrace=G --stdio 2>/dev/null >out
grep -q -- '--0x7f' out || fail "a report shows no chains: $(cat out)"
