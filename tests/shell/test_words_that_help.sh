#!/bin/bash
# A word that is wrong gets the right one for an answer, a file is opened where it is named, and perf's global options are taken.
. "$(dirname "$0")/lib/prec.sh"
cat >in.txt <<'IN'
attr ev type=software config=0 sample=IP,TID,TIME,CPU,PERIOD sample_id_all=1
comm 100/100 "demo"
ksymbol 0xffffffffc0000000+0x100 "render_tiles" type=1 t=1
sample 100/100 t=1000000000 ip=0xffffffffc0000010 mode=kernel period=30 cpu=0
IN
"$(helper mkdata/mkdata)" in.txt in.data
cp in.data perf.data

# says STATUS TEXT COMMAND...
says() {
	local status=$1 text=$2
	shift 2
	expect_status "$status" "$PREC" "$@" >out 2>err
	grep -F -- "$text" err >/dev/null || fail "$*: want '$text': $(cat err)"
}
says 129 "unknown command 'reprot'; did you mean report?" reprot
says 129 "unknown option '--sotr'; did you mean --sort?" report --sotr x
says 129 "unknown sort key 'symbl'; did you mean symbol?" report -s symbl
says 129 "unknown field 'evnt'; did you mean event?" script -F evnt
says 129 "unknown event 'cpu-clokc'; did you mean cpu-clock?" record -e cpu-clokc true
says 129 "-g takes no word: write --call-graph dwarf" record -g dwarf true
says 129 "(record --call-graph dwarf)" report -g dwarf
says 129 "u:PATH:FUNCTION" record -e uprobe:/bin/true:main true
says 0 "no sample is left of symbol 'render_tile'; did you mean render_tiles?" report -S render_tile
says 0 "no sample is left of symbol 'rendr'" report rendr
says 0 "no sample is left of comm 'nobody'" report -c nobody
says 1 "or none passes the filters" annotate --time 0,0.000001
says 129 "unknown event 'qqqqqq' (see 'prec list')" record -e qqqqqq true

# FILE, and what is none.
rm perf.data
"$PREC" report -i in.data >want 2>/dev/null
"$PREC" report in.data >got 2>/dev/null
expect_same "report FILE" want got
"$PREC" report in.data render >got 2>/dev/null
grep -F render_tiles got >/dev/null || fail "report FILE TEXT: $(cat got)"
"$PREC" report -i in.data in.data >got 2>/dev/null
! grep -F render_tiles got >/dev/null || fail "with -i the word is a text to look for"
"$PREC" script -i in.data >want 2>/dev/null
"$PREC" script in.data >got 2>/dev/null
expect_same "script FILE" want got
mkdir dir && cp in.data dir/data
"$PREC" script dir >got 2>/dev/null
expect_same "script DIRECTORY" want got
"$PREC" export -i in.data --format=folded >want.folded 2>/dev/null
"$PREC" export in.data --format=folded >got 2>/dev/null
expect_same "export FILE" want.folded got
for command in script export summary; do
	says 129 "$command takes no 'in.txt', which is no recording" $command in.txt
done
# What reads as a file's name and is not there is no text to look for; a function's name is.
for word in nosuch.data ./nosuch /nowhere/at/all; do
	says 1 "cannot open '$word': No such file or directory" report "$word"
	says 1 "cannot open '$word': No such file or directory" script "$word"
done
cp in.data perf.data
says 0 "no sample is left of symbol 'operator/'" report operator/
says 0 "no sample is left of symbol '.data'" report .data
rm perf.data

# perf's options before the command.
"$PREC" --no-pager script in.data >got 2>/dev/null
expect_same "--no-pager" want got
says 0 "option '--buildid-dir' changes nothing" --buildid-dir /nowhere script in.data
expect_same "--buildid-dir DIR" want out
says 0 "option '--debug' changes nothing" --debug=verbose=2 script in.data
says 129 "option '--debug' needs an argument" --debug
expect "--list-cmds" "record report script list" "$("$PREC" --list-cmds | grep -xE 'record|report|script|list' | xargs)"
"$PREC" --list-opts | grep -e --no-pager >/dev/null || fail "--list-opts"

# What has no effect says so.
says 0 "option '--modules' changes nothing" report -m in.data
says 0 "option '--all-cpus' changes nothing" script -a in.data
need_events
says 0 "option '--aio' changes nothing" record --aio -o x.data -e cpu-clock true
says 0 "option '--debuginfod' changes nothing" record --debuginfod -o x.data -e cpu-clock true
