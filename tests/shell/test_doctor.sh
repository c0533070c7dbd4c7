#!/bin/bash
# What doctor says can be recorded is what opening such events shows, in several set-ups, and the reasons name what refuses it.
. "$(dirname "$0")/lib/prec.sh"
need jq
opens=$(workload opens)
unseen=$(workload unseen)
chmod 755 .
# Who runs it may not be allowed into the tree.
install -m 755 "$PREC" doctor_prec
install -m 755 "$opens" "$unseen" .

# examine NAME COMMAND...: doctor's word by COMMAND, into NAME.json, against what opens says in the same set-up.
examine() {
	local name=$1 id how said
	shift
	any_status "$@" ./doctor_prec doctor --json --no-overhead </dev/null >"$name.json" 2>err || true
	jq -e . "$name.json" >/dev/null || fail "$name: no JSON: $(cat "$name.json" err)"
	while read -r id how; do
		said=$(verdict "$name" "$id")
		# shellcheck disable=SC2086
		if "$@" ./opens $how </dev/null >/dev/null 2>&1; then
			expect "$name: $id" yes "$said"
		else
			[ "$said" != yes ] || fail "$name: $id cannot be opened, and doctor says yes"
			[ "$(why "$name" "$id")" ] || fail "$name: $id is refused without a reason"
		fi
	done <<-'IN'
	own
	kernel kernel
	cpus all
	IN
}
verdict() { jq -r --arg id "$2" '.[$id].verdict' "$1.json"; }
why() { jq -r --arg id "$2" '.[$id].why' "$1.json"; }

examine self env
expect "the rows" "bpf branches breakpoints cpus hardware kernel others own proc rings sample_ns symbols trace tracepoints" \
	"$(jq -r 'keys | join(" ")' self.json)"
expect "a row without a reason is fine, and others have one" "" \
	"$(jq -r 'to_entries[] | select(.key != "sample_ns") | select((.value.verdict == "yes") != (.value.why == "")) | .key' self.json)"
"$PREC" doctor --no-overhead >out || [ "$(verdict self own)" != yes ] || fail "exit status where one's own programs can be recorded"
[ "$(awk '{ if (length($0) > n) n = length($0) } END { print n }' out)" -le 80 ] || fail "wider than a terminal: $(cat out)"
expect_status 129 "$PREC" doctor word 2>err
if [ "$(verdict self own)" = yes ]; then
	"$PREC" doctor --json >whole.json
	jq -e '.sample_ns == null or .sample_ns >= 0' whole.json >/dev/null || fail "overhead: $(cat whole.json)"
fi

# A container's filter, with either error.
for err in 1 38; do
	status=0
	./unseen $err true 2>/dev/null || status=$?
	[ $status = 0 ] || { part_skipped "seccomp: the kernel has none"; break; }
	examine seccomp$err ./unseen $err
	expect "seccomp: nothing" no "$(verdict seccomp$err own)"
	why seccomp$err own | grep -q seccomp || [ "$(id -u)" != 0 ] || fail "seccomp is not named: $(why seccomp$err own)"
	expect_status 1 ./unseen $err ./doctor_prec doctor --no-overhead >out
done

# Root in a user namespace of its own has capabilities that do not count.
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 0 ] && unshare -Ur true 2>/dev/null; then
	examine userns unshare -Ur
	expect "user namespace: whole CPUs" no "$(verdict userns cpus)"
	why userns cpus | grep -q 'perf_event_paranoid' || fail "the setting is not named: $(why userns cpus)"
else
	part_skipped "user namespaces cannot be made here"
fi

if [ "$(id -u)" = 0 ] && command -v setpriv unshare >/dev/null; then
	nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	examine nobody "${nobody[@]}"
	examine perfmon "${nobody[@]}" --inh-caps=+perfmon --ambient-caps=+perfmon
	expect "CAP_PERFMON: whole CPUs" yes "$(verdict perfmon cpus)"
	expect "CAP_PERFMON: the processes of others" yes "$(verdict perfmon others)"
	if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ]; then
		expect "nobody at 2" "yes no no no" "$(for id in own kernel cpus others; do verdict nobody $id; done | xargs)"
		why nobody kernel | grep -q "sysctl kernel.perf_event_paranoid=1" || fail "the least change: $(why nobody kernel)"
	fi
	# Without tracefs, without /proc: in a mount namespace of our own.
	examine notracefs unshare -m bash -c 'umount /sys/kernel/debug/tracing /sys/kernel/tracing 2>/dev/null
		! [ -d /sys/kernel/debug ] || mount -t tmpfs none /sys/kernel/debug 2>/dev/null; "$@"' -
	if [ "$(unshare -m bash -c 'umount /sys/kernel/debug/tracing /sys/kernel/tracing 2>/dev/null; ls /sys/kernel/tracing | wc -l')" = 0 ]; then
		[ "$(verdict notracefs tracepoints)" != yes ] || fail "tracepoints without tracefs"
		why notracefs tracepoints | grep -q tracefs || fail "tracefs is not named: $(why notracefs tracepoints)"
	fi
	examine noproc unshare -m bash -c 'mount -t tmpfs none /proc; "$@"' -
	expect "no /proc: maps, names" "absent absent" "$(verdict noproc proc) $(verdict noproc symbols)"
else
	part_skipped "other users and mount namespaces: not root, or no setpriv, unshare"
fi
