#!/bin/bash
# Each instruction's time is as near to when it ran as the packets tell: within an MTC period, or with CYC a few branches.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
sets=(psb=2048 psb=700,cyc async=300 overflow=2000,cyc cyc,long-tnt)
pt_traces t 20000 "${sets[@]}" -- bash -c 'echo $((40 + 2))'

# The generator's clock: a TSC tick an instruction, an MTC each 672, a ns two. What comes behind a packet counts from the next
# branch, less than 100 instructions away. A CYC counts to the end of its TNT packet: 6 branches, or 47 of a long one.
for ((n = 1; n <= ${#sets[@]}; n++)); do
	case ${sets[n - 1]} in
	*long-tnt*)	config=0xe603 late=800 early=800;;
	*cyc*)		config=0xe603 late=150 early=150;;
	*)		config=0xe601 late=772 early=0;;
	esac
	pt_recording t $n $config 0 -1 5003
	"$PREC" script --itrace=i1i -F ip,time --ns -i t.$n.data 2>messages | tr -d ' :' >got
	expect "instructions of ${sets[n - 1]}" "$(wc -l <t.$n.exp)" "$(wc -l <got)"
	awk -v late=$late -v early=$early 'NR == FNR { ran[NR] = $1; next } {
			split(substr($0, 1), t, "."); behind = ran[FNR] - 2 * (t[1] * 1000000000 + substr(t[2], 1, 9))
			if (behind > late || behind < -early - 1) { print "line " FNR ": ran at " ran[FNR] ", told " behind " too early"; exit 1 }
		}' t.$n.times got || fail "${sets[n - 1]}: wrong times"
done
