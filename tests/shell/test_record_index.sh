#!/bin/bash
# What is shown of a recording is the same with and without its index of the data, of which damage is found; with it a filter reads little.
. "$(dirname "$0")/lib/prec.sh"
index=$SRC/tests/lib/data_index.py
spin=$(workload spin) spawn=$(workload forks) switches=$(workload switches)
mkdir with without changed

SHOW=('report --stdio' 'report --stats' 'report --tasks' 'report --stdio --time 30%-60%' 'script -D'
	'script --show-mmap-events --show-task-events --show-lost-events --show-switch-events')
any_status "$PREC" query -i /nowhere 'SELECT 1' 2>&1 | grep -q 'without SQLite' || { SQL=1 SHOW+=('query --csv SELECT|pid,count(*),min(time),max(time)|FROM|samples|GROUP|BY|pid'); }

# same WHAT: with/data shows the same as without/data, which has no index that is read.
same() {
	local words status=0
	for show in "${SHOW[@]}"; do
		read -ra words <<<"$show"
		words=("${words[@]//|/ }")
		for dir in with without; do
			status=0
			(cd $dir && exec "$PREC" "${words[0]}" -i data "${words[@]:1}" 2>../$dir.err >../$dir.out) || status=$?
			echo "status $status" >>$dir.out
		done
		cmp -s with.out without.out || fail "$1: prec $show is another: $(diff with.out without.out | head -5)"
		cmp -s with.err without.err || fail "$1: prec $show says another: $(diff with.err without.err | head -5)"
	done
}
# recorded WHAT OPTIONS...: recorded so, with an index that is whole and used.
recorded() {
	rm -f with/data
	"$PREC" record -q -o with/data "${@:2}" >record.out 2>&1 || fail "$1: $(<record.out)"
	cp -p with/data without/data
	python3 "$index" off without/data || fail "$1: no index"
	"$PREC" report -v --stdio -i with/data 2>&1 >/dev/null | grep '^prec: index: ' >used || fail "$1: the index is not used"
	! "$PREC" report -v --stdio -i without/data 2>&1 >/dev/null | grep '^prec: index: ' || fail "$1: an index is used"
	for dir in with without; do
		(cd $dir && any_status "$PREC" verify data) >$dir.out 2>&1
	done
	cmp -s with.out without.out || fail "$1: verify says another: $(diff with.out without.out)"
	! grep damaged-index with.out || fail "$1: $(<with.out)"
	same "$1"
}
recorded default -F 5000 "$spin" -1 300
recorded threads --per-thread -F 5000 "$spin" -1 300
recorded chains -g -F 5000 "$spin" -1 300
recorded machine -a -g -F 1000 "$spin" -1 200
recorded processes -e page-faults -c 1 -g "$spawn" 5
recorded stacks -e cpu-clock:u -F 2000 --call-graph dwarf,16384 sh -c "$spin -1 300; $spin -1 300"
recorded switches -e task-clock,page-faults -c 100000 --switch-events "$switches" 200
recorded losses -m 1 -e page-faults -c 1 --call-graph dwarf,65000 "$(workload faults)" 500
grep -q 'LOST' with.out || "$PREC" report --stats -i with/data 2>/dev/null | grep -q 'LOST' || fail "nothing was lost"

# Samples with copies of stacks have times and threads in the index, too: others are passed over.
if [ "${SQL:-}" ]; then
	"$PREC" record -q -o with/data -e cpu-clock:u -F 2000 --call-graph dwarf,16384 sh -c "$spin -1 300; $spin -1 300" >record.out
	tid=$("$PREC" query --csv -i with/data 'SELECT tid FROM samples GROUP BY tid ORDER BY count(*) DESC LIMIT 1' 2>err | tail -1)
	"$PREC" query -v -i with/data "SELECT count(*) FROM samples WHERE tid = $tid" >out 2>&1
	read -r read all < <(sed -nE 's/^prec: samples: read ([0-9]+) of ([0-9]+) chunks/\1 \2/p' out)
	[ "$read" -le $((all * 3 / 4)) ] || fail "one of two threads: $read of $all chunks are read"
fi

# A recording without an index, as there are for a pipe, compressed data, and parts, is read as ever.
"$PREC" record -q -z -o with/data -F 5000 "$spin" -1 200
! python3 "$index" off with/data 2>said || fail "compressed data have an index"

