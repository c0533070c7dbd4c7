# What BPF programs found, beside bpftool and beside prec's own keys.
# shellcheck shell=bash

# need_bpf SOURCE OBJECT: clang makes programs of this kernel's, and it takes them. SOURCE is compiled.
need_bpf() {
	need_root
	need clang
	need jq
	[ -r /sys/kernel/btf/vmlinux ] || skip "no BTF of the kernel"
	compile_bpf "$@" 2>err || { cat err; skip "clang makes no BPF programs"; }
	any_status "$PREC" record -q -N -e cpu-clock --bpf="$2:none" -o data true 2>err
	! grep -q 'built without libbpf' err || skip "no libbpf"
	any_status "$PREC" record -q -N -e cpu-clock --filter 'cpu == 0' -o data true 2>err
	! grep -q 'needs root, or CAP_BPF' err || skip "no BPF programs here"
}

# compile_bpf SOURCE OBJECT FLAGS...
compile_bpf() {
	clang -target bpf -O2 -g "-I/usr/include/$(uname -m)-linux-gnu" "${@:3}" -c -o "$2" "$1"
}

# dump_maps PID: what bpftool says of the maps that the process has open: of each what it is, then what is in it.
dump_maps() {
	local id
	for id in $(cat "/proc/$1"/fdinfo/* 2>/dev/null | awk '/^map_id:/ { print $2 }' | sort -un); do
		bpftool -j map show id "$id" >shown
		grep -qE '"type":"(perf_event_array|ringbuf|prog_array)"' shown || { cat shown && bpftool -j map dump id "$id"; } || return
	done
}

# maps_of JSON: what --bpf-maps --json said last, by the names of maps.
maps_of() {
	grep '^{' "$1" | tail -1 | jq -c '.objects[0].maps[] | { (.name): (.variables // .entries // empty) }' | jq -sc 'add'
}

# expect_bpftool DUMPED MAPS: of dump_maps() and maps_of(). bpftool has bit fields in hexadecimal, members without a name in an object
# of the name "", and pointers as numbers. Where prec leaves out zeros, it does not. What has no BTF are bytes in both.
expect_bpftool() {
	cat >plain.jq <<'EOF'
def plain: walk(if type == "object" then
	with_entries(if .key == "narrow" then .value = 5 elif .key == "rest" then .value = 0 elif .key == "nowhere" then .value = 1 else . end) |
	(if has("") then del(.[""]) + .[""] else . end) else . end);
def some: walk(if type == "object" and has("cpu") then .value else . end) | [.. | scalars] | any(. != 0 and . != false and . != "" and . != "NOWHERE" and . != "0x00");
def entries: map((.formatted // .) | { key, value: (.value // .values) } | select(.value | some)) | plain | sort_by(.key | tostring);
EOF
	jq -sc -L . 'include "plain"; [range(0; length; 2) as $i | { (.[$i].name): .[$i + 1] }] | add |
		with_entries(select(.value != []) | .value |= if .[0].formatted.value and (.[0].formatted | has("key") | not)
			then [.[0].formatted.value[]] | flatten | map(with_entries(select(.value | some))) | add | plain else entries end)' \
		"$1" >want
	jq -c -L . 'include "plain"; with_entries(.value |= if type == "array" then entries else plain end)' "$2" >got
	jq -S . want >want.text
	jq -S . got >got.text
	expect_same 'what bpftool says' want.text got.text
	echo "$(jq '[.. | scalars] | length' want) values of $(jq length want) maps as bpftool has them"
}

# same_queues PROGRAM KEY OTHERS: lines of "CPU length samples" of a program and of report --run-queue: on each CPU as many samples but
# for OTHERS, and the mean length and the part of the time in which somebody waited within 2 %, beside the two samples for which a
# switch is on the other side.
same_queues() {
	awk -v others="$3" 'FNR == NR { n[$1] += $3; s[$1] += $2 * $3; w[$1] += ($2 > 0) * $3; next }
		{ N[$1] += $3; S[$1] += $2 * $3; W[$1] += ($2 > 0) * $3 }
		function apart(a, b) { return a > b ? a - b : b - a }
		END {
			for (c in n) {
				if (!N[c])
					N[c] = 1e-9
				wrong = apart(n[c], N[c]) > others || apart(s[c] / n[c], S[c] / N[c]) > 0.02 * s[c] / n[c] + 2 / n[c] ||
					apart(w[c] / n[c], W[c] / N[c]) > 0.02 + 2 / n[c]
				printf "CPU %s: length %.3f, and by the key %.3f; occupied %.2f %%, %.2f %%%s\n", c, s[c] / n[c], S[c] / N[c],
					100 * w[c] / n[c], 100 * W[c] / N[c], wrong ? " wrong" : ""
				any += wrong
			}
			exit any || NR == 0
		}' "$1" "$2"
}

# queues_agree WHAT EVENT OTHERS COMMAND...: COMMAND records EVENT into data and makes the file program, as same_queues() takes it. A
# busy machine's kernel leaves out some switches and wake-ups (which the finding sched-gaps counts): of five recordings one has them.
queues_agree() {
	local what=$1 event=$2 others=$3 lost= try
	shift 3
	for try in 1 2 3 4 5; do
		"$@" || { cat err; fail "$what"; }
		"$PREC" report -i data -e "$event" --run-queue --by cpu -t ' ' 2>err2 | awk '/^[0-9]/ { print $1, $2, $3 }' >key
		! grep -q 'lost-samples' err2 || { lost=yes; continue; }
		if same_queues program key "$others" | sort >means && ! grep -q wrong means; then
			sed "s/^/$what, /" means
			return
		fi
		sed "s/^/$what, time $try: /" means
		grep -o 'at least .* missing' err2 || true
		lost=
	done
	[ "$lost" ] || fail "$what"
	part_skipped "$what: switches are lost"
}
