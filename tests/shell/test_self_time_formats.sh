#!/bin/bash
# Recordings, ten with --long, have one self time and one total of each function, in all views and formats, with inlined functions and without.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/tmux.sh"
. "$(dirname "$0")/lib/browse.sh"
. "$(dirname "$0")/lib/browse_program.sh"
. "$(dirname "$0")/lib/page.sh"
. "$(dirname "$0")/lib/tables.sh"
at_end 'end_terminal'
need jq
need python3

inlined_library
PROG=$PWD/inl.so
mix=$(at work 4) twice=$(at work 9) work=$(at work 14) start=$(at _start 19) caller=$(after _start work)

# make NUMBER: in.data, and what it must show: files self and total, and with --no-inline around and around.total, "NAME PERCENT".
make() {
	local n=() i threads=(100 101 102)
	RANDOM=$1
	for i in 0 1 2 3; do
		n[i]=$((RANDOM % 60 + 1))
	done
	{
		echo 'attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN sample_id_all=1'
		echo 'feature arch=x86_64'
		printf 'comm 100/100 "program"\ncomm 100/101 "worker"\ncomm 100/102 "writer"\n'
		printf 'mmap2 100/100 0x%x+0x1000000@0 r-xp "%s" %s\n' $((PLACE)) "$PROG" "$(build_id_of "$PROG")"
		{
			samples "${n[0]}" "${threads[RANDOM % 3]}" $((RANDOM % 1000)) "$mix" "$caller"
			samples "${n[1]}" "${threads[RANDOM % 3]}" $((RANDOM % 1000)) "$twice" "$caller"
			samples "${n[2]}" "${threads[RANDOM % 3]}" $((RANDOM % 1000)) "$work" "$caller"
			samples "${n[3]}" "${threads[RANDOM % 3]}" $((RANDOM % 1000)) "$start"
		} | sort -t= -k2,2n
	} >made.txt
	"$(helper mkdata/mkdata)" made.txt in.data
	i=$((n[0] + n[1] + n[2] + n[3]))
	printf '%s\n' "mix ${n[0]}" "twice ${n[1]}" "work ${n[2]}" "_start ${n[3]}" | share $i >self
	printf '%s\n' "mix ${n[0]}" "twice $((n[0] + n[1]))" "work $((n[0] + n[1] + n[2]))" "_start $i" | share $i >total
	printf '%s\n' "work $((n[0] + n[1] + n[2]))" "_start ${n[3]}" | share $i >around
	printf '%s\n' "work $((n[0] + n[1] + n[2]))" "_start $i" | share $i >around.total
}
# share ALL: lines "NAME NUMBER" as "NAME PERCENT", by name.
share() {
	awk -v all="$1" '{ sub(/ \(inlined\)/, ""); n = $NF; sub(/ [^ ]*$/, ""); if (n > 0) printf "%s %.4f\n", $0, 100 * n / all }' | LC_ALL=C sort
}
# is WHAT FILE: standard input has its lines; two decimals are what some print.
is() {
	LC_ALL=C sort >got
	expect "$what: $1" "$(cut -d' ' -f1 "$2")" "$(cut -d' ' -f1 got)"
	paste -d' ' "$2" got | awk '{ d = $2 - $4 } d > 0.006 || d < -0.006 { print; bad = 1 } END { exit bad }' >more ||
		fail "$what: $1: what it is, and what is said: $(<more)"
}
# of_stacks WHAT SELF TOTAL: standard input has lines "a;b;c NUMBER".
of_stacks() {
	cat >stacks
	awk '{ n = $NF; sub(/ [^ ]*$/, ""); k = split($0, f, ";"); self[f[k]] += n; all += n; delete seen
	       for (i = 1; i <= k; i++) if (!seen[f[i]]++) total[f[i]] += n }
	     END { for (i in self) printf "self %s %.4f\n", i, 100 * self[i] / all
	           for (i in total) printf "total %s %.4f\n", i, 100 * total[i] / all }' stacks | sed 's/ (inlined)//' >sums
	sed -n 's/^self //p' sums | is "$1, self" "$2"
	sed -n 's/^total //p' sums | is "$1, total" "$3"
}
exported() {	# FORMAT OPTION...
	"$PREC" export -q -i in.data --format "$@" 2>/dev/null
}
of_table() {	# TABLE: each function's periods, its own and all below it, in SQL
	echo "SELECT '$1.self' AS kind, symbol, sum(period) AS period FROM $1 GROUP BY symbol UNION ALL
		SELECT '$1.total', f.symbol, sum(period) FROM $1 AS s
		JOIN (SELECT DISTINCT stack, symbol FROM frames) AS f ON f.stack = s.stack GROUP BY f.symbol"
}
by_line() {	# of annotated sources: lines as their functions
	sed -nE 's/^ *([0-9.]+) : inl\.c:([0-9]+) .*/\2 \1/p' | awk '$2 > 0 {
		name = $1 < 6 ? "mix" : $1 < 11 ? "twice" : $1 < 16 ? "work" : "_start"; sum[name] += $2 }
		END { for (i in sum) printf "%s %.4f\n", i, sum[i] }'
}

