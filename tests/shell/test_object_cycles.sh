#!/bin/bash
# No objects need each other in a circle: what one defines and others use runs downwards, also where no include shows it.
. "$(dirname "$0")/lib/prec.sh"
cd "$SRC"

# "OBJECT SYMBOL" of what it defines (d) or uses (u). An object without its source is left from another build.
symbols() {
	local source objects=()

	while read -r source; do
		[ ! -f "$BUILD/${source%.c}.o" ] || objects+=("$BUILD/${source%.c}.o")
	done < <(sources '*.c')
	nm -A "${objects[@]}" | awk -v top="$BUILD/" '
		{ o = substr($1, length(top) + 1); sub(/\.o:.*/, "", o) }
		$(NF - 1) ~ /^[TDBRCVW]$/ { print "d", o, $NF }
		$(NF - 1) == "U" { print "u", o, $NF }'
}

# Objects that reach each other are one circle.
circles() {
	awk '
	$1 == "d" { owner[$3] = $2 }
	$1 == "u" { user[++nr] = $2; used[nr] = $3 }
	function reach(from,	queue, n, i, at, k) {
		queue[n = 1] = from
		for (i = 1; i <= n; i++)
			for (k = 1; k <= out[queue[i]]; k++) {
				at = edge[queue[i], k]
				if (!((from, at) in reaches)) {
					reaches[from, at] = 1
					queue[++n] = at
				}
			}
	}
	END {
		for (i = 1; i <= nr; i++) {
			from = user[i]; to = owner[used[i]]
			if (to == "" || to == from || (from, to) in seen)
				continue
			seen[from, to] = 1
			edge[from, ++out[from]] = to
		}
		for (from in out)
			reach(from)
		for (from in out)
			if ((from, from) in reaches) {
				line = ""
				for (to in out)
					if ((from, to) in reaches && (to, from) in reaches)
						line = line " " to
				print line
			}
	}' | while read -ra circle; do
		printf '%s\n' "${circle[@]}" | sort | paste -sd ' '
	done | sort -u
}

symbols >"$WORK/symbols"
[ "$(cut -d ' ' -f 2 "$WORK/symbols" | sort -u | wc -l)" -gt 200 ] || fail "$BUILD has no objects to look at"
circles <"$WORK/symbols" >"$WORK/found"
[ ! -s "$WORK/found" ] || fail "objects that need each other:
$(cat "$WORK/found")"
