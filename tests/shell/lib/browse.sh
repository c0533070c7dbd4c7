# The browser of report and diff in a terminal of tmux.sh: browse COMMAND... starts it, left awaits its end; browse_recording prints the path
# of a recording for mkdata with threads, chains, two events, several files. x_match: what is on the screen has the numbers that the
# command prints which the browser itself names for it.
# shellcheck shell=bash

need_browser() {
	! any_status "$PREC" report --tui -i /dev/null 2>&1 | grep -F 'built without ncursesw' >/dev/null || skip "prec was built without ncursesw"
}

browse() {
	in_tmux set -s set-clipboard on
	keys "clear; export LC_ALL=C.UTF-8; echo \$\$ >shell; $PREC $*" Enter
}

# The program that the terminal's shell runs.
browser_pid() {
	pgrep -P "$(<shell)"
}

# It has ended, and the shell asks for the next command.
left() {
	await 20 eval "shows '^ready>' && ! shows '? help'"
}

# pressed KEY... PATTERN: the keys, then PATTERN is on the screen.
pressed() {
	[ $# = 1 ] || keys "${@:1:$#-1}"
	await 20 shows "${*: -1}"
}

# The command line that prints what is shown, as the browser copies it.
command_shown() {
	keys y
	await 20 shows 'This prints the same'
	in_tmux show-buffer >command
	keys Escape
	await 20 eval "! shows 'This prints the same'"
	cat command
}

prec() {
	"$PREC" "$@"
}

# The output of a command of the browser.
printed() {
	eval "$1" 2>/dev/null
}

# "children self symbol", or "overhead symbol"; names without the arguments that a narrow column leaves out.
rows_of() {
	sed -n 's/^ *\([0-9.]*%\) *\([0-9.]*%\) .*\(\[[.kguH]\] .*[^ ]\) *$/\1 \2 \3/p; t
		s/^ *\([0-9.]*%\) .*\(\[[.kguH]\] .*[^ ]\) *$/\1 \2/p' | sed 's/<.*>/<>/; s/(.*)/()/'
}

# compare_rows WHAT: file got has the first of file all, but in what order equal ones are.
compare_rows() {
	local nr
	nr=$(wc -l <got)
	[ "$nr" -gt 0 ] || [ ! -s all ] || fail "$1: no rows are on the screen: $(screen)"
	expect "$1: percents" "$(head -n "$nr" all | cut -d% -f1)" "$(cut -d% -f1 got)"
	! sort got | comm -23 - <(sort all) | grep . >more || fail "$1: not what report has: $(cat more)"
}

# rows_match [all]: rows of functions are those of the command; all: there are as many.
rows_match() {
	local command
	command=$(command_shown)
	screen | rows_of >got
	printed "$command" | rows_of >all
	compare_rows "$command"
	[ "${1:-}" != all ] || expect "$command: rows" "$(wc -l <all)" "$(wc -l <got)"
}

threads_match() {
	local command
	command=$(command_shown)
	screen | sed -n 's/^ *\([0-9.]*%\) .* \([0-9]*\)  [^ ].*$/\1 \2/p' >got
	printed "$command" | sed -n 's/^ *\([0-9.]*%\) *\([0-9]*\):.*/\1 \2/p' >all
	if shows ' [+-] .* x [0-9]*$'; then	# many processes of one command are a row, whatever they have
		return
	fi
	compare_rows "$command"
	expect "$command: rows" "$(wc -l <all)" "$(wc -l <got)"
}

# The period that is 100 %: of all samples in the time that is looked at.
period_of_all() {
	printed "$(sed -E 's/ (--dsos|-S|-c|--tid) ([^ ]+|'"'[^']*'"')//g; s/ -S file:..\(.*\)//' <<<"$1")" |
		awk '{ n += $NF } END { printf "%.0f", n }'
}

# Paths of the call tree, "percent main;f;g", from the screen, and from lines of folded stacks. Functions of one name in two files are
# two rows on the screen, and one path of folded stacks: these are left out.
tree_on_screen() {
	screen | awk 'match($0, /\[[.kguH]\] /) {
		if (!first) first = RSTART
		depth = (RSTART - first) / 2
		name = substr($0, RSTART + 4); sub(/ +$/, "", name); sub(/ \(inlined\)$/, "", name)
		path[depth] = (depth ? path[depth - 1] ";" : "") name
		n[path[depth]]++
		line[path[depth]] = $1 " " path[depth]
	}
	END { for (p in n) if (n[p] == 1) print line[p] }'
}

tree_match() {
	local command all
	command=$(command_shown)
	all=$(period_of_all "$command")
	tree_on_screen >got
	[ -s got ] || fail "no tree is on the screen: $(screen)"
	printed "$command" >folded
	awk -v all="$all" '
		{ n = $NF; sub(/ [0-9]+$/, ""); k = split($0, f, ";"); path = ""
		  for (i = 2; i <= k; i++) { path = path (i > 2 ? ";" : "") f[i]; sum[path] += n } }
		END { for (p in sum) printf "%.2f%% %s\n", 100 * sum[p] / all, p }' folded | sort >all
	! sort got | comm -23 - all | grep . >more || fail "$command: not what the stacks have: $(cat more)"
}

# The bar under the cursor, whose path is given: a;b;c.
flame_match() {
	local command
	command=$(command_shown)
	printed "$command" >folded
	expect "$1 in the flame graph" "$(awk -v want="$1" -v all="$(period_of_all "$command")" '
		{ n = $NF; sub(/ [0-9]+$/, ""); sub(/^[^;]*;?/, "") }
		$0 == want || index($0, want ";") == 1 { sum += n }
		END { printf "%.2f%%", 100 * sum / all }' folded)" "$(screen | sed -n '3s/^ *\([0-9.]*%\).*/\1/p')"
}

