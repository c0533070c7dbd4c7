#!/bin/bash
# Verify names all damage of the files that other tests make, and each is repaired: both perfs read all samples that prec reads.
# Runs: long slow
. "$(dirname "$0")/lib/prec.sh"
need jq
mkdata=$(helper mkdata/mkdata)
mapfile -t PERFS < <(perfs)

# ---- the files: what others tests give to prec, each once ----

mkdir pool work
cat >prec <<IN
#!/bin/bash
for word; do
	word=\${word#--input=}
	[ -f "\$word" ] || continue
	case \$(head -c 8 "\$word" | tr -d '\\0') in
	PERFILE2 | 2ELIFREP | PERFFILE)
		file=$PWD/pool/\$(sha1sum <"\$word" | cut -c 1-40)
		[ -e "\$file" ] || cp "\$word" "\$file"
	esac
done
exec "$PREC" "\$@"
IN
chmod +x prec
for test in report_damaged script_damaged tracepoint_damaged findings strict verify script_truncated report_truncated record_killed; do
	[ -e "$SRC/tests/shell/test_$test.sh" ] || continue
	(cd work && PREC=$WORK/prec timeout 300 "$SRC/tests/shell/test_$test.sh") </dev/null >said 2>&1 || true
done
for txt in "$SRC"/tests/data/*.txt; do
	"$mkdata" "$txt" "pool/$(basename "$txt" .txt)"
done

# The same of the other byte order: what is repaired is of this machine's.
{
	echo 'attr ev type=software config=0 sample=IP,TID,TIME,ADDR,ID,CPU,PERIOD,CALLCHAIN,IDENTIFIER sample_id_all=1 ids=1'
	echo 'attr other type=software config=1 sample=IP,TID,TIME,PERIOD,IDENTIFIER sample_id_all=1 ids=2'
	echo 'feature arch=x86_64 hostname=here nrcpus=2'
	echo 'comm 7/7 "demo" id=1 t=1'
	echo 'mmap2 7/7 0x400000+0x1000@0 r-xp "/bin/demo" id=1 t=1'
	for t in $(seq 2 30); do
		echo "sample 7/7 id=1 t=$t ip=0x4001$t mode=user cpu=1 addr=0x1234567 period=$((t * 1000003)) chain=user,0x4001$t,0x400200"
		echo "sample 7/7 id=2 t=$t ip=0x400104 mode=user period=1"
	done
	echo 'lost id=1 n=3 t=31'
	echo round
} >in.txt
"$mkdata" in.txt fine
{ cat in.txt; echo 'byteorder big'; } >big.txt
"$mkdata" big.txt big
cp big pool/big

# ---- each of them ----

samples() { any_status "$PREC" script -i "$1" -F tid,time,event,ip,period 2>/dev/null || true; }
count() { { "$1" script -i "$2" -G -F event 2>/dev/null </dev/null || true; } | wc -l; }
damage=$(sed -nE 's/^\tROW\([A-Z_]+, "([a-z-]+)", DAMAGE,.*/\1/p' "$SRC/core/ui/finding_sentences.h" | paste -sd'|')
[ "$damage" ] || fail "no codes of damage"

# told FILE: the damage that report and script tell of.
told() {
	{ any_status "$PREC" report -i "$1" 2>&1 >/dev/null; any_status "$PREC" script -i "$1" 2>&1 >/dev/null; } |
		grep -oE "\\[($damage)\\]\$" | tr -d '[]' | sort -u || true
}

# look_at FILE NAME: one file, of whose kind nothing is known but what prec says.
look_at() {
	local file=$1 name=$2 code perf
	any_status "$PREC" verify --json "$file" >json 2>err
	for code in $(told "$file"); do
		jq -e --arg code "$code" '.[0].verdict == "unreadable" or ([.[0].findings[].code] | index($code))' json >/dev/null ||
			fail "$name: verify does not tell of $code: $(cat json)"
		jq -e '.[0].verdict == "damaged" or .[0].verdict == "unreadable"' json >/dev/null || fail "$name: $code, and: $(cat json)"
	done
	nr=$((nr + 1))
	! jq -e '.[0].verdict == "damaged"' json >/dev/null || nr_damaged=$((nr_damaged + 1))
	samples "$file" >want
	[ -s want ] || return 0
	rm -f clean
	expect_status 0 "$PREC" verify --repair -o clean "$file" >out 2>err
	samples clean >got
	expect_same "$name: samples after repair" want got
	any_status "$PREC" verify --json clean >json 2>err
	jq -e '.[0].verdict != "damaged" and .[0].verdict != "unreadable"' json >/dev/null || fail "$name: the repaired file: $(cat json)"
	for perf in "${PERFS[@]}"; do
		expect "$name: samples by $perf" "$(count "$PREC" clean)" "$(count "$perf" clean)"
	done
	nr_repaired=$((nr_repaired + 1))
}

nr=0 nr_damaged=0 nr_repaired=0
for file in pool/*; do
	look_at "$file" "$file ($(head -c 8 "$file" | tr -d '\0'), $(stat -c %s "$file") bytes)"
done

# One of which is known what it was: a cut, or another byte, that costs samples is told.
look_at fine "a whole file"
whole=$(samples fine | wc -l)
size=$(stat -c %s fine)
less_is_told() {
	look_at "$1" "$2"
	[ "$(samples "$1" | wc -l)" -lt "$whole" ] || return 0
	any_status "$PREC" verify --json "$1" 2>/dev/null | jq -e '.[0].verdict != "good"' >/dev/null || fail "$2: samples are missing, untold"
}
for ((at = size - 3; at > 0; at -= 211)); do
	head -c "$at" fine >cut.data
	less_is_told cut.data "cut at $at"
done
for ((at = 8; at < size; at += 157)); do
	cp fine turned
	printf '\xff' | dd of=turned bs=1 seek=$at conv=notrunc status=none
	less_is_told turned "byte $at turned"
done

# Byte order: all that script shows of it is the same, by prec and by both perfs.
expect_status 0 "$PREC" verify --repair -o clean big >out 2>err
for reader in "$PREC" "${PERFS[@]}"; do
	"$reader" script -i fine -D </dev/null 2>/dev/null | grep -aE '^[0-9. ]*0x[0-9a-f]+ .*PERF_RECORD_(SAMPLE|MMAP2|COMM|LOST)' |
		sed -E 's/^[^P]* 0x[0-9a-f]+ \[[^]]*\]: //' | sort >want || true
	"$reader" script -i clean -D </dev/null 2>/dev/null | grep -aE '^[0-9. ]*0x[0-9a-f]+ .*PERF_RECORD_(SAMPLE|MMAP2|COMM|LOST)' |
		sed -E 's/^[^P]* 0x[0-9a-f]+ \[[^]]*\]: //' | sort >got || true
	[ -s want ] || fail "$reader script -D: nothing"
	expect_same "of the other byte order, by $reader" want got
done
echo "$nr files, $nr_damaged of them damaged, $nr_repaired repaired"
[ $nr_damaged -ge 60 ] || fail "only $nr_damaged damaged files"