# Of many parts with all that can stand between samples.
cat >text <<'X'
attr cpu-clock sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER read=ID sample_id_all mmap comm task mmap2
attr other type=software config=1 sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER read=ID sample_id_all mmap comm task mmap2
index
comm 100/100 "p" exec t=1000
mmap2 100/100 0x400000+0x1000@0 r-xp "/nowhere" t=1000
repeat 20
  fork {i+200}/{i+200} parent=100/100 t={i*10000000+1000000}
  comm {i+200}/{i+200} "child-{i}" t={i*10000000+1000000}
  repeat 3000
    sample 100/{j%50+100} t={i*5000+j*2000+1000000} ip=0x400000 cpu={j%4} period=1000
    sample {i+200}/{i+200} event=other t={i*5000+j*2000+1001000} ip=0x400010 cpu=1 period=1000
  end
  lost n=3 t={i*10000000+9999999}
  round
end
X
make_data() {
	"$(helper mkdata/mkdata)" text with/data
	cp -p with/data without/data
	python3 "$index" off without/data
}
make_data
same 'many parts'

# What of the file is read for one of 300 spans of time: not in memory before, in it afterwards.
resident() { fincore -nbo RES with/data | tr -d " "; }
size=$(stat -c %s with/data)
forget() {
	sync with/data
	dd if=with/data iflag=nocache count=0 status=none
}
forget
ahead=$(cat "/sys/class/bdi/$(stat -c %Hd:%Ld with/data)/read_ahead_kb" 2>/dev/null || echo 128)
if [ $((ahead * 1024 * 8)) -gt "$size" ]; then
	part_skipped "this disk reads $ahead KiB ahead: what is read of a small file is not seen"
elif [ "$(resident)" = 0 ]; then
	"$PREC" report --stdio --time 0.1,0.101 -i with/data >out
	[ "$(resident)" -lt $((size / 4)) ] || fail "a thousandth of the time reads $(resident) of $size bytes"
	"$PREC" report --stdio -i with/data >out
	[ "$(resident)" -gt $((size * 9 / 10)) ] || fail "all of it are $(resident) of $size bytes"
else
	part_skipped 'files stay in memory here: what is read of them is not seen'
fi

# A changed index is found to be damaged, or shows the same; verify finds all changes.
for seed in {1..10}; do
	cp with/data changed/data
	python3 "$index" $seed changed/data
	(cd changed && exec "$PREC" report --stdio -i data 2>../err >../out) && status=0 || status=$?
	is_crash $status && fail "index $seed: status $status"
	[ $status = 2 ] || (cd with && "$PREC" report --stdio -i data 2>/dev/null) | cmp - out || fail "index $seed: another report"
	[ $((seed % 2)) = 0 ] || expect_finding damaged-index err 'the index of the data does not fit them'
	WANTED=2 expect_status 2 "$PREC" verify changed/data >out
	grep -q damaged-index out || fail "index $seed: verify: $(<out)"
done

# Changed data are damage with it if they are without, and the index also finds changes of times and CPUs. (--stats takes the counts from the index, and reads no data.)
for seed in {1..12}; do
	python3 - $seed <<-'E'
	import random, sys
	r = random.Random(int(sys.argv[1]))
	for path in ('with', 'without'):
	    data = bytearray(open(path + '/data', 'rb').read())
	    open('changed/' + path, 'wb').write(data)
	at = 4096 + r.randrange(len(data) * 9 // 10) & ~7
	at += r.randrange(8)
	bit = 1 << r.randrange(8)
	for path in ('with', 'without'):
	    with open('changed/' + path, 'r+b') as f:
	        f.seek(at)
	        byte = f.read(1)[0]
	        f.seek(at)
	        f.write(bytes([byte ^ bit]))
	E
	for what in with without; do
		"$PREC" report --stdio -i changed/$what >$what.out 2>$what.err && status=0 || status=$?
		is_crash $status && fail "data $seed: status $status"
		echo $status >$what.status
	done
	[ "$(<without.status)" = "$(<with.status)" ] || { [ "$(<without.status)" = 0 ] && grep -q damaged-index with.err; } ||
		fail "data $seed: $(<without.status) without, $(<with.status) with: $(<without.err)"
done
