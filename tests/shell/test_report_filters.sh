#!/bin/bash
# Filters of report: what they let through, what is 100 %, and what is said of them above the table.
. "$(dirname "$0")/lib/prec.sh"

cat >in.txt <<'IN'
attr ev type=software config=0 sample=IP,TID,TIME,CPU,PERIOD sample_id_all=1
feature arch=x86_64
comm 100/100 "demo"
comm 100/101 "demo"
comm 200/200 "other"
mmap2 100/100 0x10000+0x10000@0 r-xp "/no/such/prog"
mmap2 200/200 0x10000+0x10000@0 r-xp "/no/such/lib.so"
sample 100/100 t=1000000000 ip=0x10100 mode=user period=40 cpu=0
sample 100/101 t=1500000000 ip=0x10200 mode=user period=30 cpu=1
sample 200/200 t=1900000000 ip=0x10100 mode=user period=20 cpu=1
sample 200/200 t=2000000000 ip=0x10300 mode=user period=10 cpu=2
IN
"$(helper mkdata/mkdata)" in.txt in.data
# The percentages that a report of some options has, one after the other.
shares() { "$PREC" report -i in.data -q -s comm,dso,sym,pid "$@" 2>/dev/null | awk '/%/ { printf "%s ", $1 }'; }

expect "all" "40.00% 30.00% 20.00% 10.00% " "$(shares)"
expect "-c" "20.00% 10.00% " "$(shares -c other)"
expect "-c, relative" "66.67% 33.33% " "$(shares -c other --percentage relative)"
expect "-c of two" "40.00% 30.00% 20.00% 10.00% " "$(shares -c demo,other)"
printf 'nobody\nother\n' >names
expect "-c from a file" "20.00% 10.00% " "$(shares -c "file://$PWD/names")"
expect "-d" "40.00% 30.00% " "$(shares -d prog)"
expect "-d by path" "40.00% 30.00% " "$(shares -d /no/such/prog)"
expect "--pid" "40.00% 30.00% " "$(shares --pid 100)"
expect "--tid" "30.00% " "$(shares --tid 101)"
expect "-C: the others do not count" "60.00% 40.00% " "$(shares -C 1)"
expect "-C list" "60.00% 40.00% " "$(shares -C 1,3-5)"
expect "--time" "60.00% 40.00% " "$(shares --time 1.2,1.95)"
expect "--time, percent" "66.67% 33.33% " "$(shares --time 90%-100%)"
expect "--time, list" "57.14% 28.57% 14.29% " "$(shares --time 10%/1,10%/10)"
expect "two filters" "22.22% " "$(shares -c other --tid 200 --time ,1.95 -d lib.so)"
expect "nothing left" "" "$(shares -c nobody)"
expect "-U leaves nothing without symbols" "" "$(shares -U)"

expect "single names above the table" "# comm: other
# dso: lib.so" "$("$PREC" report -i in.data -c other -d lib.so 2>/dev/null | grep -E '^# (comm|dso)')"
expect "no columns for them" "# Overhead  Symbol                " \
	"$("$PREC" report -i in.data -c other -d lib.so 2>/dev/null | grep '^# Overhead')"
expect "relative counts" "# Samples: 2  of event 'ev'
# Event count (approx.): 30" "$("$PREC" report -i in.data -c other --percentage relative 2>/dev/null | grep -A1 '^# Samples')"

for bad in "--time x" "--pid a" "-C x" "-c file:///no/such"; do
	# shellcheck disable=SC2086
	expect_status 1 "$PREC" report -i in.data $bad >out 2>err
	[ -s err ] || fail "$bad is refused without a word"
done

# By the name of a function, with symbols.
need_events
"$PREC" record -q -F 2000 -o rec.data "$(workload shares)" 1 300 >/dev/null 2>&1 || skip "cannot record"
names=$("$PREC" report -i rec.data -q -s sym -S a_70,c_10 2>/dev/null | awk '/%/ { print $3 }' | sort)
expect "-S" "a_70
c_10" "$names"
names=$("$PREC" report -i rec.data -q -s sym --symbol-filter _20 2>/dev/null | awk '/%/ { print $3 }')
expect "--symbol-filter" "b_20" "$names"
expect "a word is a symbol filter" "b_20" "$("$PREC" report -i rec.data -q -s sym b_2 2>/dev/null | awk '/%/ { print $3 }')"
