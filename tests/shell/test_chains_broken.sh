#!/bin/bash
# Call chains by frame pointers that leave the program's code are reported, and report blames no function for them.
. "$(dirname "$0")/lib/prec.sh"
need_events
[ "$(uname -m)" = x86_64 ] || skip "a program for x86_64"
need objdump
ASTRAY=$(workload astray)

"$PREC" record -q -e cpu-clock:u -c 500000 -g -o data "$ASTRAY" 200 >out
"$PREC" script -i data -F ip >ips 2>err

# By a disassembler: where calls return to. A chain is broken where one of its callers is none of them.
objdump -d --no-show-raw-insn "$ASTRAY" | awk '
	after { sub(/:$/, "", $1); print $1; after = 0 }
	$2 ~ /^call/ || $3 ~ /^call/ { after = 1 }' >returns
awk '
	NR == FNR { good[$1] = 1; next }
	NF == 0 { if (nr) { chains++; broken += bad } nr = bad = 0; next }
	nr++ && !($1 in good) { bad = 1 }
	END { if (nr) { chains++; broken += bad } print broken + 0, chains + 0 }' returns ips >counted
read -r broken chains <counted
[ "$broken" -ge 20 ] || fail "only $broken of $chains chains are broken"
[ "$broken" -lt $((chains * 9 / 10)) ] || fail "$broken of $chains chains are broken: none by luck"

"$PREC" report -i data --stdio --no-children -g caller >report 2>err
# Each command finds them, whose numbers must be the same; without names, too.
said="$broken of $chains call chains of astray.* leave the program's code"
expect_finding chains-broken err "$said"
"$PREC" script -i data >script 2>err
expect_finding chains-broken err "$said"
"$PREC" script -j2 -F ip -i data >script 2>err
expect_finding chains-broken err "$said"
"$PREC" export -i data -o out.folded 2>err
expect_finding chains-broken err "$said"
expect_status 3 "$PREC" verify data >out 2>&1
grep -qE "^  warning  chains-broken: $said" out || fail "verify does not find them: $(<out)"
"$PREC" summary --json -i data >out 2>&1
grep -q '"chains-broken"' out || fail "summary does not find them: $(<out)"
expect 'stacks below [broken] in an export' "$broken" \
	"$("$PREC" export -q -i data --format=folded --samples | awk -F ';' '$2 ~ /^\[broken\]/ { n = split($0, w, " "); s += w[n] } END { print s + 0 }')"
"$PREC" report -i data --stdio --children -g none -F overhead_children,sym >children 2>err
grep -q '\[broken\]' children || fail "no [broken]: $(<children)"
expect 'rows without a symbol' '' "$(grep -E '\] 0x|\[unknown\]' children || true)"
# All chains that are broken are below the one frame.
awk -v broken="$broken" -v chains="$chains" '
	/\[broken\]/ { share = $1 + 0 }
	END { want = 100 * broken / chains; exit !(share > want - 0.02 && share < want + 0.02) }' children ||
	fail "$broken of $chains chains are not the share of [broken]: $(<children)"
expect 'who called by luck' 1 "$("$PREC" report -i data --no-children -g folded,caller -F overhead,sym 2>err | grep -c '^[0-9.% ]*main;spins$' || true)"
for jobs in 1 2 3; do
	"$PREC" report -j $jobs -i data --stdio -g caller >jobs.$jobs 2>&1
	expect_same "with $jobs workers" jobs.1 jobs.$jobs
done

# Where it keeps frame pointers nothing of it is amiss; the vdso keeps none.
"$PREC" record -q -e cpu-clock:u -c 500000 -g -o good "$(workload demo)" >out
"$PREC" report -i good --stdio >report 2>err
! grep 'call chains of.*demo.*chains-broken' err || fail "chains of a program with frame pointers are broken"

! grep 'chains-without-caller' err || fail "a program with frame pointers has lost its callers"

# Functions without a caller: of user space alone, and below the kernel's. A few are a program's beginnings.
mkdata=$(helper mkdata/mkdata)
lone() {	# NR: of 20 chains so many have one frame of user space
	echo "attr cpu-clock sample=IP,TID,TIME,CALLCHAIN sample_id_all"
	echo 'mmap -1/0 0xffffffff81000000+0x1000000@0xffffffff81000000 "[kernel.kallsyms]_text"'
	echo 'comm 7/7 "lone"'
	echo 'mmap2 7/7 0x400000+0x1000@0 r-xp "/nowhere/lone" dev=8:1 ino=7'
	for ((i = 0; i < 20; i++)); do
		chain=user,0x400100,0x400200 ip=0x400100 mode=user
		[ $i -ge "$1" ] || chain=user,0x400100
		[ $((i % 2)) = 0 ] || chain=kernel,0xffffffff81000010,0xffffffff81000020,$chain ip=0xffffffff81000010 mode=kernel
		echo "sample 7/7 t=$((i + 1)) ip=$ip mode=$mode chain=$chain"
	done
}
lone 12 >lone.txt
lone 3 >few.txt
"$mkdata" lone.txt lone.data
"$mkdata" few.txt few.data
for command in "report --stdio" "export -o lone.folded"; do
	# shellcheck disable=SC2086
	"$PREC" $command -i lone.data >out 2>err
	expect_finding chains-without-caller err '12 of 20 call chains of lone lack the caller'
	# shellcheck disable=SC2086
	"$PREC" $command -i few.data >out 2>err
	! grep 'chains-without-caller' err || fail "$command: three that begin a program are told"
