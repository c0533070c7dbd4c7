#!/bin/bash
# What verify --repair writes has all samples that prec reads in a damaged file, is good itself, and both perfs read it.
# Runs: slow
. "$(dirname "$0")/lib/prec.sh"
mkdata=$(helper mkdata/mkdata)

samples() { any_status "$PREC" script -i "$1" -F tid,time,event,ip 2>/dev/null || true; }

# repaired FILE: whether there was anything to repair.
repaired() {
	samples "$1" >want
	[ -s want ] || return 1
	rm -f clean
	expect_status 0 "$PREC" verify --repair -o clean "$1" >out 2>err
	samples clean >got
	expect_same "$1: samples" want got
	any_status "$PREC" verify --json clean >json 2>err
	! grep -q '"verdict":"\(damaged\|unreadable\)"' json || fail "$1: the repaired file is damaged: $(cat json)"
}

# read_by_perfs WHAT: as many samples as prec sees.
read_by_perfs() {
	local perf
	for perf in "${PERFS[@]}"; do
		expect "$1: samples by $perf" "$("$PREC" script -i clean -G -F event 2>/dev/null | wc -l)" "$("$perf" script -i clean -G -F event 2>/dev/null </dev/null | wc -l)"
	done
}
mapfile -t PERFS < <(perfs)

# The suite's files: damaged, killed, old, of the other byte order, streams.
for txt in "$SRC"/tests/data/*.txt; do
	name=${txt##*/}
	"$mkdata" "$txt" file 2>/dev/null || fail "mkdata $name"
	repaired file || continue
	read_by_perfs "$name"
done

# Cut and damaged anywhere; perf looks at some of them.
{
	echo 'attr ev type=software config=0 sample=IP,TID,TIME,PERIOD,CALLCHAIN,IDENTIFIER sample_id_all=1 ids=1'
	echo 'attr other type=software config=1 sample=IP,TID,TIME,PERIOD,IDENTIFIER sample_id_all=1 ids=2'
	echo 'feature arch=x86_64'
	echo 'comm 7/7 "demo" id=1 t=1'
	echo 'mmap2 7/7 0x400000+0x1000@0 r-xp "/bin/demo" id=1 t=1'
	for t in $(seq 2 12); do
		echo "sample 7/7 id=1 t=$t ip=0x400100 mode=user period=1 chain=user,0x400100,0x400200"
		echo "sample 7/7 id=2 t=$t ip=0x400104 mode=user period=1"
	done
	echo round
} >in.txt
"$mkdata" in.txt fine
repaired fine || fail "a good file"
read_by_perfs "a good file"
size=$(stat -c %s fine)
for ((at = size - 5; at > 0; at -= 43)); do
	head -c $at fine >cut
	repaired cut || continue
	[ $((at % 5)) != 0 ] || read_by_perfs "cut at $at"
done
for ((at = 100; at < size; at += 37)); do
	cp fine turned
	printf '\xff' | dd of=turned bs=1 seek=$at conv=notrunc status=none
	repaired turned || continue
	[ $((at % 3)) != 0 ] || read_by_perfs "byte $at turned"
done
for line in 'unfinished' 'stream'; do
	{ cat in.txt; echo "$line"; } >other.txt
	"$mkdata" other.txt other
	repaired other || fail "$line: nothing to repair"
	read_by_perfs "$line"
done

# What the recorder makes: compressed, as a directory, killed.
if "$(workload opens)" 2>/dev/null; then
	for how in -z --threads; do
		"$PREC" record -q -e cpu-clock:u -F 5000 $how -o rec "$(workload demo)" >/dev/null 2>&1
		repaired rec || fail "$how: nothing recorded"
		read_by_perfs "record $how"
		rm -rf rec
	done
else
	part_skipped "recordings: events cannot be opened"
fi

# Never over the file itself, and only with a file to write.
expect_status 1 "$PREC" verify --repair -o fine fine >out 2>err
grep -q 'recording itself' err || fail "$(cat err)"
expect_same "the file stays" fine <("$mkdata" in.txt again && cat again)
expect_status 129 "$PREC" verify --repair fine 2>err
expect_status 129 "$PREC" verify -o clean fine 2>err
expect_status 1 "$PREC" verify --repair -o clean no-such 2>err >out
