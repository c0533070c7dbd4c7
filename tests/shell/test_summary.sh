#!/bin/bash
# A page says what a recording shows, with ids to ask further by; numbers are those of report, and it is never too long.
. "$(dirname "$0")/lib/prec.sh"
need python3
{
	cat <<'IN'
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,ID sample_id_all=1 ids=1
feature arch=x86_64 cmdline=perf,record,./demo hostname=host
comm 100/100 "main-thread"
comm 100/101 "worker"
lost_samples n=7 id=1
IN
	for i in {0..19}; do
		printf 'ksymbol 0x%x+0x100 "function_%02d" type=1 t=1\n' $((0xffffffffc0000000 + i * 0x100)) "$i"
	done
	# function_19 calls each of the others; function_n is seen n + 1 times in the worker, once in the main thread.
	t=10
	for i in {0..18}; do
		for n in $(seq 0 "$i"); do
			t=$((t + 1))
			printf 'sample 100/101 t=%d000 ip=0x%x mode=kernel period=1000000 cpu=0 id=1 chain=kernel,0x%x,0x%x\n' $t \
				$((0xffffffffc0000010 + i * 0x100)) $((0xffffffffc0000010 + i * 0x100)) $((0xffffffffc0001310))
		done
		printf 'sample 100/100 t=%d500 ip=0x%x mode=kernel period=1000000 cpu=0 id=1 chain=kernel,0x%x\n' $t \
			$((0xffffffffc0000010 + i * 0x100)) $((0xffffffffc0000010 + i * 0x100))
	done
} >in.txt
"$(helper mkdata/mkdata)" in.txt in.data
total=$((19 * 20 / 2 + 19))
summary() { "$PREC" summary -i in.data "$@" 2>err || fail "$* $(cat err)"; }

summary >text
grep -x "recorded: perf record ./demo on host, .*" text >/dev/null || fail "the recording: $(cat text)"
grep -F "event: cpu-clock, $total samples, 0.21 s of CPU" text >/dev/null || fail "the event: $(cat text)"
expect "sections" "functions, by their own time;threads;call chains, the outermost caller first;findings" \
	"$(awk '/^[a-z]/ && !/^(recorded|event|next)/' text | paste -sd';')"
[ "$(grep -nm1 ' %' text | cut -d: -f1)" -le 6 ] || fail "more than 5 lines are before the first row: $(<text)"
grep -E '^  warning lost-samples: .*7' text >/dev/null || fail "what was lost: $(cat text)"
for n in 18 17 9; do
	share=$(awk -v n=$n -v t=$total 'BEGIN { printf "%.2f", 100 * (n + 2) / t }')
	grep -E "^ +$share %  +$((n + 2))\.0 ms  f:[0-9a-f]{8}  function_$(printf %02d $n)  " text >/dev/null || fail "function_$n: $(cat text)"
	expect "function_$n as report has it" "$share%" \
		"$("$PREC" report -i in.data --no-children -g none -s symbol -q 2>/dev/null | awk -v f="function_$(printf %02d $n)" '$3 == f { print $1 }')"
done
grep -x "  9 more: $(awk -v t=$total 'BEGIN { for (n = 0; n < 9; n++) s += n + 2; printf "%.2f", 100 * s / t }') %" text >/dev/null ||
	fail "what is left out: $(cat text)"
grep -E "t:101 +worker  \(process 100\)" text >/dev/null || fail "threads: $(cat text)"
grep -E "s:[0-9a-f]{8}  function_19 > function_18$" text >/dev/null || fail "chains: $(cat text)"

