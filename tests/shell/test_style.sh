#!/bin/bash
# Text files are as the project writes them: tabs, line length, no leftovers, nothing that means one machine only.
. "$(dirname "$0")/lib/prec.sh"
cd "$SRC"
bad=0
# check WHAT REGEX FILES...: none of the files' lines may match.
check() {
	local what=$1 regex=$2
	shift 2
	grep -nHP -- "$regex" "$@" >"$WORK/hits" || return 0
	sed "s/^/$what: /" "$WORK/hits"
	bad=1
}

files() {
	find . \( -name .git -o -name 'build*' -o -path ./tests/data -o -path './tests/fuzz/seeds' \) -prune -o \
		-type f \( "$@" \) -print | sed 's,^\./,,' | sort
}

mapfile -t code < <(files -name '*.[ch]')
mapfile -t tests < <(files -path './tests/shell/test_*.sh')
mapfile -t programs < <(files -path './.ci/*' -o -name run -o -path ./tests/lint; printf '%s\n' "${tests[@]}")
mapfile -t texts < <(files -name '*.sh' -o -name '*.md' -o -path './man/*.[17]' -o -name Makefile
		     printf '%s\n' "${code[@]}" "${programs[@]}" | sort -u)
[ ${#code[@]} -gt 20 ] && [ ${#tests[@]} -gt 2 ] && [ ${#programs[@]} -gt 4 ] || fail "found no files in $SRC"

check 'spaces for tabs' '^ {4,}\S' "${code[@]}"
check 'trailing blanks' '[ \t]+$' "${texts[@]}"
check 'leftover' '\b(TO[D]O|FIX[M]E|XX[X])\b' "${texts[@]}"
check 'a place on one machine only' '(?<![\w.])/(wo[r]k|ho[m]e|ro[o]t)/\w' "${texts[@]}"
check 'number of a discussion' '(?i)\b(issue|bug|pull request|ticket|PR) ?#?[0-9]{2,}|(?<![%&\w"])#[0-9]{2,}\b' "${texts[@]}"
check 'carriage return' '\r' "${texts[@]}"

awk 'FNR == 1 && !/^\/\*/ { print FILENAME ": does not begin with a comment"; bad = 1 } FNR > 1 { nextfile } END { exit bad }' \
	"${code[@]}" || bad=1
awk 'function width(s,   n, i) {
		n = 0
		for (i = 1; i <= length(s); i++)
			n = substr(s, i, 1) == "\t" ? n - n % 8 + 8 : n + 1
		return n
	}
	length > 80 && width($0) > 132 { print FILENAME ":" FNR ": longer than 132 columns"; bad = 1 }
	END { exit bad }' "${code[@]}" || bad=1
tail -q -c 1 "${texts[@]}" >"$WORK/ends"
[ "$(wc -c <"$WORK/ends")" = "$(wc -l <"$WORK/ends")" ] || for f in "${texts[@]}"; do
	[ -z "$(tail -c 1 "$f")" ] || { echo "$f: no newline at its end"; bad=1; }
done
for f in "${programs[@]}"; do
	[ -x "$f" ] || { echo "$f: not executable"; bad=1; }
done
awk 'FNR == 2 && !/^# [A-Z].*\.$/ { print FILENAME ": its second line is no sentence"; bad = 1 } FNR > 2 { nextfile } END { exit bad }' \
	"${tests[@]}" || bad=1
[ $bad = 0 ] || fail "see above"

! grep -nE '^[^#]*trap .* EXIT' "$SRC"/tests/shell/test_*.sh || fail "a test's own trap of EXIT loses its status: at_end does it"
