#!/bin/bash
# With -v each step of the search for a file's names is printed with its result, in the order that the manual has.
. "$(dirname "$0")/lib/prec.sh"
need cc
mkdir home
export HOME=$PWD/home
printf 'static volatile int n;\n__attribute__((noinline)) void hidden(void) { n++; n--; }\nint main(void) { hidden(); return 0; }\n' >prog.c
cc -O1 -Wl,--build-id -o prog prog.c
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
at=0x$(nm prog | awk '$3 == "hidden" { print $1 }')
read -r offset vaddr size < <(readelf -lW prog | awk '/LOAD/ && / R E / { print $2, $3, $5; exit }')
strip -s prog
cat >data.txt <<T
attr cpu-clock type=software config=0 sample=IP,TID,TIME sample_id_all ids=1
feature arch=$(uname -m)
comm 7/7 "prog" t=1
mmap2 7/7 $(printf '0x%x+0x%x@0x%x' $((0x10000000 + vaddr)) $(((size + 4095) & ~4095)) $((offset))) r-xp "$PWD/prog" t=2 buildid=$id
sample 7/7 t=3 ip=$((0x10000000 + at))
T
"$(helper mkdata/mkdata)" data.txt data
cache=$HOME/.debug/.build-id/${id:0:2}/${id:2}
debug=/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug
# steps: what was tried, in order.
steps() { "$PREC" report -i data --stdio -v "$@" 2>&1 >/dev/null | sed -n "s,^prec: '$PWD/prog': \(not\|there is\) ,\1 ,p"; }

expect "all of them" "not '$cache/elf': No such file or directory
there is '$PWD/prog'
not '$cache/debug': No such file or directory
not '$debug': No such file or directory
not '/usr/lib/debug$PWD/prog.debug': No such file or directory
not '/usr/lib/debug$PWD/prog': No such file or directory" "$(steps)"
expect "below a directory first" "not 'x$PWD/prog': No such file or directory" "$(steps --symfs x | head -1)"
"$PREC" buildid-cache -a prog 2>/dev/null
expect "the cache comes first" "there is '$cache/elf'" "$(steps | head -1)"
rm -r "$HOME/.debug"
cc -O1 -Wl,--build-id -DOTHER -o prog prog.c -g
"$PREC" report -i data --stdio -v 2>&1 >/dev/null | grep "prog': '$PWD/prog' has another build id" >/dev/null || fail "another build id is not told"
rm prog
expect "gone" "not '$PWD/prog': No such file or directory" "$(steps | sed -n 2p)"
