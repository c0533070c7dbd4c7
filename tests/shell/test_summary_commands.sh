#!/bin/bash
# Summary begins with commands where many processes ran, each with its time and processes; and with what threads did where waits were recorded.
. "$(dirname "$0")/lib/prec.sh"
need jq

# recording NR FILE: a shell with 10 samples and two threads, NR processes of true with 3, and 2 of sort with 50.
recording() {
	local p t=1000
	one() {	# PID TID NR
		local i
		for ((i = 0; i < $3; i++)); do
			printf 'sample %d/%d t=%d ip=0x100 mode=user period=1000000\n' "$1" "$2" $((t++ * 1000))
		done
	}
	{
		printf '%s\n' 'attr cpu-clock type=software config=0 sample=IP,TID,TIME,PERIOD sample_id_all=1' \
			'comm 10/10 "forks.sh"' 'comm 10/11 "forks.sh"'
		one 10 10 6
		one 10 11 4
		for ((p = 100; p < 100 + $1; p++)); do
			echo "comm $p/$p \"true\""
			one $p $p 3
		done
		for p in 50 51; do
			echo "comm $p/$p \"sort\""
			one $p $p 25
		done
	} >text
	"$(helper mkdata/mkdata)" text "$2"
}
commands() {
	"$PREC" summary --json -i "$1" | jq -r '(.commands // [])[] | "\(.name) \(.samples) \(.where)"'
}
recording 40 many.data
expect "commands" "true 120 40 processes
sort 50 2 processes
forks.sh 10 1 process" "$(commands many.data)"
expect "they stand first" "commands" "$("$PREC" summary -i many.data | grep -oE '^commands|^threads|functions,.*' | head -1)"
# A child of the shell that becomes another program was the shell until then, as for report.
sed -i '$ a\
comm 900/900 "forks.sh"\
sample 900/900 t=900000000 ip=0x100 mode=user period=7000000\
comm 900/900 "true" exec=1 t=900000001\
sample 900/900 t=900000002 ip=0x100 mode=user period=2000000' text
"$(helper mkdata/mkdata)" text exec.data
expect "after an exec" "true 121 41 processes
sort 50 2 processes
forks.sh 11 2 processes" "$(commands exec.data)"
expect "as report has them" "$("$PREC" report -i exec.data --stdio --no-children -s comm -F period,comm -t, 2>/dev/null | grep -E '^ *[0-9]' | tr -d ' ' | sort)" \
	"$("$PREC" summary --json -i exec.data | jq -r '.commands[] | "\(.period),\(.name)"' | sort)"
recording 0 few.data
expect "few processes" "" "$(commands few.data)"

# Where waits were recorded, the time of threads stands above: on a CPU, and off it for what.
cat >text <<'IN'
attr cpu-clock type=software config=0 sample=IP,TID,TIME,PERIOD,IDENTIFIER sample_id_all=1 ids=1
attr offcpu-time type=software config=10 sample=IP,TID,TIME,PERIOD,IDENTIFIER sample_id_all=1 ids=2
feature arch=x86_64
ksymbol 0xffffffffc0000000+0x100 "futex_wait" type=1 t=1
ksymbol 0xffffffffc0001000+0x100 "do_nanosleep" type=1 t=1
comm 7/7 "work" t=1
sample 7/7 id=1 t=1000 ip=0x100 mode=user period=1000000
sample 7/7 id=1 t=2000 ip=0x100 mode=user period=1000000
sample 7/7 id=2 t=3000 ip=0xffffffffc0000010 mode=kernel period=14000000
sample 7/7 id=2 t=4000 ip=0xffffffffc0001010 mode=kernel period=4000000
IN
"$(helper mkdata/mkdata)" text waits.data
expect "time of threads" "time of its threads: 10.0 % on a CPU, 90.0 % off it: 70.0 % futex, 20.0 % sleep" "$("$PREC" summary -i waits.data | sed -n 2p)"

