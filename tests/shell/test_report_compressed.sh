#!/bin/bash
# Compressed records that are damaged, or that unpack to thousands of times their size, are left out and named as such.
. "$(dirname "$0")/lib/prec.sh"
need zstd
MKDATA=$(helper mkdata/mkdata)

# packed FILE: the frame in it as the one COMPRESSED record (81) of packed.data, between two samples.
packed() {
	{
		echo 'attr ev type=software config=0 sample=IP,TID,TIME,PERIOD sample_id_all=1'
		echo 'feature arch=x86_64'
		echo 'sample 7/7 t=1 ip=0x100 mode=user period=1'
		echo "raw type=81 $(od -An -v -tx1 "$1" | tr -d ' \n')"
		echo 'sample 7/7 t=2 ip=0x100 mode=user period=1'
	} >packed.txt
	"$MKDATA" packed.txt packed.data
}

# A FINISHED_ROUND is its header alone: 44 00 00 00 00 00 08 00.
rounds() {
	awk -v n="$1" 'BEGIN { while (n--) printf "D\1\1\1\1\1\10\1" }' | tr '\1' '\0' | zstd -q -19 >frame.zst
}

rounds 1000
packed frame.zst
"$PREC" report -i packed.data --stats >out
grep -Eq 'FINISHED_ROUND events: +1000 ' out || fail "a sound record: $(cat out)"

head -c 20 frame.zst >half
printf '\377\377\377\377\377\377\377\377' >>half
packed half
expect_status 2 "$PREC" report -i packed.data --stats >out 2>err
grep -q 'COMPRESSED (81).* whose zstd stream is damaged' err || fail "damaged: $(cat err)"
grep -Eq 'SAMPLE events: +2 ' out || fail "the other records: $(cat out)"

# 80 MB out of some 7 kB.
rounds 10000000
[ "$(stat -c %s frame.zst)" -lt 20000 ] || fail "a frame of $(stat -c %s frame.zst) bytes"
packed frame.zst
expect_status 2 "$PREC" report -i packed.data --stats >out 2>err
times=$(sed -nE 's/.*COMPRESSED \(81\).* unpacks to more than a recording ever does: ([0-9]+) times its size \(at most 3000\).*/\1/p' err)
[ "${times:-0}" -gt 3000 ] || fail "too much: $(cat err)"
[ "$(awk '$1 == "FINISHED_ROUND" { print $3 }' out)" -lt 6000000 ] || fail "all of it was unpacked: $(cat out)"
grep -Eq 'SAMPLE events: +2 ' out || fail "the other records: $(cat out)"
