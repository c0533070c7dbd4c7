#!/bin/bash
# Programs that ran are saved by build id: after a rebuild or removal they have their names; perf reads the copy.
. "$(dirname "$0")/lib/prec.sh"
need cc
need_events
mkdir home
export HOME=$PWD/home
MAIN='int main(int n, char **v) { (void)v; for (long i = 0; i < 40000000L / n; i++) work(i); return 0; }'
make_prog() {
	printf 'static volatile long s;\n__attribute__((noinline)) void %s(long i) { s += i; }\n#define work %s\n%s\n' "$1" "$1" "$MAIN" >prog.c
	cc -O1 -g -Wl,--build-id -o "$2" prog.c
}
id_of() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
record() { "$PREC" record -q -e cpu-clock:u "$@" >out 2>err || fail "cannot record: $(cat err)"; }
names() { "$PREC" report -i "$1" -q --stdio -s sym 2>err | grep -oE 'first|second' | sort -u | xargs; }

# But for what the kernel tells of itself.
listed() {
	"$PREC" buildid-cache -l "$@" | grep -vE ' \[(kernel\.kallsyms|vdso)\]$' || true
}
make_prog first prog
id=$(id_of prog)
record -o data ./prog
copy=home/.debug/.build-id/${id:0:2}/${id:2}/elf
cmp prog "$copy" || fail "there is no copy"
[ "$(stat -c %h "$copy")" = 1 ] || fail "the copy is a hard link"
expect "the distribution's files are not kept" "$id $PWD/prog" "$(listed)"

# Built anew in its place; by another file; not there.
make_prog second other
cat other >prog
expect "written over" first "$(names data)"
"$PREC" annotate -i data --stdio first 2>err | grep 's += i' >/dev/null || fail "no lines of what was recorded: $(cat err)"
rm prog
expect "removed" first "$(names data)"
cp other prog
expect "another file" first "$(names data)"
for perf in $(perfs); do
	"$perf" report -i data --stdio -s sym 2>/dev/null </dev/null | grep -w first >/dev/null || fail "$perf does not find the copy"
done
# Both are there, side by side; the same once more is no other.
record -o data2 ./prog
record -o data2 ./prog
expect "two builds" 2 "$("$PREC" buildid-cache -l | grep -c "/prog$")"
expect "the first" first "$(names data)"
expect "the second" second "$(names data2)"

# Not if it is not wanted.
make_prog third prog
record -N -o data3 ./prog
expect "-N" 2 "$(listed | wc -l)"

# Copies that record made may be evicted, until it is added by hand; a recording later changes nothing.
"$PREC" buildid-cache -l -v | grep "kept .*/prog$" >/dev/null || fail "record's copies are not told from others"
cp other prog
"$PREC" buildid-cache -a prog 2>err
expect "one is added, one is kept" "added kept" "$(listed -v | awk '{ print $3 }' | sort | xargs)"
record -o data2 ./prog
expect "after a recording" "added kept" "$(listed -v | awk '{ print $3 }' | sort | xargs)"
make_prog third prog

# The command.
"$PREC" buildid-cache -P
expect "all removed" "" "$("$PREC" buildid-cache -l)"
expect "and no directory is left" "" "$(find home/.debug -name elf)"
"$PREC" buildid-cache -a prog,other
expect "added" 2 "$("$PREC" buildid-cache -l | wc -l)"
"$PREC" buildid-cache -l -v | grep added >/dev/null || fail "-v does not tell which"
"$PREC" buildid-cache -r prog
expect "one removed" "$(id_of other) $PWD/other" "$("$PREC" buildid-cache -l)"
expect_status 1 "$PREC" buildid-cache -r prog 2>/dev/null
"$PREC" buildid-cache -p other
expect "purged by its path" "" "$("$PREC" buildid-cache -l)"
expect_status 1 "$PREC" buildid-cache -a prog.c 2>/dev/null
expect_status 129 "$PREC" buildid-cache 2>/dev/null

# perf adds symbols of the kernel under a name that is no path.
mkdir -p 'home/.debug/[kernel.kallsyms]/0123456789abcdef' home/.debug/.build-id/01
ln -s '../../[kernel.kallsyms]/0123456789abcdef' home/.debug/.build-id/01/23456789abcdef
expect "the kernel" "0123456789abcdef [kernel.kallsyms]" "$("$PREC" buildid-cache -l)"
expect_status 1 "$PREC" buildid-cache -l 2>err >/dev/full
grep -q "cannot write 'standard output': No space left" err || fail "a full disk is not told: $(<err)"

# Nothing is written where a link leads, or others may write.
rm -rf home/.debug
mkdir elsewhere
ln -s ../elsewhere home/.debug
record -o data6 ./prog
expect "through a link" "" "$(ls elsewhere)"
rm home/.debug
mkdir home/.debug
ln -s ../../elsewhere home/.debug/.build-id
record -o data6 ./prog
expect "through a link inside" "" "$(ls elsewhere)"
rm -r home/.debug
mkdir -m 777 home/.debug
record -o data6 ./prog
expect "where all may write" "" "$(ls -A home/.debug)"
# A link in the cache that leads out is neither followed nor removed.
chmod 755 home/.debug
mkdir -p "home/.debug/.build-id/${id:0:2}" victim
touch victim/elf
ln -s ../../../../victim "home/.debug/.build-id/${id:0:2}/${id:2}"
expect "a link that leads out" "" "$("$PREC" buildid-cache -l)"
"$PREC" buildid-cache -P
[ -e victim/elf ] || fail "a file outside was removed"