# Below functions stands who started whom: alike processes in one line, each with the time of those it started; threads count for
# their process, a number that comes again is another process, and those below 1 % are counted.
{
	printf '%s\n' 'attr cpu-clock type=software config=0 sample=IP,TID,TIME,PERIOD sample_id_all=1' \
		'comm 10/10 "make" t=1000' 'fork 10/11 parent=10/10 t=1500' \
		'sample 10/10 t=2000 ip=0x100 mode=user period=10000000' 'sample 10/11 t=2500 ip=0x100 mode=user period=10000000'
	for n in 1 2 3 4; do
		tid=$((n == 4 ? 21 : 20 + n)) t=$((n * 10000000))
		echo "fork $tid/$tid parent=10/11 t=$t
comm $tid/$tid \"cc\" exec=1 t=$((t + 1))
sample $tid/$tid t=$((t + 2)) ip=0x100 mode=user period=30000000
fork 3$n/3$n parent=$tid/$tid t=$((t + 3))
comm 3$n/3$n \"as\" exec=1 t=$((t + 4))
sample 3$n/3$n t=$((t + 5)) ip=0x100 mode=user period=$((n == 1 ? 59000000 : 100000))
exit 3$n/3$n parent=$tid/$tid t=$((t + 1000003))
exit $tid/$tid parent=10/10 t=$((t + 2000000))"
	done
	echo 'fork 50/50 parent=10/10 t=50000000
comm 50/50 "rm" exec=1 t=50000001
sample 50/50 t=50000002 ip=0x100 mode=user period=700000
exit 50/50 parent=10/10 t=50001000
exit 10/10 parent=10/10 t=51001000'
} >text
"$(helper mkdata/mkdata)" text tree.data
expect "processes by those that started them" '                  CPU  lived       command
  100.00 %     0.20 s  51.0 ms     make
   89.65 %     0.18 s  8.0 ms        cc x 4
   29.65 %    59.3 ms  4.0 ms          as x 4
  1 more: prec report --tasks' "$("$PREC" summary -i tree.data | sed -n '/^processes, each with all that it started$/,/^$/p' | sed '1d;$d')"
# Time before an exec is the parent's above, and the new command's here.
cat >early <<'IN'
attr cpu-clock type=software config=0 sample=IP,TID,TIME,PERIOD sample_id_all=1
comm 10/10 "sh" t=1000
sample 10/10 t=1001 ip=0x100 mode=user period=1000000
fork 11/11 parent=10/10 t=2000
sample 11/11 t=2001 ip=0x100 mode=user period=6000000
comm 11/11 "true" exec=1 t=2002
sample 11/11 t=2003 ip=0x100 mode=user period=1000000
fork 12/12 parent=10/10 t=3000
comm 12/12 "awk" exec=1 t=3001
sample 12/12 t=3002 ip=0x100 mode=user period=2000000
fork 13/13 parent=10/10 t=4000
comm 13/13 "awk" exec=1 t=4001
sample 13/13 t=4002 ip=0x100 mode=user period=2000000
IN
"$(helper mkdata/mkdata)" early early.data
"$PREC" summary -i early.data >early
expect "time before an exec" 'sh 58.33
awk 33.33
true 8.33' "$(sed -n '/^commands (until a process.s exec, the name is its parent.s)$/,/^$/p' early | awk '/%/ { print $5, $1 }')"
expect "time before an exec, of processes" 'sh 100.00
true 58.33
awk 33.33' "$(sed -n '/^processes, each /,/^$/p' early | awk '/%/ { print $7, $1 }')"
# What only led there, as the shells above the recorder, is no part of it.
{
	sed -n 1p text
	printf '%s\n' 'comm 1/1 "init" t=1' 'fork 2/2 parent=1/1 t=2' 'comm 2/2 "sshd" exec=1 t=3' 'fork 10/10 parent=2/2 t=4'
	sed 1d text
} >above
"$(helper mkdata/mkdata)" above above.data
expect "what stands above" "$("$PREC" summary -i tree.data | sed -n '/^processes, each /,/^$/p' | cut -c1-20,33-)" \
	"$("$PREC" summary -i above.data | sed -n '/^processes, each /,/^$/p' | cut -c1-20,33-)"
if command -v chromium >/dev/null; then
	. "$(dirname "$0")/lib/page.sh"
	"$PREC" export -q -i tree.data -o tree.html
	# A function that calls another stays in the table; one that only leads to all of it, as main() does, is left out.
	printf '%s\n' 'main;import_rows;parse 75' 'main;export_rows;parse 20' 'main;other 5' >lead.folded
	"$PREC" export -q -i lead.folded -o lead.html
	dom lead.html view=summary >lead.dom
	expect "functions with what they call" "parse import_rows export_rows other" \
		"$(tr -d '\n' <lead.dom | sed 's/.*data-name="Functions, with//; s/<.table>.*//' | grep -oE 'title="[a-z_]+"' | cut -d'"' -f2 | xargs)"
	dom tree.html view=summary >tree.dom
	expect "the tree in the page" '                  CPU  lived       command
  100.00 %     0.20 s  51.0 ms     make
   89.65 %     0.18 s  8.0 ms        cc x 4
   29.65 %    59.3 ms  4.0 ms          as x 4
  1 more' "$(sed -n '/<pre id="processes">/,/<\/pre>/p' tree.dom | sed 's/.*<pre id="processes">//; s/<\/pre>.*//')"
fi
expect "few processes have no tree" "" "$("$PREC" summary -i few.data | grep '^processes, each ')"
