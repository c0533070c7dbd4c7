#!/bin/bash
# With --threads all samples are in a directory, or counted as lost; both perfs read it.
. "$(dirname "$0")/lib/prec.sh"
need_root
need_tracepoints
cpus=$(getconf _NPROCESSORS_ONLN)
need_cpus 0 1
perfs=()
for perf in $(perfs); do
	[ ! -x "$perf" ] || perfs+=("$perf")
done
hits=$((2 * 40000))
# CPUs 0 and 1 are in all lists; the rings of others would be the first thread's.
syscalls=(taskset -c '0,1' "$(workload syscalls)" 40000 2)
record() {	# OPTION...: of a program whose every call is a hit; sets told and lost
	"$PREC" record -v -e syscalls:sys_enter_getppid -o dir "$@" "${syscalls[@]}" 2>err >/dev/null
	told=$(sed -nE 's/.*\(([0-9]+) samples\).*/\1/p' err)
	lost=$(sed -nE "s/.*event 'syscalls:sys_enter_getppid': .* lost ([0-9]+) samples/\1/p" err)
}
check() {	# WHAT DIR...: all that was told of is in the directories, for all readers
	local what=$1 dir perf n=0
	shift
	for dir; do
		n=$((n + $("$PREC" script -i "$dir" -F time | wc -l)))
	done
	expect "$what: samples" "$told" $n
	for perf in ${perfs[@]+"${perfs[@]}"}; do
		n=0
		for dir; do
			n=$((n + $("$perf" script -i "$dir" -F time 2>perf_err </dev/null | wc -l)))
			[ "$lost" != 0 ] || [ ! -s perf_err ] || { cat perf_err; fail "$what: $perf complains"; }
		done
		expect "$what: samples by $perf" "$told" $n
	done
}
for layout in cpu core package numa 0/0:1/1 1/0-1; do
	record -m 16 --threads=$layout
	expect "$layout: samples and lost" "$hits" $((told + lost))
	[ $layout = cpu ] || expect "$layout: samples" "$told" "$("$PREC" script -i dir -F time | wc -l)"
	[ $layout != cpu ] || check cpu dir
	files=$(find dir -name 'data.*' | wc -l)
	case $layout in
	cpu)		expect 'a file a CPU' "$cpus" "$files";;
	0/0:1/1)	expect 'a file a list' 2 "$files";;
	1/0-1)		expect 'a file a list' 1 "$files";;
	esac
done
# Each ring's records are in the file of its thread.
record --threads=0/1:1/0
for cpu in 0 1; do
	mkdir one
	cp dir/data "dir/data.$cpu" one
	! "$PREC" script -i one -F cpu | grep -v "\[00$cpu\]" || fail "data.$cpu has samples of another CPU"
	rm -r one
done
expect 'named by its file' "$told" "$("$PREC" script -i dir/data -F time | wc -l)"
# Compressed, small rings, overwritten, in turns.
record -z --threads
check compressed dir
record --overwrite -m 4 --threads
[ "$told" -gt 100 ] && [ "$told" -lt 2000 ] || fail "$told samples of rings of 16 KiB"
check overwrite dir
rm -rf dir*
record --switch-output=2M --switch-max-files=100 --threads
[ "$(find . -maxdepth 1 -name 'dir.20*' | wc -l)" -gt 1 ] || fail 'no second directory'
check 'in turns' dir.20*
rm -rf dir*
record --switch-output=1M --switch-max-files=1 --threads
expect 'directories that are kept' 1 "$(find . -maxdepth 1 -name 'dir.20*' | wc -l)"
rm -rf dir*
WANTED=143 record --max-size=1M --threads || true
grep -q max-size err || fail '--max-size does not stop it'
check '--max-size' dir
# A directory becomes one of that name and .old, in the place of another, or of a file; one that is no recording stays.
touch dir.old
record --threads
[ -f dir.old/data.1 ] || fail 'no dir.old'
"$PREC" record -q -e dummy -o dir true
[ -f dir ] && [ -f dir.old/data ] || fail 'no file in the place of a directory'
mkdir mine
touch mine/x
expect_status 1 "$PREC" record -q -e dummy --threads -o mine true 2>err
expect_status 1 "$PREC" record -q -e dummy -o mine true 2>err
[ -e mine/x ] || fail 'removed what is not its own'
# Threads run where they are told to, a sanitizer's own beside one of them.
exec "$PREC" record -q -N -e dummy -a --threads=0/1:1/0 -o dir 2>err & prec=$!
allowed() {
	sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/$prec/task/*/status | sort -u | xargs
}
await 60 eval '[ "$(allowed)" = "0 1" ]'
kill $prec
wait $prec
# What a killed recorder leaves can be read.
rm -rf dir
exec "$PREC" record -q -e cpu-clock:u -c 20000 -a --threads -o dir "$(workload spin)" -1 0 >/dev/null & prec=$!
await 60 eval '[ "$(cat dir/data.* 2>/dev/null | wc -c)" -gt 100000 ]'
spin=$(pgrep -P $prec)
kill -KILL $prec
ended $prec
kill -KILL "$spin"
expect_status 2 "$PREC" script -i dir >text 2>err
[ "$(wc -l <text)" -gt 1000 ] || fail "a killed recording has $(wc -l <text) samples"
for wrong in x 0 0/ /0 0/0:0/1 0/0:1/0 '0/0:'x; do
	expect_status 129 "$PREC" record --threads="$wrong" true 2>err
done
expect_status 129 "$PREC" record --threads -o - true 2>err >out
expect_status 129 "$PREC" record --threads --per-thread true 2>err
expect_status 1 "$PREC" record -q -e dummy --threads=4000/0 -o dir true 2>err
