#!/bin/bash
# Symbols of a stripped program are found in its debug link, by its build id, and in what it carries packed; as by perf.
. "$(dirname "$0")/lib/prec.sh"
need cc
need objcopy
cat >prog.c <<'E2'
int dynamic_one(int x);
__attribute__((noinline)) static int hidden_one(int x) { __asm__ volatile ("" : "+r" (x)); return x + 1; }
__attribute__((noinline)) int dynamic_one(int x) { __asm__ volatile ("" : "+r" (x)); return hidden_one(x) * 3; }
int main(int argc, char **argv) { (void)argv; return dynamic_one(argc); }
E2
cc -O1 -Wl,--build-id -rdynamic -o whole prog.c
address() { nm whole | awk -v n="$1" '$3 == n { print "0x" $1 }'; }
hidden=$(address hidden_one) dynamic=$(address dynamic_one)
id=$(readelf -n whole | awk '/Build ID/ { print $3 }')
[ -n "$hidden" ] && [ -n "$dynamic" ] && [ -n "$id" ] || fail "the program has no symbols or no build id"
mkdir stripped linked packed by_id home
strip -o stripped/prog whole
objcopy --only-keep-debug whole prog.debug
(cd linked && cp ../prog.debug . && objcopy --add-gnu-debuglink=prog.debug ../stripped/prog prog)

# data DIR: a recording of DIR/prog, with a sample in each of the two functions; the file is mapped as its segments say.
data() {
	local prog="$PWD/$1/prog" segment
	segment=$(readelf -lW "$prog" | awk '/LOAD.* R E / { print $2, $3; exit }')
	cat >"$1.txt" <<E2
attr cpu-clock type=software config=0 sample=IP,TID,TIME sample_id_all ids=1
feature arch=$(uname -m)
comm 7/7 "prog" t=1
mmap2 7/7 $(printf '0x%x+0x1000@0x%x' $((0x555500000000 + ${segment#* })) "${segment% *}") r-xp "$prog" t=2 buildid=$id
sample 7/7 t=3 ip=$(printf '0x%x' $((0x555500000000 + hidden)))
sample 7/7 t=4 ip=$(printf '0x%x' $((0x555500000000 + dynamic)))
E2
	"$(helper mkdata/mkdata)" "$1.txt" "$1.data"
}
# by TOOL DIR: the symbols that it prints.
by() {
	HOME=$PWD/home "$1" script -i "$2.data" -F ip,sym 2>/dev/null </dev/null | awk "{ print \$2 }" | xargs
}
# check DIR WANT: prec finds these; unnamed: only where the function begins.
check() {
	data "$1"
	expect "$1" "$2" "$(by "$PREC" "$1" | sed 's/prog@0x[0-9a-f]*/unnamed/')"
}
check stripped "unnamed dynamic_one"
check linked "hidden_one dynamic_one"
if [ -x "${PERF:-}" ]; then
	expect "the debug link by perf" "hidden_one dynamic_one" "$(by "$PERF" linked)"
fi
# The cache of build ids, as `perf buildid-cache` fills it.
mkdir -p "home/.debug/.build-id/${id:0:2}" home/.debug/prog
cp prog.debug home/.debug/prog/debug
cp stripped/prog by_id/prog
ln -s ../../prog "home/.debug/.build-id/${id:0:2}/${id:2}"
check by_id "hidden_one dynamic_one"
rm -r home/.debug
if ! command -v xz >/dev/null; then
	echo "no xz: what is packed is not tested"
	exit 0
fi
# As Fedora packs it: the symbols of functions that the dynamic ones lack, and nothing else.
echo hidden_one >keep
objcopy -S --remove-section .gdb_index --remove-section .comment --keep-symbols=keep prog.debug mini 2>/dev/null
xz -k mini
objcopy --add-section .gnu_debugdata=mini.xz stripped/prog packed/prog
check packed "hidden_one dynamic_one"
# Damaged: the rest is found as ever.
mkdir damaged
head -c 100 mini.xz >cut.xz
objcopy --add-section .gnu_debugdata=cut.xz stripped/prog damaged/prog
check damaged "unnamed dynamic_one"
