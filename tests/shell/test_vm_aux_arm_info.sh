#!/bin/bash
# On arm64 trace of CoreSight and SPE is recorded by prec built for it, all of it, and described as by stock perf.
# Runs: long arm64
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
. "$SRC/tests/shell/lib/aux.sh"
need_perf
need_cross
need_vm arm64

in_vm --arch arm64 --pmu name=cs_etm <<'EOS'
all=(-a -e cs_etm/@tmc_etr0/ -m 64,64)
thread=(--per-thread -e cs_etm/@tmc_etr0,cycacc=1/u -m 64,16 bash -c 'while :; do :; done')
snap=(-Se -a -e cs_etm/@tmc_etr0,retstack=1/k -m 64,16 sleep 0.1)
pmu chunk=3001 paced=1;	full cs_all 2 20001 "${all[@]}"
pmu chunk=999 paced=1;	full cs_thread 1 20001 "${thread[@]}"
pmu chunk=3001;		rec cs_snap "${snap[@]}"
RECORDER=perf RECORDER_OPTIONS=(-B -N -q)
pmu paced=1;		full cs_all_perf 2 20001 "${all[@]}"
pmu paced=1;		full cs_thread_perf 1 20001 "${thread[@]}"
pmu paced=1;		rec cs_snap_perf "${snap[@]}"
EOS
in_vm --arch arm64 --pmu name=arm_spe_0 <<'EOS'
all=(-a -c 4096 -e arm_spe_0/load_filter=1/ -m 64,64)
pmu chunk=3001 paced=1 skip=31;	full spe_all 2 20001 "${all[@]}"
cat /sys/devices/system/cpu/cpu*/regs/identification/midr_el1 >midr
cat /sys/bus/event_source/devices/arm_spe_0/type >type
RECORDER=perf RECORDER_OPTIONS=(-B -N -q)
pmu paced=1;		full spe_all_perf 2 20001 "${all[@]}"
EOS

for name in cs_all cs_thread spe_all; do
	check_trace $name
done
# The command is ended with the recording.
expect "statuses" "0 143 0" "$(cat cs_all.status cs_thread.status spe_all.status | xargs)"
check_trace cs_snap --area 65536
expect "cs_snap: snapshots of both CPUs" "0 1" "$(awk '/snapshot/ { print $2 }' cs_snap.trace | sort -u | xargs)"

for name in cs_all cs_thread cs_snap; do
	info_words ${name}_perf >want
	info_words $name >got
	[ "$(wc -l <want)" -gt 8 ] || fail "$name: perf's description is short: $(cat want)"
	expect_same "$name: AUXTRACE_INFO" want got
done

# The attr of what traces is perf's.
attr() {
	"$PERF" evlist -v -i "$1.data" | grep -v '^dummy\|^#' | grep -o 'type: [0-9]*\|config[12]*: [^,]*\|sample_freq }: [0-9]*\|exclude_user: 1\|exclude_kernel: 1'
}
for name in cs_all cs_thread cs_snap spe_all; do
	expect_same "$name: attr" <(attr ${name}_perf) <(attr $name)
done

# perf 6.1 describes SPE by the PMU's type (and a word that it leaves 0). Newer ones tell of each CPU (version 2), as prec
# does: what a data source means depends on the processor.
expect "spe_all: perf's words" "$(cat type) 0" "$(info_words spe_all_perf | awk 'NR == 1 { print $1 + 0, $9 + 0 }')"
{
	le 16 2; le 16 4; le 16 "$(cat type)"; le 16 2
	for cpu in 0 1; do
		le 16 0x1010101010101010; le 16 $cpu; le 16 4; le 16 "$(sed -n $((cpu + 1))p midr)"; le 16 "$(cat type)"; le 16 1024; le 16 0
	done
} >want
info_words spe_all | tr -d ' \n' >got
expect_same "spe_all: AUXTRACE_INFO" want got
