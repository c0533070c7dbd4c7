#!/bin/bash
# Samples that other events wrote into an Intel PT trace (PEBS) are shown as theirs, with all that the trace says of them.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
. "$(dirname "$0")/lib/script.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
sets=("psb=2048,pebs=100" "psb=500,pebs=60,long-tnt,overflow=1500" "psb=700,pebs=40,async=200,defer")
PT_CLEAN=yes
pt_traces t 8000 "${sets[@]}" -- env -i bash --norc -c 'echo $((40 + 2))'

all=IP,TID,TIME,CPU,ADDR,PERIOD,WEIGHT_STRUCT,REGS_INTR,BRANCH_STACK,TRANSACTION,IDENTIFIER
pebs_event() { # pebs_event NAME CONFIG IDS WORD...
	echo "attr $1 type=0 config=$2 sample=$all read=ID period=$((1000 + $2)) aux_output precise=2 sample_id_all branch_type=0x20009" \
		"ids=$3" "${@:4}"
}
# Two segment registers are asked for, too, which PEBS does not have.
regs=iregs=0xffffffff00ff0fff
events=$(pebs_event cycles 0 2,22 $regs; pebs_event instructions 1 3,33 $regs; pebs_event branches 4 4,44 $regs)
# hw_id COUNTER ID NS CPU [TID]: from then on the counter is that event's.
hw_id() {
	echo "raw type=21 $(le 16 "$1")$(le 8 100)$(le 8 "${5:-100}")$(le 16 "$3")$(le 8 "$4")$(le 8 0)$(le 16 "$2")"
}

# What script is to show, by what the generator tells: want TRUTH CHANGE C0 C1 C33 D0 D1 D33. C: the events' names, by counter; D:
# from time CHANGE (ns) on. Where a record has no time of its own there is "-", and no counter is of the first event.
want() {
	awk -F'\t' -v change="$2" -v names="$3 $4 $5 $6 $7 $8" '
	function show(name) { print name ": " time, $4, $5, $6, $3, ($7 == "-" ? "" : $7 " ") ($8 == "-" ? "" : $8) }
	BEGIN { split(names, name, " ") }
	$1 == "cut" { next }
	{
		ns = int($1 / 2)
		time = $1 ? sprintf("%d.%09d", ns / 1000000000, ns % 1000000000) : "-"
		later = ns >= change ? 3 : 0
		if ($2 == 0) show("cycles")
		if ($2 ~ /[13]$/) show(name[1 + later])
		if ($2 ~ /[23]$/ && length($2) == 1) show(name[2 + later])
		if (length($2) == 9) show(name[3 + later])
	}' "$1" | collapse
}
fields=event,time,addr,weight,ins_lat,ip,iregs,brstack
# shown FILE OPTIONS...: the same, as it is shown; times where WANT (a file) has one.
shown() {
	local file=$1
	shift
	"$PREC" script -i "$file" --ns -F hw:$fields "$@" 2>messages | sed -E 's,//- , ,g; s,//-$,,; s,/([0-9]+)//-?,/\1,g' | collapse |
		awk '{ t = $1; $1 = ""; e = $2; $2 = ""; sub(/^ +/, ""); sub(/:$/, "", t); print e " " t " " $0 }'
}
timed() { # timed WANT GOT: GOT with "-" for the times that WANT does not have.
	awk 'NR == FNR { none[FNR] = $2 == "-"; next } { if (none[FNR]) $2 = "-"; print }' "$1" "$2"
}

