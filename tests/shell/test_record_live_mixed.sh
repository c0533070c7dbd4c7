#!/bin/bash
# Of compilers, Python, node and a browser, running one after the other, 99 of 100 live chains reach where their thread began, or are said to be cut.
. "$(dirname "$0")/lib/prec.sh"
# Runs: slow
need_events
case $(uname -m) in x86_64 | aarch64) ;; *) skip "no user registers on $(uname -m)" ;; esac

PATH=$(sed 's|[^:]*/ccache:||g' <<<"$PATH")	# which has no symbols

# Each is recorded where it is here. The programs are large, and built by others in their own ways.
here=()
program() {	# NAME COMMAND...
	command -v "$2" >/dev/null || { part_skipped "no $2"; return; }
	here+=("$1")
	printf '%q ' "${@:2}" >>mixed
	echo '>/dev/null 2>&1' >>mixed
}
program clang clang -O2 -std=gnu11 -D_GNU_SOURCE -I"$SRC" -c -o clang.o "$SRC/core/ui/options.c"
program cc1 gcc -O2 -std=gnu11 -D_GNU_SOURCE -I"$SRC" -c -o gcc.o "$SRC/core/ui/options.c"
program cc1plus g++ -O2 -c -o g++.o "$SRC/tests/work/stacks_throw.cc"
program python3 python3 -c 'import json, re
for i in range(30):
	json.loads(json.dumps([{str(k): [k] * 5} for k in range(2000)]))
	sorted((re.sub("1", "2", str(k)) for k in range(3000)), key=lambda s: s[::-1])'
program node node -e 'let s = 0
for (let i = 0; i < 60; i++) {
	const a = []
	for (let k = 0; k < 20000; k++) a.push({ k: k % 97, s: "x" + k })
	a.sort((x, y) => x.k - y.k)
	s += JSON.stringify(a).length
}'
# A C++ program of 250 MB with dozens of threads and processes, and a script that is compiled while it runs.
cat >page.html <<'E2'
<div id=d></div><script>
let s = 0
for (let i = 0; i < 30; i++) {
	const a = []
	for (let k = 0; k < 20000; k++) a.push({ k: k % 97, s: "x" + k })
	a.sort((x, y) => x.k - y.k)
	s += JSON.stringify(a).length
	const p = document.createElement('p')
	p.textContent = s
	document.getElementById('d').appendChild(p)
}
</script>
E2
program chromium chromium --headless=new --no-sandbox --disable-gpu --user-data-dir="$PWD/browser" --dump-dom \
	"file://$PWD/page.html"
[ ${#here[@]} -ge 2 ] || skip "only ${#here[@]} of the programs are here"

skips_if_shed data
"$PREC" record -e cpu-clock:u -F 999 --call-graph auto -o data bash mixed >out 2>err
# The name of the thread and that of the outermost function of each sample. A program without symbols is named instead of _start.
"$PREC" script --no-inline --max-stack 10000 -F comm,ip,sym -i data 2>err.script | awk '
	function flush() { if (comm != "") print comm, last; comm = "" }
	NF == 0 { flush(); next }
	comm == "" { comm = $1; last = ""; next }
	{ sub(/@.*/, "", $2); last = $2 }
	END { flush() }' >ends
# Chains that prec says are cut: up to 2 % where the kernel cannot copy pages of stacks, as in a virtual machine whose page faults
# the host handles.
cut=$(sed -nE 's/^prec: (warning: )?([0-9]+) of [0-9]+ call chains.*\[chains-.*/\2/p' err | awk '{ n += $1 } END { print n + 0 }')
awk -v cut="$cut" '
	{ all++ }
	$2 ~ /^(_start|_dl_start_user|_*clone3?)$/ || $2 == $1 { good++; next }
	{ other[$0]++ }
	END {
		for (o in other) print other[o], o
		printf "%d of %d chains reach the beginning of their thread\n", good, all
		exit !(all >= 200 && good + cut >= 0.99 * all)
	}' ends >counts || fail "too few, or too short: $(tail -20 counts)"
for name in "${here[@]}"; do
	grep -q "^$name " ends || fail "no sample of $name: $(cut -d ' ' -f 1 ends | sort | uniq -c)"
done
tail -1 counts
[ "$cut" -le $(($(wc -l <ends) / 50)) ] || fail "$cut of $(wc -l <ends) chains end early: $(grep chains- err)"
