#!/bin/bash
# Script prints a stream while it is written, as soon as two rounds say that nothing older will come.
. "$(dirname "$0")/lib/prec.sh"
MKDATA=$(helper mkdata/mkdata)
head='stream
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU sample_id_all ids=1
feature arch=x86_64
comm 1/1 "before" t=1000'
sample() { echo "sample 1/1 t=$1 cpu=0 ip=4096"; }
# What each part settles is one part later: a round may bring what is older than the last of the round before it.
part() {
	case $1 in
	1) sample 3000; sample 2000; echo round; sample 2500; sample 5000; echo round;;
	2) echo 'comm 1/1 "after" t=4000'; sample 4500; sample 6000; echo round;;
	3) sample 7000; echo round;;
	4) sample 8000;;
	esac
}
lines() { echo "$head"; for i; do part "$i"; done; }
offset=0
for i in 1 2 3 4; do
	lines $(seq $i) >text
	"$MKDATA" text whole
	tail -c +$((offset + 1)) whole >part.$i
	offset=$(stat -c %s whole)
done
"$PREC" script -i whole -F comm,time >want
sed 's/ *$//' want >times
cat >right <<'W'
          before     0.000002:
          before     0.000002:
          before     0.000003:
           after     0.000004:
           after     0.000005:
           after     0.000006:
           after     0.000007:
           after     0.000008:
W
expect_same "the saved stream" right times

mkfifo in out
exec "$PREC" script -i in -F comm,time >out 2>err & script=$!
exec 6<out 5>in
# take N: so many lines, which must come before more of the stream does
: >got
take() {
	for ((n = 0; n < $1; n++)); do
		IFS= read -r -t 120 line <&6 || fail "line $((n + 1)) does not come: $(cat got err)"
		echo "$line" >>got
	done
}
cat part.1 >&5
take 3
cat part.2 >&5
take 2
cat part.3 >&5
take 1
cat part.4 >&5
exec 5>&-
cat <&6 >>got
wait $script || fail "status $?: $(cat err)"
expect_same "the same, as it comes" want got

# The writer dies within a record: all before it is printed, and what is missing is told.
exec 6<&-
exec "$PREC" script -i in -F comm,time >out 2>err & script=$!
exec 6<out 5>in
head -c -5 whole >&5
exec 5>&-
head -7 want >most
cat <&6 >got
status=0
wait $script || status=$?
expect_same "what came" most got
expect "the status of a cut stream" 2 $status
expect_finding cut-record err

# The first ^C is the recorder's, whose last words are printed; what does not end then, a second one ends.
set -m	# so that the background has SIGINT
exec "$PREC" script -i in -F comm,time >out 2>err & script=$!
exec 6<out 5>in
cat part.1 part.2 >&5
: >got
take 5
kill -INT $script
cat part.3 part.4 >&5
exec 5>&-
cat <&6 >>got
wait $script || fail "interrupted: status $?"
expect_same "after a ^C" want got
exec "$PREC" script -i in -F comm,time >out 2>err & script=$!
exec 6<out 5>in
cat part.1 part.2 >&5
take 5
kill -INT $script
# The second one is to find that the first was taken.
await 60 sh -c "! grep -q 'SigCgt:.*[2367abef]$' /proc/$script/status"
kill -INT $script
status=0
wait $script || status=$?
expect "after a second ^C" 130 $status

# However long the stream is, what was shown is let go: 200 MB in less than half of that.
{
	echo "$head"
	awk 'BEGIN { for (i = 0; i < 20000; i++) printf "sample 1/1 t=%d cpu=0 ip=%d\nround\nround\n", 1000000 + i, 4096 + i }'
} >long.txt
"$MKDATA" long.txt long
"$MKDATA" <(echo "$head") long.head
tail -c +$(($(stat -c %s long.head) + 1)) long >long.body
limited() { (ulimit -v 100000 && "$PREC" script -j1 -i - -F ip >text 2>err); }
if ! sanitized; then	# who maps terabytes
	{ cat long.head; for ((i = 0; i < $((200000000 / $(stat -c %s long.body))); i++)); do cat long.body; done; } | limited ||
		fail "a long stream: $(cat err)"
	expect "lines of a long stream" $((200000000 / $(stat -c %s long.body) * 20000)) "$(wc -l <text)"
fi
