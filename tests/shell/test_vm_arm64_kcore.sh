#!/bin/bash
# The code of an arm64 kernel that record --kcore keeps is what that kernel had, each byte once, and is read elsewhere.
# Runs: long arm64
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need readelf
need_vm arm64
need_cross

in_vm --arch arm64 <<'EOS'
"$PREC" record --kcore -a -F 99 -e cpu-clock -o ours bash -c 'for i in {1..200}; do echo $i >/dev/null; done'
"$PREC" script -F ip,insn -i ours 2>ours.said | awk 'length($1) == 16' >ours.here
kernel_bytes_of ours 12
EOS

[ "$(wc -l <ours.want)" -ge 1 ] || fail "no samples of the kernel: $(cat ours.said)"
expect_same "what the kernel had" ours.want ours.got
"$PREC" script -F ip,insn -i ours 2>messages | awk 'length($1) == 16' >got
expect_same "here: $(head -3 messages)" ours.here got
readelf -lW ours/kcore_dir/kcore | awk '$1 == "LOAD" { print $3, $5 }' | sort >segments
end=0
while read -r from size; do
	[ $end = 0 ] || ((from >= end)) || fail "twice: $(cat segments)"
	end=$((from + size))
done <segments
