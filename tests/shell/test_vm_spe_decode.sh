#!/bin/bash
# SPE's records, recorded in a virtual machine from a PMU that writes them, become exactly their samples.
# Runs: vm
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need_vm x86_64

# The area is so large that it is read once, at the end: the device would not cut a record.
in_vm --pmu name=arm_spe_0 <<'EOS'
for cpu in 0 1; do
	echo "accesses $((5 + cpu)) 400 $((1000 + 5 * cpu)) 10" | $BUILD/tests/trace/spegen >payload$cpu
done
cp payload0 payload1 $debug
sizes=($(stat -c %s payload0 payload1))
all_written() {
	local f n=0
	while read -ra f; do
		((f[1] >= told && f[5] == sizes[f[3]])) && n=$((n + 1))
	done <$debug/streams
	((n == 2))
}
pmu chunk=3001 paced=1
begin spe -a -e arm_spe_0// -m 64,256
await all_written
end spe
EOS

# shown LETTERS: what script prints; without what the machine adds: who, and when.
shown() {
	"$1" script --itrace="$2" -F cpu,event,ip,addr,weight,flags -i spe.data 2>messages | tr -s ' ' | sort
}

for cpu in 0 1; do
	expect "records of CPU $cpu" 400 "$(shown "$PREC" i1i | grep -c "\[00$cpu\]")"
done
# Each address of the packets is sampled, as often as it is there.
"$PREC" script --no-itrace -D -i spe.data | sed -n 's/.* PC 0x\([0-9a-f]*\) el.*/\1/p' | sed 's/^ff/ffff/' | sort >want
"$PREC" script --itrace=i1i -F ip -i spe.data 2>/dev/null | tr -d ' ' | sort >got
expect_same "addresses" want got
with_newperf || exit 0
plain() {
	sed 's/ (x*)//' | sort
}
shown "$PREC_PERF" i1ifmtabM | plain >want
shown "$PREC" i1ifmtabM | plain >got
[ "$(wc -l <want)" -gt 1000 ] || fail "perf shows next to nothing"
expect_same "as perf" want got
