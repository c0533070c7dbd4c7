#!/bin/bash
# The code that a trace is followed through is that of the process, at the time: switches, exec, fork, and maps made meanwhile.
# The cases are those that libipt tests its side band with.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/aux.sh"
need xxd

# ---- packets ----

psb=02820282028202820282028202820282
tsc() { printf '19%s' "$(le 14 "$1")"; }
wide() { printf '%s%s' "$1" "$(le 12 "$2")"; }		# an address of 6 bytes, or of 2
near() { printf '%s%s' "$1" "$(le 4 $(($2 & 0xffff)))"; }
begin() { printf '%s9901%s%s0223' $psb "$(tsc 1000)" "$(wide 7d "$1")"; }	# a PSB+ at TSC 1000
tip() { near 2d "$1"; }
pge() { wide 71 "$1"; }
stop() { printf '%s01' "$(near 3d "$1")"; }		# FUP, TIP.PGD
pgd=01 taken=06

# ---- recordings ----

# code AT HEX: that is in the file `code` there.
code() { printf '%s' "${@:2}" | tr -d ' ' | xxd -r -p | dd of=code bs=1 seek=$(($1)) conv=notrunc status=none; }
map() { echo "mmap2 $1/$1 $2+0x100@$3 r-xp \"$PWD/code\" t=${4:-1} cpu=${5:-0} event=intel_pt id=1"; }

# decodes NAME WANT PACKETS RECORD...: instructions as "THREAD:ADDRESS", of CPU 0, on which thread 1 runs first. The TSC counts
# nanoseconds.
decodes() {
	local name=$1 want=$2 word
	printf '%s' "$3" | xxd -r -p >trace
	{
		echo 'feature arch=x86_64'
		echo 'attr intel_pt type=8 config=0x2401 sample=IP,TID,TIME,CPU,IDENTIFIER read=ID period=1 exclude_kernel exclude_hv' \
			'sample_id_all context_switch ids=1'
		printf 'raw type=70 %s' "$(le 8 1)$(le 8 0)"
		words 8 0 1 0 1 0x400 0x800 2 0 1 0x200 0x3c000 168 2 2 20 0 0
		echo
		echo 'comm 1/1 "one" exec t=1 event=intel_pt id=1'
		echo 'comm 2/2 "two" exec t=1 event=intel_pt id=1'
		for word in "${@:4}"; do
			echo "$word"
		done
		echo 'itrace_start 1/1 t=4 cpu=0 event=intel_pt id=1'
		echo "aux 1/1 off=0 size=$(stat -c %s trace) t=9000 cpu=0 event=intel_pt id=1"
		REFERENCE=9000 auxtrace trace 0 -1
	} >text
	"$(helper mkdata/mkdata)" text data
	"$PREC" script --itrace=i1ie -F tid,ip -i data 2>messages | awk '{ print $1 ":" $2 }' | xargs >got
	expect "$name" "$want" "$(<got)"
}
switch() { echo "switch $1 $2/$2 t=$3 cpu=0 event=intel_pt id=1"; }
first=$(switch in 1 5)

# Two processes with unlike code at the same address; between them another one runs, untraced.
code 0 90 f4; code 0x100 90 90 f4
trace=$(begin 0x1000)$(stop 0x1001)$(tsc 2000)$(pge 0x1000)$(stop 0x1002)
decodes 'a switch' '1:1000 2:1000 2:1001' "$trace" "$(map 1 0x1000 0)" "$(map 2 0x1000 0x100)" "$first" \
	"$(switch out 1 1100)" "$(switch in 3 1200)" "$(switch out 3 1300)" "$(switch in 2 1400)"

# The records of a switch have a time before the last of what ran there.
wide_switch() { echo "switch_cpu_wide $1 $2/$2 $3/$3 t=$4 cpu=0 event=intel_pt id=1"; }
code 0 ff d0 f4 00 90 f4; code 0x100 90 f4
trace=$(begin 0x1000)$(tsc 3000)$(tip 0x1004)$(stop 0x1005)$(tsc 3100)$(pge 0x2000)$(stop 0x2001)
decodes 'a switch of a CPU' '1:1000 1:1004 2:2000' "$trace" "$(map 1 0x1000 0)" "$(map 2 0x2000 0x100)" "$first" \
	"$(wide_switch out 1 2 3050)" "$(wide_switch in 2 1 3060)"

