#!/bin/bash
# Three hundred hostile names leave every output valid in its own language, as strict readers have it.
. "$(dirname "$0")/lib/prec.sh"
need python3
python3 -c '' && python=$(command -v python3.11 || command -v python3)
"$python" "$SRC/tests/lib/hostile_names.py" >names.txt
"$(helper mkdata/mkdata)" names.txt names.data
nr=$(grep -c ^sample names.txt)
[ "$nr" -gt 300 ] || fail "only $nr names"
mkdir nothing

# strict KIND FILE [NR]: it is valid, and has so many rows.
strict() {
	"$python" "$SRC/tests/lib/strict.py" "$@" 2>wrong || fail "$2 is no $1: $(tail -1 wrong)"
}
made() {	# KIND FILE NR OPTION...: an export
	local kind=$1 file=$2 nr=$3
	shift 3
	"$PREC" export -q -i names.data --symfs nothing -o "$file" "$@"
	# shellcheck disable=SC2086
	strict "$kind" "$file" $nr
}
made svg x.svg ''
made html x.html ''
made folded x.folded ''
made callgrind x.callgrind ''
made pprof x.pb.gz ''
made json x.json.gz ''
made json x.speedscope.json ''
made json x.trace.json ''
made jsonl x.jsonl "$nr"
made csv x.csv "$nr"
made jsonl by.jsonl '' --by comm,dso,sym
made csv by.csv '' --by comm,dso,sym
made csv columns.csv "$nr" --columns symoff,srcline
"$PREC" summary --json -i names.data >summary.json
any_status "$PREC" verify --json names.data >verify.json
for format in json folded html; do
	"$PREC" diff --format $format names.data names.data >"diff.$format" 2>err || fail "diff: $(<err)"
	strict $format diff.$format
done
strict json summary.json
strict json verify.json
