#!/bin/bash
# On a terminal diff is a browser, whose functions, call trees and flame graphs of two sides have the numbers that the command which it names prints.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/tmux.sh"
. "$(dirname "$0")/lib/browse.sh"
need jq
at_end 'end_terminal'
need_browser
mkdata=$(helper mkdata/mkdata)

# B takes more in f4, less in f5, nothing in f6, and what A has not in "with blank".
sided() {	# SEED SIDE
	browse_recording "$1" >/dev/null
	sed '/^attr /s/$/ period=1000000/' browse.txt
}
for run in a1:5 a2:6 b1:5 b2:7; do
	sided "${run#*:}" >"${run%:*}.txt"
done
for run in a1 a2; do
	sed -i '/ ip=0xffffffffc00003/d' $run.txt
done
for run in b1 b2; do
	sed -i -E '/ ip=0xffffffffc00004/s/period=/&9/; / ip=0xffffffffc00005/s/period=[0-9]*[0-9]{3}/period=2/
		/ ip=0xffffffffc00006/d' $run.txt
done
for run in a1 a2 b1 b2; do
	"$mkdata" $run.txt $run
done

# "A B change ± ratio share name", and which of them are called more, less (with a question mark: by chance) or the same.
lines() {
	screen | grep -E '^ +[0-9.]+ +[0-9.]+ +[-+]'
}
verdicts() {
	lines | grep -oE ' (more\??|less\??|same) '
}
rows_on_screen() {
	lines | sed -E 's/ (more\??|less\??|same) +[-+ ] / /' | tr -s ' ' | sed 's/ $//'
}
rows_of_text() {
	grep -E '^ +[0-9.]+ +[0-9.]+ +[-+]' | tr -s ' ' | sed 's/ $//'
}
diff_rows_match() {
	local command
	command=$(command_shown)
	rows_on_screen >got
	printed "$command" | rows_of_text >all
	[ -s all ] || fail "$command: prints no rows"
	expect_same "$command" all got
	[[ $command == *'| grep'* ]] || expect "$command: verdicts" "$(printed "${command/--stdio/--stdio --json}" |
		jq -r '.[0].rows[] | if .difference > 0 then "more" elif .difference < 0 then "less" else "same" end +
			if .changed or .difference == 0 then "" else "?" end' | sort)" \
		"$(verdicts | tr -d ' ' | sort)"
}

# sums <PATHS: the ratio of the folded lines' stacks below each path, and the path, a line each, with a tab between.
sums() {
	awk -F'\t' 'NR == FNR { n = split($0, part, " "); b[NR] = part[n]; a[NR] = part[n - 1]
			sub(/ [0-9]+ [0-9]+$/, ""); sub(/^[^;]*;/, ""); stack[NR] = $0 ";"; nr = NR; next }
		{ sum_a = sum_b = 0
		for (i = 1; i <= nr; i++) if (index(stack[i], $0 ";") == 1) { sum_a += a[i]; sum_b += b[i] }
		if (sum_a == 0) ratio = "only B"; else if (sum_b == 0) ratio = "only A"
		else ratio = sprintf(sum_b / sum_a >= 10 ? "%.3g x" : "%+.1f %%", sum_b / sum_a >= 10 ? sum_b / sum_a : 100 * (sum_b / sum_a - 1))
		print ratio "\t" $0 }' folded -
}

# Each row of the call tree has the ratio of its path's stacks, and its numbers stand in the tree as text.
diff_tree_match() {
	local command
	command=$(command_shown)
	printed "${command/--tree --all/--folded}" >folded
	printed "$command" | tr -s ' ' | sed 's/^ //' | sort >all
	screen | awk '/^ +[0-9.]+ .* [-+]/ && !/^ *call tree/ {
		rest = substr($0, 43); match(rest, /[^ ]/); at = RSTART
		if (substr(rest, at, 2) ~ /^[-+] $/) at += 2
		depth = (at - 3) / 2; name = substr(rest, at); sub(/ +$/, "", name)
		path[depth] = (depth ? path[depth - 1] ";" : "") name
		ratio = substr($0, 31, 10); gsub(/^ +| +$/, "", ratio)
		print ratio "\t" path[depth] }' >got
	[ "$(wc -l <got)" -gt 5 ] || fail "no tree is on the screen: $(screen)"
	cut -f2 got | sums >want
	expect_same "$command: ratios in the tree" want got
	[ -z "${1:-}" ] || {
		screen | grep -E '^ +[0-9.]+ .* [-+]' | grep -v 'call tree' | sed -E 's/^(.{42}) *([-+] )?/\1/' | tr -s ' ' | sed 's/^ //; s/ $//' | sort >got
		! comm -23 got all | grep . >more || fail "$command: not what the tree as text has: $(cat more)"
	}
}

