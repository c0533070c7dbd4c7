#!/bin/bash
# CoreSight: an arm64 program under QEMU, each instruction logged, encoded and decoded: the log comes back.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/cs.sh"
T=$BUILD/tests/trace
logged 3
cat ips >all
wait $!
[ "$(wc -l <all)" -gt 100000 ] || fail "only $(wc -l <all) instructions logged"

for options in "" "rs" "cc cid" "spec rs cc ccommit" "ete" "raw rs"; do
	args=()
	for o in $options; do args+=(-o "$o"); done
	rm -rf trace
	"$T/csgen" "${args[@]}" -l all -c code.bin trace
	"$T/cs_insn" trace >got 2>gaps
	# The trace ends with the last branch of the program.
	[ "$(wc -l <got)" -gt $(($(wc -l <all) - 50)) ] || fail "'$options': $(wc -l <got) of $(wc -l <all) instructions"
	cmp got <(head -n "$(wc -l <got)" all) || fail "'$options': not what was executed"
done
