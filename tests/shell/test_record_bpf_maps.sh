#!/bin/bash
# Maps and variables of BPF programs are printed with the values that are in them, of every kind, for people and for programs.
# Runs: alone, as a program on a tracepoint decides for everybody's events.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/bpf.sh"
OBJECT=m$$.o	# begins the names of the variables' maps
need_bpf "$SRC/tests/work/maps.bpf.c" "$OBJECT"
PLACES=$(workload places)
cp "$(command -v dd)" mdd	# another dd may run
DD=(./mdd if=/dev/zero of=/dev/null bs=1 status=none)

# Two programs of one object share what it has. After mdd nothing changes any more: what bpftool reads then is what prec prints.
FILL=(-e syscalls:sys_enter_write --bpf="$OBJECT:fill" --bpf-set wanted=1 --bpf-set place=SECOND --bpf-set small=-3
	-e syscalls:sys_exit_write --bpf="$OBJECT:more")
cat >work <<'EOF'
"$@" count=21
! command -v bpftool >/dev/null || dump_maps $PPID >dumped
EOF
export -f dump_maps
"$PREC" record -q -N "${FILL[@]}" --bpf-maps --json -o data bash work "${DD[@]}" 2>json || { cat json; fail 'two programs'; }
expect 'samples that the programs keep' 'mdd syscalls:sys_exit_write: 21 mdd syscalls:sys_enter_write: 21' \
	"$("$PREC" script -i data -F comm,event | sort | uniq -c | awk '{ print $2, $3, $1 }' | sort -r | xargs)"
