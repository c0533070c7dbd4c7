#!/bin/bash
# CoreSight: of an arm64 program under QEMU each of more than 50 million logged instructions is decoded.
# Runs: long
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/cs.sh"

# The log is encoded while the program runs, and not kept.
logged 1300
qemu=$!
mkfifo copy
tee copy <ips | wc -l >nr &
counting=$!
"$gen" -s 11 -o rs -o cc -o cid -l copy -c code.bin trace
wait $qemu
wait $counting
[ "$(<nr)" -gt 50000000 ] || fail "only $(<nr) instructions"

# The trace ends with the last branch of the program.
"$decode" -p 100000 trace 2>gaps >got
decoded=$(wc -l <got)
[ "$decoded" -gt $(($(<nr) - 50)) ] || fail "$decoded of $(<nr) instructions"
# It runs once more, for another look at what it executes.
qemu-aarch64 -plugin ./ips.so,log=ips ./code &
qemu=$!
{ head -n "$decoded"; cat >rest; } <ips | cmp - got || fail "not what was executed"
wait $qemu
echo "$decoded instructions, $(stat -c %s trace/trace.bin) bytes of trace"