start_terminal 200x60
on_screen 'stty -g >before'
browse diff a1 b1
pressed 'functions 1/8'
diff_rows_match
shows 'in one run each, B took [0-9.]* % more CPU time' || fail "no answer: $(screen)"
expect 'what B alone has' 'only B' "$(screen | grep 'with blank' | awk '{ print $5, $6 }')"
expect 'what A alone has' 'only A' "$(screen | grep 'f6' | awk '{ print $5, $6 }')"
expect 'changed rows stand first' "$(verdicts | grep -nE 'same|[?]' | head -1 | cut -d: -f1)" \
	"$(($(verdicts | grep -cE '(more|less) ') + 1))"
keys End
pressed 'functions 8/8'
# Red, blue, and faint what has not changed.
in_tmux capture-pane -e -p -t t >colors
for want in '31m.*more.*f4' '34m.*less.*f5' '2m.*\(same\|[?]\)'; do
	grep -a "$want" colors >/dev/null || fail "no row is like $want: $(cat -v colors)"
done
# Filters: of a function, of one whose name has a comma, of a file; a text.
keys Home
pressed s ' f4: in one run each, B took'
diff_rows_match
pressed s 'functions [0-9]/8'
pressed d ' f4: in one run each, B took'
diff_rows_match
pressed BSpace 'functions [0-9]/8'
keys / templ Enter
pressed '/templ'
diff_rows_match
pressed s ' templ<int, char>::go(int, char): '
diff_rows_match
pressed BSpace '/templ:'
pressed BSpace 'functions [0-9]/8'
pressed Tab 'page-faults: '
diff_rows_match
pressed Tab 'cpu-clock: '
# One side alone, in its order.
pressed x 'A alone'
expect 'shares of A' "$(screen | sed -nE 's/^ +[0-9.]+ [a-z]*s +([0-9.]+)% .*/\1/p' | sort -rn)" \
	"$(screen | sed -nE 's/^ +[0-9.]+ [a-z]*s +([0-9.]+)% .*/\1/p')"
expect 'shares of A are those that report has' "$("$PREC" report -i a1 --stdio --no-children -e cpu-clock -s symbol -g none 2>/dev/null |
	sed -nE 's/^ *([0-9.]+)%.*\[k\] (.*[^ ]) *$/\1 \2/p' | sort)" \
	"$(screen | sed -nE 's/^ +[0-9.]+ [a-z]*s +([0-9.]+)% +. (.*)  \[.*/\1 \2/p' | sort)"
! shows 'with blank' || fail 'A has nothing of it'
pressed x 'B alone'
! shows '+ f6' || fail 'B has nothing of it'
pressed x 'the difference of A and B'
diff_rows_match

# The call tree, both ways of it; the sandwich; the flame graph.
pressed c 'call tree 1/'
diff_tree_match
keys E
await 20 eval '[ "$(screen | grep -cE "^ +[0-9.]+ .* [-+]")" -gt 50 ]'
diff_tree_match
pressed f 'functions [0-9]/8'
keys Home
pressed b 'callers and callees'
expect 'f4 and what it calls' "$("$PREC" diff --stdio -e cpu-clock --folded a1 b1 2>/dev/null | awk '/;f4[; ]/ { a += $(NF - 1); b += $NF }
	END { printf "%+.1f %%", 100 * (b / a - 1) }')" "$(screen | grep -A1 '^function' | tail -1 | cut -c31-40 | sed 's/^ *//')"
pressed g 'flame graph'
printed "$(command_shown)" >folded
detail() { screen | sed -n 3p; }
path=$(detail | cut -c43- | sed 's/  .*//')
expect "$path in the flame graph" "$(sums <<<"$path" | cut -f1)" "$(detail | cut -c31-40 | sed 's/^ *//')"
first=$(detail)
keys Down
await 20 eval '[ "$(detail)" != "$first" ]'
path+=";$(detail | cut -c43- | sed 's/  .*//')"
expect "$path in the flame graph" "$(sums <<<"$path" | cut -f1)" "$(detail | cut -c31-40 | sed 's/^ *//')"
in_tmux capture-pane -e -p -t t >colors
for want in '48;5;210m' '48;5;117m'; do
	sed -n '4,$p' colors | grep -a "$want.*▏" >/dev/null || fail "no bar is like $want: $(cat -v colors)"
