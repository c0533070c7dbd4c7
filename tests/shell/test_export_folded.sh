#!/bin/bash
# Folded stacks are those that script's lines show, sum up to what report counts, and are the same for any number of jobs.
. "$(dirname "$0")/lib/prec.sh"

# What script prints of an event, folded by other means: comm, then frames from the outermost in; the number is the period, or 1.
# Inlined functions are left out: script looks them up where a call returns to, as perf does, and not where it calls.
fold() {	# FILE EVENT period|samples
	"$PREC" script -i "$1" --no-inline -F comm,event,period,ip,sym,dso 2>/dev/null | awk -v event="$2:" -v what="$3" '
		function frame(text,   name, file) {
			sub(/^[ \t]*[0-9a-f]+ /, "", text)
			file = text
			sub(/^.* \(/, "", file)
			sub(/\)$/, "", file)
			name = substr(text, 1, length(text) - length(file) - 3)
			if (name == "[unknown]" && file != "[unknown]") {
				sub(/.*\//, "", file)
				if (sub(/\.ko(\.[a-z]*)?$/, "", file))
					gsub(/-/, "_", file)
				name = file ~ /^\[/ ? file : "[" file "]"
			}
			gsub(/;/, ":", name)
			stack = ";" name stack
		}
		function finish() {
			if (comm != "")
				sum[comm stack] += number
			comm = stack = ""
		}
		/^[^\t]/ && NF {
			finish()
			if (!(at = index($0, " " event " ")))
				next
			comm = substr($0, 1, at - 1)
			number = comm
			sub(/.* /, "", number)
			sub(/ +[0-9]+$/, "", comm)
			sub(/^ +/, "", comm)
			gsub(/ /, "_", comm)
			if (what == "samples")
				number = 1
			rest = substr($0, at + length(event) + 2)
			if (rest ~ /[^ ]/)
				frame(rest)
			next
		}
		/^\t/ && comm != "" { frame($0) }
		END { finish(); for (s in sum) if (sum[s]) printf "%s %.0f\n", s, sum[s] }' | sort
}

# Of a chain that leaves the program's code the lines of script have all frames, an export "[broken]" for those that cannot have
# called: of such a stack in GOT the lines of standard input may have any frames there. (Where functions have no names, that can
# be said of several stacks: then only what they sum up to by name of a thread is compared.)
break_chains() {	# GOT
	awk '
		function split_stack(line) {
			number = line; sub(/.* /, "", number)
			stack = line; sub(/ [^ ]*$/, "", stack)
		}
		NR == FNR {
			split_stack($0)
			whole[stack] = 1
			if (at = index(stack, ";[broken];")) {
				comm[++nr] = substr(stack, 1, at)
				tail[nr] = substr(stack, at + 9)
			}
			next
		}
		{
			split_stack($0)
			best = ""
			for (i = 1; i <= nr && !(stack in whole); i++)
				if (index(stack, comm[i]) == 1 && length(tail[i]) > length(best) &&
				    substr(stack, length(stack) - length(tail[i]) + 1) == tail[i]) {
					best = tail[i]
					at = i
				}
			sum[best == "" ? stack : comm[at] "[broken]" best] += number
		}
		END { for (s in sum) printf "%s %.0f\n", s, sum[s] }' "$1" - | sort
}

by_comm() { awk '{ comm = $0; sub(/;.*/, "", comm); sum[comm] += $NF } END { for (c in sum) printf "%s %.0f\n", c, sum[c] }' | sort; }
export_folded() { "$PREC" export --format=folded "$@" 2>/dev/null; }
total() { awk '{ sum += $NF } END { printf "%.0f\n", sum }'; }

# check FILE EVENT
check() {
	local what opt
	for what in period samples; do
		opt=$([ $what = period ] || echo --samples)
		# shellcheck disable=SC2086
		export_folded -i "$1" --no-inline -e "$2" $opt >got
		fold "$1" "$2" $what | break_chains got >want
		sort got >got.sorted
		if grep -q ';\[broken\];\[' got; then
			by_comm <want >want.comm
			by_comm <got >got.sorted
			mv want.comm want
		fi
		expect_same "$1, $2: stacks, $what" want got.sorted
	done
	expect "$1, $2: samples as in report" "$("$PREC" report -i "$1" --stats | awk -v e="$2" '
		$0 == e " stats:" { on = 1; next } on { print $3; exit }')" "$(total <got)"
	expect "$1, $2: event count of report" "$("$PREC" report -i "$1" -e "$2" --no-branch-stack -g none 2>/dev/null |
		awk '/^# Event count/ { print $NF; exit }')" "$(export_folded -i "$1" -e "$2" | total)"
}

cat >in.txt <<'IN'
attr cycles type=hardware config=0 sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER sample_id_all=1 ids=1
attr faults type=software config=2 sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER sample_id_all=1 ids=2
feature arch=x86_64
comm 7/7 "two words"
comm 7/8 "semi;colon"
mmap2 7/7 0x10000+0x10000@0 r-xp "/no/such/prog"
mmap2 7/7 0x20000+0x10000@0 r-xp "/no/such/a;b.so"
sample 7/7 id=1 t=1 ip=0x10003 mode=user period=60 cpu=0 chain=user,0x10003,0x10002,0x20001
sample 7/8 id=1 t=2 ip=0x10004 mode=user period=25 cpu=1 chain=user,0x10004,0x10002,0x10001
sample 7/8 id=1 t=3 ip=0x10003 mode=user period=7 cpu=1 chain=user,0x10003,0x10002,0x20001
sample 7/8 id=1 t=4 ip=0x50003 mode=user period=5 cpu=0 chain=user,0x50003
sample 7/7 id=2 t=5 ip=0x20004 mode=user period=3 cpu=0
IN
"$(helper mkdata/mkdata)" in.txt in.data
expect "by hand" "\
semi:colon;[a:b.so];[prog];[prog] 7
semi:colon;[prog];[prog];[prog] 25
semi:colon;[unknown] 5
two_words;[a:b.so];[prog];[prog] 60" "$(export_folded -i in.data | sort)"
expect "another event" "two_words;[a:b.so] 3" "$(export_folded -i in.data -e faults)"
expect "samples" 4 "$(export_folded -i in.data --samples | total)"
expect "filters" 32 "$(export_folded -i in.data --tid 8 -C 1 | total)"
expect "a filter of places" 7 "$(export_folded -i in.data --tid 8 -d prog --time 0.000000003, | total)"
expect "depth" "two_words;[prog] 60" "$(export_folded -i in.data --tid 7 --max-stack 1)"
"$PREC" export -i in.data --format=folded 2>err >/dev/null
grep -q "2 events.*'cycles'" err || fail "which event was written is not said: $(cat err)"
expect_status 1 "$PREC" export -i in.data --format=folded -e no-such 2>err
grep -q 'cycles, faults' err || fail "which events there are is not said: $(cat err)"
expect "report -e" "# Samples: 1  of event 'faults'" "$("$PREC" report -i in.data -e faults 2>/dev/null | grep '^# Samples')"

if [ -d "${PREC_CORPUS:-}" ]; then
	while read -r file; do
		while read -r event; do
			check "$file" "$event"
		done < <("$PREC" report -i "$file" --stats 2>/dev/null | sed -n 's/ stats:$//p' | grep -vxE 'Aggregated|dummy.*' |
			 sort | uniq -u)
	done < <(find "$PREC_CORPUS/hotspot" "$PREC_CORPUS/perfparser" "$PREC_CORPUS/linux-perf-data" \
		 "$PREC_CORPUS/quipper/perf.data.callgraph-3.8" -name '*data*' -type f -size +4k | grep -v -e zstd -e probe)
fi

need_events
"$PREC" record -q -g -F 2000 -o rec.data "$(workload demo)" >/dev/null 2>&1 || skip "cannot record"
event=$("$PREC" report -i rec.data -q -F sample -g none --stats 2>/dev/null | sed -n 's/ stats:$//p' | grep -v -e Aggregated -e dummy | head -1)
check rec.data "$event"
for jobs in 1 2 8; do
	"$PREC" export -i rec.data -j$jobs -o out.$jobs.folded
done
expect_same "-j2 as -j1" out.1.folded out.2.folded
expect_same "-j8 as -j1" out.1.folded out.8.folded
[ "$(wc -l <out.1.folded)" -gt 3 ] || fail "hardly a stack"
grep -q ';worker_main;render;blur ' out.1.folded || fail "no stack of the program: $(head out.1.folded)"
expect "inlined functions do not change the sum" "$(export_folded -i rec.data --no-inline | total)" "$(total <out.1.folded)"
