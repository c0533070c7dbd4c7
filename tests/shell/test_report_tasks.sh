#!/bin/bash
# Who started whom is printed as perf does it, and what each process has mapped in the end.
. "$(dirname "$0")/lib/prec.sh"

# Two threads, one of which starts another; a child that runs another program; a number that is used again.
cat >tasks.txt <<'E2'
attr ev type=software config=0 sample=IP,TID,TIME,CPU,PERIOD sample_id_all=1
feature arch=x86_64
comm 100/100 "old"
mmap2 100/100 0x400000+0x1000@0 r-xp "/bin/old"
fork 100/101 parent=100/100 t=1000
comm 100/101 "worker" t=1100
fork 100/102 parent=100/101 t=1200
comm 100/102 "helper" t=1300
fork 200/200 parent=100/100 t=1400
comm 200/200 "new" exec t=1500
mmap2 200/200 0x700000+0x3000@0 r-xp "/bin/new" t=1600
mmap2 200/200 0x701000+0x1000@0x5000 r-xp "/lib/cut" t=1700
exit 200/200 parent=100/100 t=1800
fork 200/200 parent=100/100 t=1900
comm 200/200 "again" t=2000
sample 200/200 t=3000 ip=0x700010 mode=user period=1 cpu=0
E2
"$(helper mkdata/mkdata)" tasks.txt tasks.data
cat >want <<'E2'
#      pid      tid     ppid  comm
         0        0       -1 |swapper
       100      100       -1 |old
       100      101      100 | worker
       100      102      101 |  helper
       200      200      100 | new
       200      200      100 | again
E2
"$PREC" report -i tasks.data --tasks >got
expect_same "--tasks" want got
"$PREC" report -i - --tasks <tasks.data >got
expect_same "--tasks of a pipe" want got

# The exec left nothing of the old program; a fork has what its parent had.
"$PREC" report -i tasks.data --mmaps | awk '$1 ~ /-/ { print name, $1, $2, $3, $5 } $4 ~ /^\|/ { name = $NF }' | sed 's/|//' >got
expect "--mmaps" "old 400000-401000 r-xp 00000000 /bin/old
new 700000-701000 r-xp 00000000 /bin/new
new 701000-702000 r-xp 00005000 /lib/cut
new 702000-703000 r-xp 00002000 /bin/new
again 400000-401000 r-xp 00000000 /bin/old" "$(cat got)"

# Of maps that overlap, a page shows the last one.
cat >text <<'END'
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD ids=1
comm 1000/1000 "p" t=1
repeat 900
mmap2 1000/1000 {i*37%197+1*4096}+{i%11+1*4096}@{i*65536} r-xp "/bin/p" t=2
end
END
"$(helper mkdata/mkdata)" text over.data
awk 'BEGIN { for (i = 0; i < 900; i++)
	for (j = 0; j < i % 11 + 1; j++) page[i * 37 % 197 + 1 + j] = i * 16 + j
	for (n in page) print n, page[n] }' | sort -n >want
"$PREC" report -i over.data --mmaps | awk '$1 ~ /-/ { print $1, $3 }' | tr - ' ' | while read -r start end off; do
	for ((at = 0x$start; at < 0x$end; at += 4096)); do
		echo $((at / 4096)) $(((0x$off + at - 0x$start) / 4096))
	done
done >got
expect_same "the pages of maps that overlap" want got

# A line for each of a long chain of forks: it is not indented without end, and neither is what it inherits without end.
cat >text <<'END'
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD ids=1
comm 1000/1000 "p" t=1
repeat 3000
mmap2 1000/1000 {i*8192+4096}+0x1000@0 r-xp "/bin/{i%2}" t=2
end
repeat 5000
fork {1001+i}/{1001+i} parent={1000+i}/{1000+i} t={i*3+10}
end
END
"$(helper mkdata/mkdata)" text chain.data
"$PREC" report -i chain.data --tasks >got
expect "tasks of a chain of forks" "5001 1000 6000" "$(awk '$4 ~ /^\|/ && $2 { n++; last = $2; if (!first) first = $2 } END { print n, first, last }' got)"
expect "a line's length" 159 "$(awk 'length($0) > longest { longest = length($0) } END { print longest }' got)"
(sanitized || ulimit -v 3000000; exec "$PREC" report -i chain.data --mmaps >/dev/null 2>err) || fail "inherited maps: $(<err)"
grep 'tasks are shown without the maps that they inherited' err >/dev/null || fail "inherited maps: $(<err)"

# The same as both perfs of a real recording, in which numbers are used once. Theirs differ in how deep they indent.
need_events
"$PREC" record -o real.data -- sh -c 'sleep 0 & ls / >/dev/null; wait; sh -c "ls / >/dev/null; true"' >/dev/null 2>&1
lines() { sed 's/| */|/; s/ *$//' | sort; }
"$PREC" report -i real.data --tasks | lines >got
for perf in $(perfs); do
	"$perf" report -i real.data --tasks 2>/dev/null </dev/null | lines >want
	expect_same "--tasks of $perf" want got
done
# perf prints maps of threads again, those that an exec unmapped too, and inodes where there are build ids: ours are among them.
"$PREC" report -i real.data --mmaps | awk '$1 ~ /-/ { print $1, $2, $3, $5 }' | sort -u >got
[ -s got ] || fail "no maps"
if with_perf; then
	perf report -i real.data --mmaps 2>/dev/null </dev/null | awk '$1 ~ /-/ { print $1, $2, $3, $5 }' | sort -u >want
	expect "maps that perf does not print" "" "$(comm -13 want got)"
fi
