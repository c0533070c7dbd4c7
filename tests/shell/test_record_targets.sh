#!/bin/bash
# With -u the processes of a user are recorded, with -G those of a cgroup, with -r at real-time priority.
. "$(dirname "$0")/lib/prec.sh"
need_root
need_events all
need setpriv
names() { "$PREC" script -i data -F comm | tr -d ' ' | sort -u; }
# Without target and command everything is watched, until an interrupt: a process that nobody named has samples.
rm -f data
env --default-signal=INT "$PREC" record -q -e cpu-clock:u -o data 2>err & prec=$!
await 60 test -s data
"$(workload spin)" -1 100 >/dev/null
kill -INT $prec
expect_status 0 wait $prec
"$PREC" script -i data -F comm | grep spin >/dev/null || fail "no samples of a process that nobody named"

cp "$(workload spin)" theirs
chmod 755 . theirs
top=$(mktemp -d /tmp/prec-targets.XXXXXX)
at_end 'rm -rf "$top"'
chmod 755 "$top"
cp theirs "$top"
setpriv --reuid 61234 --clear-groups "$top/theirs" -1 0 >out & theirs=$!
"$(workload spin)" -1 0 >/dev/null & ours=$!
await 60 grep -qs ready out
rm -f data
exec "$PREC" record -q -e cpu-clock:u -u 61234 -o data & prec=$!
end_with_samples $prec
expect 'processes of the user' theirs "$(names)"
perf_agrees data
# By a BPF program, where it may be: who begins later, and is nobody's child, is recorded, too. Else that is left out.
rm -f data
env --default-signal=INT "$PREC" record -e cpu-clock:u -u 61234 -o data 2>err & prec=$!
await 60 test -s data
setpriv --reuid 61234 --clear-groups "$top/theirs" -1 200 >/dev/null
kill -INT $prec
wait $prec || true
if "$PREC" record -q -e cpu-clock --filter 'uid == 0' -o filtered true 2>/dev/null; then
	expect 'processes of the user, by a program' theirs "$(names)"
	expect 'the old one and the new one' 2 "$("$PREC" script -i data -F pid | sort -u | wc -l)"
fi
expect_status 129 "$PREC" record -u no-such-user true 2>err
grep -q no-such-user err || fail 'no reason'
expect_status 129 "$PREC" record --per-thread -u 61235 true 2>err
chrt -f 1 true 2>/dev/null || skip 'no real-time priorities here'
exec "$PREC" record -q -e cpu-clock:u -r 5 -o data -p $ours & prec=$!
await 60 eval 'chrt -p $prec | grep "SCHED_FIFO" >/dev/null'
kill $prec
wait $prec
perf_agrees data
expect_status 1 "$PREC" record -r 200 -o data true 2>err
grep -q priority err || fail 'no reason'
expect_status 129 "$PREC" record -G / true 2>err
# A cgroup of version 2.
root=
for dir in /sys/fs/cgroup/unified /sys/fs/cgroup; do
	[ ! -e $dir/cgroup.procs ] || root=${root:-$dir}
done
[ "$root" ] && mkdir "$root/prec-$$" 2>/dev/null || skip 'cannot make a cgroup'
at_end 'kill -KILL $theirs $ours; wait; rmdir "$root/prec-$$"'
echo $theirs >"$root/prec-$$/cgroup.procs"
"$PREC" record -q -e cpu-clock -a -G prec-$$ -o data true 2>err || skip "no perf events of cgroups: $(cat err)"
rm -f data
exec "$PREC" record -q -e cpu-clock -a -G prec-$$ -o data & prec=$!
end_with_samples $prec
expect 'processes of the cgroup' theirs "$(names)"
perf_agrees data
expect_status 1 "$PREC" record -e cpu-clock -a -G no-such-group -o data true 2>err
kill $ours
