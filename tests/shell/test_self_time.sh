#!/bin/bash
# A function has one self time and one total in all views and formats: inlined functions their own, with --no-inline the function around; pipes as perf.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/browse_program.sh"
need jq
need script

inlined_library
PROG=$PWD/inl.so

write() {
	{
		echo "attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD$1 sample_id_all=1"
		echo 'feature arch=x86_64'
		echo 'comm 100/100 "program"'
		printf 'mmap2 100/100 0x%x+0x1000000@0 r-xp "%s" %s\n' $((PLACE)) "$PROG" "$(build_id_of "$PROG")"
		cat
	} >made.txt
	"$(helper mkdata/mkdata)" made.txt "$2"
}

caller=$(after _start work)
{
	samples 40 100 0 "$(at work 4)" "$caller"
	samples 25 100 1000 "$(at work 9)" "$caller"
	samples 20 100 2000 "$(at work 14)" "$caller"
	samples 15 100 3000 "$(at _start 19)"
} >samples
write ,CALLCHAIN chains.data <samples
sed 's/ chain=.*//' samples | write "" flat.data
# Chains that begin elsewhere than where the sample was taken, as after a counter's skid.
{
	sed "s/chain=user,[^,]*,/chain=user,$(at _start 19),/" samples
} | write ,CALLCHAIN skid.data

self="mix 40
twice 25
work 20
_start 15"
around="work 85
_start 15"

# named PERCENT-AND-NAME lines as "name percent", whole percents, the largest first, names bare.
bare() {
	sed 's/ (inlined)//; s/\[\.\] //' | awk '{ printf "%s %.0f\n", $1, $2 }' | sort -k2,2nr -k1,1
}
sorted() {
	sort -k2,2nr -k1,1 <<<"$1"
}

rows() {	# of a report: "name percent"; the first number, or with 2 the second
	sed -n "s/^ *\([0-9.]*\)% .*\[\.\] \([^ ]*\).*/\2 \1/p" | bare
}
totals_of_folded() {
	awk '{ n = $NF; split($1, f, ";"); delete seen
	       for (i = 2; i in f; i++) if (!seen[f[i]]++) sum[f[i]] += n; all += n }
	     END { for (i in sum) print i, 100 * sum[i] / all }' | bare
}
on_terminal() {
	any_status script -qec "stty cols 100; $PREC $*" /dev/null </dev/null | tr -d '\r' | sed 's/\x1b\[[0-9;]*m//g'
}

# agree FILE OPTION SELF: what all say of each function's own time.
agree() {
	expect "$1 $2: report on a terminal" "$3" "$(on_terminal report --no-pager --no-children $2 -i "$1" | rows)"
	expect "$1 $2: report" "$3" "$("$PREC" report --inline-self --no-children -g none $2 -i "$1" 2>/dev/null | rows)"
	expect "$1 $2: summary" "$3" \
		"$("$PREC" summary --json $2 -i "$1" | jq -r '.functions[] | .name + " " + (.percent | tostring)' | bare)"
	[ "$1" = skid.data ] ||	# its tables are of chains, as the exports below
		expect "$1 $2: diff" "$3" "$("$PREC" diff --format json $2 "$1" "$1" 2>/dev/null |
		jq -r '.[0] | .total.a as $all | .rows[] | .symbol + " " + (100 * .a / $all | tostring)' | bare)"
	expect "$1 $2: rows by symbol" "$3" \
		"$("$PREC" export --format csv --by symbol $2 -i "$1" 2>/dev/null | tr -d '\r' | awk -F, 'NR > 1 { print $4, $3 / 1e7 }' | bare)"
}
# As agree, of what has stacks, whose ends are whose time it is.
stacks_agree() {
	expect "$1 $2: folded" "$3" "$("$PREC" export --format folded $2 -i "$1" 2>/dev/null |
		sed 's/.*;//' | awk '{ sum[$1] += $2 / 1e7 } END { for (i in sum) print i, sum[i] }' | bare)"
	expect "$1 $2: speedscope" "$3" "$("$PREC" export --format speedscope $2 -i "$1" 2>/dev/null | jq -r '.shared.frames as $f |
		.profiles[0] | [.samples, .weights] | transpose[] | select(.[0] | length > 0) | . as $s | $f[$s[0][-1]].name + " " + ($s[1] / 1e7 | tostring)' |
		awk '{ sum[$1] += $2 } END { for (i in sum) print i, sum[i] }' | bare)"
	expect "$1 $2: callgrind" "$3" "$("$PREC" export --format callgrind $2 -i "$1" 2>/dev/null | awk '
		/^fn=/ { split($0, id, /[()]/); if (NF > 1) name[id[2]] = $2; fn = id[2] }
		/^cfn=/ { split($0, id, /[()]/); if (NF > 1) name[id[2]] = $2 }
		/^calls=/ { getline; next }
		/^[+*0-9-]/ { sum[fn] += $2 / 1e7 }
		END { for (i in sum) if (sum[i]) print name[i], sum[i] }' | bare)"
}
for file in chains flat skid; do
	agree $file.data "" "$(sorted "$self")"
	agree $file.data --no-inline "$(sorted "$around")"
	expect "$file: a pipe has perf's numbers" "$(sorted "$around")" \
		"$("$PREC" report --no-children -g none -i $file.data 2>/dev/null | rows)"
	expect "$file: the pipe says so" "# Inlined code counts for the function around it" \
		"$("$PREC" report -i $file.data 2>/dev/null | grep -o '^# Inlined code [a-z ]*')"
	expect "$file: the pipe says the other" "# Inlined code counts for itself" \
		"$("$PREC" report --inline-self -i $file.data 2>/dev/null | grep -o '^# Inlined code [a-z ]*')"
	expect "$file: nothing is inlined" 0 "$("$PREC" report --no-inline -i $file.data 2>/dev/null | grep -c 'Inlined code')"
	expect "$file: summary says so" 1 "$("$PREC" summary -i $file.data 2>/dev/null | grep -c 'own time (inlined code counts for itself)')"
	expect "$file: --stdio has them on a terminal" "$(sorted "$around")" \
		"$(on_terminal report --stdio --no-pager --no-children -i $file.data | rows)"
done
for file in chains flat; do
	stacks_agree $file.data "" "$(sorted "$self")"
	stacks_agree $file.data --no-inline "$(sorted "$around")"
done

# Totals: of those who called, or what is inlined into them.
totals="_start 100
work 85
twice 65
mix 40"
expect "totals of report" "$totals" "$("$PREC" report --inline-self --children -g none -i chains.data 2>/dev/null | rows)"
expect "totals on a terminal" "$totals" "$(on_terminal report --no-pager --children -i chains.data | rows)"
expect "totals of folded stacks" "$totals" "$("$PREC" export --format folded -i chains.data 2>/dev/null | totals_of_folded)"

# The head line says which.
expect "head line" "inlined code counts for itself" "$(on_terminal report --no-pager --no-children -i flat.data | grep -o 'inlined code.*')"
expect "head line" "inlined code counts for the function around it" \
	"$(on_terminal report --no-pager --no-children --no-inline -i flat.data | grep -o 'inlined code.*')"
# A filter by name takes what is inlined into a function with it, and finds what is inlined.
expect "-S work" "$(sorted "mix 40
twice 25
work 20")" "$("$PREC" report --inline-self --no-children -g none -S work -i chains.data 2>/dev/null | rows)"
expect "-S mix" "mix 40" "$("$PREC" report --inline-self --no-children -g none -S mix -i chains.data 2>/dev/null | rows)"
