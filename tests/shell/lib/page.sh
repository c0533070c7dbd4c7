# Pages of prec export in headless Chromium.
# shellcheck shell=bash

# dom FILE STATE: the document as it is when FILE#STATE is shown. One browser does it for the whole test, as its start takes seconds.
dom() {
	local failure
	if [ ! -p "$WORK/page.requests" ]; then
		mkfifo "$WORK/page.requests" "$WORK/page.answers"
		env PYTHONPATH="$SRC/tests/lib" PYTHONDONTWRITEBYTECODE=1 WORK="$WORK" python3 "$SRC/tests/lib/pages.py" \
			"$WORK/page.requests" "$WORK/page.answers" "$WORK/dom" >"$WORK/page.log" 2>&1 </dev/null &
		echo $! >"$WORK/page.pid"
	fi
	printf '%s\n' "file://$(realpath "$1")#$2" >"$WORK/page.requests"
	read -rt 100 failure <"$WORK/page.answers" || fail "chromium: $(tail -3 "$WORK/page.log")"
	[ ! "$failure" ] || fail "chromium: $failure"
	! grep -o 'data-error="[^"]*"' "$WORK/dom" || fail "the page of '$2' has an error"
	grep -q 'data-ready=' "$WORK/dom" || fail "the page of '$2' did not become ready"
	cat "$WORK/dom"
}
at_end '[ ! -e "$WORK/page.pid" ] || kill "$(<"$WORK/page.pid")" 2>/dev/null || true'

# Entities of text that is no markup, as the characters that they are.
plain() {
	sed 's/&lt;/</g; s/&gt;/>/g; s/&nbsp;/ /g; s/&quot;/"/g; s/&amp;/\&/g'
}

# page_table FILE STATE: of the view of functions "SELF TOTAL SAMPLES NAME", with blanks of numbers left out, sorted.
page_table() {
	dom "$1" "view=table&$2" | grep -o '<tr tabindex="0" data-self=.*' | sed 's/<tr /\n<tr /g' | sed -nE \
		's/^<tr [^>]*data-self="([0-9]+)" data-total="([0-9]+)".*<td class="num">([^<]*)<\/td><td class="name[^>]* title="([^"]*)".*/\1 \2 \3 \4/p' |
		sed 's/\xe2\x80\xaf//g' | plain | sort
}

# page_sum FILE STATE: "SUM SAMPLES" of what passes the filters.
page_sum() {
	dom "$1" "$2" | sed -nE 's/.*<body .*data-sum="([0-9]+)" data-samples="([0-9]+)".*/\1 \2/p' | head -1
}