for ((i = 1; i <= ${#sets[@]}; i++)); do
	set=${sets[i - 1]}
	change=$(($(grep -v cut t.$i.pebs | awk -F'\t' '$1' | sed -n '30s/\t.*//p') / 2))
	case $i in
	2) cpu=-1 tid=100 ;;
	*) cpu=0 tid=-1 ;;
	esac
	PT_EVENTS=$events PT_RECORDS=$(hw_id 0 2 10 0; hw_id 1 3 10 0; hw_id 33 4 10 0; hw_id 0 4 $change 0; hw_id 33 22 $change 0) \
		pt_recording t $i 0xe601 $cpu $tid $((2999 + i))
	want t.$i.pebs $change cycles instructions branches branches instructions cycles >want
	for jobs in 1 3; do
		shown t.$i.data -j$jobs --itrace=o >got
		timed want got >timed
		expect_same "samples of $set, -j$jobs" want timed
	done
	cut=$(grep -c cut t.$i.pebs)
	[ "$cut" = 0 ] || expect_finding cut-trace-samples messages "$cut samples? in the trace lack"
	unnamed=$(grep -v cut t.$i.pebs | awk -F'\t' '$2 == 0' | wc -l)
	expect_finding unnamed-trace-samples messages "which event $unnamed samples in the trace are of: they are shown as cycles"
	# They are among what is shown without --itrace; and neither instructions nor their periods suffer.
	expect "samples by default" "$(wc -l <want)" \
		"$("$PREC" script -F hw:event -i t.$i.data 2>/dev/null | grep -cE '^ *(cycles|instructions|branches): *$')"
	"$PREC" script --itrace=i1io -F event,ip -i t.$i.data 2>/dev/null | sed -n 's/.*instructions:u: *//p' >got
	expect_same "instructions of $set" t.$i.exp got
	for what in obi1000ig bolq; do
		"$PREC" script -j1 --itrace=$what -i t.$i.data >one 2>/dev/null
		"$PREC" script -j4 --itrace=$what -i t.$i.data >many 2>/dev/null
		expect_same "-j4 --itrace=$what of $set" one many
	done
	"$PREC" report --itrace=o --stdio -n -s pid -i t.$i.data 2>/dev/null | sed -n "s/^# Samples: \([0-9]*\) *of event '\(.*\)'/\2 \1/p" | sort >got
	cut -d: -f1 want | sort | uniq -c | awk '{ print $2, $1 }' >counts
	"$PREC" report --no-branch-stack --itrace=o --stdio -n -s pid -i t.$i.data 2>/dev/null |
		sed -n "s/^# Samples: \([0-9]*\) *of event '\(.*\)'/\2 \1/p" | grep -v intel_pt | sort >got
	expect_same "a report's counts of $set" counts got
done

# The same counter is another event's on another CPU, and of another thread.
for place in "0 -1 1 100" "-1 100 0 101"; do
	read -r cpu tid second_cpu second_tid <<<"$place"
	PT_EVENTS=$events PT_SECOND=t.3.pt PT_RECORDS=$(hw_id 0 2 10 0; hw_id 1 3 10 0; hw_id 33 4 10 0
		hw_id 0 33 10 $second_cpu $second_tid; hw_id 1 44 10 $second_cpu $second_tid; hw_id 33 22 10 $second_cpu $second_tid
	) pt_recording t 1 0xe601 $cpu $tid 100000
	want t.1.pebs 0 - - - cycles instructions branches >one
	want t.3.pebs 0 - - - instructions branches cycles >other
	grep -v ': -' one other | sed 's/^[a-z]*://' | sort >want
	shown t.1.data --itrace=o >got
	expect "all samples of two traces" "$(cat one other | wc -l)" "$(wc -l <got)"
	sort got | comm -23 want - >missing
	expect "samples of two traces ($place) that are missing" "" "$(<missing)"
done

# Who runs is asked for the sample's own time, not for that of the packets before.
PT_EVENTS=$events PT_RECORDS=$(hw_id 0 2 10 0
	echo "switch out 100/100 t=$change cpu=0 event=intel_pt id=1"
	echo "switch in 100/101 t=$change cpu=0 event=intel_pt id=1") pt_recording t 3 0xe601 0 -1 100000
"$PREC" script --itrace=o --ns -F hw:tid,time -i t.3.data 2>/dev/null | tr -d '.:' |
	awk -v change=$change '{ wrong += $1 != ($2 + 0 >= change ? 101 : 100); seen[$1] = 1 }
		END { print wrong + 0, seen[100] + seen[101] }' >got
# Those without a time of their own have the packets'.
awk '{ exit !($1 <= 1 && $2 == 2) }' got || fail "samples of the wrong thread, threads seen: $(<got)"

# Beside perf, which wants a trace in one piece, prints registers that are not there, and makes chains one shorter.
PT_EVENTS=$(pebs_event cycles 0 2; pebs_event instructions 1 3; pebs_event branches 4 4) \
	PT_RECORDS=$(hw_id 0 2 10 0; hw_id 1 3 10 0; hw_id 33 4 10 0) pt_recording t 1 0xe601 0 -1 100000000
all=$all,CALLCHAIN
PT_EVENTS=$(pebs_event cycles 0 2) pt_recording t 2 0xe601 0 -1 100000000
for perf in $(known_perfs); do
	for what in "1 o o" "1 oq oq" "1 ol ol" "1 os30 os30" "2 og og" "2 og3 og4"; do
		read -r nr ours theirs <<<"$what"
		[ $nr = 1 ] || [ "$perf" = "${PREC_PERF:-}" ] || continue	# old perfs show offsets in files for callers
		"$perf" script --itrace="$theirs" -F hw:comm,tid,cpu,event,ip,addr,period,weight,ins_lat,brstack -i t.$nr.data 2>perf.err |
			sed -E 's,/([0-9]+)/+-? *,/\1 ,g' | collapse >want
		"$PREC" script --itrace="$ours" -F hw:comm,tid,cpu,event,ip,addr,period,weight,ins_lat,brstack -i t.$nr.data 2>/dev/null |
			sed -E 's,/([0-9]+)/+-? *,/\1 ,g' | collapse >got
		[ -s want ] || fail "$perf script --itrace=$theirs: $(head -3 perf.err)"
		expect_same "--itrace=$ours beside $perf" want got
	done
	keys=transaction,local_weight
	"$perf" report --no-branch-stack --itrace=o --stdio -n -s $keys -i t.1.data 2>/dev/null | grep '^ ' | collapse | sort >want
	"$PREC" report --no-branch-stack --itrace=o --stdio -n -s $keys -i t.1.data 2>/dev/null | grep '^ ' | collapse | sort >got
	[ -s want ] || fail "$perf report shows nothing"
	expect_same "a report beside $perf" want got
done
