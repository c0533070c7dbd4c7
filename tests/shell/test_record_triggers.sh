#!/bin/bash
# A dump of --on has what came before its trigger and ends where it is to; each trigger is dumped, or missed for a reason that is told.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/triggers.sh"
need_sequence
"$PREC" record -q -r 1 -e dummy:u -o probe true 2>/dev/null || skip "cannot take a real-time priority"

# record OPTIONS -- WORDS of sequence: its pages. A ring stands still while it is read, and what comes meanwhile is lost: nothing
# does, as the recorder has a real-time priority and the program, on the same CPU, has not.
record() {
	local options=()
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	rm -f data*
	taskset -c "$(one_cpu)" "$PREC" record -r 1 "${sequence_events[@]}" "${options[@]}" ./sequence "${@:2}" >said 2>err
	expect 'lost samples' 0 "$(lost)"
}

# Entries and returns, of the program's threads and children too; breakpoints; tracepoints with a filter. What is after the last
# dump is in no file.
record --on=u:./sequence:fire -- 300 fire 100 thread 150 fork 200
expect 'dumps of entries' '1..99 100..149 150..199' "$(dumps)"
told '3 triggers seen, 3 dumped, 0 missed'
record --on=u:./sequence:fire%return -- 300 fire 100
expect 'dump of a return' 1..99 "$(dumps)"
"$PREC" report -i data* --header-only | grep -E '^# dump for : u:./sequence:fire%return of thread [0-9]+/[0-9]+ at [0-9.]+ s$' >/dev/null ||
	fail 'the header does not tell the trigger'
expect 'in the header' '# triggers : 1 seen, 1 dumped, 0 missed until this file ended' \
	"$("$PREC" report -i data* --header-only | grep triggers)"
perf_agrees data*
if have_breakpoints; then
	record --on=mem:fire:x:u -- 300 fire 100
	expect 'dump of a breakpoint' 1..99 "$(dumps)"
else
	part_skipped 'no breakpoints, or they never fire'
fi
record --on=sched:sched_process_exit --filter 'comm == "sequence"' -- 50
expect 'dump at the end of the program' 1..50 "$(dumps)"
record --on=sched:sched_process_exit --filter 'comm == "nobody"' -- 50
expect 'no trigger, no file' "" "$(dumps)"
told '0 triggers seen, 0 dumped, 0 missed'
grep -q 'Nothing was dumped' err || fail "no file is not told: $(<err)"

# Only one dump: in a file with the given name, and the program goes on to its end.
rm -f more
record --on=u:./sequence:fire --once --on-file='cp {} more' -- 300 fire 100 fire 200
expect 'the only dump' 1..99 "$(dumps)"
expect 'files' 'data more' "$(ls -d data* more | paste -sd ' ')"
record --on=u:./sequence:fire --at-most=2 -- 300 fire 100 fire 200 fire 250
expect 'two dumps' '1..99 100..199' "$(dumps)"
grep -qE '(3 triggers seen, 2 dumped, 1 missed \(1 after the last dump\)|2 triggers seen, 2 dumped, 0 missed) ]' err ||
	fail "the closing line: $(<err)"

# After the trigger: up to the time that was asked for, which the program's own clock tells. A trigger meanwhile is in that dump.
record --on=u:./sequence:fire --after=50 -- 300 fire 100 fire 110 spin 120
expect 'dump that goes on' 1..119 "$(dumps)"
told '2 triggers seen, 1 dumped, 1 missed (1 in the dump of another)'
record --on=u:./sequence:fire --pause=50ms -- 300 fire 100 fire 110 spin 120 fire 200
expect 'pause between dumps' '1..99 100..199' "$(dumps)"
told '3 triggers seen, 2 dumped, 1 missed (1 in the pause)'

# Calls and waits that take long.
record '--on=slow:./sequence:work>300ms' -- 300 slow 100
expect 'dump of a slow call' 1..99 "$(dumps)"
record '--on=wait>300ms' -- 300 wait 100
expect 'dump of a long wait' 1..99 "$(dumps)"

# Many in a row, each with a dump of its own, though most come while another is being written.
fires=()
for ((i = 10; i < 1010; i++)); do fires+=(fire $i); done
rm -f data*
"$PREC" record "${sequence_events[@]}" --on=u:./sequence:fire --synth=no -N taskset -c "$(one_cpu)" ./sequence 1020 "${fires[@]}" >said 2>err
told '1000 triggers seen, 1000 dumped, 0 missed'
ls -d data* >files
expect 'files' 1000 "$(wc -l <files)"
missing=$((9 + 2 - $(for n in 1 500 1000; do page_numbers "$(sed -n ${n}p files)"; done | tee there | wc -l)))
[ $missing -le "$(lost)" ] || fail "pages $(<there) are in three dumps, and $(lost) samples were lost: $(<err)"
expect 'other pages in the first, the 500th and the last dump' '' "$(grep -vxE '[1-9]|508|1008' there || true)"

