#!/bin/bash
# Profiles for compilers count what ran of a CoreSight trace as the log of the program does.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/cs.sh"
. "$SRC/tests/shell/lib/feedback.sh"
need python3
need clang
need llvm-symbolizer
need qemu-aarch64
need aarch64-linux-gnu-objcopy
qemu-aarch64 -h | grep -e '^-plugin' >/dev/null || skip "qemu-aarch64 takes no plugins"
clang --target=aarch64-linux-gnu "${FEEDBACK_FLAGS[@]}" -Wl,-Ttext=0x400000 -Wl,--section-start=.note.gnu.build-id=0x3f0000 \
	-DROUNDS=10 -o code "$SRC/tests/data/feedback.c" || skip "clang makes no programs for arm64 here"
aarch64-linux-gnu-objcopy -O binary -j .text -j .rodata code code.bin
gcc -std=gnu11 -D_GNU_SOURCE -O2 -shared -fPIC -o ips.so "$SRC/tests/trace/qemu/ips.c"
mkfifo ips
qemu-aarch64 -plugin ./ips.so,log=ips ./code &
cat ips >all
wait $!

# The program itself is mapped, in place of its code alone.
offset=$(readelf -SW code | awk '{ for (i = 1; i < NF; i++) if ($i == ".text") print $(i + 3) }')
for options in "calm" "calm rs cc" "calm ete"; do
	args=()
	for o in $options; do args+=(-o "$o"); done
	rm -rf trace
	"$gen" "${args[@]}" -l all -c code.bin trace
	for form in '-1 4242 100000000' '0 -1 1008'; do
		# shellcheck disable=SC2086
		recording 0 $form
		sed -i "s,@0 r-xp .*/trace/code.bin\",@0x$offset r-xp \"$PWD/code\" $(build_id_of code)," made.txt
		"$mkdata" made.txt made.data
		# The trace ends with the last branch.
		"$decode" trace >got 2>gaps
		head -n "$(wc -l <got)" all >log
		"$PREC" export -q -i made.data --format=bolt >fdata
		feedback_truth bolt code log aarch64-linux-gnu- >want
		awk 'NR == FNR { taken[$2, $3, $5, $6]; next } ($2, $3, $5, $6) in taken' want fdata | sort >got
		expect_same "'$options' ($form): branches" want got
		"$PREC" export -q -i made.data --format=autofdo >afdo
		OPEN_END=1 feedback_truth autofdo code log aarch64-linux-gnu- >want
		autofdo_lines afdo >got
		expect_same "'$options' ($form): lines" want got
	done
done
