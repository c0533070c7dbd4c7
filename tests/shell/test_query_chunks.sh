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
expect "a thread" 4000 "$value"
