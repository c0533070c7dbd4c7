#!/bin/bash
# Statements that would never end, or want more than there is, are ended or refused, and names may hold any bytes.
. "$(dirname "$0")/lib/prec.sh"
need jq

{
	cat <<'T'
attr cpu-clock sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER read=ID sample_id_all mmap comm task mmap2
T
	printf 'comm 7/7 "\xff\xfe\xc3(\x1b[31m" exec t=1000\n'
	printf 'mmap2 7/7 0x400000+0x1000@0x1000 r-xp "/no/\xe2\x82" dev=8:1 ino=77 t=1001\n'
	printf 'ksymbol 0xffffffffc0000000+0x100 "a\xf0\x28;\xf8b" type=1 t=1\n'
	cat <<'T'
repeat 3000
	sample 7/7 t={2000000+i*1000} ip=0xffffffffc0000010 mode=kernel period=7 cpu=0 chain=kernel,0xffffffffc0000010
	sample 7/7 t={2000500+i*1000} ip=0x400010 mode=user period=7 cpu=0 chain=user,0x400010
end
T
} >in.txt
"$(helper mkdata/mkdata)" in.txt in.data
"$PREC" query -i in.data 'SELECT 1' >/dev/null 2>err || { grep -q 'without SQLite' err && skip "built without SQLite"; fail "$(<err)"; }
refuses() {	# STATEMENT PATTERN OPTIONS...
	expect_status 1 "$PREC" query -q -i in.data "${@:3}" "$1" >out 2>err
	grep -q "$2" err || fail "'${1:0:60}' says: $(<err)"
	expect "messages about '${1:0:60}'" 1 "$(wc -l <err)"
}

# Whatever bytes a name has, each form of a result is what its readers take.
"$PREC" query -q -i in.data --json 'SELECT comm, dso, symbol, stack_text(stack) AS t, count(*) AS n FROM samples GROUP BY 1, 2, 3, 4' >names.json || fail "no JSON"
expect "JSON" "6000" "$(jq -e '[.[].n] | add' names.json)"
iconv -f UTF-8 -t UTF-8 names.json >/dev/null || fail "JSON is no UTF-8"
"$PREC" query -q -i in.data 'SELECT DISTINCT comm, dso, symbol FROM samples' >names.txt || fail "no table"
! grep -q $'\e' names.txt || fail "a table has an escape"
for form in csv arrow parquet; do
	"$PREC" query -q -i in.data --$form -o names.$form 'SELECT DISTINCT comm, dso, symbol, stack FROM samples' || fail "no $form"
	[ -s names.$form ] || fail "an empty $form"
done
"$PREC" query -q -i in.data -o names.svg 'SELECT stack, comm, 1 AS n FROM samples' || fail "no graph"
iconv -f UTF-8 -t UTF-8 names.svg >/dev/null || fail "SVG is no UTF-8"
expect "a name is equal to itself" "6000" "$("$PREC" query -q -i in.data --csv 'SELECT count(*) FROM samples WHERE comm = (SELECT comm FROM threads WHERE tid = 7)' | tail -1 | tr -d '\r')"
refuses "SELECT char(65, 0, 66)" 'hex'

# Too large, too deep, too long: an error and no more memory than was allowed.
refuses "SELECT zeroblob(100000000)" 'too big'
refuses "SELECT $(printf '1+%.0s' {1..3000})1" 'too large'
refuses "SELECT $(printf '(%.0s' {1..3000})1$(printf ')%.0s' {1..3000})" 'overflow\|too large\|too deep'
refuses "SELECT $(printf '1,%.0s' {1..5000})1" 'too many columns'
refuses "SELECT group_concat(a.symbol || b.symbol) FROM samples a, samples b" 'max-memory\|too big' --max-memory=16
refuses "SELECT a.time, b.time FROM samples a, samples b ORDER BY a.time + b.time, b.symbol" 'max-memory' --max-memory=16
refuses "WITH RECURSIVE r(t) AS (SELECT 'x' UNION ALL SELECT t || t FROM r) SELECT length(t) FROM r" 'too big\|max-memory'
refuses "SELECT stack_text(stack, printf('%.*c', 60000000, 'x')) || stack_text(stack, printf('%.*c', 60000000, 'x')) FROM samples" 'too big\|max-memory' --max-memory=64

# Rows that wait, as the first 1,000 do until their widths or types are known, are bounded by their bytes; of the rest none wait.
if type python3 >/dev/null 2>&1; then
	peak() {	# OPTIONS...: MiB
		python3 -c 'import resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024 if not status else "status %d" % status)' "$PREC" query -q -i in.data "$@"
	}
	series='WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT %d) SELECT %s AS t FROM r'
	least=$(peak 'SELECT 1')
	for form in '' --csv --json --arrow; do
		# shellcheck disable=SC2059,SC2086
		for rows in "$(printf "$series" 600 "printf('%.*c', 1000000, 'x')")" "$(printf "$series" 1000000 n)"; do
			most=$(peak $form "$rows")
			[ "$most" -lt $((least + 200)) ] || fail "${form:-a table}: '${rows: -40}' takes $most MiB, and 'SELECT 1' $least"
		done
	done
else
	part_skipped "peaks of memory: no python3"
fi

# What never ends is ended by a signal, while it computes and while it prints, also into a file, which is not there then.
for endless in 'SELECT count(*) FROM samples a, samples b, samples c, samples d' \
	       'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r' \
	       'SELECT a.time FROM samples a, samples b, samples c, samples d'; do
	rm -f endless.out
	command "$PREC" query -q -i in.data -o endless.out "$endless" 2>err & pid=$!
	await 30 has_run $pid 30
	kill -TERM $pid
	wait $pid && fail "'$endless' succeeded"
	[ ! -e endless.out ] || fail "'$endless' left a file"
done
# A reader that has seen enough ends it, too.
any_status timeout 60 "$PREC" query -q -i in.data --csv 'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r' 2>/dev/null | head -3 >first
expect "the first rows" "n 1 2" "$(tr -d '\r' <first | xargs)"
