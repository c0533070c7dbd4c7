#!/bin/bash
# Without a build id only the file that was mapped gives names: not one with its name, and what is left out is said.
. "$(dirname "$0")/lib/prec.sh"
need cc
export HOME=$PWD	# no cache of build ids
source() {
	printf 'static volatile int n;\n__attribute__((noinline)) void %s(void) { n++; }\n__attribute__((noinline)) void %s(void) { n--; }\n' "$@"
	echo 'int main(void) { first(); second(); return 0; }'
}
make_prog() {
	source "${@:2}" >made.c
	cc -O1 -Wl,--build-id=none -o "$1" made.c
}
make_prog prog first second
at=0x$(nm prog | awk '$3 == "first" { print $1 }')
read -r offset vaddr size < <(readelf -lW prog | awk '/LOAD/ && / R E / { print $2, $3, $5 }')
host="hostname=$(uname -n) osrelease=$(uname -r)"

# data NAME FEATURES MAP...: a recording of now, with a sample in first(); MAP: more of the map.
data() {
	local name=$1 features=$2
	shift 2
	cat >"$name.txt" <<T
attr cpu-clock type=software config=0 sample=IP,TID,TIME sample_id_all ids=1
feature arch=$(uname -m) $features
comm 7/7 "prog" t=5000000000
mmap2 7/7 $(printf '0x%x+0x%x@0x%x' $((0x10000000 + vaddr)) $(((size + 4095) & ~4095)) $((offset))) r-xp "$PWD/prog" $* t=5000000001
sample 7/7 t=5000000002 ip=$((0x10000000 + at))
sample 7/7 t=5000000003 ip=$((0x10000000 + at))
T
	"$(helper mkdata/mkdata)" "$name.txt" "$name.data"
}
# shows NAME WANT [WHY]: in script and report; if there is a WHY, the finding tells it.
names() { awk '{ print $2 }' | sort -u | xargs; }
shows() {
	expect "$1: $2" "$2" "$("$PREC" script -i "$1.data" -F ip,sym 2>err | names)"
	[ $# = 3 ] || { ! grep -q unproven err || fail "$1: it is doubted: $(cat err)"; return 0; }
	expect_finding unproven-file err "$3"
	"$PREC" report -i "$1.data" --stdio 2>err >out
	expect_finding unproven-file err "$3"
	! grep -qw first out || fail "$1: report has the name"
	"$PREC" script -i "$1.data" -F ip,sym --symfs / 2>err | grep -E 'first|second' >/dev/null || fail "$1: --symfs vouches for it"
}
inode() { stat -c %i prog; }

data same "$host" ino="$(inode)"
shows same first
data nowhere "" ino="$(inode)"
shows nowhere first
data elsewhere "hostname=elsewhere osrelease=$(uname -r)" ino=1
shows elsewhere first			# the layout fits exactly, and nothing speaks against it
data other_inode "$host" ino=$(($(inode) + 1))
shows other_inode '[unknown]' "its inode is $(inode), $(($(inode) + 1)) was recorded"
sed -i 's/+0x[0-9a-f]*@/+0x9000@/' other_inode.txt
sed 's/ ino=[0-9]*//' other_inode.txt >other_layout.txt
"$(helper mkdata/mkdata)" other_layout.txt other_layout.data
shows other_layout '[unknown]' 'its segments are not what was mapped'

# Programs whose first segment can run, which the kernel or ld.so maps as long as the whole object is.
echo 'int first(void); int main(void) { return first(); }' >loader.c
echo 'int first(void) { static volatile unsigned n; while (n < 100000000) n++; return 0; }' >lib.c
bare=-Wl,--build-id=none,-z,noseparate-code
cc -shared -fpic "$bare" -o lib.so lib.c
cc -o shared loader.c -L. -Wl,-rpath,"$PWD" -l:lib.so
cc -static-pie "$bare" -o static lib.c loader.c 2>/dev/null || rm -f static
cc "$bare,-z,max-page-size=0x200000" -o huge lib.c loader.c
for program in shared static huge; do
	[ -x $program ] || { part_skipped "$program: cannot be made here"; continue; }
	"$PREC" record -N -q -e cpu-clock:u -F 500 -o $program.data ./$program >/dev/null 2>&1
	expect "$program: the function that it spends its time in" first \
		"$("$PREC" report -i $program.data --stdio -s sym 2>/dev/null | awk '/^ .*%/ { print $3; exit }')"
done

# A hard link changes the inode's time, too.
ln prog linked
shows same first
rm linked

# Replaced after the recording: by a write, by another file, by an older file.
cp -p prog kept
recorded=$(inode)
make_prog other second first
cat other >prog
expect "the inode is the same" "$recorded" "$(inode)"
[ "$(nm prog | awk '$3 == "first" { print $1 }')" != "${at#0x}" ] || fail 'the other program is the same'
shows same '[unknown]' 'it changed after it was mapped'
shows elsewhere '[unknown]' 'it changed after it was mapped'
rm prog
cp other prog
touch -d '1 hour ago' prog
for f in same nowhere; do
	"$PREC" script -i $f.data -F ip,sym >got 2>err
	! grep -w second got || fail "$f: names of the older file"
done
# With a recording that was copied its files may have come, too.
touch -d '1 hour ago' kept
sed 's/ ino=[0-9]*//' nowhere.txt >copied.txt
"$(helper mkdata/mkdata)" copied.txt copied.data
touch -d '10 minutes ago' copied.data
cp -p kept prog
shows copied first
cp -p kept prog.copy
mv prog.copy prog
[ "$(inode)" = "$recorded" ] || shows same '[unknown]' 'its inode is'

# Replaced while it was recorded: each of both is a file of its own, and only one is here.
cp -p kept prog
data both "$host" ino="$(inode)"
sed "/^mmap2/{p;s/mmap2 7/mmap2 8/;s/ino=[0-9]*/ino=$(($(inode) + 5))/;s/7 0x/8 0x/}; /^sample/{p;s,7/7,8/8,}" both.txt >two.txt
"$(helper mkdata/mkdata)" two.txt two.data
expect "the one that is here" '7 first 7 first 8 [unknown] 8 [unknown]' \
	"$("$PREC" script -i two.data -F tid,ip,sym 2>err | awk '{ print $1, $3 }' | sort | xargs)"
expect_finding unproven-file err 'its inode is'

# Symbols that were split off: those of the very file, by the sum of its bytes.
make_prog linked first second
at=0x$(nm linked | awk '$3 == "first" { print $1 }')
cp linked whole
objcopy --only-keep-debug whole linked.debug
strip linked
objcopy --add-gnu-debuglink=linked.debug linked
sed "s/ 7 0x/&/; s,$PWD/prog,$PWD/linked,; s/ino=[0-9]*/ino=$(stat -c %i linked)/; s/^\(sample.*\) ip=.*/\1 ip=$((0x10000000 + at))/" \
	same.txt >linked.txt
"$(helper mkdata/mkdata)" linked.txt linked.data
shows linked first
make_prog whole second first
objcopy --only-keep-debug whole linked.debug
expect "symbols of another build" "linked@$(printf '0x%x' "$at")" "$("$PREC" script -i linked.data -F ip,sym 2>err | names)"

# As it is really recorded, by this program and by stock perf.
need_events
cp "$(workload spin)" spin
objcopy --remove-section .note.gnu.build-id spin && strip -g spin
record() { "$@" record -q -o real.data -e cpu-clock:u -- ./spin -1 50 >out 2>err || fail "$(cat err)"; }
named() { "$PREC" script -i real.data --comm spin -F ip,sym,dso 2>err | grep -c 'spin (.*/spin)' || true; }
for tool in "$PREC" $(perfs); do
	if [ "$tool" = "$PREC" ]; then record "$PREC"; else record "$tool"; fi
	[ "$(named)" -gt 0 ] || fail "$tool: no name of what was recorded: $(cat err)"
	cp spin another && mv another spin
	[ "$(named)" = 0 ] || fail "$tool: a name of what came after"
	expect_finding unproven-file err
done

# Streams of other machines: not one name is of a file of this.
with_corpus || exit 0
for stream in $(find -L "$PREC_CORPUS" -name '*.stream' -o -name '*piped*'); do
	any_status "$PREC" script -v -i "$stream" -F ip,sym >got 2>err
	! grep -E "symbols from '/(usr|lib|bin|opt)" err || fail "${stream##*/}: symbols of a file of this machine"
done