# agree SELF TOTAL OPTION...
agree() {
	local self=$1 total=$2
	shift 2
	what="recording $number $*"
	"$PREC" report --inline-self --children -g none -F overhead_children,overhead,sym -t '|' -i in.data "$@" 2>/dev/null |
		sed -nE 's/^ *([0-9.]+)%? *\| *([0-9.]+)%? *\| *\[\.\] ([^ ]*).*/\3 \1 \2/p' >rows
	cut -d' ' -f1,2 rows | share 100 | is "report, total" "$total"
	cut -d' ' -f1,3 rows | share 100 | is "report, self" "$self"
	"$PREC" summary --json -i in.data "$@" | jq -r '.functions[] | .name + " " + (.percent | tostring)' | share 100 | is summary "$self"
	"$PREC" diff --format json "$@" in.data in.data 2>/dev/null |
		jq -r '.[0] | .total.a as $all | .rows[] | .symbol + " " + (100 * .a / $all | tostring)' | share 100 | is diff "$self"
	exported csv --by symbol "$@" | tr -d '\r' | awk -F, 'NR > 1 { print $4, $3; all += $3 } END { print all >"all" }' >rows
	sed 's,^\[\.\] ,,' rows | share "$(<all)" | is csv "$self"
	exported folded "$@" | sed 's/^[^;]*;//' | of_stacks folded "$self" "$total"
	exported jsonl "$@" | jq -r '(.stack | join(";")) + " " + (.period | tostring)' | of_stacks jsonl "$self" "$total"
	exported speedscope "$@" | jq -r '.shared.frames as $f | .profiles[] | [.samples, .weights] | transpose[] | select(.[0] | length > 0) |
		([.[0][] | $f[.].name] | join(";")) + " " + (.[1] | tostring)' | of_stacks speedscope "$self" "$total"
	exported firefox "$@" | { gzip -dc 2>/dev/null || cat; } | jq -r '.shared as $s |
		def name: $s.stringArray[$s.funcTable.name[$s.frameTable.func[$s.stackTable.frame[.]]]];
		def path: if $s.stackTable.prefixOffset[.] == 0 then name else (. - $s.stackTable.prefixOffset[.] | path) + ";" + name end;
		.threads[].samples as $m | range($m.length) as $i | ($m.stack[$i] | path) + " " + ($m.weight[$i] | tostring)' |
		of_stacks firefox "$self" "$total"
	exported chrome "$@" | jq -r '.traceEvents[] | select(.cat == "sample") |
		(.args.stack | rtrimstr("\n") | split("\n") | reverse | join(";")) + " " + (.args.period | tostring)' |
		of_stacks chrome "$self" "$total"
	if $tables && [ "$number" -le 2 ]; then		# it takes its time
		exported parquet "$@" >out.parquet
		duckdb "select array_to_string(stack, ';') || ' ' || period from 'out.parquet'" | of_stacks parquet "$self" "$total"
	fi
	"$PREC" query --json "$@" "$(of_table samples) UNION ALL $(of_table sums)" in.data 2>/dev/null |
		jq -r '.[] | .kind + " " + .symbol + " " + (.period | tostring)' >rows
	for table in samples sums; do
		all=$(awk -v kind="$table.self" '$1 == kind { n += $NF } END { print n }' rows)
		for kind in self total; do
			sed -n "s/^$table\.$kind //p" rows | share "$all" | is "query, $kind in $table" "${!kind}"
		done
	done
	exported svg "$@" | sed -nE 's/.*<title>([0-9.]+) %, [^:]*: ([^ ,<]*).*/\2 \1/p' | grep -vE '^(all|program|worker|writer)' |
		awk '{ sum[$1] += $2 } END { for (i in sum) print i, sum[i] }' | share 100 | is "svg, total" "$total"
	exported callgrind "$@" | awk '
		/^fn=/ { split($0, id, /[()]/); if (NF > 1) name[id[2]] = $2; fn = id[2] }
		/^cfn=/ { split($0, id, /[()]/); if (NF > 1) name[id[2]] = $2 }
		/^calls=/ { getline; next }
		/^[+*0-9-]/ { sum[fn] += $2; all += $2 }
		END { for (i in sum) if (sum[i]) print name[i], 100 * sum[i] / all }' | share 100 | is callgrind "$self"
}
with_pprof() {	# SELF TOTAL OPTION...
	exported pprof "${@:3}" >out.pb.gz
	HOME=$WORK PPROF_TMPDIR=$WORK GOFLAGS=-mod=mod GOTOOLCHAIN=local go tool pprof -symbolize=none -nodefraction=0 -unit=ms -top out.pb.gz 2>pprof.err >top ||
		fail "pprof: $(<pprof.err)"
	awk '$1 ~ /^[0-9.]+(ms)?$/ && NF >= 6 { print $6, $1 + 0, $4 + 0 }' top >rows
	all=$(awk '{ sum += $2 } END { print sum }' rows)
	cut -d' ' -f1,2 rows | share "$all" | is "pprof, self" "$1"
	cut -d' ' -f1,3 rows | share "$all" | is "pprof, total" "$2"
}
with_page() {
	exported html "${@:3}" >out.html
	page_table out.html "" >rows
	all=$(awk '{ sum += $1 } END { print sum }' rows)
	awk '{ print $4, $1 }' rows | share "$all" | is "page, self" "$1"
	awk '{ print $4, $2 }' rows | share "$all" | is "page, total" "$2"
}
in_browser() {
	browse report --children -i in.data "${@:3}"
	await 20 eval 'shows "functions 1/" && shows "\\[\\.\\] _start"'
	screen | sed -nE 's/^ *([0-9.]+)% *([0-9.]+)% .*\[\.\] ([^ ]*).*/\3 \1 \2/p' >rows
	cut -d' ' -f1,2 rows | share 100 | is "browser, total" "$2"
	cut -d' ' -f1,3 rows | share 100 | is "browser, self" "$1"
	keys q
	left
}

tables=false
! has_tables || tables=true
start_terminal 100x24
for number in 1 2 3 ${LONG:+4 5 6 7 8 9 10}; do
	make "$number"
	agree self total
	agree around around.total --no-inline
	"$PREC" annotate --stdio --source-only --percent-type global-period -i in.data 2>/dev/null | by_line | is annotate self
	! command -v go >/dev/null || with_pprof self total
	in_browser self total
	[ "$number" -gt 2 ] || ! command -v chromium >/dev/null || with_page self total	# it takes its time
done
in_browser around around.total --no-inline
! command -v chromium >/dev/null || with_page around around.total --no-inline
