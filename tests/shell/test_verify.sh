#!/bin/bash
# Verify reads all of recordings and says by text, JSON and exit status what is wrong with each.
. "$(dirname "$0")/lib/prec.sh"
MKDATA=$(helper mkdata/mkdata)
attr='attr ev type=software config=0 sample=IP,TID,TIME,IDENTIFIER sample_id_all ids=1'
made() { printf '%s\n' "$attr" "$@"; for t in $(seq 10 19); do echo "sample 7/7 t=$t ip=0x100 mode=user"; done; }
made >good.txt
made 'lost_samples id=1 n=3 t=5' >lossy.txt
{ made; echo unfinished; } >killed.txt
made 'raw type=3 misc=0 0700000007000000' >damaged.txt
for f in good lossy killed damaged; do
	"$MKDATA" $f.txt $f
done
expect_status 0 "$PREC" verify good >out 2>err
expect 'a good file' 'good: good, 10 samples' "$(cat out err)"
expect_status 3 "$PREC" verify lossy >out 2>err
expect 'a file that lacks samples' 'lossy: incomplete, 10 samples
  warning  lost-samples: 3 of 13 samples were lost while recording' "$(head -2 out)"
expect_status 2 "$PREC" verify good damaged lossy >out 2>err
expect 'verdicts' 'good: good, 10 samples
damaged: damaged, 10 samples
lossy: incomplete, 10 samples' "$(grep -v '^ ' out)"
expect_status 1 "$PREC" verify good killed nothing >out 2>err
expect 'one that is not there' 'nothing: unreadable' "$(tail -1 out)"
grep -q "cannot open 'nothing'" err || fail "not said why: $(cat err)"
expect_status 129 "$PREC" verify 2>err
expect_status 129 "$PREC" verify -j 70000 good 2>err
expect_status 1 "$PREC" verify good 2>err >/dev/full
grep -q "cannot write 'standard output': No space left" err || fail "a full disk is not told: $(<err)"


# One warning of less than a sample in a hundred is said, and the file is good all the same.
{ made 'lost_samples id=1 n=1 t=5'; for t in $(seq 100 289); do echo "sample 7/7 t=$t ip=0x100 mode=user"; done; } >hardly.txt
"$MKDATA" hardly.txt hardly
expect_status 0 "$PREC" verify hardly >out 2>err
expect 'a file that lacks a sample of 201' 'hardly: good, 200 samples
  note     lost-samples: 1 of 201 samples was lost while recording' "$(head -2 out)"

# A thread reads the kernel's symbols beside the pass, for other commands. Whether it was early, late or not there changes nothing:
# of kallsyms that hides all addresses it has a complaint, at which the verdict would be another.
id=$(printf '01%.0s' {1..20})
kept="$HOME/.debug/[kernel.kallsyms]/$id"
mkdir -p "$kept"
{
	echo 'attr ev type=software config=0 sample=IP,TID,TIME sample_id_all'
	echo "mmap2 -1/0 0xffffffff81000000+0x2000@0 r-xp \"[kernel.kallsyms]_text\" mode=kernel buildid=$id"
	for t in $(seq 10 19); do echo "sample 7/7 t=$t ip=0xffffffff81000100 mode=kernel"; done
} >kernel.txt
"$MKDATA" kernel.txt kernel
for lines in 1 3000 50000; do
	printf '%016d T f%d\n' $(printf '0 %s ' $(seq $lines)) >"$kept/kallsyms"
	for j in 1 8 8 8; do
		expect_status 0 "$PREC" verify -j$j kernel >out 2>&1
		expect "-j$j, kallsyms of $lines lines" 'kernel: good, 10 samples' "$(<out)"
	done
done
expect_status 0 "$PREC" report --stdio -i kernel >out 2>&1
grep -q "kernel-hidden" out || fail "the early thread finds no kallsyms: $(<out)"
rm -r "$kept"

# What is said as JSON is what is said as text; and what another program reads.
expect_status 1 "$PREC" verify --json good lossy killed damaged nothing >json 2>err
expect_status 1 "$PREC" verify good lossy killed damaged nothing >out 2>err
need python3
python3 - >got <<'END'
import json
for f in json.load(open("json")):
    print("%s: %s" % (f["file"], f["verdict"]) + (", %d samples" % f["samples"] if f["verdict"] != "unreadable" else ""))
    for x in f["findings"]:
        print("  %-7s  %s: %s\n           %s" % (x["severity"], x["code"], x["sentence"], x["remedy"]))
        assert x["count"] > 0 and (x["share"] is None or 0 <= x["share"] <= 1)
END
expect_same 'JSON and text' out got

# Wake-ups and switches of other programs are a source of waits, and no view shows their chains.
if "$PREC" record -q --off-cpu -e cpu-clock:u -o waits true 2>err; then
	while :; do /bin/true; done & busy=$!
	at_end 'kill $busy'
	"$PREC" record -q --off-cpu -g -e cpu-clock -o waits "$(workload pingpong)" 2000 10 >/dev/null 2>err || fail "record: $(<err)"
	others=$("$PREC" script -i waits -F comm,event 2>err | grep -cvE '^ *pingpong|^$')
	[ "$others" -gt 100 ] || fail "of other programs only $others samples are recorded"
	any_status "$PREC" verify waits >out 2>err
	all=$(sed -nE '1s/.*, ([0-9]+) samples.*/\1/p' out)
	sed -nE 's/.* of ([0-9]+) call chains? .*/\1/p' out | while read -r checked; do
		[ "$checked" -le $((all - others)) ] || fail "of $all samples $others are of other programs, and $checked chains count"
	done
	expect 'samples of the file' "$("$PREC" report --stats -i waits 2>err | awk '$1 == "SAMPLE" && !n { n = $3 } END { print n }')" \
		"$all"
fi
