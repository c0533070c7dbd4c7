# Recordings of the program "sequence", whose page faults tell their number, with triggers.
# shellcheck shell=bash

# The program in this directory, and probes that can be set in it, or the test is skipped.
need_sequence() {
	need_events
	need_tracepoints
	cp "$(workload sequence)" sequence
	"$PREC" record -q -e u:./sequence:fire -o probe ./sequence 1 fire 1 >/dev/null 2>&1 || skip "cannot open probes here"
	mkfifo line
	exec 7<>line
}

# The page faults of the program are what is recorded, in overwrite rings.
sequence_events=(-e page-faults:u -c 1 -d --overwrite -o data)

# pages FILE: the numbers of the pages in it, as "FIRST..LAST"; gaps and repeats show.
pages() {
	page_numbers "$1" | awk 'NR == 1 { first = last = $1; next } $1 != last + 1 { printf "%d..%d ", first, last; first = $1 } { last = $1 }
		END { if (NR) printf "%d..%d\n", first, last }'
}
page_numbers() {
	local first a
	read -r first <said
	"$PREC" script -i "$1" -F addr,ip,sym | awk '$NF == "touch" { print $1 }' | while read -r a; do
		echo $(((0x$a - 0x$first) / 4096 + 1))
	done
}
dumps() {	# of all files, in their order
	local f
	for f in data*; do
		[ ! -e "$f" ] || pages "$f"
	done | paste -sd ' '
}
told() {
	grep -qF "[ prec record: $1 ]" err || fail "the closing line is not '$1': $(<err)"
}
lost() {	# how many samples were, as record says
	sed -nE 's/^prec: (warning: )?([0-9]+) of [0-9]+ (samples|records) (was|were) lost.*/\2/p' err | awk '{ n += $1 } END { print n + 0 }'
}

# begun OPTIONS -- WORDS of sequence: in the background as $prec, on one CPU; the program waits at the page where it asks.
begun() {
	local options=()
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	rm -f data*
	: >said
	exec taskset -c "$(one_cpu)" "$PREC" record "${sequence_events[@]}" "${options[@]}" ./sequence "${@:2}" <line >said 2>err & prec=$!
	asked 2
}
go() {	# let it go on
	echo >line
}
asked() {	# it has written that many lines: one for its beginning and one for each question
	await 200 has_said "$1"
}
has_said() {
	[ "$(wc -l <said)" = "$1" ]
}
dumped() {	# so many dumps have their names
	await 200 has_dumped "$1"
}
has_dumped() {
	[ "$(find . -maxdepth 1 -name 'data.2*' | wc -l)" = "$1" ]
}

# stop_in CALL [N]: the recorder stops itself in the Nth call of that name from now on (the first); stopped: it has.
stop_in() {
	: >calls
	: >attached
	strace -p $prec -o calls -e trace="$1" -e inject="$1:signal=STOP:when=${2:-1}" 2>attached & tracer=$!
	await 200 grep -q attached attached
}
stopped() {
	await 200 grep -q 'stopped by SIGSTOP' calls
}
go_on() {
	kill -CONT $prec
}
# Which of the rings, in the order of their CPUs, is that of the program; 0: the first.
ring_number() {
	awk -F, -v cpu="$(one_cpu)" '{ for (i = 1; i <= NF; i++) { split($i "-" $i, r, "-"); for (c = r[1]; c <= r[2]; c++) n += c < cpu } }
		END { print n + 0 }' /sys/devices/system/cpu/online
}
