#!/bin/bash
# A file that cannot be read is an error; a damaged or cut one is shown as far as it goes, with exit status 2.
. "$(dirname "$0")/lib/prec.sh"

cat >in.txt <<'IN'
attr ev type=software config=0 sample=IP,TID,TIME,PERIOD,CALLCHAIN sample_id_all=1
feature arch=x86_64
comm 7/7 "demo"
sample 7/7 t=1 ip=0x100 mode=user period=1 chain=user,0x100,0x200
sample 7/7 t=2 ip=0x100 mode=user period=1 chain=user,0x100,0x200
sample 7/7 t=3 ip=0x100 mode=user period=1 chain=user,0x100,0x200
IN
mkdata=$(helper mkdata/mkdata)

refused() {
	expect_status 1 "$PREC" report -i "$1" >out 2>err
	[ -s err ] || fail "$1: not a word"
	grep -q "%" out && fail "$1: entries of nothing"
	return 0
}
refused /no/such/file
: >empty && refused empty
echo "this is no recording, though it is long enough to look like something" >foreign && refused foreign
refused .

"$mkdata" in.txt fine.data
expect_status 0 "$PREC" report -i fine.data >out 2>err

{ cat in.txt; echo "unfinished"; } >killed.txt
"$mkdata" killed.txt killed.data
expect_status 2 "$PREC" report -i killed.data >out 2>err
grep -q "3  of event" out || fail "samples of a killed recorder's file: $(cat out)"
grep -q "recorder" err || fail "not told: $(cat err)"

# Any cut, and any byte turned over: never a signal, and a word on every failure.
size=$(stat -c %s fine.data)
for ((at = 0; at < size; at += 7)); do
	head -c $at fine.data >cut.data
	status=0
	"$PREC" report -i cut.data >out 2>err || status=$?
	[ $status -le 2 ] || fail "cut at $at: exit status $status"
	[ $status = 0 ] || [ -s err ] || fail "cut at $at: not a word"
done
for ((at = 0; at < size; at += 5)); do
	cp fine.data turned.data
	printf '\xff' | dd of=turned.data bs=1 seek=$at conv=notrunc status=none
	status=0
	"$PREC" report -i turned.data >out 2>err || status=$?
	[ $status -le 2 ] || fail "byte $at turned: exit status $status"
done
