#!/bin/bash
# A FIFO in the place of a file that a process had mapped, as an interpreter, a jitdump or a library, keeps nobody waiting.
. "$(dirname "$0")/lib/prec.sh"
need_events
bounded() { timeout -k 5 60 env "$PREC" "$@"; }
put_fifo() { rm -f "$1"; mkfifo "$1"; }

# A jitdump: when it is read, and while it is recorded.
JIT=$(workload jit)
mkdir dir
at_end 'rm -f /tmp/perf-$(sed -n "s/.*jit-\([0-9]*\).*/\1/p" dumps 2>/dev/null).map'
if "$JIT" 2>/dev/null || [ $? = 2 ]; then
	"$PREC" record -q -g -e cpu-clock:u -o data "$JIT" dir 0 >pieces 2>err || fail "cannot record: $(<err)"
	ls dir >dumps
	dump=dir/$(ls dir)
	put_fifo "$dump"
	for command in report script 'annotate piece_3'; do
		# shellcheck disable=SC2086
		bounded $command -i data --stdio >out 2>err </dev/null || [ $? != 124 ] || fail "$command waits for a jitdump"
	done
	bounded archive -o copy.data data >out 2>err || fail "archive: $(<err)"
	rm -rf dir/*
	"$JIT" dir 0 400 >pieces & jit=$!
	await 20 has_run $jit 50
	ls dir >>dumps
	put_fifo "dir/$(ls dir)"
	bounded record -q -g -e cpu-clock:u -o data -p $jit -- sleep 0.3 2>err || fail "record of a jitdump: $(<err)"
	kill $jit
	wait $jit 2>/dev/null || true
else
	part_skipped "no code for this processor"
fi

# A command that is one.
put_fifo python3.11
chmod +x python3.11
bounded record -q -e cpu-clock -o none ./python3.11 2>err && fail "a FIFO ran" || [ $? != 124 ] || fail "record waits for its command"
rm python3.11

# An interpreter that runs: the map leads to its file, whatever is in its place. Without the right to that there are no frames.
[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || { part_skipped "no namespaces here"; exit 0; }
cp "$(workload fakepython)" python3.11
mkfifo fifo
cat >hide.sh <<'S'
./python3.11 sound 60000 & python=$!
sleep 0.5
mount --bind fifo python3.11 || exit 3
timeout -k 5 60 "$@" "$PREC" record --python -q -e cpu-clock -F 999 -o hidden -p $python -- sleep 0.5
status=$?
kill $python
exit $status
S
frames() { "$PREC" script -i hidden -F ip,sym,dso 2>/dev/null | grep -c '(\[python\])' || true; }
hidden() {	# COMMAND...: by which record is run
	unshare -m sh hide.sh "$@" 2>err || fail "$*: $(<err)"
	! grep -q 'built without clang\|may not be loaded\|does not take the BPF' err || { cat err; skip "no BPF programs here"; }
}
hidden env
[ "$(frames)" -gt 10 ] || fail "$(frames) frames of the map's file: $(<err)"
caps=-sys_admin,-checkpoint_restore
setpriv --bounding-set=$caps --inh-caps=$caps true 2>/dev/null || { part_skipped "no setpriv"; exit 0; }
hidden setpriv --bounding-set=$caps --inh-caps=$caps
expect "frames of a FIFO" 0 "$(frames)"
