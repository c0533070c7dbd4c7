#!/bin/bash
# Stacks of a program of 32-bit Arm, as they are at each of its instructions, are unwound to what was called and has not returned.
. "$(dirname "$0")/lib/prec.sh"
need clang
need ld.lld
need qemu-arm
need python3
need nm

arm() {	# NAME FLAGS...
	clang --target=armv7-linux-gnueabihf -O2 -ffreestanding -nostdlib -static -fuse-ld=lld -o "$1" "${@:2}" \
		"$SRC/tests/data/arm_stacks.c" 2>cc.said || skip "no compiler for 32-bit Arm: $(tail -1 cc.said)"
	nm "$1" >symbols
}

# The recording of it, with registers and stacks: check NAME [FUNCTION], at whose instructions alone.
check() {
	local name=$1 id text offset page
	python3 "$SRC/tests/lib/arm_steps.py" "$PWD/$name" symbols samples truth "${@:2}" || fail "$name: it was not followed"
	id=$(build_id_of "$name")
	read -r text offset < <(readelf -SW "$name" | sed 's/^ *\[ *[0-9]*\] //' | awk '$1 == ".text" { print "0x" $3, "0x" $4 }')
	page=$((text & ~0xfff))
	{
		echo 'feature arch=armv7l'
		echo 'attr cpu-clock sample=IP,TID,TIME,CALLCHAIN,REGS_USER,STACK_USER uregs=0xffff stack=65528 exclude_callchain_user'
		echo 'comm 1/1 "program" t=1'
		printf 'mmap2 1/1 %#x+0x2000@%#x r-xp "%s" %s t=2\n' $page $((offset - text + page)) "$PWD/$name" "$id"
		cat samples
	} >text
	"$(helper mkdata/mkdata)" text data
	"$PREC" script --no-inline -F ip,sym -i data 2>err | awk '
		function flush() { if (line != "") print substr(line, 2); line = "" }
		NF == 0 { flush(); next }
		{ line = line " " $2 }
		END { flush() }' >got
	expect_same "$name: chains" truth got
	! grep 'chains-' err || fail "$name: chains that end early"
	[ "$(sort -u truth | wc -l)" -ge "$LEAST" ] || fail "$name: only $(sort -u truth | wc -l) stacks"
	grep -qx '.*handler restores interrupted one run _start' truth || fail "$name: no signal"
}

for mode in arm thumb; do
	# .ARM.exidx knows of frames between prologue and epilogue; spot() has none, and is called from all of them.
	arm exidx -m$mode -funwind-tables
	readelf -SW exidx | grep -q debug_frame && fail "exidx: it has .debug_frame"
	LEAST=20 check exidx spot
	# .debug_frame knows of each instruction; clang tells in it of no epilogue, which with a frame pointer makes no difference.
	arm frames -m$mode -DFRAMES -g -fno-omit-frame-pointer
	LEAST=60 check frames
	arm pointerless -m$mode -DFRAMES -g -fomit-frame-pointer
	LEAST=20 check pointerless spot
done
