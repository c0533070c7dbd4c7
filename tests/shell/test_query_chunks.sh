#!/bin/bash
# Conditions on the time leave out the parts of the recording where they cannot hold, and no sample.
. "$(dirname "$0")/lib/prec.sh"

cat >in.txt <<'X'
attr cpu-clock sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER read=ID sample_id_all mmap comm task mmap2
comm 100/100 "p" exec t=1000
repeat 200000
  sample 100/{i%50+100} t={i*1000+1000000} ip=0x400000 cpu=0 period=1000
end
X
"$(helper mkdata/mkdata)" in.txt in.data
"$PREC" query -i in.data 'SELECT 1' >/dev/null 2>err || { grep -q 'without SQLite' err && skip "built without SQLite"; fail "$(<err)"; }
ask() {	# SQL: its only value, and which chunks were read, to value, read, all
	value=$("$PREC" query -v --csv -i in.data "$1" 2>err | tail -1 | tr -d '\r')
	read -r read all < <(sed -n 's/.*samples: read \([0-9]*\) of \([0-9]*\) chunks.*/\1 \2/p' err)
}
ask 'SELECT count(*) FROM samples'
expect "all" "200000" "$value"
expect "chunks of all" "$all" "$read"
[ "$all" -ge 8 ] || fail "the recording has $all chunks"
for query in '1000|time BETWEEN 100000000 AND 100999999' '1|time = 100000000' '20|time BETWEEN 100000000 AND 100999999 AND tid = 107'; do
	ask "SELECT count(*) FROM samples WHERE ${query#*|}"
	expect "${query#*|}" "${query%%|*}" "$value"
	[ "$read" -ge 1 ] && [ "$read" -le 2 ] || fail "${query#*|} read $read of $all chunks"
done
ask 'SELECT count(*) FROM samples WHERE time < 1000'
expect "before the first" "0 0" "$value $read"
ask 'SELECT count(*) FROM samples WHERE tid = 107'
expect "a thread that is everywhere" "4000 $all" "$value $read"

# Threads and CPUs by their places, with call chains: 40 threads one after the other on eight CPUs.
chains() {	# OPTIONS OF EVERY SAMPLE
	cat <<-X
	attr cpu-clock sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER,$1 read=ID sample_id_all mmap comm task mmap2
	comm 100/100 "p" exec t=1000
	repeat 200000
	  sample 100/{i/5000+100} t={i*1000+1000000} ip=0x400000 cpu={i/25000} period=1000 mode=user $2
	end
	X
}
chains CALLCHAIN chain=user,0x400000,0x400010,0x400020 >in.txt
"$(helper mkdata/mkdata)" in.txt in.data
ask 'SELECT count(*) FROM samples'
expect "all" "200000 $all" "$value $read"
[ "$all" -ge 16 ] || fail "the recording has $all chunks"
few=$((all / 10))
for query in '5000|tid = 117' '5000|tid = 117 AND stack IS NOT NULL' '0|tid = 99' '0|tid = 117 AND time < 5000' '2000|time BETWEEN 100000000 AND 101999999' \
	     '5000|tid = 117 AND cpu = 3' '0|tid = 117 AND cpu = 2'; do
	for table in samples sums; do
		[[ $table = samples || $query != *time* ]] || continue
		ask "SELECT $([ $table = sums ] && echo 'coalesce(sum(samples), 0)' || echo 'count(*)') FROM $table WHERE ${query#*|}"
		expect "${query#*|} of $table" "${query%%|*}" "$value"
		[ "$read" -le $((few + 1)) ] || fail "${query#*|} of $table read $read of $all chunks"
	done
done
ask 'SELECT count(*) FROM samples WHERE cpu = 3'
expect "a CPU" 25000 "$value"
[ "$read" -le $((all / 4)) ] || fail "a CPU read $read of $all chunks"
ask 'SELECT (SELECT count(*) FROM samples WHERE tid = 117) + (SELECT count(*) FROM samples WHERE tid = 118)'
expect "two uses" 10000 "$value"
[ "$read" -le $((few + 2)) ] || fail "two threads read $read of $all chunks"
ask 'SELECT count(*) FROM samples WHERE tid IN (117, 118)'
expect "one of a list" "10000 $all" "$value $read"
for sql in 'SELECT count(*) FROM samples WHERE tid = 117 AND (SELECT count(*) FROM samples) = 200000' \
	   'SELECT count(*) FROM samples s JOIN (SELECT DISTINCT tid FROM samples) t ON t.tid = s.tid WHERE s.tid + 0 = 117' \
	   "SELECT sum(samples) FROM sums WHERE tid = 117 AND (SELECT count(*) FROM stacks) >= 0"; do
	ask "$sql"
	expect "$sql" "5000 $all" "$value $read"
done
# Of the command line: a CPU leaves out parts, and a thread does not, as what it leaves out is counted.
"$PREC" report -v -C 3 -i in.data --stdio >out 2>err
read -r read all < <(sed -n 's/.*samples: read \([0-9]*\) of \([0-9]*\) chunks.*/\1 \2/p' err)
[ "$read" -le $((all / 4)) ] || fail "report of a CPU read $read of $all chunks"
expect "samples of a CPU" 25000 "$(sed -n 's/^# Samples: \([0-9KM]*\) .*/\1/p' out | sed 's/K/000/')"
# Samples with more than chains and raw data leave out parts, too; a part is read where one of its samples is cut.
chains WEIGHT weight=7 >in.txt
"$(helper mkdata/mkdata)" in.txt in.data
ask 'SELECT count(*) FROM samples WHERE tid = 117'
expect "with weights" "5000 1" "$value $read"
