# What a test's script has in the virtual machine: the test PMU, and recorders. RECORDER is the program under test.
# shellcheck shell=bash
set -u
RECORDER=${RECORDER:-$PREC}
RECORDER_OPTIONS=()
debug=/sys/kernel/debug/prec_pmu
parameters=/sys/module/prec_pmu/parameters
fifos=$(mktemp -d)
mkfifo "$fifos/commands" "$fifos/answers" "$fifos/nothing"
exec 7<>"$fifos/nothing" 8<>"$fifos/commands" 9<>"$fifos/answers"

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

# own_modes VERB NAME HOW-MUCH OPTIONS...: `full` or `walk` of all CPUs, of one, of a command and of one thread of it, as
# NAME_MODE. The command has a thread on each CPU.
own_modes() {
	local verb=$1 name=$2 much=$3 command=(nice "$BUILD/tests/work/everywhere")
	shift 3
	$verb "${name}_all" 2 "$much" -a "$@"
	$verb "${name}_cpu" 1 "$much" -C 1 "$@"
	$verb "${name}_command" 2 "$much" "$@" "${command[@]}"
	$verb "${name}_perthread" 1 "$much" --per-thread "$@" "${command[@]}"
}

# attached_modes VERB NAME HOW-MUCH OPTIONS...: the same of a process that is there already, and of a thread of it.
attached_modes() {
	local verb=$1 name=$2 much=$3 first second
	shift 3
	[ "${everywhere:-}" ] || { nice "$BUILD/tests/work/everywhere" >threads & everywhere=$!; }
	await test -s threads
	read -r _ first second <threads
	$verb "${name}_process" 2 "$much" -p "$first" "$@"
	$verb "${name}_thread" 1 "$much" -t "$second" "$@"
}

# wander N: move to another CPU N times.
wander() {
	local moves=$1 nr cpu
	nr=$(nproc)
	for ((cpu = 0; cpu < moves; cpu++)); do
		taskset -cp $((cpu % nr)) $BASHPID >/dev/null
	done
}