# Exec: other code at the same address.
code 0 90 0f05 f4; code 0x100 90 90 f4
trace=$(begin 0x1000)$pgd$(tsc 3000)$(pge 0x1000)$(stop 0x1002)
decodes 'exec' '1:1000 1:1001 1:1000 1:1001' "$trace" "$(map 1 0x1000 0)" "$first" \
	'comm 1/1 "foo" exec t=2000 cpu=0 event=intel_pt id=1' "$(map 1 0x1000 0x100 2000)"

# A library that is mapped between two system calls; one that another CPU maps; the return is compressed.
code 0 90 0f05 ff d0 90 f4; code 0x100 c3
trace=$(begin 0x1000)$pgd$(tsc 3000)$(pge 0x1003)$(tip 0xa000)$taken$(stop 0x1006)
for cpu in 0 1; do
	decodes "a map by CPU $cpu" '1:1000 1:1001 1:1003 1:a000 1:1005' "$trace" "$(map 1 0x1000 0)" "$first" \
		"$(map 1 0xa000 0x100 2000 $cpu)"
done

# Another thread maps it, and this one calls it without a system call of its own.
code 0 90 ff d0 90 f4
trace=$(begin 0x1000)$(tsc 3000)$(tip 0xa000)$taken$(stop 0x1004)
decodes 'a map by another thread' '1:1000 1:1001 1:a000 1:1003' "$trace" "$(map 1 0x1000 0)" "$first" "$(map 1 0xa000 0x100 2000 1)"

# To and from it, twice: what is remembered of a block is right the second time.
code 0 90 ff e0 90 f4; code 0x100 c3
trace=$(begin 0x1000)$(tip 0xa000)$(tip 0x1000)$(tip 0x1003)$(stop 0x1004)
decodes 'a block again' '1:1000 1:1001 1:a000 1:1000 1:1001 1:1003' "$trace" "$(map 1 0x1000 0)" "$(map 1 0xa000 0x100)" "$first"

# Another page in the middle of what ran already: the loop goes on through it.
code 0xff8 90 90 90 90 ff e0 90 90 90 90 eb f4 90 f4; code 0x2000 90 ff e0 90 90 f4
trace=$(begin 0x1ff8)$(tip 0x1ffe)$(tsc 3000)$(tip 0x1ffe)$(tip 0x2004)$(stop 0x2005)
decodes 'a page inside of a map' "$(printf '1:%s ' 1ff8 1ff9 1ffa 1ffb 1ffc 1ffe 1fff 2000 2001 2002 1ff8 1ff9 1ffa 1ffb 1ffc \
	1ffe 1fff 2000 2001 2004 | sed 's/ $//')" "$trace" \
	"mmap2 1/1 0x1000+0x2000@0 r-xp \"$PWD/code\" t=1 event=intel_pt id=1" "$first" \
	"mmap2 1/1 0x2000+0x1000@0x2000 r-xp \"$PWD/code\" t=2000 cpu=1 event=intel_pt id=1"

# A fork meanwhile changes nothing for the parent; the child has its maps.
code 0 90 0f05 90 f4
trace=$(begin 0x1000)$pgd$(tsc 3000)$(pge 0x1003)$(stop 0x1004)$(tsc 5000)$(pge 0x1003)$(stop 0x1004)
decodes 'fork' '1:1000 1:1001 1:1003 2:1003' "$trace" "$(map 1 0x1000 0)" "$first" \
	'fork 2/2 parent=1/1 t=2000 cpu=0 event=intel_pt id=1' "$(switch out 1 4000)" "$(switch in 2 4100)"

# What was lost is said, and what is known is followed.
code 0 90 f4
trace=$(begin 0x1000)$(stop 0x1001)
decodes 'losses' '1:1000' "$trace" "$(map 1 0x1000 0)" "$first" 'lost id=1 n=256 t=10 event=intel_pt' \
	'mmap2 1/1 0xb000+0x1000@0 rw-p "//anon" t=12 event=intel_pt id=1'
expect_finding lost-records messages '256 records'
