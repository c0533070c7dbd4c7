#!/bin/bash
# The page of prec export shows the numbers of report, for all of the recording and for a thread or a range of time.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/page.sh"
need chromium
need_events

"$PREC" record -q -g --sample-cpu -o demo.data "$(workload demo)" >/dev/null
"$PREC" export -q -i demo.data -o demo.html

# Own periods and samples by function equal report's: rows of report are functions that have an address.
"$PREC" export -q -i demo.data --no-inline -o plain.html

compare() {	# STATE REPORT-OPTIONS...
	local state=$1
	shift
	"$PREC" report -q -i demo.data --stdio --no-children -g none -s sym -F period,sample,sym -t '|' "$@" 2>/dev/null |
		grep -v '^#' | sed -nE 's/^ *([0-9]+) *\| *([0-9]+) *\|\[.\] (.*[^ ]) *$/\1 \2 \3/p' | sort >report.txt
	page_table plain.html "$state" | awk '$1 { print $1, $3, substr($0, length($1 $2 $3) + 4) }' | sort >page.txt
	[ -s report.txt ] || fail "report has no rows for '$state'"
	expect_same "functions for '$state'" report.txt page.txt
}

compare ''
tid=$("$PREC" report -q -i demo.data --stdio --no-children -g none -s tid -F tid 2>/dev/null | grep -oE '[0-9]+' | sed -n 2p)
compare "thread=$tid" --tid "$tid"

# A range of time: report counts from the clock's zero, the page from the first sample.
read -r first < <("$PREC" script -q -i demo.data --ns -F time 2>/dev/null | tr -d ' :')
range=$(awk -v f="$first" 'BEGIN { printf "%.9f,%.9f", f + 0.3, f + 0.8 }')
compare "from=0.3&to=0.8" --time "$range"

# Each view shows the same sum, and nothing goes wrong in any.
sum=$(page_sum demo.html view=summary)
for state in view=flame 'view=flame&up=1' 'view=flame&group=line&colour=heat' 'view=flame&group=address&colour=kind' 'view=tree' 'view=tree&up=1' \
	     'view=sandwich&of=blur' 'view=timeline' 'view=timeline&lanes=cpus' 'view=timeline&form=heat+map' \
	     'view=timeline&form=stacks' view=code 'view=code&code=assembly&of=blur' 'view=flame&search=bl.r' 'view=table&search=(' 'view=nonsense&event=99&from=x'; do
	expect "sum of '$state'" "$sum" "$(page_sum demo.html "$state")"
done

# A search says its share, each sample counted once.
blur=$(page_table demo.html '' | awk '$4 == "blur" { print $2 }')
dom demo.html 'view=flame&search=^blur$' >dom.flame
awk -v w="$blur" -v s="${sum% *}" 'BEGIN { exit !(s > 0 && w > 0) }' || fail "no blur in the page"
share=$(awk -v w="$blur" -v s="${sum% *}" 'BEGIN { printf "%.2f", 100 * w / s }')
grep -q "Matched: $share" dom.flame || fail "the search for blur does not say $share %: $(grep -o 'Matched:[^<]*' dom.flame)"

# Only stacks with a function: all of them have it.
# Without a function its time is its callers', and all else as it was.
page_table demo.html '' | awk '{ self += $1 } $4 != "blur" { total[$4] = $2 } END { print self; for (n in total) print n, total[n] }' | sort >with
page_table demo.html 'transforms=merge+blur' | awk '{ self += $1; total[$4] = $2 } END { print self; for (n in total) print n, total[n] }' | sort >without
expect_same "without blur" with without
expect "stacks with blur" "$blur" "$(page_sum demo.html 'view=flame&transforms=only+blur' | cut -d' ' -f1)"

# The same bytes each time and for any number of threads.
"$PREC" export -q -i demo.data -j1 -o one.html
"$PREC" export -q -i demo.data -j3 -o three.html
cmp one.html three.html || fail "the page differs with the number of threads"
