#!/bin/bash
# The page has the tables and queries that the program has: man/query_page changes nothing in it.
. "$(dirname "$0")/lib/prec.sh"

[ -e "$SRC/man/query_page" ] || skip "no sources"
"$PREC" query -l >/dev/null
"$PREC" query --schema >/dev/null 2>err || { grep -q 'without SQLite' err && skip "built without SQLite"; fail "$(<err)"; }
"$SRC/man/query_page" "$PREC" <"$SRC/man/prec-query.1" >made.1
expect_same "the page (make query-page writes it)" "$SRC/man/prec-query.1" made.1
# Each table and column is in it, a table's own in its own section.
for table in samples sums waits pairs diff recording; do
	grep -qx "[.]SS $table" made.1 || fail "no table $table"
done
grep -A1 -x '[.]B duration' made.1 | grep -q '^integer: ns' || fail "no column of waits"
grep -qx '[.]B @failed\\-syscalls' made.1 || fail "no query"
