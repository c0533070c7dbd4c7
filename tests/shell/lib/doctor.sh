# What doctor says beside what can be done: for tests of it, here and in a virtual machine.
# shellcheck shell=bash

# examine NAME COMMAND...: what doctor says by COMMAND, into NAME.json, and what programs may do there, into NAME.tried.
examine() {
	local name=$1
	shift
	"$@" ./doctor_prec doctor --json --no-overhead </dev/null >"$name.json" 2>"$name.err" || true
	"$@" ./permitted </dev/null >"$name.tried" 2>>"$name.err" || true
}

verdict() { jq -r --arg id "$2" '.[$id].verdict' "$1.json"; }
why() { jq -r --arg id "$2" '.[$id].why' "$1.json"; }

# settings NAME ID: what its reason would have changed, a line each: kernel.perf_event_paranoid=1
settings() {
	why "$1" "$2" | grep -oE "'sysctl [^']*'" | grep -oE "[a-z_]+[.][a-z_.]+=-?[0-9]+" || true
}

# verdicts_hold NAME: each yes was a yes, and what is refused or absent has a reason.
verdicts_hold() {
	local name=$1 id tried said nr=0
	jq -e . "$name.json" >/dev/null || fail "$name: no JSON: $(cat "$name.json" "$name.err")"
	while read -r id tried; do
		said=$(verdict "$name" "$id")
		[ "$said" = yes ] || { [ "$said" = no ] || [ "$said" = absent ]; } || fail "$name: $id: '$said'"
		expect "$name: $id ($(why "$name" "$id"))" "$tried" "${said/absent/no}"
		[ "$said" = yes ] || [ "$(why "$name" "$id")" ] || fail "$name: $id is refused without a reason"
		nr=$((nr + 1))
	done <"$name.tried"
	expect "$name: rows tried ($(cat "$name.err"))" 13 $nr
}
