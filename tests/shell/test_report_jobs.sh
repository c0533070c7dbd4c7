#!/bin/bash
# The text of a report does not depend on the number of threads that make it.
. "$(dirname "$0")/lib/prec.sh"

# Tables of many threads become one: of many keys, of few, and of such that only one thread has seen. Each sample counts 1.
MKDATA=$(helper mkdata/mkdata)
made() {	# FILE SAMPLES LEAF CALLERS
	{
		cat <<-END
		attr cpu-clock type=software config=0 sample=IP,TID,TIME,PERIOD,CALLCHAIN period=1 sample_id_all comm task mmap
		feature arch=x86_64
		comm 100/100 "demo" exec t=1 cpu=0
		mmap2 100/100 0x400000+0x4000000@0 r-xp "/bin/demo" t=2 cpu=0
		repeat $2
		sample 100/{i%3+100} t={i*10+100} cpu=0 period=1 ip=$3 mode=user chain=user,$3,$4
		end
		END
	} >made.txt
	"$MKDATA" made.txt "$1"
}
made many.data 120000 '{i*7919%60000000+4194304}' '{i*31%90000*16+4194304},{i*7%3000*512+4194304},{i%5+4194304}'
made few.data 120000 '{i%4+4194304}' '{i%3+4194400},{i%2+4194500}'
made deep.data 30000 '{i%9+4194304}' "$(for n in $(seq 60); do printf '{i*%d%%%d+%d},' "$n" $((n * 7)) $((n * 100000 + 4194304)); done)4194304"
for file in many few deep; do
	for how in '--no-children -g none -s sym,pid -F +sample' '-g caller,0.5 -s sym' '--no-children -s tid,sym -g none'; do
		for jobs in 1 2 3 8 64; do
			# shellcheck disable=SC2086
			"$PREC" report --stdio -i $file.data -j$jobs $how >out.$jobs 2>err.$jobs
			expect_same "$file: $how: -j$jobs as -j1" out.1 out.$jobs
			expect_same "$file: $how: messages of -j$jobs as of -j1" err.1 err.$jobs
		done
	done
done
"$PREC" report --stdio -q -i many.data -j8 --no-children -g none -s sym -F sample -t, | awk '/^ *[0-9]/ { n += $1; rows++ } END { print n, rows }' >sums
expect 'samples and rows of distinct addresses' '120000 120000' "$(<sums)"

# -v says of each phase how much of its CPU time one thread alone had.
"$PREC" report --stdio -i deep.data -j3 -v 2>&1 >/dev/null |
	awk '/^prec: phase / { sub(/^prec: phase /, ""); split($0, p, /: | s, | s of CPU, | s of it serial/)
		print p[1], (p[4] >= 0 && p[4] <= p[3] && /serial$/ ? "well" : $0) }' >phases
expect 'phases' 'first pass well
side band well
samples well
merging well
naming well
sorting well
printing well' "$(<phases)"

need_events

"$PREC" record -q -g -F 5000 -o rec.data sh -c "'$(workload shares)' 3 200; '$(workload forks)' 20; ls -R /usr/lib" \
	>/dev/null 2>&1 || skip "cannot record"
for how in "" "--no-children" "-g fractal -s dso,sym" "-g folded,0 --no-children" "-s pid,cpu -g none" \
	   "-s time,sym -n" "-g none --no-children -s comm,dso" "-F sample,period,comm,sym" "-g callee,count -s comm"; do
	for jobs in 1 2 8; do
		# shellcheck disable=SC2086
		"$PREC" report -i rec.data -j$jobs $how >out.$jobs 2>err.$jobs
	done
	# shellcheck disable=SC2086
	env -u PREC_MORE_JOBS "$PREC" report -i rec.data -j64 $how >out.64 2>err.64
	expect_same "$how: -j64, which is as many threads as CPUs" out.1 out.64
	expect_same "$how: -j2 as -j1" out.1 out.2
	expect_same "$how: -j8 as -j1" out.1 out.8
	expect_same "$how: messages of -j8 as of -j1" err.1 err.8
	[ "$(grep -c % out.1)" -gt 3 ] || fail "$how: hardly an entry"
done

# Nor do the bytes of an archive.
for jobs in 1 8; do
	"$PREC" archive -j$jobs rec.data -o archived >/dev/null
	mv archived archived.$jobs
done
cmp archived.1 archived.8 || fail "archive: -j8 is not as -j1"
