#!/bin/bash
# Instructions of a trace are disassembled as objdump does it, and tell where they go.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
need objdump
pt_traces t 20000 "psb=2048" -- true
pt_recording t 1 0xe601 -1 100 100000000
"$PREC" script --insn-trace=disasm -F ip,insn,disasm -i t.1.data 2>/dev/null >lines
expect "lines" "$(wc -l <t.1.exp)" "$(wc -l <lines)"
# One line for each: its bytes, its mnemonic.
sed -E 's/.* insn: ([0-9a-f ]*[0-9a-f])[ \t]+(.*)/\1\t\2/' lines | sort -u >insns
# Prefixes stand before the mnemonic for both.
cut -f1 insns | tr -d '\n' | sed 's/ //g' | sed 's/../\\x&/g' >hex
while IFS= read -r -d '' -n 4000 part || [ "$part" ]; do printf '%b' "$part"; done <hex >code.bin
objdump -D -b binary -m i386:x86-64 --insn-width=16 code.bin | sed -nE 's/^ *[0-9a-f]+:\t([0-9a-f ]*[0-9a-f]) *\t([^ ]+).*/\1\t\2/p' >want
expect "instructions" "$(wc -l <insns)" "$(wc -l <want)"
paste insns want | awk -F'\t' '{ split($2, a, " "); got = a[1]; w = $4
		same = index(got, w) == 1 || index(w, got) == 1 || (w ~ /^j/ && got ~ /^j/) || (w ~ /^(set|cmov)/ && got ~ /^(set|cmov)/)
		n++
		if (!same && bad++ < 10) print $1 ": objdump " w ", prec " $2 }
		END { print n, bad + 0; exit !(n > 200) }' >said || fail "too few instructions: $(tail -1 said)"
[ "$(tail -1 said | cut -d' ' -f2)" -le $(($(wc -l <insns) / 50)) ] || fail "$(cat said)"
# A call goes where its branch goes; there are no symbols here, so the address is told.
"$PREC" script --itrace=b -F ip,addr,disasm -i t.1.data 2>/dev/null | awk '/call/ && $NF ~ /^0x[0-9a-f]+$/ { n++; if ("0x" $3 != $NF) { print; bad++ } }
	END { exit bad || n < 5 }' || fail "calls do not go where they say"