# has N WORD LEAST: of the streams of what was begun, N or more have LEAST or more of what WORD counts.
has() {
	local f i n=0
	while read -ra f; do
		for ((i = 4; f[1] >= told && i < ${#f[@]}; i += 2)); do
			[ "${f[i]}" = "$2" ] && ((f[i + 1] >= $3)) && n=$((n + 1))
		done
	done <$debug/streams
	((n >= $1))
}

# A command that runs until a stream has BYTES: "${spin_until[@]}" BYTES. Stock perf may leave out what was written last when
# it is told to stop, not when its command ends.
spin_until=(bash -c 'until has 1 bytes "$0"; do :; done')
export -f has
export debug told

# await COMMAND...: until it succeeds; gives up, aloud, after minutes.
await() {
	local end=$((SECONDS + 250))
	until "$@"; do
		[ $SECONDS -le $end ] || { echo "waited too long for: $*"; cat $debug/streams; return 1; }
		# A pause without a process: to make one takes long here.
		read -rt 0.01 -u 7
	done
	return 0
}

# begin NAME OPTIONS...: a recorder in the background, which takes commands by `ask` and is ended by `end`.
begin() {
	local name=$1
	shift
	told=$(wc -l <$debug/streams)
	"$RECORDER" record "${RECORDER_OPTIONS[@]}" --control "fifo:$fifos/commands,$fifos/answers" -o "$name.data" "$@" >"$name.said" 2>&1 &
	recorder=$!
}

ask() {
	local answer
	echo "$1" >&8
	read -rt 60 -u 9 answer || echo "no answer to: $1"
}

# end NAME: of what was begun.
end() {
	local status=0
	ask stop
	wait $recorder || status=$?
	echo $status >"$1.status"
	keep "$1"
}

# until_has N WORD LEAST NAME OPTIONS...: record until N streams have so much of what WORD counts.
until_has() {
	local n=$1 word=$2 least=$3 name=$4
	shift 4
	begin "$name" "$@"
	await has "$n" "$word" "$least"
	end "$name"
}

# held PID: the process keeps SIGUSR2, number 12, for later; no program can before its first instruction.
held() {
	local key value
	while read -r key value; do
		[ "$key" = SigBlk: ] && [ $((0x$value & 1 << 11)) != 0 ] && return
	done </proc/"$1"/status
	return 1
}

# full NAME N BYTES OPTIONS...: record until N streams have so many bytes, and no more of them.
full() {
	local name=$1 n=$2 bytes=$3
	shift 3
	echo "$bytes" >$parameters/limit
	until_has "$n" bytes "$bytes" "$name" "$@"
}

# started LEAST: the events of what was begun have started so often, all together; STARTS is how often.
started() {
	local f
	starts=0
	while read -ra f; do
		((f[1] >= told && (starts += f[15])))
	done <$debug/streams
	((starts >= $1))
}

# By the signal that asks for one. It is over when the events of N streams, those of CPUs, have started again.
signal_snapshot() {	# n
	started 0
	kill -USR2 $recorder
	await started $((starts + $1))
}

# killed_in_snapshot OPTIONS...: recordings killed before the write that saves a snapshot of at least 32 KiB, and before
# each of the next two, as cut0 ... cut2. Needs strace.
killed_in_snapshot() {
	local calls=write,writev,pwrite64,pwritev,pwritev2 line n=0 i
	strace -o calls -e trace=$calls "$RECORDER" record -o whole.data "$@" bash -c 'kill -USR2 $PPID' >whole.said 2>&1
	while read -r line; do
		n=$((n + 1))
		[[ $line = *' = '* ]] && [ "${line##* = }" -ge 32768 ] 2>/dev/null && break
	done <calls
	for i in 0 1 2; do
		told=$(wc -l <$debug/streams)
		strace -o calls -e inject=$calls:signal=KILL:when=$((n + i)) "$RECORDER" record -o cut$i.data "$@" \
			bash -c 'kill -USR2 $PPID' >cut$i.said 2>&1
		keep cut$i
	done
}

# By a trigger: the recorder has --on=u:./sequence:fire. On one CPU: a probe of all CPUs is one probe for each, and Linux 6.1 counts
# a thread that moves to another CPU between them twice, or not at all.
trigger_snapshot() {	# n
	started 0
	taskset -c 0 ./sequence 1 fire 1 >sequence.said
	await started $((starts + $1))
}

# walk NAME N 'BYTES...' OPTIONS...: record; when N streams have so many bytes, take a snapshot, and go on to the next.
# What they had is in NAME.steps. by=signal, by=trigger: not by the control channel.
walk() {
	local name=$1 n=$2 all=$3 bytes
	shift 3
	echo "${all%% *}" >$parameters/limit
	begin "$name" "$@"
	for bytes in $all; do
		echo "$bytes" >$parameters/limit
		await has "$n" bytes "$bytes" || break
		if [ "${by:-}" ]; then
			"${by}_snapshot" "$n"
		else
			ask snapshot
		fi
		tail -n +$((told + 1)) $debug/streams >>"$name.steps"
	done
	end "$name"
}

# through NAME BYTES OPTIONS...: record until the streams of both CPUs have so many bytes, into a pipe, where they are checked
# on the way; what was seen is in NAME.trace.
through() {
	local name=$1 bytes=$2 checker
	shift 2
	echo "$bytes" >$parameters/limit
	"$RECORDER" record --control "fifo:$fifos/commands,$fifos/answers" -o - "$@" 2>"$name.said" |
		"$BUILD/tests/vm/aux_stream" >"$name.trace" 2>"$name.wrong" &
	checker=$!
	await eval 'has 2 bytes "$bytes" || [ ! -e /proc/$checker ]'
	[ ! -e /proc/$checker ] || ask stop
	wait $checker; echo $? >"$name.status"
	keep "$name"
}

# beside_perf BYTES PAGES OPTIONS...: record so many bytes of one stream as `ours`, with areas of 64 pages, and as `theirs` by
# stock perf, with areas of so many; what perf shows of both recordings is in NAME.aux, NAME.pieces and NAME.header.
beside_perf() {
	local bytes=$1 pages=$2 name
	shift 2
	full ours 1 "$bytes" "$@" -m 64,64
	RECORDER=perf RECORDER_OPTIONS=(-B -N -q)
	full theirs 1 "$bytes" "$@" -m "64,$pages"
	RECORDER=$PREC RECORDER_OPTIONS=()
	for name in ours theirs; do
		perf script -D -i $name.data 2>/dev/null >dump
		grep -a -o 'PERF_RECORD_AUX offset.*' dump | uniq >$name.aux
		grep -a -o 'PERF_RECORD_AUXTRACE size.*' dump | sed 's/ref: [^ ]* //' >$name.pieces
		perf report --header-only -i $name.data >$name.header 2>/dev/null
	done
	rm dump
}

# full_disk OPTIONS...: snapshots of areas of a megabyte, as full.data, where there is no room for the second one.
full_disk() {
	mkdir disk
	mount -t tmpfs -o size=1m tmpfs disk
	pmu chunk=65536 limit=100000
	begin disk/full "$@" -m 64,256 -S --synth no
	await has 2 bytes 100000
	ask snapshot
	echo 1100000 >$parameters/limit
	await has 2 bytes 1100000
	ask snapshot
	wait $recorder; echo $? >full.status
	keep full
	cp disk/full.said disk/full.data .
	umount disk
}

# all_full PARAMETERS OPTIONS...: full trace in every mode, in chunks odd and even, as odd_MODE and even_MODE.
all_full() {
	local more=$1 verb
	shift
	for verb in own_modes attached_modes; do
		# shellcheck disable=SC2086
		pmu chunk=4099 paced=1 $more;	$verb full odd 150001 "$@"
		# shellcheck disable=SC2086
		pmu chunk=4096 paced=1 $more;	$verb full even 150000 "$@"
	done
}

# all_snapshots NAME PARAMETERS OPTIONS...: 20 snapshots in every mode, of areas of 32 KiB, as NAME_MODE: within the first
# lap, at its end, whole laps, less and more than one, nothing new, single bytes.
all_snapshots() {
	local name=$1 verb steps
	steps='100 101 1003 9000 32760 32768 32775 40000 65535 65536 98304 98305 131100 163841 300000 300000 300001 365000 397768 450000'
	for verb in own_modes attached_modes; do
		# shellcheck disable=SC2086
		pmu chunk=32768 $2;	$verb walk "$name" "$steps" "${@:3}" -m 64,8 -S
	done
}

# kernel_bytes ADDRESS NUMBER: what the kernel has there, in hexadecimal without 0x, by a reading of /proc/kcore.
kernel_bytes() {
	local at offset from size
	[ -s loads ] || readelf -lW /proc/kcore | awk '$1 == "LOAD" { print $2, $3, $5 }' >loads
	while read -r offset from size; do
		((0x$1 < from || 0x$1 >= from + size)) || at=$((0x$1 - from + offset))
	done <loads
	dd if=/proc/kcore iflag=skip_bytes,count_bytes skip="$at" count="$2" status=none
}

# kernel_bytes_of NAME MOST: of NAME.here, lines of `script -F ip,insn`, some: as NAME.got, and as NAME.want with the bytes that
# the kernel has.
kernel_bytes_of() {
	local ip insn
	sort -u "$1.here" | head -"$2" | while read -r ip _ insn; do
		echo "$ip $insn" >>"$1.got"
		echo "$ip $(kernel_bytes "$ip" "$(wc -w <<<"$insn")" | od -An -v -tx1 | xargs)" >>"$1.want"
	done
}
