# shellcheck shell=bash
# Recording on a busy machine, in turns with perf record -g. Rows for tests/bench/run: loads of their own, each alone and with as
# many busy processes beside it that are not recorded. Of each way to record:
#	lost, %		of all samples: the median, and the worst run
#	stackless, %	samples whose copy of the stack was shed or not unwound: the median, and the worst run
#	balance, %	of the CPU time that is in the recording: the median, and the least
#	cpu		s of the recorder with its start and end: the median
#	slower, %	the CPU time of the work beside that of the work without a recorder: of the medians. The shell that starts the
#			work measures it, in ms, so that nothing of the recorder is in it.
# A run takes a quarter of a second to a second of a machine with two CPUs, longer than rings are filled in. What is busy beside it
# stops with the work: how long the recorder then waits for a CPU is not measured, and took most of the time.
# TURNS: how often (10). LOADS, BESIDE (alone, busy), WAYS: words out of the lists below, to choose. BENCH_USER: who records (root,
# or nobody), started as root.
load_lists() {
	local cpus
	cpus=$(nproc)
	every_load=(busy1 busy4 busy16 busy32 go java make forks pingpong)
	every_way=(plain g ag offcpu offcpug dwarf fp)
	LOAD=$BUILD/tests/bench/load
	work_busy1=("$LOAD" busy "$cpus" 8000)
	work_busy4=("$LOAD" busy $((4 * cpus)) 8000)
	work_busy16=("$LOAD" busy $((16 * cpus)) 8000)
	work_busy32=("$LOAD" busy $((32 * cpus)) 8000)
	work_go=(./load-go)
	work_java=(java -XX:TieredStopAtLevel=1 -cp . Load)
	work_make=(make -s -B -j8 -f load.mk)
	work_forks=("$LOAD" forks 100 200)
	work_pingpong=("$WORK/pingpong" 12000 10)
	# As many as it has that are ready to run, at most so many that a run ends.
	beside_busy1=$cpus beside_busy4=$((4 * cpus)) beside_busy16=$((16 * cpus)) beside_busy32=$((32 * cpus))
	beside_go=8 beside_java=4 beside_make=8 beside_forks=$cpus beside_pingpong=$cpus
	way_plain=() way_g=(-g) way_ag=(-a -g) way_offcpu=(--off-cpu) way_offcpug=(--off-cpu -g)
	way_dwarf=(--call-graph dwarf) way_fp=(--call-graph fp)
}

# Leaves out what is not installed.
make_loads() {
	local load kept=()
	for load in ${LOADS:-"${every_load[@]}"}; do
		case $load in
		go)	[ -x load-go ] || go build -o load-go "$SRC/tests/bench/load.go" 2>/dev/null || continue;;
		java)	[ -e Load.class ] || javac -d . "$SRC/tests/bench/Load.java" 2>/dev/null || continue;;
		make)	printf 'all:%s\n%%.load:\n\t@CCACHE_DISABLE=1 cc -std=gnu11 -D_GNU_SOURCE -I%s -O1 -c -o /dev/null %s/$*.c\n' \
				"$(printf ' %s.load' core/base/{wire,log,buf,hash,pool,clock,file,spill})" "$SRC" "$SRC" >load.mk
			make -s -k -B -j8 -f load.mk >/dev/null 2>&1;;
		esac
		kept+=("$load")
	done
	loads=("${kept[@]}")
}

