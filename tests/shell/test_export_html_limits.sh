#!/bin/bash
# A page of limited size says what it has merged, and its sums are those of the recording.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/page.sh"
need chromium

# Two processes of 40 threads, 40 CPUs, two events; 30 functions that run below 600 callers, for 20 s.
cat >in.txt <<'IN'
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER sample_id_all=1 ids=1
attr faults type=software config=2 sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER sample_id_all=1 ids=2
feature hostname=big arch=x86_64 osrelease=6.18.0 nrcpus=40
mmap -1/0 0xffffffff81000000+0x2000000@0xffffffff81000000 "[kernel.kallsyms]_text"
repeat 700
ksymbol {i*256+18446744071596015616}+0x100 "f{i}" type=1
end
comm 100/100 "server"
comm 200/200 "client"
repeat 40
fork 100/{i+1000} parent=100/100
comm 100/{i+1000} "worker-{i}"
fork 200/{i+2000} parent=200/200
comm 200/{i+2000} "other-{i}"
end
repeat 250
repeat 40
sample 100/{j+1000} id=1 t={i*80000000+j+1000000000} cpu={i+j%40} period={j+1000} mode=kernel ip={i*7+j%30*256+18446744071596015616} chain=kernel,{i*7+j%30*256+18446744071596015616},{i*37+j%600*256+18446744071596025000}
sample 200/{j+2000} id=2 t={i*80000000+j+1000000100} cpu={i+j%40} period={j+990} mode=kernel ip={i*11+j%30*256+18446744071596015616} chain=kernel,{i*11+j%30*256+18446744071596015616},{i*31+j%600*256+18446744071596025000}
end
end
IN
"$(helper mkdata/mkdata)" in.txt in.data
"$PREC" export -q -i in.data -o whole.html
"$PREC" export -q -i in.data --max-rows=5000 -o less.html
[ "$(stat -c %s less.html)" -lt "$(stat -c %s whole.html)" ] || fail "the page is not smaller"

dom whole.html view=summary >page.dom
! grep -q '<td class="fact">Merged' page.dom || fail "what fits was merged"
dom less.html view=summary >page.less
grep -o '<td class="fact">Merged</td><td>[^<]*' page.less | sed 's/.*>//' >said
for part in '^20000 samples are summed up to [0-9]*, in stretches of ' 'CPUs are not told apart' ' of the 80 threads, the least busy, are one with others'; do
	grep -q -- "$part" said || fail "'$part' is not said: $(cat said)"
done
rows=$(sed -nE 's/.* summed up to ([0-9]+),.*/\1/p' said)
[ "$rows" -le 5000 ] || fail "$rows rows are more than 5000"

# report's sums of each event, process and function, and of the remaining threads: the busiest.
report() {
	"$PREC" report -q -i in.data --stdio --no-children -g none -F period,sample "$@" -t '|' 2>/dev/null | grep -v '^#' | sed 's/ //g' | grep .
}
expect "the first event" "$(report -e cpu-clock -s pid | awk -F'|' '{ p += $1; n += $2 } END { printf "%.0f %d", p, n }')" "$(page_sum less.html view=flame)"
expect "the second" "$(report -e faults -s pid | awk -F'|' '{ p += $1; n += $2 } END { printf "%.0f %d", p, n }')" "$(page_sum less.html 'view=flame&event=1')"
expect "a process" "$(page_sum whole.html 'view=flame&thread=process 100')" "$(page_sum less.html 'view=flame&thread=process 100')"
expect "the busiest thread" "$(page_sum whole.html 'view=flame&thread=1039')" "$(page_sum less.html 'view=flame&thread=1039')"
expect "the others and those that are left" "$(page_sum whole.html view=flame | cut -d' ' -f2)" \
	"$(for t in 'of 100' $(seq 1000 1039); do
		! grep -q "<option value=\"$t\"" page.less || page_sum less.html "view=flame&thread=$t"
	done | awk '{ n += $2 } END { print n }')"
"$PREC" report -q -i in.data -e cpu-clock --stdio --no-children -g none -s sym -F period,sample,sym -t '|' 2>/dev/null | grep -v '^#' |
	sed -nE 's/^ *([0-9]+) *\| *([0-9]+) *\|\[.\] (.*[^ ]) *$/\1 \2 \3/p' | sort >want
page_table less.html '' | awk '$1 { print $1, $3, $4 }' | sort >got
expect_same "functions" want got

# A range that begins and ends with a stretch.
stretch=$(sed -nE 's/.* in stretches of ([0-9.]+) s.*/\1/p' said)
from=$(awk -v s="$stretch" 'BEGIN { printf "%.9f", 3 * s - .000001 }') to=$(awk -v s="$stretch" 'BEGIN { printf "%.9f", 5 * s - .000001 }')
expect "a range of time" "$(page_sum whole.html "view=flame&from=$from&to=$to")" "$(page_sum less.html "view=flame&from=$from&to=$to")"

# The same bytes again, and for any number of threads.
"$PREC" export -q -i in.data -j1 --max-rows=5000 -o again.html
cmp less.html again.html || fail "the page differs with the number of threads"

# The least that is left.
"$PREC" export -q -i in.data --max-rows=1 -o least.html
expect "the least" "$(page_sum whole.html view=flame)" "$(page_sum least.html view=flame)"
