#!/bin/bash
# The recorder is woken at each quarter of an area and takes what is there; megabytes go through; perf reads what it writes itself.
# Runs: long vm
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need_perf
need_vm x86_64

# Nothing is written before the last quarter was taken (paced=2): without a wake-up at each of them the end is not reached.
in_vm --pmu name=intel_pt <<'EOS'
pmu chunk=1000 paced=2
full ours 1 400000 -C 0 -e intel_pt// -m 64,64
RECORDER=perf RECORDER_OPTIONS=(-B -N -q)
full theirs 1 400000 -C 0 -e intel_pt// -m 64,64
RECORDER=$PREC RECORDER_OPTIONS=()
for f in ours theirs; do
	perf script -D -i $f.data 2>/dev/null >dump
	grep -a -o 'PERF_RECORD_AUX offset.*' dump | uniq >$f.aux
	grep -a -o 'PERF_RECORD_AUXTRACE size.*' dump | sed 's/ref: [^ ]* //' >$f.pieces
done
perf report --header-only -i ours.data >header 2>/dev/null
rm dump
pmu chunk=65536 paced=1 limit=8388608
"$RECORDER" record -a -e intel_pt// -m 64,4M --control "fifo:$fifos/commands,$fifos/answers" -o - 2>stream.said |
	$BUILD/tests/vm/aux_stream >stream.trace 2>stream.wrong &
await has 2 bytes 8388608
ask stop
wait $!; echo $? >stream.status
keep stream
EOS

check_trace ours
# Records end with the first chunk that reaches a multiple of 64 KiB; the last one when recording ends.
awk 'BEGIN { for (q = 65536; q < 400000; q += 65536) { end = int((q + 999) / 1000) * 1000
	printf "PERF_RECORD_AUX offset: %s size: 0x%x flags: 0 []\n", from ? sprintf("0x%x", from) : "0", end - from
	from = end }
	printf "PERF_RECORD_AUX offset: 0x%x size: 0x%x flags: 0 []\n", from, 400000 - from }' >want
sed 's/offset: 0x0 /offset: 0 /; s/flags: 0x0 /flags: 0 /' ours.aux >got
expect_same "AUX records" want got
expect "room was made at each" 6 "$(awk '{ print $18 }' ours.counts)"
expect_same "AUX records as perf's" theirs.aux ours.aux
expect_same "AUXTRACE records as perf's" theirs.pieces ours.pieces
grep -q 'contains AUX area data' header || fail "no AUXTRACE feature: $(cat header)"
expect "stream: status $(cat stream.wrong stream.said)" 0 "$(cat stream.status)"
expect "bytes of each CPU" "8388608 8388608" "$(awk '{ print $4 }' stream.trace | xargs)"
expect "records that were truncated" "0 0" "$(awk '{ print $12 }' stream.counts | xargs)"
