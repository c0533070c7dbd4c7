#!/bin/bash
# On a terminal report shows on the first screen what matters: names shortened to fit, shares, times, what is left in one row.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/tmux.sh"
at_end 'end_terminal'

# Thirty functions with names of 400 characters; the first twelve have 5 % each and more, the others 0.2 %.
args=$(printf 'std::pair<std::string, unsigned long>, %.0s' 1 2 3 4 5 6 7 8 9 10)
{
	echo 'attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN sample_id_all=1'
	echo 'feature arch=x86_64 cmdline=perf,record,./templates hostname=host'
	echo 'comm 100/100 "templates"'
	for i in {0..29}; do
		printf 'ksymbol 0x%x+0x100 "std::map<%s>::method_%02d(%s)" type=1 t=1\n' $((0xffffffffc0000000 + i * 0x100)) "$args" $i "$args"
	done
	for i in {0..29}; do
		printf 'sample 100/100 t=%d000 ip=0x%x mode=kernel period=%d cpu=0 chain=kernel,0x%x\n' $((i + 2)) \
			$((0xffffffffc0000000 + i * 0x100 + 4)) $((i < 12 ? 80000000 + 1000000 * i : 2000000)) \
			$((0xffffffffc0000000 + i * 0x100 + 4))
	done
	echo 'sample 0/0 t=40000 ip=0xffffffffc0000004 mode=kernel period=100000000 cpu=0 chain=kernel,0xffffffffc0000004'
} >in.txt
"$(helper mkdata/mkdata)" in.txt in.data
report="$PREC report --stdio -i $WORK/in.data --no-children"
total=$((80 * 12 + 66 + 18 * 2 + 100))		# ms

for size in 80x24 200x60; do
	start_terminal $size
	on_screen "$report" >seen
	[ "$(awk '{ print length }' seen | sort -n | tail -1)" -le "${size%x*}" ] || fail "$size: a line is too long: $(cat seen)"
	[ "$(grep -cE '^ +[0-9.]+%  +[0-9.]+ m?s  templates .*map(<.*\.\.\.>)?::method_[0-9]+' seen)" = 12 ] ||
		fail "$size: want twelve named rows with percent and time: $(cat seen)"
	! grep -F " ::" seen >/dev/null || fail "$size: a scope left its colons: $(cat seen)"
	share=$(awk -v n=91 -v t=$total 'BEGIN { printf "%.2f%%", 100 * n / t }')
	grep -E "^ +$share  91\.0 ms  templates  .*::method_11" seen >/dev/null || fail "$size: method_11 has $share: $(cat seen)"
	idle=$(awk -v t=$total 'BEGIN { printf "%.1f", 100 * 100 / t }')
	grep -F "cpu-clock: 31 samples, $(awk -v t=$total 'BEGIN { printf "%.2f", t / 1000 }') s of CPU, idle $idle %" seen >/dev/null ||
		fail "$size: the event's line: $(cat seen)"
	grep -F "swapper (idle)" seen >/dev/null || fail "$size: idle is marked: $(cat seen)"
	grep -x "18 more below 0.5 %: $(awk -v t=$total 'BEGIN { printf "%.1f", 100 * 36 / t }') %" seen >/dev/null ||
		fail "$size: what is left, in a row: $(cat seen)"
	sed -n 1p seen | grep -F "perf record ./templates (host, " >/dev/null || fail "$size: the first line: $(cat seen)"
	end_terminal
done

start_terminal 80x24
on_screen "$report --all" >seen
expect "--all: a pager shows the first of 33 lines" ":" "$(grep . seen | tail -1)"
keys q
await 20 shows 'ready>$'
on_screen "$report --all --no-pager" | grep -F '::method_2' >/dev/null || fail "--no-pager --all: the last rows"
on_screen "PREC_PAGER='sed s/^/P:/' $report --all" | grep -E '^P: +0\.1' >/dev/null || fail "PREC_PAGER"
on_screen "$report --wide | head -3" | grep -F '# To display' >/dev/null || fail "a pipe gets the text for programs"
on_screen "TERM=dumb $report --all" >seen
[ "$(grep . seen | tail -1)" = 'ready>' ] || fail "TERM=dumb has no pager"

# Colours: of shares, and of nothing that NO_COLOR or --color=never forbids.
esc=$(printf '\033')
on_screen "$report | head -1" >/dev/null
on_screen "$report" >/dev/null
screen -e >seen
grep "${esc}\[31m.*%" seen >/dev/null || fail "hot shares are red"
for how in 'NO_COLOR=1 ' ''; do
	on_screen "$how$report $([ "$how" ] || echo --color=never)" >/dev/null
	screen -e >seen
	! grep "${esc}\[31m" seen >/dev/null || fail "no colours: ${how:---color=never}"
done

# Pipes have neither widths nor colours but by --color=always, which changes nothing else.
$report >plain 2>/dev/null
NO_COLOR='' TERM=xterm COLUMNS=40 $report >again 2>/dev/null
expect_same "a file" plain again
$report --stdio-color always >colored 2>/dev/null
grep "${esc}\[31m" colored >/dev/null || fail "--stdio-color always"
sed "s/$esc\[[0-9;]*m//g" colored >again
expect_same "colours are all that --stdio-color=always adds" plain again

# What a file calls things does not reach the terminal as control characters.
{
	echo 'attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN sample_id_all=1'
	printf 'feature arch=x86_64 cmdline=perf,\033c hostname=ho\033cst\n'
	printf 'comm 100/100 "evil\033[2Jname"\nksymbol 0xffffffffc0000000+0x100 "sym\302\2332Jbol" type=1 t=1\n'
	echo 'sample 100/100 t=2000 ip=0xffffffffc0000004 mode=kernel period=1 cpu=0 chain=kernel,0xffffffffc0000004,0xffffffffc0000008'
} >evil.txt
"$(helper mkdata/mkdata)" evil.txt evil.data
end_terminal
start_terminal 120x100
for command in report 'report --wide' 'report -g' 'report -H' 'report --header' script 'script --header' annotate summary; do
	on_screen "echo untouched; $PREC $command -i $WORK/evil.data --no-pager 2>/dev/null" >seen
	grep -x untouched seen >/dev/null || fail "$command: the screen was wiped: $(cat seen)"
	grep -E '\\x(1b|9b)' seen >/dev/null || fail "$command: what was there instead is shown: $(cat seen)"
done

# ^C in the pager ends all, and the terminal is as it was.
end_terminal
start_terminal 80x24
on_screen "stty -g >before; $PREC script -i $WORK/in.data" >seen
expect "script is paged" ":" "$(grep . seen | tail -1)"
keys C-c
await 20 shows 'ready>$'
on_screen "stty -g >after; cat -A before after | uniq -c | wc -l" | grep -x 1 >/dev/null || fail "the terminal is left whole"

# list names the option that shows more, unless it is given.
on_screen "$PREC list sw | tail -3; $PREC list minor-faults" >seen
expect "hints of list" 1 "$(grep -c -e '--details: ' seen)"
on_screen "$PREC list --details minor-faults" | grep -e 'type=1,config=0x5' >/dev/null || fail "no details: $(screen)"
! shows '--details: ' || fail "a hint at what is there: $(screen)"
