#!/bin/bash
# Profiles for compilers count what ran of a CoreSight trace as the log of the program does; clang and BOLT take them.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/cs.sh"
. "$SRC/tests/shell/lib/feedback.sh"
need python3
need clang
need llvm-symbolizer
need aarch64-linux-gnu-objcopy
arm64=(--target=aarch64-linux-gnu -DROUNDS=10 -Wl,-Ttext=0x400000 -Wl,--section-start=.note.gnu.build-id=0x3f0000)
clang "${FEEDBACK_FLAGS[@]}" "${arm64[@]}" -o program "$SRC/tests/data/feedback.c" || skip "clang makes no programs for arm64 here"
aarch64-linux-gnu-objcopy -O binary -j .text -j .rodata program code.bin
followed program
cat ips >all
wait $!

offset=$(text_offset program)
for options in "calm" "calm rs cc" "calm ete"; do
	args=()
	for o in $options; do args+=(-o "$o"); done
	rm -rf trace
	"$gen" "${args[@]}" -l all -c code.bin trace
	for form in '-1 4242 100000000' '0 -1 1008'; do
		# shellcheck disable=SC2086
		recording 0 $form
		sed -i "s,@0 r-xp .*/trace/code.bin\",@0x$offset r-xp \"$PWD/program\" $(build_id_of program)," made.txt
		"$mkdata" made.txt made.data
		# The trace ends with the last branch.
		"$decode" trace >got 2>gaps
		head -n "$(wc -l <got)" all >log
		"$PREC" export -q -i made.data --format=bolt >made.fdata
		OPEN_END=1 feedback_truth bolt program log aarch64-linux-gnu- >want
		sort made.fdata >got
		expect_same "'$options' ($form): branches" want got
		"$PREC" export -q -i made.data --format=autofdo >made.afdo
		OPEN_END=1 feedback_truth autofdo program log aarch64-linux-gnu- >want
		autofdo_lines made.afdo >got
		expect_same "'$options' ($form): lines" want got
	done
done

# The compilers take them, and what they make works.
RUN=qemu-aarch64 compilers_take made "$SRC/tests/data/feedback.c" "${arm64[@]}"