# The range under the cursor, of the line of all threads: the first slot that has samples.
timeline_match() {
	local command
	command=$(command_shown)
	expect "the first slot" "$(printed "$command" | awk '/^ +[0-9.]+%/ { print $NF, $1 }' | sort -n |
		awk 'NR == 1 { first = $1 } $1 == first { sum += $2; n++ } END { printf "%.1f", sum }')" \
		"$(screen | sed -n 's/^[0-9.]*-[0-9.]* s: .* (\([0-9.]*\)%).*/\1/p' | awk '{ printf "%.1f", $1 }')"
}

# "time tid cpu period" of the samples on the screen, by the recorder's clock; all that the command prints stand there, and nothing else.
samples_match() {
	local command
	pressed A ' Clock  Command'
	command=$(command_shown)
	screen | sed -nE 's/^ *([0-9]+\.[0-9]{6})  .* ([0-9]+)  \[([0-9]+)\]  ([0-9]+) .*/\1 \2 \3 \4/p' >got
	printed "$command" | sed -nE 's/^.* +([0-9]+) +\[([0-9]+)\] +([0-9]+\.[0-9]{6}): +([0-9]+) .*/\3 \1 \2 \4/p' >all
	[ -s all ] || fail "$command: prints no samples"
	expect_same "$command" <(head -n "$(wc -l <got)" all) got
	expect "$command: samples" "$(wc -l <all)" "$(screen | sed -n 's,^ samples [0-9]*/\([0-9]*\) .*,\1,p')"
	pressed A ' Time  Command'
}

# The percents and instructions of an annotated function, from the first one on the screen on.
annotate_match() {
	local command
	command=$(command_shown)
	# In wide screens it stands beside the source; a jump is drawn in place of the colon.
	screen | sed -nE 's/(^|.* )([0-9]+\.[0-9]+) [^ a-z0-9]+ +([0-9a-f]+:>?).*/\2 \3/p' >got
	[ -s got ] || fail "nothing is annotated: $(screen)"
	printed "$command" | grep -E '^ +[0-9]+\.[0-9]+ ' | awk '$3 ~ /:>?$/ { print $1, $3 }' |
		awk -v first="$(head -1 got | cut -d' ' -f2)" -v nr="$(wc -l <got)" '$2 == first { on = 1 } on && nr-- > 0' >want
	expect_same "$command" want got
}

# The function of a sandwich, its callers and callees next to it: two commands' rows, and the percents of their graphs' first level.
sandwich_match() {
	local command
	command=$(command_shown)
	screen | awk '/^function/ { on = 1; next } on { print; exit }' | rows_of >got
	printed "$command" | rows_of >all
	grep -Fx -f got all >/dev/null || fail "$command: $(cat got)"
	expect "both graphs are of the same row" 2 "$(grep -cFx -f got all)"
	screen | awk '/^callees/ { on = 1; next } on && match($0, /\[[.kguH]\] /) { print $1 }' | sort >got
	printed "${command#*; }" | awk '/^ +[0-9.]+% +[0-9.]+%/ { on = 1 } on && match($0, /^               .--[0-9.]+%--/) {
		match($0, /[0-9.]+%/); print substr($0, RSTART, RLENGTH) }' | sort >all
	[ ! -s all ] || expect "callees" "$(cat all)" "$(cat got)"
}

# Functions of the kernel, called by each other; three threads of two processes; two events. Numbers are random, but the same each
# time, of the same seed (5).
browse_recording() {
	local i d depth chain ip first threads=(100/100 100/101 200/200)
	local names=(plain 'templ<int, char>::go(int, char)' "odd'name" 'with blank' f4 f5 f6 f7)
	RANDOM=${1:-5}
	{
		echo 'attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER sample_id_all=1 ids=1'
		echo 'attr page-faults type=software config=2 sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER sample_id_all=1 ids=2'
		echo 'feature arch=x86_64 cmdline=perf,record,./program hostname=host'
		echo 'comm 100/100 "program"'
		echo 'comm 100/101 "worker"'
		echo 'comm 200/200 "other"'
		for i in "${!names[@]}"; do
			printf 'ksymbol 0x%x+0x100 "%s" type=1 t=1\n' $((0xffffffffc0000000 + i * 0x100)) "${names[i]}"
		done
		for i in {1..600}; do
			depth=$((RANDOM % 6 + 1)) chain=
			for ((d = 0; d < depth; d++)); do
				ip=$((0xffffffffc0000000 + RANDOM % 8 * 0x100 + RANDOM % 16 * 4 + 4))
				[ "$chain" ] || first=$ip
				chain+=$(printf ',0x%x' $ip)
			done
			printf 'sample %s id=%d t=%d ip=0x%x mode=kernel period=%d cpu=0 chain=kernel%s\n' \
				"${threads[RANDOM % 3]}" $((RANDOM % 3 ? 1 : 2)) $((1000000000 + i * 1000000 + RANDOM)) "$first" \
				$((RANDOM % 1000 * 1000 + 1)) "$chain"
		done
	} >browse.txt
	echo browse.txt
}

# browser_keys PAGE: "keys: what they do" of its section BROWSER, in small letters.
browser_keys() {
	awk '/^\.SH / { on = $2 == "BROWSER" } on && /^\.B / && head { key = substr($0, 4); next } { head = on && /^\.TP/ }
		on && key != "" { print key ": " tolower(substr($0, 1, 1)) substr($0, 2); key = "" }' "$1" |
		sed 's/\\-/-/g; s/\.$//' | tr '[:upper:]' '[:lower:]'
}
