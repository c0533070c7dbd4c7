#!/bin/bash
# ThreadSanitizer sees no race in any pass over any kind of recording, nor in the recorder; the output is that of one thread.
# Every command is looked at, over recordings of each kind. With --long (tests/run) many options of each, too.
# Runs: long slow alone
. "$(dirname "$0")/lib/prec.sh"
TSAN=$SRC/build-tsan/prec
# As itself: what the build around asks for (SAN=1, a cross compiler) is not for this one.
env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u MAKEOVERRIDES make -C "$SRC" -j"$(nproc)" TSAN=1 build-tsan/prec >made 2>&1 ||
	fail "cannot build with ThreadSanitizer: $(tail -20 made)"
MKDATA=$(helper mkdata/mkdata)
export TSAN_OPTIONS="exitcode=0 report_signal_unsafe=1 log_path=$WORK/race"
"$TSAN" --version >/dev/null 2>said || skip "ThreadSanitizer does not run here: $(tail -1 said)"
races=() runs=0

# looked WHAT: takes what the sanitizer has said meanwhile.
looked() {
	local file
	runs=$((runs + 1))
	for file in race.*; do
		[ -e "$file" ] || return 0
		mv "$file" "seen.$runs.${file##*.}"
		races+=("$1:"$'\n'"$(grep '^SUMMARY' "seen.$runs.${file##*.}" | sort | uniq -c)")
	done
}

tell_races() {
	[ ${#races[@]} = 0 ] || { printf '%s\n' "${races[@]}"; head -60 "$(find . -maxdepth 1 -name 'seen.*' | head -1)"; } >&2
}

# clean COMMAND...: with eight threads, beside what the plain program says with one.
clean() {
	local status=0 want=0 WANTED=any
	"$PREC" "$@" -j1 >one 2>/dev/null || want=$?
	"$TSAN" "$@" -j8 >many 2>said || status=$?
	looked "prec $* -j8"
	[ "$status" = "$want" ] || tell_races
	expect "prec $*: exit status ($(tail -3 said))" $want $status
	expect_same "prec $*" one many
}

# written FILE COMMAND...: the same, of one that writes a file.
written() {
	local file=$1 WANTED=any
	shift
	"$PREC" "$@" -j1 -o "one.$file" >/dev/null 2>&1 || true
	"$TSAN" "$@" -j8 -o "many.$file" >/dev/null 2>said || fail "prec $*: $(tail -3 said)"
	looked "prec $* -j8"
	expect_same "prec $*" "one.$file" "many.$file"
}

# recorded ARGUMENT...: the recorder itself is looked at.
recorded() {
	"$TSAN" record -q "$@" >/dev/null 2>said || fail "prec record $*: $(tail -3 said)"
	looked "prec record $*"
}

# ---- what is made ----

# Several pieces of the first pass, many processes and names, maps that change, samples out of order.
leaf='{i*7919+j*577%2000000+4202496}'
made() {	# TYPES FIELDS SAMPLES
	echo "attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD$1 period=1 sample_id_all comm task mmap"
	echo 'feature arch=x86_64'
	cat <<-END
	repeat 40
	comm {i+100}/{i+100} "demo{i%7}" exec t={i+1} cpu=0
	mmap2 {i+100}/{i+100} 0x400000+0x1000000@0 r-xp "$PREC" t={i+50} cpu=0
	end
	repeat 60
	comm {i%40+100}/{i%40+100} "name{i}" t={i*10000000+5000} cpu=0
	mmap2 {i%40+100}/{i%40+100} {i*65536+1073741824}+0x10000@0 r-xp "/lib/lib{i}.so" t={i*10000000+5001} cpu=0
	repeat $3
	sample {j%40+100}/{j%40+100} t={i*10000000+10000+j*16-j%5*40} cpu={j%8} period={j%3+1} ip=$leaf mode=user $2
	end
	round
	end
	END
}
made '' '' 4000 >flat.txt
callers='{j*31%900*1000+4202496},{j%90*9000+4202496},{i%30*30000+4202496}'
made ,CALLCHAIN "chain=user,$leaf,$callers" 400 >chain.txt
for f in flat chain; do
	"$MKDATA" $f.txt $f.data
done
[ "$(stat -c %s flat.data)" -gt $((9 << 20)) ] || fail "the first pass has but one piece"

# ---- every command ----

# ran COMMAND...: one without threads to choose.
ran() {
	WANTED=any "$TSAN" "$@" >/dev/null 2>said </dev/null || true
	looked "prec $*"
}

# all FILE: every command that reads a recording.
all() {
	clean report --stdio -i "$1"
	clean report --stdio --no-children -g none -s comm,dso,sym -i "$1"
	clean script -i "$1"
	clean script -D -i "$1"
	clean annotate --stdio -i "$1"
	clean verify "$1"
	clean summary -i "$1"
	clean diff --stdio "$1" chain.data
	written html export --format html -i "$1"
	written jsonl export --format jsonl -i "$1"
	written archived archive -i "$1"
	if "$PREC" query -i "$1" 'SELECT 1' >/dev/null 2>&1; then
		clean query -i "$1" 'SELECT comm, sum(samples), sum(period) FROM sums GROUP BY comm; SELECT count(*) FROM samples'
	fi
}
mkdir kinds
(cd kinds && RECORDER=$TSAN "$SRC/tests/lib/recordings") >said
looked 'recordings of each kind'
kinds=0
for data in chain.data kinds/{dwarf,tracepoints,waits,packed-threads,stream}.data kinds/{pt,etm,spe}.data; do
	[ -e $data ] || { part_skipped "$data: $(grep -F "${data##*/}" said)"; continue; }
	all $data
	kinds=$((kinds + 1))
done
ran list
ran doctor
ran buildid-cache -a "$PREC"
ran buildid-cache -l
[ $kinds -ge 4 ] || fail "only $kinds recordings: $(<said)"
if [ ! "${LONG:-}" ]; then
	tell_races
	[ ${#races[@]} = 0 ] || fail "${#races[@]} of $runs commands have races"
	echo "$runs commands, $kinds recordings"
	exit 0
fi

# ---- with many options ----

clean report --stdio -i flat.data
clean report --stdio -i flat.data -s comm
clean report --stdio -i flat.data -s pid,cpu,time,dso,sym --time 10%-60%
clean report --stdio -i flat.data -s srcline
clean report --stdio -i flat.data -H -s comm,dso,sym
clean report --stats -i flat.data
clean report --tasks -i flat.data
clean report --unresolved -i flat.data
clean script -i flat.data
clean script -i flat.data -F comm,tid,time,ip,sym,srcline --time 10%/2
clean script -i flat.data --reltime --show-task-events --show-mmap-events
clean script -D -i flat.data
clean summary -i flat.data
clean verify -i flat.data
clean annotate -i flat.data --stdio
for how in '' '-g none' '--no-children' '--no-children --no-inline -g fractal' '-g folded,0' '-G -s dso' \
	   '-g caller,count -s comm,sym' '-p main'; do
	# shellcheck disable=SC2086
	clean report --stdio -i chain.data $how
done
clean script -i chain.data
clean summary -i chain.data
for format in html folded parquet jsonl csv pprof speedscope firefox callgrind; do
	written $format export -i chain.data --format $format
done
clean export -i flat.data --format jsonl --by comm,sym
clean diff flat.data chain.data --stdio
written page.html diff flat.data chain.data
# Damaged and cut; what comes down a pipe.
{ cat flat.txt; printf 'damage %d ffffffffffffffffffff0000000000000000\n' 3000000 5000000 5000500 9000000; echo 'cut -5'; } >text
"$MKDATA" text damaged.data
{ echo stream; cat chain.txt; } >text
"$MKDATA" text stream.data
for command in 'report --stdio' 'script' 'report --stats' 'verify'; do
	# shellcheck disable=SC2086
	clean $command -i damaged.data
	# shellcheck disable=SC2086
	clean $command -i stream.data
done
"$PREC" script -i stream.data -j1 >one 2>/dev/null
"$TSAN" script -i - -j8 <stream.data >many 2>said
looked 'prec script -j8 < a stream'
expect_same 'prec script of a stream' one many

# ---- what is recorded ----

if "$(workload opens)" >/dev/null 2>&1; then
	work=(sh -c "'$(workload shares)' 3 200; '$(workload forks)' 40")
	case $(uname -m) in x86_64 | aarch64) stacks=1 ;; *) stacks= ;; esac
	recorded -e cpu-clock -c 100000 -g -z -o packed.data -- "${work[@]}"
	for how in 'report --stdio' 'report --stdio --no-children -g none' script 'script -D' 'report --stats' verify; do
		# shellcheck disable=SC2086
		clean $how -i packed.data
	done
	recorded -e cpu-clock -c 200000 -g -o switches.data --switch-events -- "${work[@]}"
	clean report --stdio -i switches.data
	if [ "$stacks" ]; then
		recorded -e cpu-clock:u -c 500000 --call-graph dwarf -o stacks.data -- "${work[@]}"
		for how in 'report --stdio' 'report --stdio --no-inline --no-children' script; do
			# shellcheck disable=SC2086
			clean $how -i stacks.data
		done
		recorded -e cpu-clock:u -c 500000 --call-graph dwarf --unwind=live -o live.data -- "${work[@]}"
		recorded -e cpu-clock:u -c 500000 --call-graph auto -o auto.data -- "${work[@]}"
		clean report --stdio -i live.data
		clean report --stdio -i auto.data
	fi
	recorded -e cpu-clock -c 200000 --threads=cpu -o directory -- "${work[@]}"
	recorded -e cpu-clock -c 200000 --threads=cpu -z -g -o packed.directory -- "${work[@]}"
	for directory in directory packed.directory; do
		clean report --stdio -i $directory
		clean script -i $directory
	done
	if (need_root; need_tracepoints) >/dev/null 2>&1; then
		recorded -e raw_syscalls:sys_enter -c 1 -o calls.data "$(workload syscalls)" 100000 2
		for how in 'report --stdio' 'report --stdio -s trace' script 'script -D' 'export --format jsonl'; do
			# shellcheck disable=SC2086
			clean $how -i calls.data
		done
		recorded --off-cpu -o waits.data "$(workload waits)"
		for how in 'report --stdio' 'report --wall --stdio' 'report --stdio -s lock,holder' script; do
			# shellcheck disable=SC2086
			clean $how -i waits.data
		done
	else
		part_skipped "recorded tracepoints: none here"
	fi
else
	part_skipped "recordings: cannot open events here"
fi

# ---- what hardware traced ----

traces=()
if with_traces; then
	for data in "$PREC_TRACES"/pt/*.1.data "$PREC_TRACES"/cs/a[12].data "$PREC_TRACES"/cs/a1.raw.data; do
		[ ! -e "$data" ] || traces+=("$data")
	done
fi
if [ "$(uname -m)" = x86_64 ]; then
	(. "$SRC/tests/shell/lib/pt.sh"
	pt_traces t 200000 psb=512 psb=300,long-tnt,cyc -- bash -c 'echo $((40 + 2))'
	pt_recording t 1 0xe601 -1 100 100000000
	pt_recording t 2 0xe603 0 -1 1014) >/dev/null && traces+=(t.1.data t.2.data)
fi
(. "$SRC/tests/shell/lib/spe.sh"
lay random 2) && mv made.data spe.data && traces+=(spe.data)
mkdir cs
(cd cs
. "$SRC/tests/shell/lib/cs.sh"
"$gen" -s 3 -n 20000 trace
recording 0 0 -1 1008) && traces+=(cs/made.data)
for data in "${traces[@]}"; do
	clean report --stdio --itrace=i100igl -i "$data"
	clean report --stdio --durations -i "$data"
	for what in i100i bi1000i cre; do
		clean script --itrace=$what -i "$data"
	done
	clean script -D -i "$data"
	clean verify -i "$data"
done

tell_races
[ ${#races[@]} = 0 ] || fail "${#races[@]} of $runs commands have races"
[ "$runs" -gt 60 ] || fail "only $runs commands"
echo "$runs commands, $kinds recordings of each command"
