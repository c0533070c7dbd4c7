#!/bin/bash
# Every recording of the corpus gives the same bytes, messages and exit status for any number of threads, in every command and format.
# With --long (tests/run): -j1 to -j8, all formats, also of what prec records here. Else: -j1 and -j8, a format a file.
# Runs: slow
. "$(dirname "$0")/lib/prec.sh"
need_corpus
mapfile -t formats < <("$PREC" export --format help | awk '/^[a-z]/ { print $1 }')
mapfile -t files < <(find "$PREC_CORPUS" -type f ! -name '*.md' | sort)
jobs=(8)
[ ! "${LONG:-}" ] || jobs=(2 3 4 5 6 7 8)
if [ "${LONG:-}" ]; then
	mkdir kinds
	(cd kinds && "$SRC/tests/lib/recordings") >said
	files+=("$PWD"/kinds/*)
fi
echo 'ffffffff81000000 T _text' >kallsyms
mkdir nothing
elsewhere=(--kallsyms kallsyms --symfs nothing)

runs=0 differ=()
# same COMMAND...: of what a command prints, or writes to "out".
same() {
	local j status want WANTED=any
	for j in 1 "${jobs[@]}"; do
		status=0
		rm -f out
		"$PREC" "$@" -j"$j" >text 2>said </dev/null || status=$?
		echo "status $status" >>said
		[ ! -e out ] || cat out >>text
		runs=$((runs + 1))
		if [ "$j" = 1 ]; then
			mv text want.text
			mv said want.said
			continue
		fi
		cmp -s want.text text && cmp -s want.said said && continue
		differ+=("prec $* -j$j")
		diff -u --label -j1 want.said --label "-j$j" said | head -20 >&2 || true
		diff -u --label -j1 want.text --label "-j$j" text | head -20 >&2 || true
	done
}

turn=0
for file in "${files[@]}"; do
	same report --stdio -i "$file" "${elsewhere[@]}"
	same script -i "$file" "${elsewhere[@]}"
	same script -D -i "$file" "${elsewhere[@]}"
	same archive -o out -i "$file"
	if [ ! "${LONG:-}" ]; then
		same export -o out --format "${formats[turn++ % ${#formats[@]}]}" -i "$file" "${elsewhere[@]}"
		continue
	fi
	same report --stdio --children -s pid,cpu,time,dso,sym -i "$file" "${elsewhere[@]}"
	same report --stats -i "$file" "${elsewhere[@]}"
	same verify -i "$file"
	same summary -i "$file" "${elsewhere[@]}"
	! "$PREC" query -i "$file" 'SELECT 1' >/dev/null 2>&1 ||
		same query -i "$file" "${elsewhere[@]}" 'SELECT * FROM samples; SELECT * FROM sums'
	same annotate --stdio -i "$file" "${elsewhere[@]}"
	for format in "${formats[@]}"; do
		same export -o out --format "$format" -i "$file" "${elsewhere[@]}"
	done
	for format in jsonl csv parquet; do
		same export -o out --format $format --samples -i "$file" "${elsewhere[@]}"
		same export -o out --format $format --by comm,sym -i "$file" "${elsewhere[@]}"
	done
done
[ ${#differ[@]} = 0 ] || fail "$(printf '%s\n' "${#differ[@]} outputs of $runs differ:" "${differ[@]}")"
[ ${#files[@]} -gt 40 ] || fail "only ${#files[@]} recordings"
echo "$runs runs of ${#files[@]} recordings, ${#formats[@]} formats"
