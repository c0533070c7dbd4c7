# shellcheck shell=bash
# The cost of names: of a large C++ program with debug information, out of an archive, and of keeping what ran. Rows for
# tests/bench/run.

# A C++ program of about 100 MB: many instantiations of the containers, in files compiled two at a time.
make_large() {
	local file
	[ -x large-program ] && return
	command -v g++ >/dev/null || { echo "skipped: no g++" >&2; return 1; }
	echo "compiling large-program ..." >&2
	for file in $(seq "${LARGE_FILES:-22}"); do
		cat >"large-$file.cc" <<-T
			#include <map>
			#include <string>
			#include <vector>
			template<int N> struct Tag { int v; bool operator<(const Tag &o) const { return v < o.v; } };
			template<int N> __attribute__((noinline)) long use(long i)
			{
				static std::map<Tag<N>, std::vector<Tag<N + 1>>> m;
				auto &v = m[Tag<N>{(int)(i % 16)}];
				if (v.size() < 8) v.push_back({(int)i});
				return (long)v.size() + v.back().v;
			}
			template<int N> struct All { static long f(long i) { return use<N>(i) + All<N - 1>::f(i); } };
			template<> struct All<$((file * 1000))> { static long f(long) { return 0; } };
			long large_$file(long i) { return All<$((file * 1000 + 40))>::f(i); }
		T
	done
	{
		for file in $(seq "${LARGE_FILES:-22}"); do echo "long large_$file(long);"; done
		echo 'int main() { long s = 0; for (long i = 0; i < 20000; i++) {'
		for file in $(seq "${LARGE_FILES:-22}"); do echo "s += large_$file(i);"; done
		echo '} return s == 42; }'
	} >large-main.cc
	printf '%s\n' large-[0-9]*.cc large-main.cc | xargs -n 1 -P 2 g++ -O0 -g -ftemplate-depth=2000 -c || return 1
	g++ -o large-program large-*.o
	rm -f large-*.o large-*.cc
	echo "large-program has $(($(stat -c %s large-program) >> 20)) MB" >&2
}

# Ten thousand samples, with build ids, by which prec keeps lines. perf 6.1 takes minutes for their lines, the newest does not.
# Lines are cold with an empty home, warm with what another report has left there.
if wanted 'symbols of a large program' 'lines of a large program, cold' 'lines of a large program, warm' && make_large &&
   { [ -s large-ids.data ] || "$PREC" record -q -N -e cpu-clock:u -c 1700000 -o large-ids.data ./large-program >/dev/null; }; then
	row 'symbols of a large program' cpu=4 report -i large-ids.data --stdio -s sym
	cat >cold_lines <<-'T'
		#!/bin/sh
		rm -rf lines_home && mkdir lines_home && HOME=$PWD/lines_home exec "$@"
	T
	chmod +x cold_lines
	lines=(report -i large-ids.data --stdio -s srcline)
	newest=${PREC_PERF:-$PERF}
	[[ 'lines of a large program, cold' != *$filter* ]] ||
		"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" 'lines of a large program, cold' cpu=10 \
			"$PWD/cold_lines $PREC ${lines[*]}" "${newest:--}${newest:+ ${lines[*]}}" || status=1
	[[ 'lines of a large program, warm' != *$filter* ]] || {
		./cold_lines "$PREC" "${lines[@]}" >/dev/null 2>&1
		"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" 'lines of a large program, warm' cpu=40,wall=40 \
			"env HOME=$PWD/lines_home $PREC ${lines[*]}" "${newest:--}${newest:+ ${lines[*]}}" || status=1
	}
fi

if wanted 'report from an archive' && make_data chain.data -m 8M -e cpu-clock -c 25000 -g "$SRC/tests/bench/run" --compile 20; then
	[ -s chain.data.archive ] || "$PREC" archive chain.data
	"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" 'report from an archive, or files' cpu=1,wall=1 \
		"$PREC report -i chain.data.archive --stdio" "$PREC report -i chain.data --stdio" || status=1
fi

# The shortest of some recordings of nothing, in ms.
shortest() {
	local i start end best=
	for ((i = 0; i < 9; i++)); do
		start=${EPOCHREALTIME/./}
		"$PREC" record -q "$@" -o out.data true >/dev/null 2>&1
		end=${EPOCHREALTIME/./}
		best=$((${best:-9999999} < end - start ? best : end - start))
	done
	calc "$best / 1000"
}
if wanted "record's end with keeping"; then
	figure "record's end with keeping, more" wall ms "$(calc "$(shortest) - $(shortest -N)")" - '<20'
fi
