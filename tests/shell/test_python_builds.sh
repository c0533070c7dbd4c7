#!/bin/bash
# Interpreters of several builds and versions at one path, each in a mount namespace of its own, are known by their files.
# Each sample has the stack of its program, or none. Runs: alone
. "$(dirname "$0")/lib/prec.sh"
need_root
need_events
unshare -m true 2>/dev/null || skip "no namespaces here"
OWN=${PYENV_ROOT:-/root/.pyenv}/versions
APP=$SRC/tests/work/stacks.py
any_status "$PREC" record --python -e cpu-clock -o data true 2>err
! grep -q 'built without clang\|may not be loaded\|does not take the BPF' err || { cat err; skip "no BPF programs here"; }

# The program's library is loaded from the path that all share. Without one the interpreter is there itself.
cat >run.sh <<'S'
file=$1 program=$2; shift 2
mount --bind "$file" "$SHARED" || exit 3
if [ "$file" = "$program" ]; then exec "$SHARED" "$@"; fi
LD_PRELOAD=$SHARED exec "$program" "$@"
S

# names FILE PID: of each sample the functions of Python, the innermost first, on a line.
names() {
	"$PREC" script --max-stack 1024 --pid "$2" -i "$1" -F event,ip,sym,dso 2>err2 | awk '
		function done() { if (st != "") print st; st = "" }
		/^$/ || /^ *[a-z][^ ]*: / { done() }
		/\(\[python\]\)$/ { sub(/^[ \t]*[0-9a-f]+ /, ""); sub(/ \([^()]*\) \(\[python\]\)$/, ""); st = st (st == "" ? "" : ";") $0 }
		END { done() }'
}

# together NAME FILE PROGRAM...: all of them at NAME, in one recording.
together() {
	local i=0
	export SHARED=$PWD/$1
	shift
	true >"$SHARED"
	cat >all.sh <<<"$(while [ $# -gt 0 ]; do
		echo "unshare -m sh run.sh $1 $2 '$APP' 0.02 >truth$i & echo \$! >pid$i"
		i=$((i + 1))
		shift 2
	done; echo wait)"
	"$PREC" record --python -e cpu-clock -F 999 -g -N -o data sh all.sh 2>err || fail "cannot record: $(<err)"
	for truth in truth?; do
		i=${truth#truth}
		names data "$(<"pid$i")" >found
		grep '^spin' found >spins || true
		awk 'FNR == NR { t[$0]; next } !($0 in t)' "$truth" spins >wrong
		echo "${SHARED##*/}, $i: $(wc -l <spins) chains, $(wc -l <wrong) wrong"
		[ ! -s wrong ] || { cut -c1-300 wrong | head -3; fail "$(wc -l <wrong) stacks of $i are none that it had"; }
		[ "$(wc -l <spins)" -gt 100 ] || { cat err; head -3 found; fail "$i has only $(wc -l <spins) stacks"; }
	done
	rm -f truth? pid?
}

pairs() {	# VERSION...: those that are here, as library and program
	local v
	for v; do
		for file in "$OWN/$v".*/lib/libpython"$v".so.1.0; do
			[ ! -e "$file" ] || echo "$file ${file%/lib/*}/bin/python3"
		done
	done
}
read -ra two <<<"$(pairs 3.9 3.13 | xargs)"
if [ ${#two[@]} -ge 4 ]; then
	together libpython3.9.so.1.0 "${two[@]}"
else
	part_skipped "not two versions of Python"
fi
read -ra other <<<"$(pairs 3.11 | xargs)"
if [ ${#other[@]} -ge 2 ] && [ "$(nm -D /usr/bin/python3.11 2>/dev/null | grep -c ' D _PyRuntime$')" = 1 ]; then
	together python3.11 "${other[@]}" /usr/bin/python3.11 /usr/bin/python3.11
else
	part_skipped "not two builds of Python 3.11"
fi