# Ids lead on, and so do the commands.
id=$(grep -oE 'f:[0-9a-f]{8}  function_18 ' text | cut -d' ' -f1)
summary --of="$id" >of
grep -F "of $id: function_18" of >/dev/null || fail "--of: $(cat of)"
grep -E "$(awk -v t=$total 'BEGIN { printf "%.2f", 1900 / t }') %.*function_19" of >/dev/null || fail "its caller: $(cat of)"
summary --of=t:100 | grep -F "thread 100 (main-thread), 19 samples" >/dev/null || fail "--of a thread"
summary --of="$(grep -oE 's:[0-9a-f]{8}' text | head -1)" | grep -F "function_19 > function_18, 19 samples" >/dev/null || fail "--of a chain"
summary --of=lost-samples | grep -F 'warning lost-samples' >/dev/null || fail "--of a finding"
expect_status 1 "$PREC" summary -i in.data --of=f:0 >out 2>err
grep -F "nothing in 'in.data' is 'f:0'" err >/dev/null || fail "$(cat err)"
summary --of=function_18 >by_name
expect 'by its name' "$(<of)" "$(<by_name)"
grep -x "  samples without a caller: $(awk -v t=$total 'BEGIN { printf "%.2f", 1900 / t }') %" text >/dev/null || fail "chains of one function: $(cat text)"
expect "the same in JSON" "$(awk -v t=$total 'BEGIN { printf "%.2f", 1900 / t }')" "$(summary --json | sed 's/.*"no_caller_percent":\([0-9.]*\).*/\1/')"

# --of takes a function by the names that annotate takes, and lists the others which have that name, also in JSON.
cat >names.txt <<'E2'
attr cpu-clock sample=IP,TID,TIME,PERIOD sample_id_all=1
feature arch=x86_64
comm 7/7 "names"
ksymbol 0xffffffffc0000000+0x100 "pyhot (t4.py)" type=1 t=1
ksymbol 0xffffffffc0000100+0x100 "long Hot.alpha(int)" type=1 t=1
ksymbol 0xffffffffc0000200+0x100 "void other.Cold.alpha()" type=1 t=1
ksymbol 0xffffffffc0000300+0x100 "work(int)" type=1 t=1
ksymbol 0xffffffffc0000400+0x100 "work" type=1 t=1
E2
for n in 0 0 0 1 1 2 3 3 4; do echo "sample 7/7 t=100 ip=0xffffffffc0000${n}10 mode=kernel period=100"; done >>names.txt
"$(helper mkdata/mkdata)" names.txt names.data
of_name() { "$PREC" summary -i names.data --of="$1" 2>err | sed -E "s/ \[[^]]*\]//g" | sed -nE 's/^of f:[0-9a-f]{8}: //p; /^also named/s/f:[0-9a-f]{8}/ID/gp'; }
expect "a Python function" "pyhot (t4.py), 3 samples, 33.33 %" "$(of_name pyhot)"
expect "a Java method" "long Hot.alpha(int), 2 samples, 22.22 %" "$(of_name Hot.alpha)"
expect "the hotter of two" "long Hot.alpha(int), 2 samples, 22.22 %
also named 'alpha': ID void other.Cold.alpha()" "$(of_name alpha)"
expect "the function of just that name" "work, 1 samples, 11.11 %
also named 'work': ID work(int)" "$(of_name work)"
expect "the others in JSON" "work(int)" "$("$PREC" summary -i names.data --of=work --json 2>/dev/null |
	python3 -c 'import json, sys; print(*[f["name"] for f in json.load(sys.stdin)["also_named"]])')"
expect_status 1 "$PREC" summary -i names.data --of=pha >out 2>err
grep -F "nothing in 'names.data' is 'pha'" err >/dev/null || fail "$(cat err)"

sed -n 's/^next: //p; s/^      \(prec .*\)/\1/p' text >next
[ -s next ] || fail "no command to go on with: $(cat text)"
while read -r command; do
	eval "${command/#prec/\"\$PREC\"}" >out 2>err || fail "$command: $(cat err)"
done <next

# The same each time, for any number of threads, and in the budget.
summary -j1 >one
summary -j4 >four
expect_same "-j1 and -j4" one four
expect_same "twice" text one
summary --json >json
for budget in 1500 1000 850; do
	summary --budget=$budget >short
	[ "$(stat -c %s short)" -le $budget ] || fail "--budget=$budget: $(stat -c %s short) bytes"
