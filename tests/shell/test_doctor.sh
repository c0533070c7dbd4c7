#!/bin/bash
# The answers of doctor agree with opening such events, in several set-ups, and the reasons name what refuses it.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/doctor.sh"
need jq
permitted=$(workload permitted)
unseen=$(workload unseen)
chmod 755 .
# The user may have no access to the tree.
install -m 755 "$PREC" doctor_prec
install -m 755 "$permitted" "$unseen" .

hold() {
	examine "$@"
	verdicts_hold "$1"
}

hold self env
expect "the rows" "bpf branches breakpoints cpus hardware kernel others own proc rings sample_ns symbols trace tracepoints" \
	"$(jq -r 'keys | join(" ")' self.json)"
expect "a row without a reason is fine, and others have one" "" \
	"$(jq -r 'to_entries[] | select(.key != "sample_ns") | select((.value.verdict == "yes") != (.value.why == "")) | .key' self.json)"
"$PREC" doctor --no-overhead >out || [ "$(verdict self own)" != yes ] || fail "exit status where one's own programs can be recorded"
[ "$(awk '{ if (length($0) > n) n = length($0) } END { print n }' out)" -le 80 ] || fail "wider than a terminal: $(cat out)"
expect_status 129 "$PREC" doctor two words 2>err
expect_status 129 "$PREC" doctor -p 1 word 2>err
if [ "$(verdict self own)" = yes ]; then
	"$PREC" doctor --json >whole.json
	jq -e '.sample_ns == null or .sample_ns >= 0' whole.json >/dev/null || fail "overhead: $(cat whole.json)"
fi

# A container's filter, with either error.
for err in 1 38; do
	status=0
	./unseen $err true 2>/dev/null || status=$?
	[ $status = 0 ] || { part_skipped "seccomp: the kernel has none"; break; }
	hold seccomp$err ./unseen $err
	expect "seccomp: nothing" no "$(verdict seccomp$err own)"
	why seccomp$err own | grep -q seccomp || [ "$(id -u)" != 0 ] || fail "seccomp is not named: $(why seccomp$err own)"
	expect_status 1 ./unseen $err ./doctor_prec doctor --no-overhead >out
done

# Root in a user namespace of its own has capabilities that do not count.
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 0 ] && unshare -Ur true 2>/dev/null; then
	hold userns unshare -Ur
	expect "user namespace: whole CPUs" no "$(verdict userns cpus)"
	why userns cpus | grep -q 'perf_event_paranoid' || fail "the setting is not named: $(why userns cpus)"
else
	part_skipped "user namespaces cannot be made here"
fi

if [ "$(id -u)" = 0 ] && command -v setpriv unshare >/dev/null; then
	nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	hold nobody "${nobody[@]}"
	# Asked for by root, the rows are those that the user gets.
	"$PREC" doctor --no-overhead --json -u 65534 >asked.json
	expect "doctor -u" "$(jq -c 'map_values(.verdict?)' nobody.json)" "$(jq -c 'map_values(.verdict?)' asked.json)"
	expect_status 1 "${nobody[@]}" ./doctor_prec doctor -u 0 2>err
	grep -q 'only root can ask for others' err || fail "doctor -u as nobody: $(cat err)"
	expect_status 1 "$PREC" doctor -u no-such-user 2>err
	"$PREC" doctor --no-overhead | grep -q "prec doctor -u USER" || fail "root is not told of other users"
	hold perfmon "${nobody[@]}" --inh-caps=+perfmon --ambient-caps=+perfmon
	expect "CAP_PERFMON: whole CPUs" yes "$(verdict perfmon cpus)"
	expect "CAP_PERFMON: the processes of others" yes "$(verdict perfmon others)"
	if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ]; then
		expect "nobody at 2" "yes no no no" "$(for id in own kernel cpus others; do verdict nobody $id; done | xargs)"
		why nobody kernel | grep -q "sysctl kernel.perf_event_paranoid=1" || fail "the least change: $(why nobody kernel)"
	fi
	# Without tracefs, without /proc: in a mount namespace of our own.
	hold notracefs unshare -m bash -c 'umount /sys/kernel/debug/tracing /sys/kernel/tracing 2>/dev/null
		! [ -d /sys/kernel/debug ] || mount -t tmpfs none /sys/kernel/debug 2>/dev/null; "$@"' -
	if [ "$(unshare -m bash -c 'umount /sys/kernel/debug/tracing /sys/kernel/tracing 2>/dev/null; ls /sys/kernel/tracing | wc -l')" = 0 ]; then
		[ "$(verdict notracefs tracepoints)" != yes ] || fail "tracepoints without tracefs"
		why notracefs tracepoints | grep -q tracefs || fail "tracefs is not named: $(why notracefs tracepoints)"
	fi
	hold noproc unshare -m bash -c 'mount -t tmpfs none /proc; "$@"' -
	expect "no /proc: maps, names" "absent absent" "$(verdict noproc proc) $(verdict noproc symbols)"
else
	part_skipped "other users and mount namespaces: not root, or no setpriv, unshare"
fi
