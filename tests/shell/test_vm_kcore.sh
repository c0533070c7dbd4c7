#!/bin/bash
# The kernel's code that record --kcore keeps is what the kernel had, is read by perf and from perf, and traces follow it elsewhere.
# Runs: vm
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
. "$SRC/tests/shell/lib/script.sh"
. "$SRC/tests/shell/lib/bpf.sh"
. "$SRC/tests/shell/lib/manual.sh"
need_perf
need objdump
need readelf
need_vm x86_64
! command -v clang >/dev/null || compile_bpf "$SRC/tests/work/calls.bpf.c" calls.o 2>err || cat err
cat >script <<'EOS'
work=(bash -c 'for i in {1..200}; do echo $i >/dev/null; read x </proc/self/stat; done')
sampling=(-a -F 99 -e cpu-clock)
# Twice: the first goes where perf's would.
"$PREC" record --kcore "${sampling[@]}" -o ours true
"$PREC" record --kcore "${sampling[@]}" -o ours "${work[@]}"
ls -d ours.old/kcore_dir/kcore >old
"$PREC" record --kcore --threads=cpu "${sampling[@]}" -o parts "${work[@]}"
perf record -B -N -q --kcore "${sampling[@]}" -o theirs "${work[@]}"
# Without a copy, as long as the kernel is still the same.
"$PREC" record "${sampling[@]}" -o plain "${work[@]}"
for list in kallsyms modules; do
	cmp ours/kcore_dir/$list theirs/kcore_dir/$list
done >lists 2>&1
cat /proc/modules >modules
ls -l ours/kcore_dir | awk 'NR > 1 { print $1, $NF }' >modes

for name in ours parts theirs plain; do
	"$PREC" script -F ip,insn -i $name 2>$name.said | awk '$1 ~ /^ffffffff/' >$name.here
	kernel_bytes_of $name 12
	perf script -F ip,insn -i $name 2>/dev/null | awk '$1 ~ /^ffffffff/' >$name.perf
done
# Of a module.
read -r at _ name _ <<<"$(grep -m1 ' t .*\[9p\]$' /proc/kallsyms)"
echo "$at $name" >module
kernel_bytes "$at" 4096 >module.bytes

# A trace of straight code, from a function's first instruction to where it may first branch.
read -r at _ name <<<"$(grep -m1 ' T int_sqrt$' /proc/kallsyms)"
kernel_bytes "$at" 256 >code
objdump -D -b binary -m i386:x86-64 --adjust-vma="0x$at" code |
	awk -F'[:\t]' '/^ *ffff[0-9a-f]*:/ { gsub(/ /, "", $1); print $1; if ($4 ~ /^(j|call|ret|loop|int|sys)/) exit }' >straight
last=$(tail -1 straight)
le() { for ((k = 10; k >= 0; k -= 2)); do printf "\\x${1:4 + k:2}"; done; }
{
	printf '\x02\x82%.0s' {1..8}
	printf '\x19\x00\x00\x00\x01\x00\x00\x00\x02\x23\x99\x01'
	printf '\x71'; le "$at"
	printf '\x7d'; le "$last"
	printf '\x01\x00'
} >trace
cp trace $debug/payload
size=$(stat -c %s trace)
taskset 1 bash -c 'while :; do :; done' & program=$!
pmu chunk=301 paced=1
full traced 1 $size -e intel_pt//k -m 64,64 --kcore -p $program
kill $program

# Probes in the kernel: each call and each return, and nothing of them is left in tracefs.
"$PREC" record -N -q -e p:ksys_write,kretprobe:ksys_write -o probes dd if=/dev/zero of=/dev/null bs=1 count=21 status=none 2>probes.said
"$PREC" script -i probes -F event 2>&1 | tr -d " " | sort | uniq -c | xargs >probes.text
cat /sys/kernel/tracing/kprobe_events >>probes.text
"$PREC" record -N -q -e p:ksys_write --bpf=calls.o:enters --bpf-maps -o chosen dd if=/dev/zero of=/dev/null bs=1 count=21 status=none 2>chosen.said
"$PREC" script -i chosen -F comm,event 2>&1 | tr -d " " | sort | uniq -c | xargs >chosen.text
# As the manual has it.
. "$SRC/tests/shell/lib/manual.sh"
mkdir bin manual
ln -s "$PREC" bin/prec
(cd manual && blocks "$SRC/man/prec-record.1" >nr && block=$(grep -l kprobe: block.*.commands) &&
	PATH=../bin:$PATH bash "$block" >out 2>&1 && shape <out >got && shape <"${block%.commands}.output" >want)