done

# Frame pointers of a caller: a function that is interrupted without a frame hides who called it. As many chains are counted
# as do not have the stack that the program prints; none where functions keep a frame, or are unwound by tables.
. "$SRC/tests/shell/lib/stacks.sh"
hidden() {	# BUILD CASE WAY COMMAND...
	build_stacks "${CC:-cc}" "$1" 2>build.log || { part_skipped "not built: $1: $(tail -1 build.log)"; return 0; }
	"$PREC" record -q --call-graph "$3" -e cpu-clock:u -c 250000 -o hidden.data ./"$1" "$2" 100 >says 2>err
	chains -i hidden.data >chains
	judge '' >judged
	wrong=$(grep -vc 'right$' judged || true) others=$(($(wc -l <chains) - wrong - $(tail -1 judged | cut -d ' ' -f 1)))
	for command in "${@:4}"; do
		# shellcheck disable=SC2086
		any_status "$PREC" $command hidden.data >out 2>err
		found=$(cat out err | sed -n 's/.* \([0-9]*\) of [0-9]* call chains of .* the caller of the innermost function.*/\1/p')
		echo "$1, $2, $3, $command: ${found:-0} lack a caller; $wrong are wrong, $others are of others"
		# Fewer than a tenth are not printed; chains of others may be so, too. Which function a call through a
		# pointer reaches is not known: main()'s by libc is one.
		if [ $((wrong * 8)) -gt "$(wc -l <chains)" ]; then
			[ "${found:-0}" -ge $((wrong * 3 / 4 - others - 5)) ] && [ "${found:-0}" -le $((wrong + others + 5)) ] || fail "see above"
		elif [ "$wrong" = 0 ]; then
			expect "found" 0 "${found:-0}"
		fi
	done
}
hidden pointers threads fp "report --stdio -i" "export -o hidden.folded -i" verify
hidden plain threads fp verify
hidden plain small fp verify
hidden pointers threads auto verify

# A function that ends in a jump to the next has left the stack: it is no missing caller, and nothing is missing that
# --call-graph auto unwound.
cat >tail.c <<-'END'
	#include <time.h>
	__attribute__((noinline, noclone)) void leaf(void) { for (int i = 0; i < 50000; i++) __asm__ volatile("" : "+r"(i)); }
	__attribute__((noinline, noclone)) void first(void) { __asm__ volatile(""); leaf(); }
	int main(void)
	{
		for (clock_t end = clock() + CLOCKS_PER_SEC / 5; clock() < end;)
			first();
	}
END
tail_calls() {	# WANT FLAG WAY
	"${CC:-cc}" -O2 -fno-omit-frame-pointer -momit-leaf-frame-pointer "$2" -o tail tail.c
	"$PREC" record -q --call-graph "$3" -e cpu-clock:u -c 250000 -o tail.data ./tail >out 2>err
	"$PREC" report --stdio -i tail.data >out 2>err
	expect "$2, $3: found" "$1" "$(grep -o chains-without-caller err || true)"
}
tail_calls '' -foptimize-sibling-calls auto
tail_calls '' -fno-optimize-sibling-calls auto
tail_calls chains-without-caller -fno-optimize-sibling-calls fp

# Inside execve() the old program's stack is gone: its one frame is no fault of the program. The innermost function alone may be
# another of the kernel's, and the compiler's suffixes are no part of the name.
for name in do_execveat_common.isra.0 bprm_execve begin_new_exec __x64_sys_execve execve_like; do
	{
		lone 1 | sed '/^sample/d; s|^mmap -1.*|&\nksymbol 0xffffffff81000020+0x10 "'$name'" type=1|'
		for ((i = 0; i < 20; i++)); do
			echo "sample 7/7 t=$((i + 1)) ip=0xffffffff81000010 mode=kernel chain=kernel,0xffffffff81000010,0xffffffff81000025,user,0x400100"
		done
	} >exec.txt
	"$mkdata" exec.txt exec.data
	for command in "report --stdio -i" "export -o exec.folded -i" verify; do
		# shellcheck disable=SC2086
		"$PREC" $command exec.data >out 2>err || true
		found=$(cat out err | grep -c 'call chains of lone lacks* the caller' || true)
		expect "$command: single frames under $name()" "$([ $name = execve_like ] && echo 1 || echo 0)" "$found"
	done
