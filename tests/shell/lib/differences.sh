# Do the intervals of prec diff hold what they say? Of recordings a1 ... aN and b1 ... bN of tests/work/costs, each with what it printed
# (a1.out ...), of which f takes 5 % more in B, g 3 % less, and the same_ functions the same.
# shellcheck shell=bash

# groups N RUNS: N times five of each side, drawn from RUNS; a line for each function of each table: table, name, difference,
# error, called changed.
groups() {
	local table a b
	awk -v tables="$1" -v runs="$2" 'function draw(side,   i, n, text, taken) {
			split("", taken)
			for (n = 0; n < 5;) {
				i = 1 + int(rand() * runs)
				if (!(i in taken)) { taken[i] = 1; n++; text = text " " side i }
			}
			return text
		}
		BEGIN { srand(7); for (t = 1; t <= tables; t++) print draw("a"), "--", draw("b") }' >drawn
	table=0
	while read -r a b; do
		table=$((table + 1))
		# shellcheck disable=SC2086
		"$PREC" diff -q --json $DIFF_OPTIONS $a $b | jq -r --arg t $table '
			.[0].rows[] | select(.symbol | test("^(f|g|same_.)$")) | "\($t) \(.symbol) \(.difference) \(.error) \(.changed)"'
	done <drawn
}

# truths: the mean difference of each function by its own clock: name, ns.
truths() {
	awk 'FILENAME ~ /^a/ { a[$1] += $2; na[$1]++ } FILENAME ~ /^b/ { b[$1] += $2; nb[$1]++ }
		END { for (n in a) print n, b[n] / nb[n] - a[n] / na[n] }' a*.out b*.out
}

# judge_groups: of groups' lines on standard input. Prints the counts; fails where they are not what they are to be.
judge_groups() {
	truths >truths.txt
	awk 'FILENAME == "truths.txt" { truth[$1] = $2; next }
		{
			nr++; held += $3 - $4 <= truth[$2] && truth[$2] <= $3 + $4
			width[$2] += 2 * $4; sum[$2] += $3; squares[$2] += $3 * $3; tables_of[$2]++
			tables[$1] = 1
			if ($2 ~ /^same/) { same++; if ($5 == "true") { wrong++; bad[$1] = 1 } }
			else if ($5 == "true") found[$2]++
		}
		END {
			for (n in sum) {
				mean = sum[n] / tables_of[n]
				spread = 2 * 1.96 * sqrt(squares[n] / tables_of[n] - mean * mean)
				ratios += width[n] / tables_of[n] / spread; names++
			}
			for (t in tables) { all++; bad_tables += t in bad }
			printf "groups of five: %d tables, the truth held by %.1f %% of %d intervals, width %.2f of the spread\n",
				all, 100 * held / nr, nr, ratios / names
			printf "called changed: f in %d, g in %d tables; of what is the same %.1f %% of %d rows, in %.1f %% of the tables\n",
				found["f"], found["g"], 100 * wrong / same, same, 100 * bad_tables / all
			exit !(nr >= 12 * all && held >= 0.9 * nr && ratios / names <= 2 && wrong <= 0.07 * same && bad_tables <= 0.1 * all)
		}' truths.txt - || fail "groups of five: not what is said"
}

# pairs RUNS: a line for each function of each pair aI, bI: name, difference, error, and the difference by the pair's own clock.
pairs() {
	local i
	for i in $(seq "$1"); do
		# shellcheck disable=SC2086
		"$PREC" diff -q --json $DIFF_OPTIONS a$i b$i | jq -r '
			.[0].rows[] | select(.symbol | test("^(f|g|same_.)$")) | "\(.symbol) \(.difference) \(.error)"' |
			awk 'FILENAME == ARGV[1] { a[$1] = $2; next } FILENAME == ARGV[2] { b[$1] = $2; next }
				{ print $0, b[$1] - a[$1] }' a$i.out b$i.out -
	done
}

judge_pairs() {
	awk '{
			nr++; held += $2 - $3 <= $4 && $4 <= $2 + $3
			off = $2 - $4; width += 2 * $3; squares += off * off
		}
		END {
			spread = 2 * 1.96 * sqrt(squares / nr)
			printf "single pairs: the truth held by %.1f %% of %d intervals, width %.2f of the spread\n",
				100 * held / nr, nr, width / nr / spread
			exit !(nr && held >= 0.9 * nr && width / nr <= 5 * spread)
		}' || fail "single pairs: not what is said"
}
