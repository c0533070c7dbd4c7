#!/bin/bash
# Samples beside an Intel PT trace get the calls and branches from it that both perfs give them.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/script.sh"
need_traces pt
need_newperf
need_perf

word() { od -An -tu8 -j "$2" -N 8 "$1" | tr -d ' '; }

# with_samples NAME: pt/NAME.data and samples of its thread, in NAME.data.
with_samples() {
	local from=$PREC_TRACES/pt/$1.data first last pid data size t
	data=$(word "$from" 40) size=$(word "$from" 48)
	read -r pid first last < <("$PREC" script -i "$from" --itrace=be --ns -F tid,time 2>/dev/null |
		awk '{ sub("\\.", "", $2); sub(":", "", $2) } NR == 1 { first = $2 } END { print $1, first + 0, $2 + 0 }')
	{
		echo 'feature arch=x86_64'
		echo 'feature nrcpus=1'
		echo "attr intel_pt type=8 config=0xe601 sample=IP,TID,TIME,CPU,IDENTIFIER read=ID period=1 exclude_kernel exclude_hv" \
			"sample_id_all context_switch ids=10"
		echo "attr cpu-clock type=1 config=0 sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER read=ID period=1 sample_id_all ids=20"
		echo "bytes $(od -An -v -tx1 -j "$data" -N "$size" "$from" | tr -d ' \n')"
		for ((t = first - 1000; t < last; t += (last - first) / 173)); do
			echo "sample $pid/$pid t=$t cpu=0 ip=0x123 period=1 mode=user event=cpu-clock id=20"
			# Now and then one of the kernel, which was not traced.
			((t % 7)) ||
				echo "sample $pid/$pid t=$((t + 1)) cpu=0 ip=0xffffffff81000010 period=1 mode=kernel event=cpu-clock id=20"
		done
	} >made.txt
	"$(helper mkdata/mkdata)" made.txt "$1.data"
}

# The chain of ours begins with the sample's own address; perf's only where it has no callers. 6.1 prints other addresses.
callers() { grep -vE '^[[:space:]]*(123|ffffffff81000010) ' | collapse; }

# 6.1 does not tell kinds of branches.
branches() { sed 's|/0//-|/0/|g' | collapse; }

for name in p1.1 gzip.5 sort.3 ls.7; do
	with_samples $name
	for options in "--itrace=G -F event,time,ip,sym" "--itrace=G900 -F event,time,ip,sym" "--itrace=i100usgG -F event,ip,sym"; do
		# shellcheck disable=SC2086
		"$NEWPERF" script -i $name.data $options --no-inline 2>perf.err | callers >want
		# shellcheck disable=SC2086
		"$PREC" script -i $name.data $options --no-inline 2>/dev/null | callers | unnamed >got
		[ "$(grep -cvE ':|^$' want)" -gt 150 ] || fail "perf has no chains of $name: $(head -3 perf.err)"
		expect_same "$name $options" want got
	done
	for options in "--itrace=L -F event,time,brstack" "--itrace=i100usL5 -F event,ip,brstack"; do
		for perf in "$NEWPERF" "$PERF"; do
			# shellcheck disable=SC2086
			"$perf" script -i $name.data $options 2>perf.err | branches >want
			# shellcheck disable=SC2086
			"$PREC" script -i $name.data $options 2>/dev/null | branches >got
			[ -s want ] || fail "perf script $options: $(head -3 perf.err)"
			expect_same "$name $options" want got
		done
	done
done