done
expect "JSON has the same numbers" "$total function_18 $(awk -v t=$total 'BEGIN { printf "%.2f", 2000 / t }') 9 lost-samples" \
	"$(python3 -c 'import json, sys; j = json.load(sys.stdin); f = j["functions"][0]
print(j["samples"], f["name"], "%.2f" % f["percent"], j["left_out"]["functions"], j["findings"][0]["id"])' <json)"

# A wait ends in the scheduler, and where several listen to its tracepoint in what goes through them: the line has what waits.
names=(__traceiter_sched_switch __schedule schedule anon_pipe_read vfs_read ksys_read __x64_sys_read x64_sys_call do_syscall_64 the_entry_of_all_calls)
for i in "${!names[@]}"; do printf 'ffffffff8100%x000 T %s\n' "$i" "${names[i]}"; done >kallsyms
cat >wait.txt <<E2
attr cpu-clock sample=IP,TID,TIME,CALLCHAIN,PERIOD ids=1
feature arch=x86_64
mmap -1/0 0xffffffff81000000+0x100000@0xffffffff81000000 "[kernel.kallsyms]_text"
comm 7/7 "waits" t=1
sample 7/7 t=2 ip=0xffffffff81000010 mode=kernel period=1000000 event=cpu-clock chain=kernel$(for i in "${!names[@]}"; do printf ',0xffffffff8100%x010' "$i"; done),user,0x400010
E2
"$(helper mkdata/mkdata)" wait.txt wait.data
"$PREC" summary -i wait.data --kallsyms kallsyms >wait 2>err || fail "$(cat err)"
grep -E '__x64_sys_read > \.\.\. > vfs_read > anon_pipe_read$' wait >/dev/null || fail "a wait's line: $(cat wait)"

# What has no name it finds as report does.
cat >nameless.txt <<'E2'
attr cpu-clock sample=IP,TID,TIME,PERIOD sample_id_all=1
feature arch=x86_64
comm 7/7 "prog"
mmap2 7/7 0x10000+0x10000@0 r-xp "/no/such/prog"
ksymbol 0xffffffffc0000000+0x100 "named" type=1 t=1
repeat 3
sample 7/7 t={i+100} ip=0x10003 mode=user period=100
sample 7/7 t={i+200} ip=0xffffffffc0000010 mode=kernel period=100
sample 7/8 t={i+300} ip=0x900003 mode=user period=100
end
E2
"$(helper mkdata/mkdata)" nameless.txt nameless.data
"$PREC" report -i nameless.data 2>err >/dev/null
expect_finding no-symbol err '6 of 9 samples have no symbol'
"$PREC" summary -i nameless.data >found 2>err
expect "no symbols" "$(sed -n 's/^prec: \(.* no symbol: .*\) \[no-symbol\]$/\1/p' <("$PREC" report -i nameless.data 2>&1 >/dev/null))" \
	"$(sed -n 's/^  note no-symbol: //p' found)"

# shares PERIOD...: the functions' percents, and what is said of those that are left out, where function N has the N-th of the periods.
shares() {
	local n=0 period
	{
		printf '%s\n' "attr cpu-clock sample=IP,TID,TIME,PERIOD sample_id_all=1" "feature arch=x86_64" 'comm 7/7 "prog"'
		for period; do
			printf 'ksymbol 0x%x+0x100 "function_%d" type=1 t=1\n' $((0xffffffffc0000000 + n * 0x100)) $n
			printf 'sample 7/7 t=%d ip=0x%x mode=kernel period=%d\n' $((n + 10)) $((0xffffffffc0000000 + n * 0x100)) "$period"
			n=$((n + 1))
		done
	} >shares.txt
	"$(helper mkdata/mkdata)" shares.txt shares.data
	"$PREC" summary -i shares.data 2>/dev/null | sed -n '/^functions/,/^$/{/ f:/s/ %.*//p;/more/p}' | sed 's/^ *//' | paste -sd'|'
}

