#!/bin/bash
# With --strict report, script and record end with 1 where warnings concern more than that share of the samples.
. "$(dirname "$0")/lib/prec.sh"
mkdata() { "$(helper mkdata/mkdata)" "$1.txt" "$1"; }
attr='attr ev type=software config=0 ids=1 sample=IDENTIFIER,IP,TID,TIME,PERIOD sample_id_all'
samples() { for i in $(seq "$1"); do echo "sample 7/7 t=$i ip=0x100 mode=user period=1"; done; }
{ echo "$attr"; samples 9; } >whole.txt
{ echo "$attr"; samples 9; echo 'lost_samples lost=1 t=10 id=1'; } >lossy.txt
mkdata whole
mkdata lossy

# status WANT FILE OPTIONS...: of report and of script
status() {
	expect_status "$1" "$PREC" report -i "$2" "${@:3}" >out 2>err
	expect_status "$1" "$PREC" script -i "$2" "${@:3}" >out 2>err
}
status 0 whole --strict
status 0 lossy
status 1 lossy --strict
expect_finding lost-samples err '1 of 10 samples was lost'
status 1 lossy --strict=9.9
status 1 lossy --strict=9%
status 0 lossy --strict=10
status 0 lossy --strict --no-strict
status 129 lossy --strict=101
status 129 lossy --strict=some
# Notes, as that of samples without a symbol, are no warnings; damage keeps its own status, whatever is allowed.
expect_finding no-symbol <("$PREC" report -i whole --strict 2>&1 >/dev/null)
head -c -8 lossy >cut
status 2 cut --strict
status 2 cut --strict=100
# The share of what cannot be counted is not known: that is all.
{ echo "$attr"; samples 9; echo 'throttle t=10 id=1'; } >throttled.txt
mkdata throttled
status 1 throttled --strict=99
status 0 throttled --strict=100

need_events
record() { "$PREC" record --strict"$1" -e page-faults:u -c 1 -o data "${@:2}" >/dev/null 2>err; }
faults=$(workload faults)
record '' -m 16M "$faults" 1000 || { grep -q 'were lost' err || fail "nothing was lost: $(cat err)"; }
for _ in 1 2 3 4 5; do
	status=0
	record '' -m 1 "$faults" 200000 || status=$?
	grep -q 'lost-samples' err && break
done
grep -q 'lost-samples' err || skip 'nothing was lost'
expect 'a small ring' 1 $status
expect_status 0 record =100 -m 1 "$faults" 200000
# A command that fails ends with its own status; and what is no abbreviation is none.
expect_status 7 record '' -m 1 sh -c "'$faults' 200000; exit 7"
expect_status 0 "$PREC" record --strict-f -o data true 2>err
