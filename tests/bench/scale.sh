# shellcheck shell=bash
# How report and script grow with CPUs, threads, maps, processes, files and samples. Rows for tests/bench/run: made by mkdata at
# 1x, 4x and 16x, with the exponent of the growth between the last two. No more than 1.1 is wanted.

MKDATA=$BUILD/tests/mkdata/mkdata
EVENT='attr cpu-clock type=software sample=IP,TID,TIME,CPU,PERIOD period=250000 sample_id_all comm task mmap'

# What is made of N of a kind.
scale_text() {	# KIND N
	echo "$EVENT"
	echo 'comm 100/100 "demo" exec t=1 cpu=0'
	echo 'mmap 100/100 0x400000+0x1000000@0 "/bin/demo" t=2 cpu=0'
	case $1 in
	samples) cat <<-END
		repeat $2
		sample 100/100 t={i*100+1000} cpu={i%4} ip={i*7919%20000+4194304} mode=user
		end
		END
		;;
	cpus) cat <<-END
		repeat 200
		repeat $2
		sample 100/{j%64+100} t={i*100000+10000+j} cpu={j} ip={i*7919+j%20000+4194304} mode=user
		end
		round
		end
		END
		;;
	threads) cat <<-END
		repeat $2
		fork 100/{i+101} parent=100/100 t={i*10+10} cpu=0
		comm 100/{i+101} "worker-{i}" t={i*10+11} cpu=0
		sample 100/{i+101} t={i*10+13} cpu=0 ip={i*7919%20000+4194304} mode=user
		end
		repeat $2
		sample 100/{i+101} t={$2*10+100+i} cpu=0 ip={i*7907%20000+4194304} mode=user
		end
		END
		;;
	maps) cat <<-END
		repeat $2
		mmap2 100/100 {i*8192+1073741824}+0x1000@0 r-xp "/lib/lib{i%500}.so" dev=8:1 ino={i%500+1} t={i*10+10} cpu=0
		sample 100/100 t={i*10+15} cpu=0 ip={i*8192+1073741860} mode=user
		end
		END
		;;
	processes) cat <<-END
		repeat $2
		fork {i+200}/{i+200} parent=100/100 t={i*100+10} cpu=0
		comm {i+200}/{i+200} "child" exec t={i*100+11} cpu=0
		mmap2 {i+200}/{i+200} 0x400000+0x100000@0 r-xp "/bin/child" dev=8:1 ino=7 t={i*100+12} cpu=0
		mmap2 {i+200}/{i+200} 0x7f0000000000+0x200000@0 r-xp "/lib/libc.so" dev=8:1 ino=8 t={i*100+13} cpu=0
		repeat 10
		sample {i+200}/{i+200} t={i*100+20+j} cpu=0 ip={i+j*7919%20000+4194304} mode=user
		end
		exit {i+200}/{i+200} t={i*100+90} cpu=0
		end
		END
		;;
	dsos) cat <<-END
		repeat $2
		mmap2 100/100 {i*65536+1073741824}+0x10000@0 r-xp "/lib/lib{i}.so" dev=8:1 ino={i+1} t={i*10+10} cpu=0
		end
		repeat $2
		repeat 10
		sample 100/100 t={i*10+$2*10+100+j} cpu=0 ip={i*65536+1073741824+j} mode=user
		end
		end
		END
		;;
	esac
}

cpu_ms() {	# COMMAND...: ms of CPU, the least of three
	local TIMEFORMAT='%U %S'
	for _ in 1 2 3; do
		{ time "$@" >/dev/null 2>&1; } 2>&1
	done | awk '{ t = ($1 + $2) * 1000; if (NR == 1 || t < best) best = t } END { printf "%d", best }'
}

million_instructions() {	# COMMAND...
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" -j1 2>&1 >/dev/null | awk '/Collected/ { printf "%d", $4 / 1e6 }'
}

exponent() {	# EMPTY A B C: of the growth from B to C, which is fourfold, without what an empty recording takes
	awk -v e="$1" -v b="$3" -v c="$4" 'BEGIN { printf("%.2f", b > e && c > e ? log((c - e) / (b - e)) / log(4) : 0) }'
}

# COST: of the recordings of this kind. Prints the costs at 1x, 4x and 16x, and the exponent.
growth() {	# COST KIND ARGUMENTS...
	local cost=$1 kind=$2 x costs=()
	shift 2
	for x in 0 1 4 16; do
		costs+=("$($cost "$PREC" "$@" -i "scale-$kind-$x.data")")
	done
	echo "${costs[*]:1} $(exponent "${costs[@]}")"
}

