#!/bin/bash
# In every mode full trace is in the file, each byte once, with odd and even chunks.
# Runs: vm
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need_vm x86_64

in_vm --pmu name=intel_pt <<'EOS'
program=$BUILD/tests/work/everywhere
pt=(-e intel_pt// -m 64,8)
own() {		# name bytes
	full "$1_all" 2 "$2" -a "${pt[@]}"
	full "$1_cpu" 1 "$2" -C 1 "${pt[@]}"
	full "$1_command" 2 "$2" "${pt[@]}" nice "$program"
	full "$1_perthread" 1 "$2" --per-thread "${pt[@]}" nice "$program"
}
attached() {
	full "$1_process" 2 "$2" -p "$first" "${pt[@]}"
	full "$1_thread" 1 "$2" -t "$second" "${pt[@]}"
}
pmu chunk=4099 paced=1;	own odd 150001
pmu chunk=4096 paced=1;	own even 150000
nice "$program" >threads &
await test -s threads
read -r _ first second <threads
pmu chunk=4099 paced=1;	attached odd 150001
pmu chunk=4096 paced=1;	attached even 150000
kill %1
EOS

for mode in all cpu process thread command perthread; do
	for chunk in odd even; do
		check_trace ${chunk}_$mode
	done
done
grep -q 'cpu -1 .* bytes 150001 ' odd_perthread.trace || fail "not per thread: $(cat odd_perthread.trace)"
expect "of a CPU" "cpu 1" "$(awk '{ print $1, $2 }' odd_cpu.trace)"
expect "of a thread" "bytes 150001" "$(awk '$2 == 1 { print $7, $8 }' odd_thread.trace)"
