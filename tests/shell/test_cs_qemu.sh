#!/bin/bash
# CoreSight: an arm64 program under QEMU, each instruction logged, encoded and decoded: the log comes back.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/cs.sh"
T=$BUILD/tests/trace
logged 3
cat ips >all
wait $!
[ "$(wc -l <all)" -gt 100000 ] || fail "only $(wc -l <all) instructions logged"

# Interrupts come at any place; of two sources each executes all of it.
for options in "" "rs" "cc cid" "spec rs cc ccommit" "ete" "raw rs" "calm" "raw cc cid vmid" "two rs cc cid" "two syncs ete"; do
	args=() sources=1
	for o in $options; do args+=(-o "$o"); done
	case $options in *two*) sources=2 ;; esac
	rm -rf trace
	"$T/csgen" "${args[@]}" -l all -c code.bin trace
	"$T/cs_insn" trace >got 2>gaps
	# The trace ends with the last branch of the program.
	nr=$(($(wc -l <got) / sources))
	[ "$nr" -gt $(($(wc -l <all) - 50)) ] || fail "'$options': $nr of $(wc -l <all) instructions"
	head -n $nr all >want
	[ $sources = 1 ] || cat want want >twice
	[ $sources = 1 ] || mv twice want
	cmp got want || fail "'$options': not what was executed"
	case $options in
	*calm*) interrupts=0 ;;
	*) interrupts=$((nr / 4000)) ;;
	esac
	[ "$("$T/cs_insn" -d trace | grep -c I_EXCEPT)" -ge $interrupts ] || fail "'$options': hardly any interrupts"
done