done
both=$(screen | sed -n '4,$p')
pressed x 'A alone'
[ "$(screen | sed -n '4,$p')" != "$both" ] || fail 'the bars of A are as wide as those of both'
pressed x 'B alone'
pressed x 'the difference of A and B'
expect 'the bars of both again' "$(head -n -1 <<<"$both")" "$(screen | sed -n '4,$p' | head -n -1)"
# Each view at other sizes.
for view in f b c g w i '?'; do
	[ $view != b ] || pressed f 'functions [0-9]'
	keys $view
	for size in 40x10 20x5 200x60; do
		in_tmux resize-window -t t -x "${size%x*}" -y "${size#*x}"
		await 20 eval "screen | sed -n 1p | grep -F ' prec diff  a1, b1' >/dev/null || [ ${size%x*} -lt 50 ]"
	done
	await 20 shows '? help'
done
pressed i 'header '
shows '^The intervals hold the sampling error only' || fail "the header: $(screen)"
# Actions for one recording alone are absent.
keys f
pressed 'functions [0-9]'
keys T p a S
pressed Down 'functions [0-9]'
keys q
left
on_screen 'stty -g >after' >/dev/null
expect_same "the terminal's modes" before after

# Several runs; shares; names that lie in other files or have another name on one side.
browse diff a1 a2 -- b1 b2
pressed 'functions 1/8'
diff_rows_match
pressed c 'call tree 1/'
diff_tree_match
keys q q
left
browse diff --per=total a1 b1
pressed 'functions 1/8'
diff_rows_match
keys q
left
browse diff --time 0%-40% --time 30%-100% a1 b1
pressed 'functions 1/'
diff_rows_match
keys q
left
browse diff -e page-faults a1 b1
pressed 'page-faults: A '
diff_rows_match
keys q
left
printf 'ffffffff8100%d000 T %s\n' 0 f 1 f.cold 2 g 3 end >kallsyms
for run in one:0:2 other:1:2; do
	IFS=: read -r name f g <<<"$run"
	{
		printf '%s\n' 'attr cpu-clock type=software config=0 sample=IP,TID,TIME,PERIOD,CALLCHAIN,IDENTIFIER sample_id_all=1 ids=1 period=1000000 enable_on_exec' \
			'feature arch=x86_64' 'mmap -1/0 0xffffffff81000000+0x3000@0 "[kernel.kallsyms]_text"' 'comm 7/7 "work"'
		for i in {1..90}; do
			ip=0xffffffff8100$((i % 3 ? f : g))010
			echo "sample 7/7 id=1 t=${i}000000 ip=$ip mode=kernel period=1000000 chain=kernel,$ip,0xffffffff81002020"
		done
	} >$name.txt
	"$mkdata" $name.txt $name
done
browse diff --kallsyms kallsyms one other
pressed 'f .*(f.cold in B)'
diff_rows_match
pressed s ' f: '
diff_rows_match
command_shown | grep -F -e '-S f,f.cold' >/dev/null || fail "both names of f: $(cat command)"
pressed c 'call tree 1/'
keys E
expect_tree=$("$PREC" diff --stdio --tree --all --kallsyms kallsyms one other 2>/dev/null | grep ' f$' | tr -s ' ')
pressed BSpace 'call tree 1/'
await 20 eval '[ "$(screen | grep " f *$" | sed -E "s/[-+] f/f/" | tr -s " " | sed "s/ $//")" = "$expect_tree" ]'
keys q q
left

# Text, where there is no terminal that can, and where only text can do it.
for how in "TERM=dumb $PREC diff" "$PREC diff --stdio" "$PREC diff --no-pager" "$PREC diff -c delta" "$PREC diff -s comm" "$PREC diff -g" \
	"$PREC diff --fail-if=2%" "$PREC diff --format=table"; do
	on_screen "export PREC_PAGER=cat; $how a1 b1 2>&1 | tail; $how a1 b1" >seen
	! grep -e 'functions 1/' -e '? help' seen || fail "$how: want text: $(cat seen)"
done
expect 'a pipe gets text' "$("$PREC" diff --stdio a1 b1 2>/dev/null)" "$("$PREC" diff a1 b1 2>/dev/null)"
expect '--tui in a pipe' "$("$PREC" diff --stdio a1 b1 2>/dev/null)" "$("$PREC" diff --tui a1 b1 2>/dev/null)"
expect_status 129 "$PREC" diff --tui --json a1 b1 2>err
grep -F 'what --format asks for' err >/dev/null || fail "--tui --json: $(cat err)"
on_screen "$PREC diff /no/such.data b1" | grep -F "prec: cannot open '/no/such.data': No such file or directory" >/dev/null ||
	fail "a file that is not there: $(screen)"

# The keys are those of the man page.
"$(helper unit/browser_test)" keymap diff | tr '[:upper:]' '[:lower:]' >want
browser_keys "$SRC/man/prec-diff.1" >got
expect_same "the keys in the man page" want got