for probe in p:ksys_wirte p:ksys_write+0x100000; do
	"$PREC" record -N -q -e $probe -o none true 2>&1
	echo $?
done >probes.refused

# Without what it takes it refuses, and touches nothing.
mkdir kept && echo kept >kept/data
chmod 777 . kept
echo 2 >/proc/sys/kernel/perf_event_paranoid
setpriv --reuid 65534 --regid 65534 --clear-groups "$PREC" record --kcore -e cpu-clock:u -o kept true >refused 2>&1
echo $? >>refused
ls -d kept/data >>refused
EOS

in_vm --pmu name=intel_pt < <(printf 'base64 -d >calls.o <<END\n%s\nEND\n' "$([ ! -e calls.o ] || base64 calls.o)"; cat script)

if [ ! -e calls.o ] || grep -q 'built without libbpf' chosen.said; then
	part_skipped 'BPF programs on probes in the kernel: no clang, or no libbpf'
else
	expect 'a BPF program on a probe' '21 ddp:ksys_write: [N].writes 21' "$(cat chosen.text) $(sed -n 's/^\[[0-9]*\].writes/[N].writes/p' chosen.said)"
fi
expect_same 'probes in the kernel in the manual' manual/want manual/got
grep -q '^21 kretprobe:ksys_write: 21 p:ksys_write:$' probes.text ||
	{ cat probes.said probes.text; fail 'probes in the kernel'; }
expect 'lines of probes, and none in tracefs' 1 "$(wc -l <probes.text)"
grep -q "no function 'ksys_wirte' in the kernel; did you mean ksys_write?" probes.refused || { cat probes.refused; fail 'a name'; }
grep -qE "'ksys_write' has only [0-9]+ bytes" probes.refused || { cat probes.refused; fail 'an offset'; }
expect 'statuses' '129 129' "$(grep -x '[0-9]*' probes.refused | xargs)"
expect "where an older one went" ours.old/kcore_dir/kcore "$(cat old)"
expect "kallsyms and modules beside perf's" "" "$(cat lists)"
expect_same "modules" modules ours/kcore_dir/modules
expect "who may read them" "-r-------- kallsyms -r-------- kcore -r-------- modules" "$(xargs <modes)"
for name in ours parts theirs plain; do
	[ "$(wc -l <$name.want)" -ge 1 ] || fail "$name: no samples of the kernel"
	expect_same "$name: what the kernel had" $name.want $name.got
	expect_same "$name: by perf there" $name.perf $name.here
	[ $name != plain ] || continue
	"$PREC" script -F ip,insn -i $name 2>$name.err | awk '$1 ~ /^ffffffff/' >got
	expect_same "$name: here: $(head -3 $name.err)" $name.here got
done
"$PERF" script -F ip,insn -i ours 2>/dev/null | awk '$1 ~ /^ffffffff/' >got
expect_same "ours by perf here" ours.here got

# A module's code lies where the module was.
readelf -lW ours/kcore_dir/kcore | awk '$1 == "LOAD" { print $2, $3, $5 }' >loads
at=0x$(cut -d" " -f1 module)
while read -r offset from size; do
	((at < from || at >= from + size)) || tail -c +$((at - from + offset + 1)) ours/kcore_dir/kcore >rest
done <loads
cmp -n 4096 rest module.bytes || fail "the module's code is another"

"$PREC" script --itrace=i1iZ -F ip -i traced.data 2>messages | tr -d ' ' >got
sed '$d' straight >want
[ "$(wc -l <want)" -ge 2 ] || fail "no straight code: $(cat straight)"
expect_same "a trace of the kernel: $(head -3 messages) $(cat traced.said)" want got
grep -q "cannot open '/proc/kcore'" refused || fail "not refused: $(cat refused)"
expect "what was there stays" "1 kept/data" "$(tail -2 refused | xargs)"
