# shellcheck shell=bash
# The cost of a recorder. Rows for tests/bench/run.
row 'record true' wall=20,cpu=3 record -o out.data true
row 'record 4 threads' cpu=0.98 record -o out.data "$WORK/shares" 4 250
row 'record 4 threads, call chains' cpu=0.98 record -g -o out.data "$WORK/shares" 4 250
if has_tracepoints; then
	row 'record 200 k system calls' cpu=1 record -e raw_syscalls:sys_enter -c 1 -m 4M -o out.data "$WORK/syscalls" 200000
fi

# The rest is about the recorder alone, whatever its command costs: see cost.c. What a recording was is in shell variables:
# own, all (s), end (ms), mib, writes, written, samples, lost, bytes.
record_cost() {	# RECORDER OPTIONS...
	rm -f out.data
	read -r own all end mib writes written < <("$BUILD/tests/bench/cost" "$1" record -o out.data "${@:2}")
	bytes=$(stat -c %s out.data)
	eval "$("$BUILD/tests/mkdata/walk" out.data | awk '
		$1 == "type" && $2 == 9 { samples = $3 }
		$1 == "lost" { lost = $2 }
		$1 == "lost_samples" && $2 { lost = $2 }
		END { printf "samples=%d lost=%d", samples, lost }')"
}

# Two thousand processes that sleep, and how much more it costs to record `true` with them.
idle_cost() {
	local best=
	for _ in 1 2 3 4 5; do
		record_cost "$1" -a -e cpu-clock true
		best=$(printf '%s\n' $best "$all" | sort -g | head -1)
	done
	echo "$best"
}
if wanted 'record -a, 2000 idle processes'; then
	each idle_cost
	without=("$ours" "$theirs")
	sleepers=()
	for _ in $(seq 2000); do
		"$WORK/sleeper" 1 10000000 >/dev/null &
		sleepers+=($!)
	done
	each idle_cost
	kill "${sleepers[@]}"
	wait "${sleepers[@]}" 2>/dev/null
	figure 'record -a, 2000 idle processes' cpu s "$(calc "$ours - ${without[0]}")" "$(calc "${theirs:-0} - ${without[1]:-0}")" 2
fi

# A flood: system calls on all CPUs, as many as they can.
flood() {
	record_cost "${@: -1}" "${@:1:$#-1}" sh -c '"$@"; : >ended' - "$WORK/syscalls" "${CALLS:-1500000}" "$(nproc)"
}
flood_figures() {
	local recorder
	flood -a -e raw_syscalls:sys_enter -c 1 "$1"
	recorder=$(basename "$1")
	calc "100 * $lost / ($lost + $samples)"
	echo " $(calc "$own / $bytes * 1048576 * 1000") $(calc "$written / $writes / 1024") $(calc "100 * $("$PREC" script -i out.data \
		-F comm 2>/dev/null | awk -v c="$recorder" '$1 == c { n++ } END { print n + 0 }') / $samples") $end $mib"
}
packed_figures() {
	flood -z -a -e raw_syscalls:sys_enter -c 1 "$1"
	# The size of an uncompressed sample, here: a header of 8 bytes, and what -P, raw data and the rest make of it.
	echo "$(calc "$own / $samples * 1000000") $(calc "$bytes / $samples")"
}
# The inevitable part: the bytes have to get from memory into files. In the recorder's pieces, as CPU time a MiB.
floor_of_writing() {
	local TIMEFORMAT='%U %S'
	{ time dd if=/dev/zero of=out.data bs=256K count=2048 conv=notrunc 2>/dev/null; } 2>&1 |
		awk '{ printf "%-34s cpu  ms   %10.3f  dd writes 512 MiB in pieces of 256 KiB\n", "  floor, a MiB", ($1 + $2) / 512 * 1000 }'
}
if has_tracepoints && wanted 'flood'; then
	each flood_figures
	read -r -a o <<<"$ours"
	read -r -a t <<<"${theirs:-- - - - - -}"
	figure 'flood, samples lost' lost % "${o[0]}" "${t[0]}" "<1"
	figure 'flood, a MiB written' cpu ms "${o[1]}" "${t[1]}" 4
	floor_of_writing
	figure 'flood, average write' size KiB "${o[2]}" "${t[2]}" ">256"
	figure 'flood, the recorder in it' part % "${o[3]}" "${t[3]}" "<1"
	figure 'flood, from its end to ours' wall ms "${o[4]}" "${t[4]}" "<50"
	figure 'flood, memory besides the rings' rss MiB "${o[5]}" "${t[5]}" "<32"
	each packed_figures
	read -r -a o <<<"$ours"
	read -r -a t <<<"${theirs:-- -}"
	figure 'flood -z, a million samples' cpu s "${o[0]}" "${t[0]}" 1
	figure 'flood -z, a sample' size B "${o[1]}" "${t[1]}" 1
fi

