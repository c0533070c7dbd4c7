#!/bin/bash
# Intel PT that samples carry is decoded: where they overlap as one trace without repeats, else each from its first PSB on.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
pt_traces t 20000 psb=256 -- bash -c 'echo $((40 + 2))'
pt_recording t 1 0xe601 0 -1 100000000
grep -v '^raw type=71\|^bytes\|^aux' made.txt |
	sed 's/^attr .*/&\nattr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,IDENTIFIER,AUX read=ID period=1 sample_id_all ids=2/' >head.txt

# sampled NAME EVERY SIZE [-z]: a sample each so many bytes of the trace, that has the newest SIZE bytes.
sampled() {
	local end=$2 size=$3 total
	total=$(stat -c %s t.1.pt)
	{
		cat head.txt
		for (( ; end < total + $2; end += $2)); do
			[ "$end" -lt "$total" ] || end=$total
			[ "$end" -ge "$size" ] || size=$end
			printf 'sample 100/100 t=%d ip=0x1000 cpu=0 mode=user event=cpu-clock id=2 aux=%s\n' $((900000000 + end)) \
				"$(od -An -v -tx1 -j $((end - size)) -N "$size" t.1.pt | tr -d ' \n')"
			size=$3
			[ "$end" -lt "$total" ] || break
		done
	} >"$1.txt"
	"$(helper mkdata/mkdata)" "$1.txt" "$1.data"
}
decoded() {	# file options...
	"$PREC" script -i "$@" 2>messages | awk '/instructions/ { print $2 }'
}

# All of the trace is in some sample.
for what in '504 1024' '1000 1000' '64 512'; do
	# shellcheck disable=SC2086
	sampled all $what
	decoded all.data --itrace=i1i -F event,ip >got
	expect_same "samples of $what" t.1.exp got
	for jobs in 1 3; do
		decoded all.data -j$jobs --itrace=i1i -F event,ip >many
		expect_same "-j$jobs" got many
	done
done
# The samples themselves are shown, too, and whose the trace is.
expect "events" "cpu-clock instructions:u" "$("$PREC" script --itrace=i100i -F event -i all.data | tr -d ' :' |
	sed 's/instructionsu/instructions:u/' | sort -u | xargs)"
expect "threads" "program 100/100" "$("$PREC" script --itrace=i100i -F comm,pid,tid -i all.data | sed 's/  */ /g; s/^ //; s/ $//' | sort -u)"

# With holes: what is decoded ran, in that order.
sampled some 1500 1024
decoded some.data --itrace=i1i -F event,ip >got
[ -s got ] && [ "$(wc -l <got)" -lt "$(wc -l <t.1.exp)" ] || fail "nothing decoded, or too much: $(wc -l <got)"
expect "instructions that ran" "$(wc -l <got)" \
	"$(awk 'NR == FNR { want[NR] = $1; next } $1 == want[n + 1] { n++ } END { print n + 0 }' got t.1.exp)"
