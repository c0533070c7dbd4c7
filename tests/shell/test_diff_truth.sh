#!/bin/bash
# The intervals of prec diff hold known differences as often as they say, and rows without one are seldom called changed: simulated runs.
# Runs: slow
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/differences.sh"
need jq
RUNS=60
DIFF_OPTIONS="--kallsyms kallsyms"
mkdata=$(helper mkdata/mkdata)
names=(f g same_a same_b same_c same_d same_e same_h same_i same_j same_k same_l)

for i in "${!names[@]}"; do
	printf 'ffffffff810%02x000 T %s\n' "$i" "${names[i]}"
done >kallsyms
echo ffffffff81020000 T end >>kallsyms

# simulate SIDE I: four calls of each function, of some 12 ms; from run to run they differ by some percent. A sample is taken every ms,
# wherever a thread is then.
simulate() {
	awk -v side="$1" -v seed="$2" -v names="${names[*]}" -v out="$1$2.out" '
		function normal(   i, sum) { for (i = 0; i < 12; i++) sum += rand(); return sum - 6 }
		BEGIN {
			srand(2 * seed + (side == "b"))
			n = split(names, name, " ")
			print "attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER sample_id_all=1 ids=1 period=1000000 enable_on_exec"
			print "feature arch=x86_64"
			print "mmap -1/0 0xffffffff81000000+0x20000@0 \"[kernel.kallsyms]_text\""
			print "comm 7/7 \"work\""
			next_sample = rand() * 1e6
			for (i = 1; i <= n; i++) {
				change = side == "a" ? 1 : name[i] == "f" ? 1.05 : name[i] == "g" ? 0.97 : 1
				of_run[i] = 12e6 * change * (1 + 0.01 * normal())
			}
			for (call = 0; call < 4; call++)
				for (i = 1; i <= n; i++) {
					length_ns = of_run[i] * (1 + 0.005 * normal())
					total[i] += length_ns
					for (end = t + length_ns; next_sample < end; next_sample += 1e6)
						printf "sample 7/7 id=1 t=%d ip=0xffffffff810%02x010 mode=kernel period=1000000 cpu=0\n", next_sample, i - 1
					t = end
				}
			for (i = 1; i <= n; i++)
				printf "%s %d\n", name[i], total[i] >out
		}' >sim.txt
	"$mkdata" sim.txt "$1$2"
}
for i in $(seq $RUNS); do
	simulate a "$i"
	simulate b "$i"
done
groups 40 $RUNS | judge_groups
pairs $RUNS | judge_pairs