# As often as the kernel lets us, on CPUs that have other things to do.
busy_figures() {
	record_cost "$1" -F max -a -e cpu-clock sh -c 'for cpu; do "$0" $cpu 1500 & done; wait' "$WORK/spin" $(seq 0 $(($(nproc) - 1)))
	echo "$lost $own $((bytes >> 20)) $(sed -nE 's/.*the longest ([0-9.]+) ms.*/\1/p' said)"
}
# The sampling takes most of the CPUs' time, the recorder's too: what writing as much then costs who does nothing else.
floor_of_busy() {	# MIB
	local mib=$1 cpu
	"$PREC" record -q -F max -a -e cpu-clock -o floor.data sh -c '
		cost=$1 mib=$2 spin=$3
		shift 3
		for cpu; do "$spin" $cpu 0 >/dev/null & spins="$spins $!"; done
		"$cost" dd if=/dev/zero of=floor.out bs=256K count=$((mib * 4)) conv=notrunc >floor
		kill $spins' - "$BUILD/tests/bench/cost" "$mib" "$WORK/spin" $(seq 0 $(($(nproc) - 1))) 2>/dev/null
	read -r cpu _ <floor
	printf '%-34s cpu  s    %10.3f  dd writes %d MiB in pieces of 256 KiB, sampled as often\n' '  floor' "$cpu" "$mib"
	rm -f floor floor.out floor.data
}
if wanted 'record -F max -a, busy'; then
	each busy_figures
	read -r -a o <<<"$ours"
	read -r -a t <<<"${theirs:-- -}"
	figure 'record -F max -a, busy: lost' lost n "${o[0]}" "${t[0]}" "<1"
	[ -z "${o[3]:-}" ] || printf '%-34s wall ms   %10.3f  the longest time without a CPU for the recorder\n' '  gap' "${o[3]}"
	figure 'record -F max -a, busy' cpu s "${o[1]}" "${t[1]}" 2
	floor_of_busy "${o[2]}"
fi

# Stacks unwound while recording two busy CPUs; perf's column is what it costs perf to write them down.
live_cost() {	# RECORDER RATE OPTIONS...
	record_cost "$1" -F "$2" -e cpu-clock "${@:3}" sh -c 'for i in 1 2; do "$0" 20 4000 & done; wait' "$WORK/nest"
}
# Reading as many copies out of the rings, and writing the samples, without unwinding: no copy finds room in the queue.
floor_of_live() {	# RATE
	local samples lost bytes own
	live_cost "$PREC" "$1" --call-graph dwarf --unwind=live,0
	printf '%-34s cpu  %%    %10.3f  %d samples, none of which is unwound\n' '  floor' "$(calc "100 * $own / 4")" "$samples"
}
live_figures() {	# RATE GOAL
	local theirs=- dumped=- live
	if [ "$PERF" ]; then
		live_cost "$PERF" "$1" --call-graph dwarf
		theirs=$(calc "100 * $own / 4")
		dumped=$(calc "$bytes / 1048576")
	fi
	live_cost "$PREC" "$1" --call-graph auto
	live=$bytes
	figure "live at $1 Hz, of one CPU" cpu % "$(calc "100 * $own / 4")" "$theirs" "$2"
	floor_of_live "$1"
	figure "live at $1 Hz, samples lost" lost % "$(calc "100 * $lost / ($lost + $samples)")" - "<0.001"
	figure "live at $1 Hz, file" size MiB "$(calc "$live / 1048576")" "$dumped" 50
	awk -v n="$samples" -v b="$live" 'BEGIN {
		printf "%-34s size MiB  %10.3f  %d samples of 56 bytes and 27 addresses, as that program is deep\n", "  floor", n * (56 + 27 * 8) / 1048576, n }'
}
if wanted live; then
	live_figures 999 '<2'
	live_figures 4000 '<8'
fi

# CPU time of programs and recorder together, over that with frame pointers: pairs, one after the other, and the 95 % interval.
live_pairs() {	# RATE OPTIONS...
	local pointers
	for _ in $(seq "${PAIRS:-30}"); do
		work=(sh -c 'for i in 1 2; do awk "BEGIN { for (i = 0; i < 2e7; i++) s += i }" & done; wait')
		record_cost "$PREC" -F "$1" -e cpu-clock -g "${work[@]}"
		pointers=$all
		record_cost "$PREC" -F "$1" -e cpu-clock "${@:2}" "${work[@]}"
		calc "100 * ($all - $pointers) / $pointers"
		echo
	done | awk '{ n++; s += $1; q += $1 * $1 } END { m = s / n; printf "%.2f %.2f", m, 1.96 * sqrt((q / n - m * m) / (n > 1 ? n - 1 : 1)) }'
}
live_slowdown() {	# RATE GOAL
	local mean interval
	read -r mean interval < <(live_pairs "$1" --call-graph auto)
	figure "live at $1 Hz, slower than -g" cpu % "$mean" - "$2"
	printf '%-34s      +- %8s  the floor is the copy itself, --call-graph dwarf: %s\n' '  of pairs' "$interval" \
		"$(live_pairs "$1" --call-graph dwarf | sed 's/ / +- /')"
}
if wanted live; then
	live_slowdown 999 '<2'
	live_slowdown 4000 '>-100'	# has no goal
fi
rm -f out.data out.data.old said ended
