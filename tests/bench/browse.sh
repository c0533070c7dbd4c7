# shellcheck shell=bash
# How soon the browser answers, of a million samples with call chains, typed at by tests/work/typist. Rows for tests/bench/run.

# PROGRAM PATTERN KEYS: when it is open, the first key, the slowest of the later ones until its last byte, in ms. PATTERN is there when it is open.
key_times() {
	"$WORK/typist" 200x60 time "$2" "$3" "$1" report -i million.data | awk '
		$1 == "open" { open = $2; next }
		!first { first = $3 + 0; next }
		$3 > most { most = $3 }
		END { if (!first) exit 1; print open, first, most + 0 }'
}

# From the start until the first key was answered: as soon as it has the terminal; of perf when it has read all.
if make_data million.data -m 8M -e cpu-clock -c 27000 -g "$SRC/tests/bench/run" --compile 26; then
	read -r open first _ < <(key_times "$PREC" $'\033[?1049h' '?')
	perf=-
	[ ! "$PERF" ] || ! read -r perf_open perf_first perf_most < <(key_times "$PERF" 'Samples' '\d\d\d+\d\d') ||
		perf=$(calc "$perf_open + $perf_first")
	figure 'browser, first key answered' wall ms "$(calc "$open + $first")" "$perf" '<300'
	read -r open _ most < <(key_times "$PREC" 'functions 1/' '\d\d+\d\drop\r\bg\d\rcETv\x\x\x\rfS')
	figure 'browser, all is read' wall ms "$open" "${perf_open:--}" '<100000'
	figure 'browser, slowest later key' wall ms "$most" "${perf_most:--}" '<50'
fi
