#!/bin/bash
# Frames of the interpreter's loop are folded into those of Python, shown with them, or left out as all others of C: --native.
# Runs: alone
. "$(dirname "$0")/lib/prec.sh"
need_root
need_events
OWN=${PYENV_ROOT:-/root/.pyenv}/versions
APP=$SRC/tests/work/stacks.py
LOOP=_PyEval_EvalFrameDefault
any_status "$PREC" record --python -e cpu-clock -o data true 2>err
! grep -q 'built without clang\|may not be loaded\|does not take the BPF' err || { cat err; skip "no BPF programs here"; }

# Before 3.11 each function of Python has a call of the loop of its own; later a call of the loop runs those that Python calls, too.
EACH='' SHARED=''
for p in "$OWN"/3.[89].*/bin/python3 "$OWN"/3.10.*/bin/python3 /usr/bin/python3.10; do [ ! -x "$p" ] || EACH=$p; done
for p in /usr/bin/python3.1[1-3] "$OWN"/3.1[1-3].*/bin/python3; do [ ! -x "$p" ] || SHARED=$p; done
[ "$EACH$SHARED" ] || skip "no Python"

# chains NATIVE: one a line, innermost first: "p" a function of Python, "L" the loop, "c" another; and the names of Python's.
chains() {
	"$PREC" script --no-inline --max-stack 4000 --native="$1" -i data -F ip,sym,dso 2>err | awk -v loop=$LOOP '
		/^$/ { if (kinds) print kinds, names; kinds = names = ""; next }
		/\(\[python\]\)$/ { kinds = kinds "p"; sub(/^[ \t]*[0-9a-f]+ /, ""); sub(/ \([^()]*\) \(\[python\]\)$/, ""); names = names ";" $0; next }
		{ kinds = kinds (index($2, loop) == 1 ? "L" : "c") }'
}

for python in $EACH $SHARED; do
	"$PREC" record -e cpu-clock -F 999 -g -N -o data "$python" "$APP" 0.02 >truth 2>err || { cat err; fail "$python"; }
	chains merged >merged
	chains all >all
	chains none >none
	"$PREC" script --max-stack 4000 -i data -F ip,sym,dso 2>err >default
	"$PREC" script --max-stack 4000 --native=merged -i data -F ip,sym,dso 2>err >out
	expect_same "merged is the default" default out
	expect "as many chains with all" "$(wc -l <merged)" "$(wc -l <all)"
	expect "as many chains with none" "$(wc -l <merged)" "$(wc -l <none)"
	expect "the same of Python with all" "$(cut -d' ' -f2 merged | md5sum)" "$(cut -d' ' -f2 all | md5sum)"
	expect "the same of Python with none" "$(cut -d' ' -f2 merged | md5sum)" "$(cut -d' ' -f2 none | md5sum)"
	# A chain that is whole has none of the loop's frames, or each: in front of the functions that it runs.
	awk '$2 ~ /spin/ && $1 ~ /p.*c$/' all >whole
	[ "$(wc -l <whole)" -gt 100 ] || fail "$python: $(wc -l <whole) whole chains: $(head -3 all)"
	expect "$python: merged has no loop around Python" 0 "$(awk '$2 ~ /spin/ && $1 ~ /L.*p/' merged | wc -l)"
	if [ "$python" = "$EACH" ]; then
		expect "$python: a loop in front of each function" 0 "$(awk '{ gsub(/Lp/, "", $1); if ($1 ~ /[Lp]/) n++ } END { print n + 0 }' whole)"
	else
		expect "$python: a loop in front of the first of some" 0 "$(awk '{ gsub(/Lp+/, "", $1); if ($1 ~ /[Lp]/) n++ } END { print n + 0 }' whole)"
		[ "$(grep -c 'Lpp.*Lp' whole)" -gt 0 ] || fail "$python: $(head -3 whole)"
	fi
	# Without them it is as merged.
	awk '{ gsub(/L/, "", $1) } 1' all >out
	awk '{ gsub(/L/, "", $1) } 1' merged >want
	expect_same "$python: all without the loop" want out
	# Interpreted frames alone; where there are none, one.
	expect "$python: only functions of Python, or one of C" "" "$(awk '$1 !~ /^(p+|[cL])$/' none | head -3)"
	expect "$python: the outermost has no name of Python" 0 "$(awk '$1 ~ /^[cL]$/ && $2' none | wc -l)"

	# Self time: of the loop with all, of Python's functions with merged, and with none of all of spin(), what it calls included.
	self() {	# NATIVE WORD
		"$PREC" report -q --native="$1" -i data --no-children -g none -s sym --stdio -F sample,sym -t '|' 2>err |
			awk -F'|' -v word="$2" 'index($2, word) { n += $1 } END { print n + 0 }'
	}
	[ "$(self all $LOOP)" -gt 30 ] || fail "$python: self time of the loop with all: $(self all $LOOP)"
	expect "$python: self time of spin() with all" 0 "$(self all ' spin (stacks.py)')"
	expect "$python: self time of the loop, as that of Python" "$(self all $LOOP)" \
		"$(($(self merged '(stacks.py)') + $(self merged $LOOP) + $("$PREC" report -q -i data --no-children -g none -s sym --stdio -F sample,sym -t '|' 2>err |
			awk -F'|' '$2 ~ /\[p\]/ && $2 !~ /stacks.py/ { n += $1 } END { print n + 0 }')))"
	expect "$python: with none spin() has all samples whose innermost function it is" \
		"$(cut -d' ' -f2 merged | grep -c '^;spin\(;\|$\)')" "$(self none ' spin (stacks.py)')"
	perf_agrees data
done

# In all that shows frames.
for native in merged:0 all:1 none:0; do
	expect "export --native=${native%:*}" "${native#*:}" "$("$PREC" export --format folded --native="${native%:*}" -i data -o - 2>err | grep -c "spin (stacks.py);$LOOP\|spin (stacks.py)_*\[*[a-z]*\]*;$LOOP" | awk '{ print ($1 > 0) }')"
done
"$PREC" query --native=none -i data "SELECT count(*) FROM frames WHERE symbol LIKE 'PyObject%'" 2>err >out || fail "$(<err)"
grep -qw 0 out || fail "query: $(<out)"
! "$PREC" report --native=some -i data 2>err || fail "--native=some"
grep -q "merged, all or none, not 'some'" err || fail "$(<err)"
