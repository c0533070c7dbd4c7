#!/bin/bash
# Events flood all CPUs: whoever empties the rings at a real-time priority leaves at least a fifth of each CPU to others.
# Runs: alone
. "$(dirname "$0")/lib/prec.sh"
[ "$(id -u)" = 0 ] || skip 'root, who gets a real-time priority'
need_tracepoints

# What else runs here gets little beside it, so that only the recorder can take the CPUs: another session, and nice values.
flood() {	# OPTION...: sets SHARE, the least that a process had of a CPU
	SHARE=$(setsid -w bash -s "$PREC" "$(workload syscalls)" "$(workload spin)" "$@" <<-'EOF'
	{ echo -20 >/proc/self/autogroup; } 2>/dev/null
	cpus=$(nproc) spins=() ran=()
	"$1" record -v -o data -e raw_syscalls:sys_enter "${@:4}" nice -n -18 "$2" 1000000000 "$cpus" >/dev/null 2>err &
	recorder=$!
	until grep -qs 'rings are emptied at real-time' err; do sleep 0.1; done
	for ((i = 0; i < cpus; i++)); do
		nice -n -20 "$3" $i 0 >/dev/null &
		spins+=($!)
	done
	ns() { read -r ns _ <"/proc/${spins[$1]}/schedstat"; echo "$ns"; }
	sleep 0.3
	from=${EPOCHREALTIME/./}
	for i in "${!spins[@]}"; do ran[i]=$(ns "$i"); done
	sleep 1
	for i in "${!spins[@]}"; do ran[i]=$(($(ns "$i") - ran[i])); done
	to=${EPOCHREALTIME/./}
	# The recorder itself ends late beside them.
	kill "${spins[@]}" $(pgrep -P $recorder)
	wait
	printf '%s\n' "${ran[@]}" | sort -n | awk -v us=$((to - from)) 'NR == 1 { printf "%d\n", $1 / us / 10 }'
EOF
	)
	echo "$*: the least that a process had of a CPU: $SHARE %"
	[ "${SHARE:-0}" -ge 20 ] || fail "a process had $SHARE % of a CPU: $(cat err)"
	[ "$(sed -nE 's/.*counted ([0-9]+),.*/\1/p' err)" -gt 100000 ] || fail "no flood: $(cat err)"
}
flood -c 1 --call-graph auto	# emptied by a thread of its own
flood -c 1

# The thread that reads has a better nice value, and the program that is recorded has none of it.
"$PREC" record -v -g -o data sh -c nice >nice 2>err
grep -q 'rings are read at nice value -5' err || fail "the reader's nice value: $(<err)"
expect "the program's nice value" "$(nice)" "$(<nice)"
"$PREC" record -v -g --realtime=0 -o data true 2>err
! grep 'nice value' err || fail '--realtime=0'
