#!/bin/bash
# What the control channel enables is recorded from then on until it is disabled, event by event, hit by hit.
. "$(dirname "$0")/lib/prec.sh"
need_root
need_tracepoints
# A shell that does what it is told and says so: each cd is a hit of either event, and nothing else of it is.
mkfifo orders done in answers
bash <orders >done & shell=$!
exec 5>orders 6<done 7<>answers
cd_of_shell() {
	for _ in $(seq "$1"); do
		echo 'cd /; echo' >&5
		read -r _ <&6
	done
}
send() {
	local answer
	echo "$1" >in
	read -r -t 20 -u 7 answer || fail "no answer to '$1'"
	expect "the answer to '$1'" ack "$answer"
}
enter=syscalls:sys_enter_chdir exit=syscalls:sys_exit_chdir
exec "$PREC" record -q -e $enter,$exit -p $shell -D -1 --control fifo:in,answers -o data >out 2>err & prec=$!
send ping
cd_of_shell 1
send "enable $enter"
cd_of_shell 2
send "enable $exit"
cd_of_shell 4
send "disable $enter"
cd_of_shell 8
send disable
cd_of_shell 16
send enable
cd_of_shell 32
send evlist
send stop
cd_of_shell 64
wait $prec || { cat err; fail "status $?"; }
exec 5>&-
wait $shell
hits() { "$PREC" script -i data -F event | grep -c "$1" || true; }
expect 'entries' $((2 + 4 + 32)) "$(hits sys_enter_chdir)"
expect 'exits' $((4 + 8 + 32)) "$(hits sys_exit_chdir)"
expect 'the list of events' "$enter $exit" "$(grep chdir out | xargs)"
perf_agrees data
