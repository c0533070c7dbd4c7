# What a test's script has in the virtual machine: the test PMU, and recorders. RECORDER is the program under test.
# shellcheck shell=bash
set -u
RECORDER=${RECORDER:-$PREC}
RECORDER_OPTIONS=()
debug=/sys/kernel/debug/prec_pmu
parameters=/sys/module/prec_pmu/parameters

# pmu [NAME=VALUE]...: the test PMU's parameters; those not named have their defaults.
pmu() {
	local p
	for p in chunk=4096 tick_us=1000 limit=0 paced=0 skip=0 flags=0 flag_every=1 head=-1 "$@"; do
		echo "${p#*=}" >"$parameters/${p%%=*}"
	done
	told=$(wc -l <$debug/streams)
}

# keep NAME: what the PMU wrote since `pmu`.
keep() {
	tail -n +$((told + 1)) $debug/streams >"$1.counts"
}

# rec NAME OPTIONS...: record into NAME.data; what the recorder says is in NAME.said, its exit status in NAME.status.
rec() {
	local name=$1 status=0
	shift
	"$RECORDER" record "${RECORDER_OPTIONS[@]}" -o "$name.data" "$@" >"$name.said" 2>&1 || status=$?
	echo $status >"$name.status"
	keep "$name"
}

# snap NAME N SECONDS OPTIONS...: record, and take N snapshots, one every so many seconds.
snap() {
	local name=$1 n=$2 pause=$3 pid status=0
	shift 3
	"$RECORDER" record "${RECORDER_OPTIONS[@]}" -o "$name.data" "$@" >"$name.said" 2>&1 &
	pid=$!
	# Before there is trace there is nothing that a signal could be for.
	until [ "$(tail -n +$((told + 1)) $debug/streams | awk '{ n += $6 } END { print n + 0 }')" -gt 0 ]; do
		sleep 0.05
	done
	for ((; n > 0; n--)); do
		sleep "$pause"
		kill -USR2 $pid
	done
	sleep "$pause"
	kill -INT $pid
	wait $pid || status=$?
	echo $status >"$name.status"
	keep "$name"
}

# wander N: move to another CPU N times.
wander() {
	local moves=$1 nr cpu
	nr=$(nproc)
	for ((cpu = 0; cpu < moves; cpu++)); do
		taskset -cp $((cpu % nr)) $BASHPID >/dev/null
	done
}