growth_row() {	# NAME N WHAT UNIT COST1 COST4 COST16 EXPONENT REMARK
	printf '%-34s %-4s %-4s %8d x1 %6d x4 %6d x16 %6d  exponent %5.2f%s\n' "$@"
}

too_steep() {	# EXPONENT
	[ "$(calc "$1 > 1.1")" = 1.000 ]
}

# KIND N WHAT ARGUMENTS...: N is what is there at 1x. A time that grows faster may do so because tables outgrow the caches: then the
# instructions tell (by callgrind, which takes long), and so they do with SCALE_BY=instructions.
scale() {
	local kind=$1 n=$2 label="scale: $1, $3" file x costs remark=
	shift 3
	wanted "$label" || return 0
	for x in 0 1 4 16; do
		file=scale-$kind-$x.data
		[ -s "$file" ] || { scale_text "$kind" $((n * x)) >scale.txt && "$MKDATA" scale.txt "$file"; } || return 1
	done
	if [ "${SCALE_BY:-}" != instructions ]; then
		read -ra costs < <(growth cpu_ms "$kind" "$@")
		too_steep "${costs[3]}" && remark='  of the time'
		growth_row "$label" cpu ms "$n" "${costs[@]}" "$remark"
		[ "$remark" ] || return 0
		command -v valgrind >/dev/null || return 0
		label='  instructions'
	fi
	read -ra costs < <(growth million_instructions "$kind" "$@")
	too_steep "${costs[3]}" && remark='  missed' || remark=
	growth_row "$label" ins M "$n" "${costs[@]}" "$remark"
}

for kind in 'samples 100000' 'cpus 64' 'threads 6250' 'maps 62500' 'processes 625' 'dsos 188'; do
	read -r kind n <<<"$kind"
	scale "$kind" "$n" report report --stdio
	scale "$kind" "$n" 'by thread' report --stdio -s pid,tid,comm
	scale "$kind" "$n" script script
	scale "$kind" "$n" summary summary
done
rm -f scale.txt

# A file of ten gigabytes, a quarter of it for comparison, removed afterwards: LARGE=SAMPLES of 40 bytes. Only where these rows
# are asked for by name.
LARGE=${LARGE:-250000000}

large_file() {	# SAMPLES
	"$BUILD/tests/bench/large" large.data "$1"
}

# Tells time, CPU and memory of a report of it; and apart from the rest of the CPU what is spent in the program, as who shares a disk
# and the page cache with others pays for that in the kernel.
large_row() {	# SAMPLES
	local TIMEFORMAT='%U' user
	user=$({ time "$PREC" report --stdio -i large.data >/dev/null 2>&1; } 2>&1)
	"$BUILD/tests/bench/ratio" -n 1 large wall=0,cpu=0,rss=0 "$PREC report --stdio -i large.data" - |
		awk -v user="$user" '{ v[$2] = $4 } END { print v["wall"], v["cpu"], v["rss"], user }'
}

# How long after SIGINT, a second into the work, it is gone: ms.
interrupt_large() {
	local from pid
	env --default-signal=INT "$PREC" report --stdio -i large.data >/dev/null 2>&1 &
	pid=$!
	sleep 1
	from=$(date +%s%N)
	kill -INT $pid
	wait $pid
	echo $((($(date +%s%N) - from) / 1000000))
}

# How often it tells a terminal how far it is.
progress_of_large() {
	TERM=xterm script -qec "$PREC report --stdio --no-pager -i large.data" /dev/null | tr '\r' '\n' | grep -c '[0-9] *%'
}

large_rows() {
	local wall cpu rss user quarter quarter_user
	large_file $((LARGE / 4)) || return
	read -r wall quarter rss quarter_user < <(large_row)
	figure 'scale: large, a quarter' cpu s "$quarter" - '>0'
	figure 'scale: large, a quarter' rss MiB "$rss" - '<1024'
	large_file "$LARGE" || return
	read -r wall cpu rss user < <(large_row)
	figure 'scale: large' cpu s "$cpu" - '>0'
	figure 'scale: large' wall s "$wall" - '>0'
	figure 'scale: large' rss MiB "$rss" - '<1024'
	figure 'scale: large, rate / quarter rate' cpu x "$(calc "4 * $quarter / $cpu")" - '>0.9'
	figure '  without the kernel' cpu x "$(calc "4 * $quarter_user / $user")" - '>0.9'
	figure 'scale: large, progress told' nr - "$(progress_of_large)" - '>2'
	figure 'scale: large, SIGINT to the end' wall ms "$(interrupt_large)" - '<200'
}
if [ "${1:-}" = scale ] && wanted 'scale: large'; then
	large_rows
	rm -f large.data
fi
