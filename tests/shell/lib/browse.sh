# The browser of report in a terminal of tmux.sh: browse COMMAND... starts it, left awaits its end; browse_recording prints the path
# of a recording for mkdata with threads, chains, two events, several files. rows_match OPTIONS...: the rows that are on the screen
# have the numbers that report --stdio prints with these options.
# shellcheck shell=bash

need_browser() {
	! any_status "$PREC" report --tui -i /dev/null 2>&1 | grep -F 'built without ncursesw' >/dev/null || skip "prec was built without ncursesw"
}

browse() {
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

# Rows of functions as the screen has them: "children self symbol", or "overhead symbol".
screen_rows() {
	screen | sed -n 's/^ *\([0-9.]*%\) *\([0-9.]*%\) .*\(\[[.kguH]\] .*\)$/\1 \2 \3/p; t
		s/^ *\([0-9.]*%\) .*\(\[[.kguH]\] .*\)$/\1 \2/p'
}

report_rows() {
	"$PREC" report --stdio -i in.data "$@" 2>/dev/null | sed -n 's/^ *\([0-9.]*%\) *\([0-9.]*%\) .*\(\[[.kguH]\] .*[^ ]\) *$/\1 \2 \3/p; t
		s/^ *\([0-9.]*%\) .*\(\[[.kguH]\] .*[^ ]\) *$/\1 \2/p'
}

# The first rows: as many as fit.
rows_match() {
	local nr
	screen_rows >got
	nr=$(wc -l <got)
	[ "$nr" -gt 0 ] || fail "no rows are on the screen: $(screen)"
	report_rows "$@" >all
	head -n "$nr" all >want
	expect_same "rows of report $*" want got
}

# Six functions of two files and the kernel, called by each other; three threads of two processes; two events. Numbers are random,
# but the same each time.
browse_recording() {
	local i depth chain ip threads=(100/100 100/101 200/200)
	RANDOM=5
	{
		echo 'attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER sample_id_all=1 ids=1'
		echo 'attr page-faults type=software config=2 sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER sample_id_all=1 ids=2'
		echo 'feature arch=x86_64 cmdline=perf,record,./program hostname=host'
		echo 'comm 100/100 "program"'
		echo 'comm 100/101 "worker"'
		echo 'comm 200/200 "other"'
		for i in 0 1 2 3 4 5 6 7; do
			printf 'ksymbol 0x%x+0x100 "function_%d" type=1 t=1\n' $((0xffffffffc0000000 + i * 0x100)) "$i"
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