begin_beside() {	# N
	local i
	beside=()
	for ((i = 0; i < $1; i++)); do
		"${as[@]}" "$WORK/spin" -1 0 >/dev/null &
		beside+=($!)
	done
	# shellcheck disable=SC2016
	measured=(bash -c 'TIMEFORMAT="%3U %3S"; { time "$@"; } 2>spent; [ ! "$BUSY_PIDS" ] || kill -STOP $BUSY_PIDS' bash)
	export BUSY_PIDS="${beside[*]}"
}
go_on_beside() { [ ${#beside[@]} = 0 ] || kill -CONT "${beside[@]}"; }
end_beside() {
	[ ${#beside[@]} = 0 ] || kill -KILL "${beside[@]}"
	wait "${beside[@]}" 2>/dev/null
	beside=()
}

# One run: appends "SAMPLES LOST STACKLESS BALANCE OWN WORK" to the file of that way.
load_run() {	# WAY COMMAND...
	local spent all=0 _ samples=0 lost=0 stackless=0 balance=-
	rm -f load.data load.data.old spent
	go_on_beside
	read -r _ all _ < <("${as[@]}" "$BUILD/tests/bench/cost" "${@:2}")
	if [ "$1" != none ] && [ -e load.data ]; then
		eval "$("$BUILD/tests/mkdata/walk" load.data | awk '
			$1 == "type" && $2 == 9 { samples = $3 }
			$1 == "lost" { lost = $2 }
			$1 == "lost_samples" { told = $2 }
			END { printf "samples=%d lost=%d", samples, (told > lost) ? told : lost }')"
		stackless=$(sed -nE 's/.*the call chains of ([0-9]+) of [0-9]+ samples.*/\1/p
			s/.*warning: ([0-9]+) of [0-9]+ call chains (was|were) not unwound.*/\1/p' said | awk '{ s += $1 } END { print s + 0 }')
		balance=$(sed -nE 's/.*: ([0-9.]+) % of [0-9.]+ s CPU is here.*/\1/p' said)
	elif [ "$1" != none ]; then
		return
	fi
	spent=$(tail -n 1 spent | awk '{ print $1 + $2 }')
	echo "$samples $lost $stackless ${balance:--} $(calc "$all - $spent") $spent" >>"runs.$1"
	[ ! "${KEEP_LOST:-}" ] || [ "$lost" = 0 ] || { echo "== $load $side $1: lost $lost of $samples"; cat said; } >>"$KEEP_LOST"
}

median() { sort -g | awk '{ v[NR] = $1 } END { print NR ? v[int((NR + 1) / 2)] : "-" }'; }
worst() { sort -g | tail -1; }
column() { awk -v c="$2" '$c != "-" { print $c }' "runs.$1"; }
shares() { awk -v c="$2" '{ all = c == 2 ? $1 + $2 : $1; printf "%.3f\n", all ? 100 * $c / all : 0 }' "runs.$1"; }

load_row() {	# NAME WAY
	if [ ! -s "runs.$2" ]; then
		printf '%-16s %-8s cannot be recorded: %s\n' "$1" "$2" "$(sed -nE '/error/{p;q}' said)"
		return
	fi
	printf '%-16s %-8s %8s %7.2f %7.2f  %7.2f %7.2f  %6s %6s  %6.2f  %6s\n' "$1" "$2" "$(column "$2" 1 | median)" \
		"$(shares "$2" 2 | median)" "$(shares "$2" 2 | worst)" "$(shares "$2" 3 | median)" "$(shares "$2" 3 | worst)" \
		"$(column "$2" 4 | median)" "$(column "$2" 4 | sort -g | head -1)" \
		"$(calc "$(column "$2" 5 | median) - $(column none 5 | median)")" \
		"$(awk -v a="$(column none 6 | median)" -v b="$(column "$2" 6 | median)" 'BEGIN { printf "%.1f", a ? 100 * (b - a) / a : 0 }')"
}

one_load() {	# LOAD SIDE
	local load=$1 side=$2 way turn
	local -n work="work_$1" nr="beside_$1"
	rm -f runs.*
	for ((turn = 0; turn < ${TURNS:-10}; turn++)); do
		begin_beside "$([ "$side" = alone ] && echo 0 || echo "$nr")"
		load_run none "${measured[@]}" "${work[@]}"
		[ ! "$PERF" ] || load_run perf "$PERF" record -g -o load.data "${measured[@]}" "${work[@]}"
		for way in "${ways[@]}"; do
			local -n options="way_$way"
			load_run "$way" "$PREC" record -o load.data "${options[@]}" "${measured[@]}" "${work[@]}"
		done
		end_beside
	done
	for way in ${PERF:+perf} "${ways[@]}"; do
		load_row "$load, $side" "$way"
	done
}

if [ "${1:-}" = load ] && wanted 'load'; then
	load_lists
	ways=(${WAYS:-"${every_way[@]}"}) as=()
	make_loads
	if [ "${BENCH_USER:-root}" != root ]; then
		as=(setpriv --reuid="$BENCH_USER" --regid="$(id -g "$BENCH_USER")" --clear-groups env HOME=/tmp)
		mkdir -p as && chmod 777 as && cp -f load-go Load.class load.mk as/ 2>/dev/null
		cd as || exit 1
	fi
	printf '%s, %d CPUs, %d turns, as %s: lost (median, worst), stackless, balance (median, least), CPU s, slower\n' \
		"$(date +%F)" "$(nproc)" "${TURNS:-10}" "${BENCH_USER:-$(id -un)}"
	for load in "${loads[@]}"; do
		for side in ${BESIDE:-alone busy}; do
			one_load "$load" "$side"
		done
	done
fi
