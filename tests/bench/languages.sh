# shellcheck shell=bash
# What names and frames of languages cost at 999 Hz. Rows for tests/bench/run: each program is recorded with its reader and without
# it, in turns, and so is one that ends at once.
#	recorder, %	the recorder's CPU time more, of the program's: median of the turns' differences, without what follows
#	begin, ms	the recorder's CPU time more where the program ends at once: median of the differences
#	slower, %	the program's CPU time more: the shortest with beside the shortest without, as others use the machine
#	lost		samples of all recordings with the reader
# TURNS: how often (10). PYTHONS: interpreters, instead of those of pyenv.
language_programs() {
	cat >deep.py <<-'P'
	def work():
	    x = 0
	    for i in range(3000):
	        x += i * i % 7
	    return x
	def deep(n):
	    return deep(n - 1) + 1 if n else work()
	for _ in range(12000):
	    deep(20)
	P
	cat >deep.js <<-'P'
	function work() { let x = 0; for (let i = 0; i < 30000; i++) { x = (x * 31 + i) % 1000003; x ^= x >> 3; } return x; }
	function deep(n) { return n ? deep(n - 1) + 1 : work(); }
	for (let i = 0; i < 12000; i++) deep(20);
	P
	cat >Deep.java <<-'P'
	public class Deep {
		static int work(int x) { for (int i = 0; i < 300000; i++) { x = (x * 31 + i) % 1000003; x ^= x >> 3; } return x; }
		static int deep(int n, int x) { return n > 0 ? deep(n - 1, x) + 1 : work(x); }
		public static void main(String[] a) { int x = 0; for (int i = 0; i < 1500; i++) x = deep(20, x); System.exit(x & 0); }
	}
	P
}

# Appends "RECORDER PROGRAM LOST", s and samples, to the file.
language_run() {	# FILE OPTION... -- COMMAND...
	local own all _
	rm -f language.data language.data.old
	read -r own all _ < <("$BUILD/tests/bench/cost" "$PREC" record -F 999 -g -o language.data "${@:2}")
	echo "$own $(calc "$all - $own") $("$BUILD/tests/mkdata/walk" language.data | awk '
		$1 == "lost" { lost = $2 }
		$1 == "lost_samples" { told = $2 }
		END { print (told > lost ? told : lost) + 0 }')" >>"$1"
}

# Lines "RECORDER PROGRAM LOST" with the reader, and the same without it.
language_turns() {	# FILE OPTION COMMAND...: OPTION switches the reader off
	local turn
	rm -f with without
	for ((turn = 0; turn < ${TURNS:-10}; turn++)); do
		language_run with -- "${@:3}"
		language_run without "$2" -- "${@:3}"
	done
	paste -d ' ' with without >"$1"
}

language_median() {	# FILE EXPRESSION
	awk "{ print $2 }" "$1" | sort -g | awk '{ v[NR] = $1 } END { printf "%.4f", (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

language_rows() {	# NAME OPTION WORDS COMMAND...: as language_turns(); with WORDS the command ends at once
	local begin name=$1 empty
	wanted "$name" || return 0
	read -ra empty <<<"$3"
	language_turns begin.turns "$2" "$4" "${empty[@]}"
	language_turns work.turns "$2" "${@:4}"
	begin=$(language_median begin.turns "\$1 - \$4")
	figure "$name" recorder % "$(printf %.2f "$(language_median work.turns "100 * (\$1 - \$4 - $begin) / \$5")")" - '<2'
	figure "$name" begin ms "$(calc "1000 * $begin")" - '<100'
	figure "$name" slower % "$(awk '!n || $2 < with { with = $2 } !n++ || $5 < without { without = $5 }
		END { printf "%.2f", 100 * (with - without) / without }' work.turns)" - '<2'
	figure "$name" lost - "$(awk '{ n += $3 } END { print n }' work.turns)" - '<1'
}

if wanted python java node; then
	language_programs
	for python in ${PYTHONS:-"${PYENV_ROOT:-/root/.pyenv}"/versions/3.[89].*/bin/python3 "${PYENV_ROOT:-/root/.pyenv}"/versions/3.1[0-3].*/bin/python3}; do
		[ ! -x "$python" ] || language_rows "python $("$python" -c 'import platform; print(platform.python_version())')" --no-python "-c pass" "$python" deep.py
	done
	! javac -d . Deep.java 2>/dev/null || language_rows java --no-jit-map -version java -cp . Deep
	for node in $(for n in node "${PREC_NODE_MODULES:-/nowhere}/.bin/node"; do readlink -f "$(command -v "$n")"; done | sort -u); do
		language_rows "node $("$node" --version)" --no-jit-map "-e 0" "$node" --perf-basic-prof --interpreted-frames-native-stack deep.js
	done
	rm -f language.data language.data.old
fi
