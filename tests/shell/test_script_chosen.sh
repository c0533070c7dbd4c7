#!/bin/bash
# Samples are shown by address, by what functions call, since the first sample, and each event's lines go to a file of its own.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/script.sh"
CC=${CC:-cc}

cat >prog.c <<'E2'
int f(int x) { return x * 3; }
int g(int x) { return x + 5; }
int main(void) { return f(1) + g(2); }
E2
$CC -O1 -no-pie -fno-inline prog.c -o prog
start=$(readelf -sW prog | awk '$8 == "f" { print $2 }') next=$(readelf -sW prog | awk '$8 == "g" { print $2 }')
{
	echo "attr ev/x type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER sample_id_all=1 ids=1"
	echo "attr two type=software config=1 sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER sample_id_all=1 ids=2"
	echo "feature arch=x86_64"
	echo 'comm 100/100 "prog"'
	echo "mmap2 100/100 0x400000+0x10000@0 r-xp \"$PWD/prog\" $(build_id_of prog)"
	for n in 0 1 2 3; do
		printf 'sample 100/100 t=%d000000000 ip=0x%x mode=user period=1 cpu=0 id=1\n' $((n + 10)) $((0x$start + n))
		printf 'sample 100/100 t=%d500000000 ip=0x%x mode=user period=1 cpu=0 id=2\n' $((n + 10)) $((0x$next + n))
	done
} >made.txt
"$(helper mkdata/mkdata)" made.txt made.data

# ips OPTIONS...: which addresses are shown, as offsets from f and g.
ips() {
	"$PREC" script -i made.data -F ip,sym,symoff "$@" | awk '{ print $2 }' | sort -u | tr '\n' ' '
}
expect "an address" "f+0x2 " "$(ips -S "0x$(printf %x $((0x$start + 2)))")"
expect "the start of a function is all of it" "g g+0x1 g+0x2 g+0x3 " "$(ips -S "0x${next#"${next%%[!0]*}"}" | sed 's/g+0x0/g/')"
expect "bytes from an address on" "f+0x1 f+0x2 f+0x3 " "$(ips -S "0x$(printf %x $((0x$start + 1)))" --addr-range 3)"
expect "an address or a name" "f+0x1 g+0x0 g+0x1 g+0x2 g+0x3 " "$(ips -S "g,0x$(printf %x $((0x$start + 1)))")"
expect_status 1 "$PREC" script -i made.data --addr-range 3 2>err
grep -q -- "--addr-range is counted from the addresses that -S names" err || fail "$(cat err)"
expect_status 1 "$PREC" report -i made.data -S 0x1000 2>err
grep -q "addresses in prec script" err || fail "$(cat err)"
for perf in $(perfs); do
	for options in "-S 0x$(printf %x $((0x$start + 1))) --addr-range 3" "-S 0x$(printf %x $((0x$next + 2)))"; do
		# shellcheck disable=SC2086
		"$perf" script -i made.data $options -F ip 2>/dev/null </dev/null | collapse >want
		# shellcheck disable=SC2086
		"$PREC" script -i made.data $options -F ip | collapse >got
		expect_same "$options of $perf" want got
	done
done

# Seconds since the first sample, both ends included.
times() {
	"$PREC" script -i made.data -F time --time "$1" | tr -d ' :' | tr '\n' ' '
}
expect "+1,+2" "11.000000 11.500000 12.000000 " "$(times +1,+2)"
expect ",+0.5" "10.000000 10.500000 " "$(times ,+0.5)"
expect "+3," "13.000000 13.500000 " "$(times +3,)"
expect "two spans" "10.000000 12.500000 " "$(times '+0,+0 +2.5,+2.5')"
expect "the same from a pipe" "11.000000 " "$("$PREC" script -i - -F time --time +1,+1.2 <made.data | tr -d ' :' | tr '\n' ' ')"
expect "of report" "$("$PREC" report --stdio -i made.data --time 11,12 2>&1 | sed 's/ (time slices.*//')" \
	"$("$PREC" report --stdio -i made.data --time +1,+2 2>&1 | sed 's/ (time slices.*//')"
expect_status 1 "$PREC" script -i made.data --time +2,+1 2>err
grep -q "no span of time: +2,+3" err || fail "$(cat err)"

# A file for each event; together they are all lines.
"$PREC" script -i made.data --per-event-dump --show-task-events >out 2>err
expect "on standard output" 1 "$(grep -c 'PERF_RECORD_COMM: prog' out)"
expect "what is said" "2" "$(grep -c "(4 samples)" err)"
cat made.data.ev_x.dump made.data.two.dump | sort >got
"$PREC" script -i made.data | sort >want
expect_same "the lines of both files" want got
expect "lines of the first" 4 "$(wc -l <made.data.ev_x.dump)"
cp made.data is-dir.data
mkdir is-dir.data.two.dump
expect_status 1 "$PREC" script -i is-dir.data --per-event-dump 2>err
grep -q "cannot write 'is-dir.data.two.dump'" err || fail "$(cat err)"

# Calls of a function, and what it calls, until it returns.
if with_traces; then
	data=$PREC_TRACES/pt/p4.1.data
	"$PREC" script --call-trace=x -i "$data" >got 2>err
	grep -q "changes nothing" err || fail "--call-trace=x says nothing: $(head -3 err)"
	"$PREC" script --call-trace -i "$data" >want 2>/dev/null
	expect_same "--call-trace=x" want got
	# A tree by its indentation: what is deeper than the last call of the function that is wanted, and the return of that.
	by_indent() {
		awk -v names=",$1," '{
			line = $0; sub(/^[^\t]*\t/, ""); at = match($0, /[^ ]/); back = line ~ / return /
			if (!at || line !~ /\t/) { if (inside) print line; next }
			if (inside && (at < depth || (at == depth && !back))) inside = 0
			if (!inside && !back && index(names, "," $1 ",")) { inside = 1; depth = at }
			if (inside) print line
			if (back && at == depth) inside = 0 }' want
	}
	for option in --call-trace --call-ret-trace; do
		"$PREC" script $option -i "$data" >want 2>/dev/null
		for functions in _dl_sysdep_start main _dl_relocate_object,_dl_start; do
			"$PREC" script $option -i "$data" --graph-function $functions 2>/dev/null | collapse >got
			by_indent $functions | collapse >by_indent
			[ -s got ] || fail "no calls of $functions"
			expect_same "$option --graph-function $functions" by_indent got
		done
	done
	# Where no call of the function follows another at once perf has the same.
	for perf in $(perfs); do
		for functions in _dl_sysdep_start _dl_x86_init_cpu_features; do
			"$perf" script --call-trace -i "$data" --graph-function $functions 2>/dev/null </dev/null | sed -E 's/ +[0-9]+\.[0-9]{6,9}: / /' | collapse >want
			"$PREC" script --call-trace -i "$data" --graph-function $functions 2>/dev/null | sed -E 's/ +[0-9]+\.[0-9]{6,9}: / /' | collapse >got
			sed -i -E 's/ \)/)/; s/ [^ ]*@plt$/ @plt/' want got	# names of a PLT differ between perfs
			expect_same "--graph-function $functions of $perf" want got
		done
	done
fi
