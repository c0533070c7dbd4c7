#!/bin/bash
# Real CoreSight trace and SPE records, recorded in a virtual machine, decode there and outside to exactly what ran.
# Runs: long arm64
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
. "$SRC/tests/shell/lib/cs.sh"
need_vm arm64
need_cross
spegen=$(helper trace/spegen)

# What a guest of another architecture sees of here is the project. The program there runs on and on, with the same code.
dir=$CROSS_BUILD/vm_cs_decode
rm -rf "$dir"
mkdir -p "$dir"
logged 3
cat ips >"$dir/ips"
wait $!
compiled endless 2000000000
cmp code.bin endless.bin || fail "the programs differ in more than how long they run"
mv code.bin endless "$dir"
for cpu in 0 1; do
	echo "accesses $((5 + cpu)) 400 $((1000 + 5 * cpu)) 10" | "$spegen" >"$dir/spe$cpu"
done

# written BYTES: there, so many are in all areas together.
written='written() {
	local f n=0
	while read -ra f; do
		((f[1] < told)) || n=$((n + f[5]))
	done <$debug/streams
	[ $n = "$1" ]
}'

# A CPU's trace tells whose it is by the thread's number, which only the guest knows; the whole of it is one AUX record. A frame
# of nothing is behind it, for perf: without one it forgets what the last frame has behind a timestamp.
in_vm --arch arm64 --pmu name=cs_etm <<EOS
$written
taskset 1 $dir/endless & program=\$!
for options in "" "rs cc"; do
	args=() terms=
	for o in \$options; do args+=(-o \$o); done
	case \$options in *cc*) terms=cycacc ;; esac
	case \$options in *rs*) terms=\${terms:+\$terms,}retstack ;; esac
	name=cs\${options// /_}
	\$BUILD/tests/trace/csgen "\${args[@]}" -o cid -t \$program -l $dir/ips -c $dir/code.bin trace
	{ cat trace/trace.bin; printf '\\001'; head -c 15 /dev/zero; } >\$debug/payload0
	cp trace/expected \$name.expected
	pmu chunk=3001 paced=1
	begin \$name -C 0 -e cs_etm/\$terms/u -m 64,1024
	await written \$((\$(stat -c %s trace/trace.bin) + 16))
	end \$name
	\$PREC script --itrace=i1i -F ip -i \$name.data >\$name.there 2>\$name.messages
	\$PREC script --itrace=b -F tid,ip,addr,flags -i \$name.data >\$name.branches 2>/dev/null
	rm -r trace
done
kill \$program
EOS
in_vm --arch arm64 --pmu name=arm_spe_0 <<EOS
$written
cp $dir/spe0 \$debug/payload0
cp $dir/spe1 \$debug/payload1
pmu chunk=3001 paced=1
begin spe -a -e arm_spe_0// -m 64,256
await written \$((\$(stat -c %s $dir/spe0) + \$(stat -c %s $dir/spe1)))
end spe
\$PREC script --itrace=i1ifmtabM -F cpu,event,ip,addr,weight -i spe.data >spe.there 2>/dev/null
EOS

for name in cs csrs_cc; do
	[ "$(wc -l <$name.expected)" -gt 20000 ] || fail "$name: hardly any instructions"
	expect_same "$name, there: $(<$name.messages)" $name.expected <(tr -d ' ' <$name.there)
	"$PREC" script --itrace=i1i -F ip -i $name.data 2>messages | tr -d ' ' >got
	expect_same "$name: $(<messages)" $name.expected got
	"$PREC" script --itrace=b -F tid,ip,addr,flags -i $name.data 2>messages >got
	expect_same "$name: branches" $name.branches got
done
"$PREC" script --itrace=i1ifmtabM -F cpu,event,ip,addr,weight -i spe.data >got 2>/dev/null
expect_same "SPE, there and here" spe.there got
for cpu in 0 1; do
	expect "SPE's records of CPU $cpu" 400 "$("$PREC" script --itrace=i1i -F cpu -i spe.data 2>/dev/null | grep -c "\[00$cpu\]")"
done
# perf takes the same recordings.
need_perf
for name in cs csrs_cc; do
	"$PERF" script --itrace=i1i -F ip -i $name.data 2>/dev/null | tr -d ' ' >got
	expect_same "$name: perf" $name.expected got
done
rm -rf "$dir"