maps_of json >prec.json || { cat json; fail 'no JSON'; }
expect 'what is known' '[21,231,-64,"SECOND",-7,[3,3,3,3,3,2,2,2],-5,5,16,2]' "$(jq -c --arg o "${OBJECT%.o}" '
	(.[($o + ".bss")[0:15]] // .[($o[0:8]) + ".bss"]) as $b | (.[($o[0:8]) + ".data"]) as $d | (.[($o[0:8]) + ".rodata"]) as $r |
	[$b.nr_writes, $b.nr_more, $d.below, $r.place, .recent[0].value, $b.whole.slots_log2, $b.whole.below, $b.whole.narrow,
	 (.structs | length), (.structs[4].value.count)]' prec.json)"

if command -v bpftool >/dev/null && [ -s dumped ]; then
	expect_bpftool dumped prec.json
	[ "$(wc -l <want.text)" -gt 500 ] || { head want.text dumped; fail 'bpftool'; }
else
	part_skipped 'maps beside those of bpftool: there is none'
fi

# The same as text.
"$PREC" record -q -N "${FILL[@]}" --bpf-maps -o data "${DD[@]}" count=21 2>text || { cat text; fail 'as text'; }
for line in '\[4\].count 2' '\[4\].below -5' '\[4\].is true' '\[4\].name "na\\x22me"' '\[4\].inner\[1\].low -5' \
	'\[4\].inner\[1\].place SECOND' '\[4\].narrow 5' '\[4\].rest 81' '\[4\].whole 65538' '\[{"a":3,"b":-3}\].count 1' \
	'\[.*\] CPU [0-9]+.place SECOND' '\["FIRST"\] -7' '\[03 00 00 00\] 01 02 03 00 00 ff' 'wanted true' 'small -3' 'below -64' \
	'nr_writes 21' 'nr_more 231' 'nowhere 0xffff888000001000' \
	' +2 -> 3 +2 #{40}' '# Map by_cpu_log2, all CPUs' ' +32768 -> 65535 +1 #{20}'; do
	grep -qE "^$line\$" text || { cat text; fail "no line of $line"; }
done

# While it records: everything, or what changed. Each time that something is written it is another number.
cat >slowly <<'EOF'
"$@" count=3
sleep 0.3
"$@" count=2
sleep 0.3
EOF
"$PREC" record -q -N "${FILL[@]}" --bpf-maps=20ms,changes -o data bash slowly "${DD[@]}" 2>text || { cat text; fail 'changes'; }
expect 'numbers when they change, and at the end' '3 5 5' \
	"$(awk '/^nr_writes/ && $2 != last { print; last = $2 } END { print "nr_writes", last }' text | cut -d' ' -f2 | xargs)"
expect 'how often a variable is printed that changes once' 2 "$(grep -c '^place SECOND' text)"
[ "$(grep -c '^# Time' text)" -gt 5 ] || { cat text; fail 'no intervals'; }
"$PREC" record -q -N "${FILL[@]}" --bpf-maps=20ms --json -o data bash slowly "${DD[@]}" 2>text || { cat text; fail 'JSON'; }
jq -se 'length > 5 and (map(.time) | . == sort) and (.[-1].objects[0].maps | map(.name) | index("structs") != null)' text >/dev/null ||
	{ head -3 text; fail 'JSON while it records'; }

# Of a probe each hit is seen once, on whatever CPU it is, and what is kept of it is the program's decision.
for cpu in $(taskset -cp $$ | sed 's/.*: //; s/[,-]/ /g'); do
	for where in '' -a; do
		"$PREC" record -q -N $where -e "u:$PLACES:step" --bpf="$OBJECT:every" --bpf-maps -o data taskset -c "$cpu" "$PLACES" 100 \
			>out 2>text || { cat text; fail 'a probe'; }
		expect "hits and samples of a probe on CPU $cpu" 'nr_hits 100 50' \
			"$(grep nr_hits text) $("$PREC" script -i data -F event | wc -l)"
	done
done

# What cannot be.
expect_status 129 "$PREC" record -e cpu-clock --bpf-maps -o data true 2>err
grep -q -- '--bpf-maps prints the maps of a program: it needs --bpf' err || { cat err; fail '--bpf-maps alone'; }
expect_status 129 "$PREC" record -e cpu-clock --json -o data true 2>err
expect_status 129 "$PREC" record -e cpu-clock --bpf="$OBJECT:every" --bpf-maps=1s,all -o data true 2>err

# Objects of other people: without BTF, with BTF of names that are orders to a terminal, with BTF that is another's, cut.
hostile() {	# WHAT FILE: it ends with 0 or 1, and what is printed is text
	any_status "$PREC" record -q -N -e syscalls:sys_enter_write --bpf="$2:fill" --bpf-set wanted=1 --bpf-maps -o data \
		"${DD[@]}" count=3 2>text
	! grep -q "$(printf '[\001-\010\013-\037\177]')" text || { cat -v text; fail "$1: control characters"; }
}
sed 's/nr_writes/nr\x1b]0;xxx/g; s/below/be\x07ow/g' "$OBJECT" >escapes.o
hostile 'escapes' escapes.o
grep -qE '^nr\\x1b\]0;xxx 3$' text || { cat -v text; fail 'a name with an escape'; }
cat >none.bpf.c <<'EOF'
long long nr, large[1250000];
__attribute__((section("tracepoint"), used)) int fill(void *ctx) { return nr++ >= 0; }
char LICENSE[] __attribute__((section("license"), used)) = "GPL";
EOF
clang -target bpf -O2 -c -o none.o none.bpf.c
expect_status 0 "$PREC" record -q -N -e syscalls:sys_enter_write --bpf=none.o --bpf-maps -o data "${DD[@]}" count=3 2>text
grep -qE '^\[00 00 00 00\] ([0-9a-f]{2} ){20,}' text || { head -c 300 text; fail 'no bytes without BTF'; }
clang -target bpf -O2 -g -c -o huge.o none.bpf.c
expect_status 0 "$PREC" record -q -N -e syscalls:sys_enter_write --bpf=huge.o --bpf-maps --json -o data "${DD[@]}" count=3 2>text
jq -e '.objects[0].maps[0] | .variables.nr >= 3' text >/dev/null || { head -c 300 text; fail '10 MB'; }
# A map whose type is const of itself, which libbpf would follow for ever.
clang -target bpf -O2 -g -I"/usr/include/$(uname -m)-linux-gnu" -S -o types.s "$SRC/tests/work/maps.bpf.c"
id=$(grep -oE 'BTF_KIND_CONST\(id = [0-9]+' types.s | head -1 | grep -oE '[0-9]+$')
awk -v id="$id" '
	/BTF_KIND_CONST[(]id/ && !type { type = NR }
	/BTF_KIND_VAR[(]id/ && !map { map = NR }
	(type && NR == type + 2) || (map && NR == map + 2) { sub(/[0-9]+/, id) }
	{ print }' types.s >endless.s
clang -target bpf -c -o endless.o endless.s
expect_status 1 "$PREC" record -q -N -e syscalls:sys_enter_write --bpf=endless.o:fill -o data true 2>err
grep -q "^prec: 'endless.o' is damaged: type $id of its BTF stands for itself" err || { cat err; fail 'an endless type'; }
# One that takes all memory of the machine: 4 Gi entries.
cat >greedy.bpf.c <<'EOF'
struct { int (*type)[2]; unsigned *key; char (*value)[4096]; int (*max_entries)[0x7fffffff]; } greedy
	__attribute__((section(".maps"), used));
__attribute__((section("tracepoint"), used)) int fill(void *ctx) { return (long)&greedy & 1; }
char LICENSE[] __attribute__((section("license"), used)) = "GPL";
EOF
clang -target bpf -O2 -g -c -o greedy.o greedy.bpf.c
expect_status 1 "$PREC" record -q -N -e syscalls:sys_enter_write --bpf=greedy.o -o data true 2>err
grep -q "its maps would take 8388607 MiB.*'greedy'" err || fail "memory of maps: $(<err)"
# Damage of every kind: bytes of the ELF file and of its BTF are others.
size=$(wc -c <"$OBJECT")
for i in $(seq 1 ${PREC_OBJECTS:-6}); do
	cp "$OBJECT" bad.o
	for k in 1 2 3; do
		printf '\xff\xff' | dd of=bad.o bs=1 seek=$(((i * 7919 + k * 104729 + i * i * 31) % size)) conv=notrunc status=none
	done
	hostile "damage $i" bad.o
done
head -c 9000 "$OBJECT" >bad.o
hostile 'a cut object' bad.o