# Small rows are left out and counted, but for one alone; where all are small they stand there.
expect "small ones" "60.00|39.10|0.50|2 more below 0.5 %: 0.40 %" "$(shares 6000 3910 50 21 19)"
expect "the same in JSON" '"left_out":{"functions":2,' "$("$PREC" summary --json -i shares.data 2>/dev/null | grep -o '"left_out":{"functions":[0-9]*,')"
expect "one alone" "60.00|39.60|0.40" "$(shares 6000 3960 40)"
# shellcheck disable=SC2046
expect "all of 250" "0.40|0.40|0.40|0.40|0.40|0.40|0.40|0.40|0.40|0.40|240 more below 0.5 %: 96.00 %" "$(shares $(yes 40 | head -250))"

# Findings about few samples are named once each, with their number.
if [ "$(uname -m)" = x86_64 ]; then
	{
		echo 'feature arch=x86_64'
		echo 'attr ev type=software config=0 sample=IP,TID,TIME,CALLCHAIN,REGS_USER,STACK_USER uregs=0x1c0 stack=1024 exclude_callchain_user ids=1'
		for n in 1 2 3; do echo "mmap2 7/7 0x${n}0000000+0x10000@0 r-xp \"/nowhere/$n\" t=1"; done
		for n in 1 2 3; do
			[ $n != 3 ] || echo 'repeat 400'
			echo "sample 7/7 t=2 ip=0x${n}0000010 mode=user uregs=0x100000000,0x7fff00000000,0x${n}0000010 stack=3412$(printf '%02044d' 0)"
		done
		echo end
	} >light.txt
	"$(helper mkdata/mkdata)" light.txt light.data
	"$PREC" summary -i light.data >light 2>/dev/null
	grep -x '  2 of less weight: chains-without-tables x 2 (--findings)' light >/dev/null || fail "two of one code: $(cat light)"
fi

# Rows of one id are parts of it: of a function, and of its code that was inlined; --of has them all, by the id and by the name.
cat >both.c <<'E2'
volatile unsigned long sum;
static inline void hot(unsigned n) { for (unsigned i = 0; i < n; i++) sum += i; }
__attribute__((noinline)) void one(void) { hot(30000000); __asm__ volatile(""); }
void (*volatile other)(unsigned) = hot;
int main(void) { for (int i = 0; i < 4; i++) { one(); other(30000000); } return 0; }
E2
"${CC:-cc}" -O1 -g -o both both.c
if "$PREC" record -q -g -F 999 -e cpu-clock:u -o both.data ./both 2>/dev/null; then
	"$PREC" summary -i both.data --json >both.json 2>/dev/null
	"$PREC" summary -i both.data >both.txt 2>/dev/null
	grep 'hot (inlined)' both.txt >/dev/null && grep '  hot  (both)' both.txt >/dev/null || fail "hot and hot (inlined): $(<both.txt)"
	id=$(sed -n 's/.*\(f:[0-9a-f]*\)  hot .*/\1/p' both.txt | sort -u)
	expect "ids of hot" 1 "$(wc -w <<<"$id")"
	all=$(grep -o "{\"id\":\"$id\"[^}]*\"samples\":[0-9]*" both.json | sed 's/.*://' | paste -sd+ | bc)
	for of in "$id" hot; do
		expect "--of=$of" "of $id: hot [both], $all samples" "$("$PREC" summary -i both.data --of=$of 2>/dev/null | grep -o "^of .* samples")"
	done
	chain=$("$PREC" summary -i both.data 2>/dev/null | sed -n 's/.*\(s:[0-9a-f]*\)  .* > hot$/\1/p' | head -1)
	"$PREC" summary -i both.data --of="$chain" 2>/dev/null | grep -E '^of .* > hot, [0-9]+ samples' >/dev/null || fail "of a chain"
else
	part_skipped "a function that is also inlined: nothing can be recorded here"
fi
