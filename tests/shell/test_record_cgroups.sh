#!/bin/bash
# Each event is that of its cgroup (-G); cgroups and namespaces that are there before are told as perf does (--synth).
# Runs: alone, as Linux 6.18 gives samples of a software event the ids of another recorder's of the same event.
. "$(dirname "$0")/lib/prec.sh"
need_root
need_events all
WALK=$(helper mkdata/walk) FAULTS=$(workload faults)
root=$(awk '$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ { print $2; exit }' /proc/self/mounts)
[ "$root" ] || root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
[ "$root" ] && mkdir "$root/prec-$$" 2>/dev/null || skip 'cannot make a cgroup'
mkdir "$root/prec-$$/one" "$root/prec-$$/two"
at_end '[ -z "$pid" ] || kill $pid 2>/dev/null || true; wait; rmdir "$root/prec-$$"/{one,two,late} "$root/prec-$$" 2>/dev/null || true'
pid='' one=prec-$$/one two=prec-$$/two

# In "one" 1000 pages are touched, in "two" 2000, beside them 300.
cat >within <<'EOF'
echo $$ >"$1/cgroup.procs"
shift
exec "$@"
EOF
cat >work <<EOF
sh within $root/$one $FAULTS 1000
sh within $root/$two $FAULTS 2000
$FAULTS 300
EOF
touched() {	# RECORDER OPTIONS...: how many pages each event saw being touched
	"$1" record -q -c 1 -o data "${@:2}" sh work >/dev/null 2>err || return 1
	"$PREC" script -i data -F event,ip,sym |
		awk '$3 == "touch_pages" { n[$1]++ } END { printf "%d %d\n", n["page-faults:u:"], n["minor-faults:u:"] }'
}
sees() {	# WANT OPTIONS...
	expect "${*:2}" "$1" "$(touched "$PREC" "${@:2}")"
}
same() {	# WANT OPTIONS...: perf, too
	local want=$1 got
	sees "$@"
	shift
	# perf gives up at times where the machine is busy.
	! [ "$PERF" ] || ! got=$(touched "$PERF" "$@") || expect "perf: $*" "$want" "$got"
}
PERF=$(command -v perf || true)
touched "$PREC" -a -e page-faults:u -G $one >/dev/null || skip "no perf events of cgroups: $(cat err)"
same '1000 2000' -a -e page-faults:u -e minor-faults:u -G $one,$two
touched "$PREC" -a -e page-faults:u -e minor-faults:u -G $one,$two >/dev/null
perf_agrees data
sees '1000 1000' -a -e page-faults:u,minor-faults:u -G $one
sees '1000 2000' -a -e page-faults:u -G $one -e minor-faults:u -G $two
same '3300 2000' -a -e page-faults:u,minor-faults:u -G ,$two
same '1000 3300' -a -e page-faults:u -G $one -e minor-faults:u
sees '3000 2000' -a -e page-faults:u,minor-faults:u -G prec-$$,$two
expect_status 129 "$PREC" record -e page-faults:u -G $one -o other true 2>err
grep -q 'give -a or -C' err || fail "$(cat err)"
expect_status 129 "$PREC" record -a -G $one -e page-faults:u -o other true 2>err
grep -q 'give -e first' err || fail "$(cat err)"
expect_status 129 "$PREC" record -a -e page-faults:u -G $one,$two -o other true 2>err
grep -q 'more cgroups than' err || fail "$(cat err)"
expect_status 1 "$PREC" record -a -e page-faults:u -G prec-$$/three -o other true 2>err
grep -q "prec-$$/three.*No such file" err || fail "$(cat err)"
[ ! -e other ] || fail 'what is refused leaves a file'

# What is there: its records, and who reads them.
show() { "$1" script -i data --show-cgroup-events --show-namespace-events 2>/dev/null </dev/null; }
# Those of this test and the one above them: others come and go.
cgroups() { show "$1" | sed -nE "s/.*PERF_RECORD_CGROUP cgroup: ([0-9]+ (\/|\/prec-$$.*))\$/\1/p" | sort; }
# 6.1 prints numbers of inodes in hex without saying so.
namespaces() { show "$1" | grep -A2 "NAMESPACES $pid/$pid " | sed 's/.*NAMESP/NAMESP/; s/0x//g' | head -3; }
sleep 100 & pid=$!
"$PREC" record -q --all-cgroups --namespaces -a -e dummy:u -o data mkdir "$root/prec-$$/late"
for path in "/" "/prec-$$" "/$one" "/$two" "/prec-$$/late"; do
	expect "cgroup $path" "$(stat -c %i "$root$path") $path" "$(cgroups "$PREC" | grep " $path\$")"
done
want=$(for ns in net uts ipc pid user mnt cgroup; do stat -L -c '%n: %d/%i' /proc/$pid/ns/$ns | sed 's/.*ns.//'; done)
expect namespaces "$want" "$(namespaces "$PREC" | grep -oE '[a-z]+: [0-9]+/[0-9a-f]+' |
	while IFS=/ read -r at inode; do echo "$at/$((16#$inode))"; done)"
"$PREC" record -q --all-cgroups -a -e cpu-clock -o samples \
	sh within "$root/$two" "$(workload spin)" -1 100 >/dev/null
"$PREC" script -i samples -F comm,cgroup | grep "^ *spin */$two\$" >/dev/null || fail 'samples do not tell their cgroup'
if [ "$PERF" ]; then
	expect 'cgroups by perf' "$(cgroups "$PREC")" "$(cgroups "$PERF")"
	expect 'namespaces by perf' "$(namespaces "$PREC")" "$(namespaces "$PERF")"
	ours=$(namespaces "$PREC")
	cgroups "$PREC" >ours
	"$PERF" record -q --all-cgroups --namespaces -a -e dummy:u -o data true 2>/dev/null
	expect 'cgroups of perf' "$(cat ours)" "$(cgroups "$PREC")"
	expect 'namespaces of perf' "$ours" "$(namespaces "$PREC")"
fi

# --synth chooses among them. The command is another process: there are none of the one that is watched.
synth() {	# CHOICE: are there COMM, MMAP2, NAMESPACES and CGROUP of what was there?
	"$PREC" record -q --all-cgroups --namespaces --synth="$1" -p $pid -e dummy:u -o data true
	perf_counts data COMM MMAP2 NAMESPACES CGROUP
	"$WALK" data | awk '$1 == "type" { n[$2] = 1 } END { print n[3] + 0, n[10] + 0, n[16] + 0, n[19] + 0 }'
}
expect '--synth=all' '1 1 1 1' "$(synth all)"
expect '--synth=no' '0 0 0 0' "$(synth no)"
expect '--synth=task' '1 0 1 0' "$(synth task)"
expect '--synth=mmap' '1 1 1 0' "$(synth mmap)"
expect '--synth=cgroup' '0 0 0 1' "$(synth cgroup)"
expect '--synth=task,cgroup' '1 0 1 1' "$(synth task,cgroup)"
expect_status 129 "$PREC" record --synth=nonsense true 2>err
kill $pid
