#!/bin/bash
# What doctor says can be recorded is what can be, whatever the machine's settings are; the setting that it names helps.
# Runs: long vm slow
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
. "$SRC/tests/shell/lib/doctor.sh"
need_vm x86_64
need jq
need setpriv
need unshare
workload permitted >/dev/null
workload unseen >/dev/null

in_vm --timeout 800 <<'EOS'
. "$SRC/tests/shell/lib/doctor.sh"
install -m 755 "$PREC" doctor_prec
install -m 755 "$BUILD/tests/work/permitted" "$BUILD/tests/work/unseen" .
for ((dir = 0; dir < 10; dir++)); do
	chmod a+x "$(printf './'; printf '../%.0s' $(seq 1 $dir))"
done 2>/dev/null
chmod 755 .
nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
set_to() { echo "$2" >"/proc/sys/${1//.//}" || echo "cannot set $1 to $2" >>unset; }
paranoid() { set_to kernel.perf_event_paranoid "$1"; }
kptr() { set_to kernel.kptr_restrict "$1"; }
mlock() { set_to kernel.perf_event_mlock_kb "$1"; }

# helps NAME ID COMMAND...: set what the reason says, and try again.
helps() {
	local name=$1 id=$2 setting file
	local -A before=()
	shift 2
	for setting in $(settings "$name" "$id"); do
		file=/proc/sys/$(tr . / <<<"${setting%=*}")
		before[$file]=$(<"$file")
		echo "${setting#*=}" >"$file"
	done
	echo "$name $id ${#before[@]} $("$@" ./permitted </dev/null | sed -n "s/^$id //p")" >>helped
	for file in "${!before[@]}"; do
		echo "${before[$file]}" >"$file"
	done
}

kptr 0
for level in -1 0 1 2 3 4; do
	paranoid $level
	examine "user$level" "${nobody[@]}"
	for id in own kernel cpus symbols tracepoints; do
		[ "$(verdict "user$level" $id)" != no ] || helps "user$level" $id "${nobody[@]}"
	done
done
examine root4 env
for cap in perfmon sys_admin bpf syslog sys_ptrace ipc_lock dac_override; do
	examine cap_$cap "${nobody[@]}" --inh-caps=+$cap --ambient-caps=+$cap
done
paranoid 2
examine seccomp1 ./unseen 1
examine seccomp38 ./unseen 38
examine user_seccomp "${nobody[@]}" ./unseen 1
for level in 0 1 2; do
	kptr $level
	examine kptr$level "${nobody[@]}"
	examine root_kptr$level env
	[ $level != 2 ] || helps root_kptr$level symbols env
	helps kptr$level symbols "${nobody[@]}"
done
paranoid 1
for level in 0 1 2; do
	kptr $level
	examine low_kptr$level "${nobody[@]}"
done
kptr 0
paranoid 2
mlock 0
examine mlock0 bash -c 'ulimit -l 0; exec "$@"' - "${nobody[@]}"
helps mlock0 rings bash -c 'ulimit -l 0; exec "$@"' - "${nobody[@]}"
examine mlock0_limit bash -c 'ulimit -l 1000; exec "$@"' - "${nobody[@]}"
examine mlock0_cap bash -c 'ulimit -l 0; exec "$@"' - "${nobody[@]}" --inh-caps=+ipc_lock --ambient-caps=+ipc_lock
limit=$(why mlock0 rings | sed -n "s/.*'ulimit -l \([0-9]*\)'.*/\1/p")
echo "mlock0 limit $limit $(bash -c "ulimit -l $limit"'; exec "$@"' - "${nobody[@]}" ./permitted </dev/null | sed -n 's/^rings //p')" >>helped
paranoid -1
examine mlock0_paranoid-1 bash -c 'ulimit -l 0; exec "$@"' - "${nobody[@]}"
mlock 516
# tracefs for a group; then for nobody.
mount -o remount,gid=65534,mode=750 /sys/kernel/tracing
for level in -1 0 1 2; do
	paranoid $level
	examine tracefs_open$level "${nobody[@]}"
	[ $level = -1 ] || helps tracefs_open$level tracepoints "${nobody[@]}"
done
paranoid 2
examine notracefs unshare -m bash -c 'umount -R /sys/kernel/debug /sys/kernel/tracing; exec "$@"' -
examine noproc unshare -m bash -c 'mount -t tmpfs none /proc; exec "$@"' -
examine user_noproc unshare -m bash -c 'mount -t tmpfs none /proc; exec "$@"' - "${nobody[@]}"
for level in 0 2; do
	set_to kernel.unprivileged_bpf_disabled $level 2>/dev/null
	examine bpf$level "${nobody[@]}"
done
# There is no way back from it.
mount -t securityfs none /sys/kernel/security 2>/dev/null
if echo confidentiality >/sys/kernel/security/lockdown; then
	examine lockdown env
	examine lockdown_user "${nobody[@]}"
fi 2>/dev/null
EOS

[ ! -s unset ] || fail "$(cat unset)"
nr=0
for tried in *.tried; do
	verdicts_hold "${tried%.tried}"
	nr=$((nr + 1))
done
[ $nr -ge 35 ] || fail "only $nr set-ups"
echo "$nr set-ups, $(cat ./*.tried | wc -l) verdicts"
cat helped
expect "settings that do not help" "" "$(awk '$3 > 0 && $4 != "yes"' helped)"
# The set-ups are what they are called.
expect "nobody at -1 to 4: own" "yes yes yes yes no no" "$(for i in -1 0 1 2 3 4; do verdict user$i own; done | xargs)"
expect "nobody at -1 to 4: kernel" "yes yes yes no no no" "$(for i in -1 0 1 2 3 4; do verdict user$i kernel; done | xargs)"
expect "nobody at -1 to 4: cpus" "yes yes no no no no" "$(for i in -1 0 1 2 3 4; do verdict user$i cpus; done | xargs)"
expect "root at 4" "yes yes yes" "$(for id in own kernel cpus; do verdict root4 $id; done | xargs)"
expect "each refused setting has a change that helps" "" \
	"$(awk '$3 == 0 && !($1 ~ /^user/ && $2 == "tracepoints")' helped)"
expect "tracefs for a group, at -1 to 2" "yes no no no" "$(for i in -1 0 1 2; do verdict tracefs_open$i tracepoints; done | xargs)"
expect "symbols for nobody: kptr_restrict 0 to 2, at 2 and at 1" "no no no yes no no" \
	"$(for i in kptr0 kptr1 kptr2 low_kptr0 low_kptr1 low_kptr2; do verdict $i symbols; done | xargs)"
why seccomp1 own | grep -q seccomp || fail "seccomp is not named: $(why seccomp1 own)"
why user_noproc kernel | grep -q '/proc' || fail "that /proc is missing is not said: $(why user_noproc kernel)"
expect "mlock: no room, a limit, CAP_IPC_LOCK, paranoid -1" "no yes yes yes" \
	"$(for i in mlock0 mlock0_limit mlock0_cap mlock0_paranoid-1; do verdict $i rings; done | xargs)"
