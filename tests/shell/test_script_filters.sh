#!/bin/bash
# Script prints only what the filters let through: by name, process, thread, CPU, symbol, file and time.
. "$(dirname "$0")/lib/prec.sh"
cat >in.txt <<'E2'
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU sample_id_all ids=1
feature arch=x86_64
comm 100/100 "one" t=1000
comm 200/200 "two" t=1000
comm 200/201 "three" t=1000
mmap2 100/100 0x400000+0x1000@0 r-xp "/nowhere/a" t=1000
mmap2 200/200 0x400000+0x1000@0 r-xp "/nowhere/b" t=1000
sample 100/100 t=1000000000 cpu=0 ip=0x400010
sample 200/200 t=2000000000 cpu=1 ip=0x400020
sample 200/201 t=3000000000 cpu=2 ip=0x400030
sample 100/100 t=4000000000 cpu=3 ip=0x400040
comm 100/100 "four" t=4500000000
sample 100/100 t=5000000000 cpu=0 ip=0x500050
E2
"$(helper mkdata/mkdata)" in.txt in.data

# passes ADDRESSES OPTIONS...
passes() {
	local want=$1
	shift
	expect "script $*" "$want" "$("$PREC" script -i in.data -F ip "$@" | tr -d '\n' | sed -E 's/ +/ /g; s/^ //')"
}

passes "400010 400020 400030 400040 500050"
passes "400010 400040" -c one
passes "500050" --comms four
passes "400010 400030 400040" -c one,three
passes "400020 400030" --pid 200
passes "400010 400040 500050" --tid 100
passes "400020" --tid 200
passes "400010 500050" -C 0
passes "400020 400030" -C 1-2
passes "400010 400040" --dsos a
passes "400020 400030" --dsos /nowhere/b
passes "" -S nobody
passes "400020 400030" --time 2,3.5
passes "400010 400020" --time ,2.5
passes "400040 500050" --time 3.5,
passes "400040" -c one --time 3,
printf 'three\nfour\n' >names
passes "400030 500050" -c file://names

for bad in "--time nonsense" "-C x" "--pid x"; do
	# shellcheck disable=SC2086
	expect_status 1 "$PREC" script -i in.data $bad >out 2>err
	[ -s err ] && [ ! -s out ] || fail "$bad says nothing, or prints"
done
