#!/bin/bash
# Recordings of many perfs, machines and fuzzers: a report, or a clear error; never a crash.
. "$(dirname "$0")/lib/prec.sh"
need_corpus .

seen=0
while read -r file; do
	for how in "" "--no-children -g fractal -s pid,dso,sym -n" "--header --stats" "-s time,cpu -g none"; do
		status=0
		# shellcheck disable=SC2086
		timeout 60 "$PREC" report -i "$file" $how >out 2>err || status=$?
		[ $status -le 2 ] || fail "$file $how: exit status $status: $(tail -3 err)"
		[ $status = 0 ] || [ -s err ] || fail "$file $how: status $status without a word"
		[ $status = 1 ] || [ -s out ] || fail "$file $how: nothing shown"
	done
	seen=$((seen + 1))
done < <(find "$PREC_CORPUS" -type f ! -name '*.md')
[ $seen -gt 0 ] || skip "PREC_CORPUS is empty"
echo "$seen files"
