#!/bin/bash
# A gigabyte of trace goes through areas of 4 MiB on both CPUs, and not a word is lost.
# Runs: long vm
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need_vm x86_64

in_vm --pmu name=intel_pt <<'EOS'
pmu chunk=262144 paced=1 limit=536870912
begin_stream() {
	"$RECORDER" record -a -e intel_pt// -m 64,4M --control "fifo:$fifos/commands,$fifos/answers" -o - 2>gigabyte.said
}
begin_stream | $BUILD/tests/vm/aux_stream >gigabyte.trace 2>gigabyte.wrong &
await has 2 bytes 536870912
ask stop
wait $!; echo $? >gigabyte.status
keep gigabyte
EOS
expect "gigabyte: status $(cat gigabyte.wrong gigabyte.said)" 0 "$(cat gigabyte.status)"
expect "bytes of each CPU" "536870912 536870912" "$(awk '{ print $4 }' gigabyte.trace | xargs)"
expect "records that were truncated" "0 0" "$(awk '{ print $12 }' gigabyte.counts | xargs)"
cat gigabyte.trace gigabyte.counts
