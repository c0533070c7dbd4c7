#!/bin/bash
# The command of --on-file runs for each finished file, one after the other, and whatever it does the recorder goes on.
. "$(dirname "$0")/lib/prec.sh"
need_events
spin=$(workload spin)

# Names that a shell would take for something else; two in one command.
name="a b;'\$(touch evil)\" {x"
"$PREC" record -q -e cpu-clock:u -o "$name" --on-file='cp {} copy; printf "%s\n" {} >said' "$spin" -1 50 >/dev/null
expect "the name of the only file" "$name" "$(cat said)"
cmp "$name" copy || fail "the file was not complete"
[ ! -e evil ] || fail "a name was run as a command"
"$PREC" record -q -e cpu-clock:u -o data --on-file='printf "%s\n" >said ' "$spin" -1 50 >/dev/null
expect "without {} the name is the last word" data "$(cat said)"

# A command that does not end: files go on coming, and are handled when it has, in order, never two at once.
mkfifo go
cat >handle <<'S'
mkdir busy || echo "two at once" >>handled
[ -e first ] || { touch first; read -r _ <go; }
echo "$1" >>handled
rmdir busy
S
exec "$PREC" record -e cpu-clock:u --switch-output -o data --on-file='sh handle' "$spin" -1 0 >out 2>err & prec=$!
await 60 grep -qs ready out
for n in 1 2 3; do
	kill -USR2 $prec
	await 60 eval '[ "$(ls data.20* 2>/dev/null | wc -l)" = '$n' ]'
done
await 60 test -e first
[ ! -e handled ] || fail "the first file was handled already: $(cat handled)"
kill -INT $prec
await 60 eval '[ "$(ls data.20* | wc -l)" = 4 ]'
echo >go
ended $prec
expect "all files, in order" "$(ls data.20*)" "$(cat handled)"
for f in data.20*; do
	"$PREC" report -i "$f" --stdio >/dev/null 2>&1 || fail "$f cannot be read"
done

# Of the newest two files that are to be kept none goes while its command runs; one that the command has removed is no trouble.
rm -f data.20* handled first out
cat >handle <<'S'
[ -e first ] || { touch first; read -r _ <go; }
[ -s "$1" ] && echo "$1" >>handled
[ "$2" = keep ] || rm "$1"
S
for what in keep rm; do
	rm -f first handled data.20* out
	exec "$PREC" record -e cpu-clock:u --switch-output --switch-max-files=2 -o data --on-file="sh handle {} $what" "$spin" -1 0 >out 2>err & prec=$!
	await 60 grep -qs ready out
	for n in 1 2 3 4; do
		kill -USR2 $prec
		await 60 eval '[ "$(ls data.20* 2>/dev/null | wc -l)" = '$n' ]'
	done
	await 60 test -e first
	kill -INT $prec
	await 60 eval '[ "$(ls data.20* | wc -l)" = 5 ]'
	ls data.20* >names
	echo >go
	ended $prec
	expect_same "all files were there for their commands ($what)" names handled
	! grep 'cannot remove' err || fail "told of a file that the command removed"
	case $what in
	keep)	expect "the newest two" "$(tail -2 names)" "$(ls data.20*)";;
	rm)	expect "what is left" "" "$(ls data.20* 2>/dev/null)";;
	esac
done

# A command that fails is told; its file stays, and the status is that of what was recorded.
expect_status 3 "$PREC" record -q -e cpu-clock:u -o failed --on-file='exit 7;' sh -c 'exit 3' 2>err
grep -q "prec: --on-file: 'exit 7;' failed for 'failed' (status 7); the file stays" err || fail "not told: $(cat err)"
[ -s failed ] || fail "the file is gone"
"$PREC" record -q -e cpu-clock:u -o failed --on-file='kill -KILL $$;' true 2>err
grep -q "signal 9 ended" err || fail "not told: $(cat err)"
"$PREC" record -q -e cpu-clock:u -o failed --on-file='no_such_command' true 2>err
grep -q "status 127" err || fail "not told: $(cat err)"

# Not for a stream; nor does a file that does not come into being reach the command.
expect_status 129 "$PREC" record -e cpu-clock:u -o - --on-file=true true 2>err >/dev/null
grep -q 'no file for --on-file' err || fail "a stream: $(cat err)"
rm -f said
expect_status 127 "$PREC" record -q -e cpu-clock:u -o none --on-file='echo {} >said' /no/such/program 2>err
[ ! -e said ] || fail "a command without a file: $(cat said)"