done

# An address may be sampled, and elsewhere stand as the caller that it cannot be: the former sample is where it is. What is beyond an
# address where nothing is mapped counts for nothing.
third=$(objdump -d --no-show-raw-insn --disassemble=main "$ASTRAY" | awk '/<main>:/ { n = 1; next } n && n++ == 3 { sub(/:/, ""); print "0x" $1; exit }')
read -r offset vaddr size <<<"$(readelf -lW "$ASTRAY" | awk '$1 == "LOAD" && / R E / { print $2, $3, $6 }')"
bias=0x100000000
main=$((bias + third))
cat >twice.txt <<-END
	feature arch=x86_64
	attr cpu-clock sample=IP,TID,TIME,CALLCHAIN sample_id_all
	comm 7/7 "twice"
	mmap 7/7 $((bias + vaddr))+$(((size + 4095) / 4096 * 4096))@$offset "$ASTRAY"
	sample 7/7 t=1 ip=$main mode=user chain=user,$main
	sample 7/7 t=2 ip=$((main + 1)) mode=user chain=user,$((main + 1)),$main
	sample 7/7 t=3 ip=$main mode=user chain=user,$main
	sample 7/7 t=4 ip=$main mode=user chain=user,$main,0x1234,$main,0x1234
	sample 7/7 t=5 ip=$main mode=user chain=user,$main,0x4321
END
"$mkdata" twice.txt twice.data
"$PREC" export -q --format=folded --samples -i twice.data >twice.folded
expect 'chains with an address that is sampled, too' "twice;[broken];main 3 twice;main 2" "$(sort twice.folded | tr '\n' ' ' | sed 's/ $//')"
"$PREC" report --stdio --no-children -g none -F overhead,sym -i twice.data 2>err | sed '/^#/d; /^$/d' >out
expect 'what was sampled' '100.00% [.] main' "$(sed 's/^ *//; s/  */ /g; s/ $//' out)"

# Unwound by its tables while recording, the program without frame pointers has its true chains: what is told is who called.
"$PREC" record -e cpu-clock:u -c 500000 --call-graph auto -o true.data "$ASTRAY" 200 >out 2>err
! grep -E '\[chains-' err || fail "auto: chains that are not whole"
"$PREC" report -i true.data --no-children -g folded,caller -F overhead,sym 2>err >report
! grep 'chains-broken' err || fail "auto: broken chains"
grep -E ';spins$' report >spins
expect 'auto: callers of spins()' '' "$(grep -Ev 'main;(data|function|luck);spins$' spins || true)"
expect 'auto: all three of them' 3 "$(grep -oE '(data|function|luck);spins$' spins | sort -u | wc -l)"

# -g alone does the same where that costs little and loses nothing; else it follows frame pointers, as perf does.
for options in "-g" "-g -F 999" "-g -e cpu-clock"; do
	# shellcheck disable=SC2086
	"$PREC" record -q $options -o chosen.data "$ASTRAY" 300 >out 2>err
	"$PREC" report --stdio -i chosen.data >report 2>err
	! grep "call chains of.*astray.*chains-broken" err || fail "record $options: broken chains"
done
for options in "--call-graph fp" "-g -c 250000 -e cpu-clock" "-g -F 8000" "-a -g" "-g --overwrite" "-g --threads" "-g -e page-faults -e cpu-clock/period=250000/"; do
	# shellcheck disable=SC2086
	"$PREC" record -q $options -o chosen.data "$ASTRAY" 300 >out 2>err || fail "record $options: $(<err)"
	"$PREC" report --stdio --comm astray -i chosen.data >report 2>err
	grep "call chains of.*astray.*chains-broken" err >out || fail "record $options: not by frame pointers: $(<err)"
done
# That is said with the reason; where the way was named, and of a command, there is nothing to say.
for options in "1 -a -g -e cpu-clock" "1 -g -F 4001 -e cpu-clock" "1 -g -c 1000000 -e cpu-clock" "1 -g -e page-faults -c 1" \
	"0 -a --call-graph fp -e cpu-clock" "0 -g -e cpu-clock"; do
	# shellcheck disable=SC2086
	"$PREC" record ${options#* } -o chosen.data true 2>err || fail "record ${options#* }: $(<err)"
	expect "said of ${options#* }" "${options%% *}" "$(grep -c 'follows frame pointers' err)"
done
