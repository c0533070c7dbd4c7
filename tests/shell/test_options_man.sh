#!/bin/bash
# Every option of a command, field of script and key of report is in its man page; every option there exists.
. "$(dirname "$0")/lib/prec.sh"
bad=0 seen=0

# The long names that head a paragraph of the page: behind .TP, .TQ or .IP (man), or .It Fl (mdoc).
described() {
	sed -e 's/\\-/-/g' -e 's/\\f.//g' "$1" | awk '
		/^\.It / { gsub(/Fl -/, "--"); print }
		/^\.IP / { print }
		/^\.TP/ || /^\.TQ/ { heads = 1; next }
		heads { print; heads = 0 }' |
		sed 's/--\[no-\]/--/g' | grep -oE -- '(^|[^[:alnum:]-])--[a-z0-9][a-z0-9-]*' | grep -oE -- '--[a-z0-9-]*' | sort -u
}

for page in "$SRC"/man/prec-*.1; do
	[ -f "$page" ] || continue
	cmd=${page##*/prec-} cmd=${cmd%.1}
	"$PREC" "$cmd" --list-opts >"$WORK/listed" 2>/dev/null || { echo "prec $cmd --list-opts fails"; bad=1; continue; }
	[ -s "$WORK/listed" ] || { echo "prec $cmd --list-opts prints nothing"; bad=1; continue; }
	seen=$((seen + 1))
	grep -- '^--' "$WORK/listed" | sort -u >"$WORK/options"
	described "$page" >"$WORK/described"
	while read -r o; do
		echo "${page##*/} does not describe $o"
		bad=1
	done < <(comm -23 "$WORK/options" "$WORK/described")
	while read -r o; do
		# --no-x of an option x exists, and so does --x of a no-x.
		grep -qx -e "--${o#--no-}" -e "--no-${o#--}" "$WORK/options" && continue
		case $o in --help|--list-opts) continue;; esac
		echo "${page##*/} describes $o, which prec $cmd does not know"
		bad=1
	done < <(comm -13 "$WORK/options" "$WORK/described")
done

# names COMMAND OPTION SECTION: each name that the option knows heads a paragraph of that section of the page.
names() {
	local known name
	"$PREC" "$1" "$2" no-such-name 2>"$WORK/known" && fail "prec $1 $2 no-such-name is accepted"
	known=$(sed -n 's/.*known are:* //p' "$WORK/known" | tr ',' ' ')
	[ -n "$known" ] || fail "prec $1 $2 does not say which names it knows"
	awk -v want=".SH $3" '/^\.SH / { on = $0 == want } on && /^\.BR? / { gsub(/[",]/, " "); print substr($0, 4) }' \
		"$SRC/man/prec-$1.1" | sed 's/\\-/-/g' | tr ' ' '\n' >"$WORK/names"
	for name in $known; do
		grep -qxF -- "$name" "$WORK/names" || { echo "prec-$1.1 does not describe '$name'"; bad=1; }
	done
}
names script -F FIELDS
names report -s KEYS

# A command without a page would not have been looked at.
for c in $("$PREC" --list-cmds 2>/dev/null || true); do
	[ -f "$SRC/man/prec-$c.1" ] || { echo "no man/prec-$c.1"; bad=1; }
done
[ $bad = 0 ] || fail "see above"
[ $seen -gt 0 ] || skip "no command has a page yet"
