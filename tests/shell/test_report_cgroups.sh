#!/bin/bash
# With -s cgroup a report sums up by the cgroup that samples tell, under the path that its record has, as perf does.
# With -s cgroup_id it sums up by the cgroup namespace that a thread was in at the time.
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

# Namespaces over time. A thread that is born has its parent's only if a record tells it; a record without all links tells none.
links=4:1,4:2,4:3,4:4,4:5,4:6
cat >ns.txt <<IN
attr ev type=software config=0 sample=IP,TID,TIME,CPU,PERIOD sample_id_all=1 namespaces=1
feature arch=x86_64
comm 100/100 "demo"
namespaces 100/100 $links,4:0xf000000a t=0
namespaces 100/101 $links,4:0xf000000b t=800
sample 100/100 t=1000 ip=0x10100 mode=user period=10 cpu=0
sample 100/101 t=1100 ip=0x10100 mode=user period=10 cpu=0
sample 100/102 t=1200 ip=0x10100 mode=user period=4 cpu=0
namespaces 100/100 $links,4:0xf000000b t=1300
sample 100/101 t=1400 ip=0x10100 mode=user period=30 cpu=0
fork 200/200 parent=100/100 t=1500
sample 200/200 t=1600 ip=0x10100 mode=user period=3 cpu=0
namespaces 200/200 $links,5:0xffffffffffffffff t=1700
sample 200/200 t=1800 ip=0x10100 mode=user period=20 cpu=0
exit 200/200 t=1900
fork 200/200 parent=100/100 t=2000
sample 200/200 t=2100 ip=0x10100 mode=user period=2 cpu=0
sample 100/100 t=2200 ip=0x10100 mode=user period=20 cpu=0
namespaces 100/100 $links,0:0 t=2300
sample 100/100 t=2400 ip=0x10100 mode=user period=1 cpu=0
IN
"$(helper mkdata/mkdata)" ns.txt ns.data
namespaces="\
    40.00%  :101     4/0xf000000b
    20.00%  demo     5/0xffffffffffffffff
    20.00%  demo     4/0xf000000b
    10.00%  demo     4/0xf000000a
     6.00%  demo     0/0x0
     4.00%  :102     0/0x0"
expect 'namespaces' "$namespaces" "$("$PREC" report -i ns.data -s comm,cgroup_id | rows)"
sed "s|\(.* t=2300\)|namespaces 100/100 $links t=2300|" ns.txt >short.txt
"$(helper mkdata/mkdata)" short.txt short.data
expect 'a record of fewer' "$namespaces" "$("$PREC" report -i short.data -s comm,cgroup_id | rows)"

same_as_perf() {
	"$PREC" report -i $1 "${@:2}" 2>/dev/null | grep -v '^#$' | sed -n '/^# Over/,$p' | sed '/^$/d' >ours
	for perf in "${perfs[@]}"; do
		"$perf" report --stdio -i $1 "${@:2}" 2>/dev/null </dev/null | grep -v '^#$\|^# (Tip\|^# (Can' | sed -n '/^# Over/,$p' |
			sed '/^$/d' >theirs
		expect "$perf report $*" "$(<theirs)" "$(<ours)"
	done
}
same_as_perf ns.data -s comm,cgroup_id
same_as_perf ns.data -s cgroup_id -F overhead,cgroup_id

need_root
need_events all
if unshare -C true 2>/dev/null; then
	"$PREC" record -q --namespaces -e page-faults:u -c 1 -o ns.data -- sh -c \
		'stat -L -c "%d %i" /proc/$$/ns/cgroup; unshare -C sh -c "stat -L -c \"%d %i\" /proc/\$\$/ns/cgroup"' >said
	expect 'namespaces of a program' "$(awk '{ printf "%d/0x%x\n", $1, $2 }' said | sort)" \
		"$("$PREC" report -i ns.data -c stat -s cgroup_id | rows | awk '{ print $2 }' | sort)"
	same_as_perf ns.data -s comm,cgroup_id
fi

# What the kernel says of a program in a cgroup of its own.
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
