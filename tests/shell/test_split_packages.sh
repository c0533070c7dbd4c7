#!/bin/bash
# Packages of split units (.dwp): lines and inlined functions are those of the same program without splitting; damaged ones do no harm.
. "$(dirname "$0")/lib/prec.sh"
need cc
need python3

printf '%s\n' 'static inline __attribute__((always_inline)) int inlined_one(int x) { volatile int y = x; return y * 3; }' \
	'int hidden_one(int x) { return inlined_one(x) + inlined_one(x + 1); }' >one.c
printf '%s\n' 'int hidden_one(int x);' \
	'static inline __attribute__((always_inline)) int inlined_two(int x) { volatile int y = x; return y + hidden_one(x); }' \
	'int main(int n, char **v) { (void)v; return inlined_two(n); }' >two.c
build() { "$cc" -O2 "$@" -c one.c two.c && "$cc" -Wl,--build-id -o prog one.o two.o; }

# data NAME...: each byte of the two functions is an address of a sample, in programs NAME that are all the same as prog.
data() {
	local at=$((0x10000000)) t=2 id offset vaddr size name function first length
	id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
	read -r offset vaddr size < <(readelf -lW prog | awk '/LOAD/ && / R E / { print $2, $3, $5; exit }')
	nm -S prog | awk '$4 == "main" || $4 == "hidden_one" { print "0x" $1, "0x" $2 }' >functions
	{
		echo 'attr cpu-clock type=software config=0 sample=IP,TID,TIME,CALLCHAIN sample_id_all ids=1'
		printf '%s\n' "feature arch=$(uname -m)" 'comm 7/7 "prog" t=1'
		for name; do
			printf 'mmap2 7/7 0x%x+0x%x@%s r-xp "%s" t=%d buildid=%s\n' $((at + vaddr)) $(((size + 4095) & ~4095)) "$offset" \
			       "$PWD/$name" $((t++)) "$id"
			while read -r first length; do
				for ((function = at + first; function < at + first + length; function += step)); do
					echo "sample 7/7 t=$((t++)) ip=$function chain=user,$function"
				done
			done <functions
			at=$((at + 0x100000))
		done
	} >data.txt
	"$(helper mkdata/mkdata)" data.txt data
}
frames() { "$PREC" script -i data --inline -F ip,sym,srcline 2>err; }

cat >flip.py <<'P'
import os, struct, sys
package = bytearray(open("prog.dwp", "rb").read())
at, = struct.unpack_from("<Q", package, 40)
count, names = struct.unpack_from("<HH", package, 60)
sections = [struct.unpack_from("<IIQQQQ", package, at + 64 * i) for i in range(count)]
text = bytes(package[sections[names][4]:])
index = [s for s in sections if text[s[0]:].split(b"\0")[0] == b".debug_cu_index"][0]
for i in range(index[5]):
	damaged = bytearray(package)
	damaged[index[4] + i] ^= 0xff
	os.link("prog", "flip%d" % i)
	open("flip%d.dwp" % i, "wb").write(damaged)
P

compared=0
# Debian 12's tools make none of what its gcc makes of DWARF 5.
for kind in cc:4:dwp cc:4:llvm-dwp clang:5:llvm-dwp; do
	IFS=: read -r cc dwarf dwp <<<"$kind"
	dwarf=-gdwarf-$dwarf step=1
	command -v "$dwp" >/dev/null || dwp+=-14
	command -v "$cc" >/dev/null && command -v "$dwp" >/dev/null || { part_skipped "$kind: they are not all there"; continue; }
	rm -f ./*.dwo prog*
	build -g "$dwarf"
	data prog
	frames >whole
	grep 'inlined_two' whole >/dev/null || fail "nothing is inlined: $(head -5 whole)"
	build -g "$dwarf" -gsplit-dwarf
	timeout 10 "$dwp" -e prog -o prog.dwp </dev/null 2>err || { part_skipped "$dwp $dwarf: $(head -1 err)"; continue; }
	rm ./*.dwo
	data prog
	frames >packed
	cmp whole packed || fail "$kind: with a package: $(diff whole packed | head -5)"
	[ ! -s err ] || fail "$kind: $(<err)"
	compared=$((compared + 1))
	# A copy that record keeps has the package beside what was copied.
	id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
	mkdir -p "$HOME/.debug/.build-id/${id:0:2}/${id:2}"
	cp prog "$HOME/.debug/.build-id/${id:0:2}/${id:2}/elf"
	frames | cmp whole - || fail "$kind: a copied program"
	rm -r "$HOME/.debug"
	rm -f flip*[0-9] flip*.dwp
	python3 flip.py
	step=16
	data prog
	frames >whole
	flips=(flip*[0-9])
	data "${flips[@]}"
	frames >packed || fail "$kind: a damaged package: status $?"
	expect "$kind: functions" $((${#flips[@]} * $(grep -c ' \(main\|hidden_one\)$' whole))) "$(grep -c ' \(main\|hidden_one\)$' packed)"
	grep 'flip0.dwp.*version' err >/dev/null || fail "$kind: a version of the index that is unknown: $(head -3 err)"
	echo "$kind: ${#flips[@]} damaged, $(wc -l <err) of them said"
done
[ $compared -gt 0 ] || skip "no dwp that makes a package"
