#!/bin/bash
# With -s cgroup a report sums up by the cgroup that samples tell, under the path that its record has, as perf does.
. "$(dirname "$0")/lib/prec.sh"

cat >in.txt <<'IN'
attr ev type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,CGROUP sample_id_all=1
feature arch=x86_64
comm 100/100 "demo"
cgroup 7 "/system/one" t=900000000
sample 100/100 t=1000000000 ip=0x10100 mode=user period=40 cpu=0 cgroup=7
sample 100/100 t=1100000000 ip=0x10100 mode=user period=20 cpu=0 cgroup=9
sample 100/100 t=1200000000 ip=0x10100 mode=user period=10 cpu=0 cgroup=7
cgroup 9 "/system/two" t=1250000000
sample 100/100 t=1300000000 ip=0x10100 mode=user period=5 cpu=0 cgroup=9
sample 100/100 t=1400000000 ip=0x10100 mode=user period=15 cpu=0 cgroup=11
sample 100/100 t=1500000000 ip=0x10100 mode=user period=10 cpu=0 cgroup=0
IN
"$(helper mkdata/mkdata)" in.txt in.data
rows() { grep -v '^#\|^$' | sed 's/ *$//'; }
report() { "$PREC" report -i in.data "$@" 2>/dev/null; }
perfs=()
for perf in $(perfs); do
	[ ! -x "$perf" ] || perfs+=("$perf")
done

expect '-s cgroup' "\
    50.00%  /system/one
    25.00%  /system/two
    15.00%  unknown
    10.00%  N/A" "$(report -s cgroup | rows)"
expect 'beside another key' "\
    50.00%  demo     /system/one
    25.00%  demo     /system/two
    15.00%  demo     unknown
    10.00%  demo     N/A" "$(report -s comm,cgr | rows)"
for perf in "${perfs[@]}"; do
	report -s cgroup >ours
	"$perf" report --stdio -i in.data -s cgroup 2>/dev/null </dev/null >theirs
	expect "$perf" "$(rows <theirs)" "$(rows <ours)"
	expect "the titles of $perf" "$(grep '^# Ov' theirs | sed 's/ *$//')" "$(grep '^# Ov' ours | sed 's/ *$//')"
done

# What the kernel says of a program in a cgroup of its own.
need_root
need_events all
root=$(awk '$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ { print $2; exit }' /proc/self/mounts)
[ "$root" ] || root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
[ "$root" ] && mkdir "$root/prec-report-$$" 2>/dev/null || skip 'cannot make a cgroup'
at_end 'rmdir "$root/prec-report-$$" 2>/dev/null || true'
cat >within <<'IN'
echo $$ >"$1/cgroup.procs"
shift
exec "$@"
IN
"$PREC" record -q --all-cgroups -e page-faults:u -c 1 -o data sh within "$root/prec-report-$$" "$(workload faults)" 500 >/dev/null
n=$("$PREC" report -i data -s comm,cgroup -F sample,comm,cgroup 2>/dev/null | awk -v g="/prec-report-$$" '$2 == "faults" && $3 == g { print $1 }')
[ "${n:-0}" -ge 500 ] || { "$PREC" report -i data -s comm,cgroup -n; fail "${n:-no} faults of 500 in the cgroup"; }
for perf in "${perfs[@]}"; do
	expect "samples by $perf" "$n" "$("$perf" report --stdio -i data -F sample,comm,cgroup 2>/dev/null </dev/null |
		awk -v g="/prec-report-$$" '$2 == "faults" && $3 == g { print $1 }')"
done