# While the recorder is stopped: everything is there when it goes on, also what is more than one dump behind.
begun --on=u:./sequence:fire -- 300 ask 50 fire 100 fire 200 fire 220 ask 250
kill -STOP $prec
go
asked 3
kill -CONT $prec
go
wait $prec
expect 'dumps after the recorder was stopped' '1..99 100..199 200..219' "$(dumps)"
told '3 triggers seen, 3 dumped, 0 missed'
# Rings that are too small for that: what is not there any more is missed, and told.
begun --on=u:./sequence:fire -m 1 -- 3000 ask 50 fire 100 fire 2990 ask 2995
kill -STOP $prec
go
asked 3
kill -CONT $prec
go
wait $prec
case $(dumps) in *..2989) ;; *) fail "the newest dump: $(dumps)" ;; esac
told '2 triggers seen, 1 dumped, 1 missed (1 overwritten before the recorder came to it)'
# More triggers than their ring holds.
fires=()
for ((i = 0; i < 9000; i++)); do fires+=(fire 100); done
begun --on=u:./sequence:fire --at-most=1 -- 300 ask 50 "${fires[@]}" ask 200
kill -STOP $prec
go
asked 3
kill -CONT $prec
go
wait $prec
grep -qE '9000 triggers seen, 1 dumped, 8999 missed \([0-9]+ after the last dump, [0-9]+ lost\)' err || fail "lost triggers: $(<err)"

# Signals, files, the load and pressure are seen when they come: nothing is recorded meanwhile, as the program waits.
begun --on=signal:USR1 --once -- 300 ask 100 ask 200
kill -USR1 $prec
await 60 grep -q "1 trigger seen" err
go; asked 3; go
wait $prec
expect 'dump at a signal' 1..99 "$(dumps)"
mkdir folder
begun --on=file:folder/flag -- 300 ask 100 ask 200
touch folder/other
go; asked 3
touch unfinished && mv unfinished folder/flag
await 60 eval 'ls data.* >/dev/null 2>&1'
go
wait $prec
expect 'dump at a file' 1..199 "$(dumps)"
told '1 trigger seen, 1 dumped, 0 missed'
# The load is at least something after it was: a program that runs raises it. Pressure of the CPU: two that share one.
sh -c 'while :; do :; done' & a=$!
sh -c 'while :; do :; done' & b=$!
for p in $a $b; do taskset -pc "$(one_cpu)" $p >/dev/null; done
begun '--on=load>0.01' --once -- 300 ask 100 ask 200
await 100 grep -q "1 trigger seen" err
go; asked 3; go
wait $prec
expect 'dump at a load' 1..99 "$(dumps)"
if [ -r /proc/pressure/cpu ]; then
	begun '--on=psi:cpu>10%' --once -- 300 ask 100 ask 200
	await 60 grep -q "1 trigger seen" err
	go; asked 3; go
	wait $prec
	expect 'dump at pressure' 1..99 "$(dumps)"
else
	part_skipped 'pressure: no /proc/pressure'
fi
kill $a $b

# Files that are written anyway are switched; perf's option of that name is the same.
for option in on switch-output-event; do
	rm -f data*
	"$PREC" record -e page-faults:u -c 1 -d --$option=u:./sequence:fire -o data ./sequence 300 fire 100 >said 2>err
	told '1 trigger seen, 1 dumped, 0 missed'
	grep -q 'No trigger ended the last file; --overwrite' err || fail "--$option: the last file is not told"
	expect "--$option: all pages, in all files" 300 "$(for f in data*; do "$PREC" script -i "$f" -F ip,sym; done | grep -c touch)"
done

# What is no trigger.
"$PREC" record --on='slow:work>5ms' true 2>err && fail "slow: without a path"
grep -q "slow:PATH:FUNCTION>5ms, PATH being" err || fail "slow: without a path: $(<err)"
"$PREC" record --on='work>5ms' true 2>err && fail "a limit without a kind"
grep -q "'work>5ms' is no trigger; one with a limit is slow:PATH:FUNCTION>5ms" err || fail "a limit without a kind: $(<err)"
for bad in slow:x 'slow:./sequence:work>5' 'wait>x' signal:KILL signal:USR2 'load>' 'psi:foo>1' file: file:/ nosuch u:./sequence:nofire; do
	expect_status 129 "$PREC" record --on="$bad" true 2>err
	[ -s err ] || fail "nothing is said of --on=$bad"
done
expect_status 1 "$PREC" record --on=file:/no/such/folder/file true 2>err
for option in --once --at-most=2 --after=5 --pause=5; do
	expect_status 129 "$PREC" record $option true 2>err
done
