#!/bin/bash
# Real Intel PT recorded in a virtual machine, in full and as snapshots, decodes outside to exactly the instructions that ran.
# Runs: vm
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
. "$SRC/tests/shell/lib/pt.sh"
need_vm x86_64

# The program has its code at the same addresses everywhere. Which of it runs there does not matter: the trace is of here.
cat >program.c <<'EOC'
#include <stdlib.h>

static unsigned sum;

static unsigned collatz(unsigned n)
{
	return n <= 1 ? 0 : 1 + collatz(n % 2 ? 3 * n + 1 : n / 2);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < atoi(argv[argc - 1]); i++)
		sum += collatz(i % 1000 + 1);
	return sum == 0;
}
EOC
cc -O1 -static -no-pie -o program program.c 2>cc.said || skip "no static programs: $(head -1 cc.said)"
pt_traces t 100000 cyc,psb=700 -- "$PWD/program" 60
[ "$(wc -l <t.1.exp)" -gt 5000 ] || fail "too few instructions"

# The program runs already, so that its code is known before the first trace is there.
in_vm --pmu name=intel_pt <<EOS
taskset 1 $PWD/program 100000000 & program=\$!
cp $PWD/t.1.pt \$debug/payload
size=$(stat -c %s t.1.pt)
pmu chunk=301 paced=1;	full full 1 \$size -e intel_pt//u -m 64,64 -p \$program
pmu chunk=301;		walk snap 1 "\$((size / 3)) \$size" -S -e intel_pt//u -m 64,256 -p \$program
kill \$program
EOS

# Times of another machine's clock say nothing of its records: Z.
for name in full snap; do
	"$PREC" script --itrace=i1iZ -F ip -i $name.data 2>messages | tr -d ' ' >got
	expect_same "$name ($(head -2 messages))" t.1.exp got
done
