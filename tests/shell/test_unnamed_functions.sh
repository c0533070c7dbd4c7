#!/bin/bash
# Of a stripped program each function is one row, by where it begins; a Go program has its names; why they are missing is told.
. "$(dirname "$0")/lib/prec.sh"
need cc
need strip
export HOME=$PWD	# no cache of build ids

# data FILE SYMBOL...: a recording with a sample 4 bytes into each, of an x86-64 or arm program; other.data: the same of other.
place() {
	local file=$1 arch=$2 offset vaddr size at symbol n=1
	shift 2
	read -r offset vaddr size < <(readelf -lW "$file" | awk '/LOAD/ && / R E / { print $2, $3, $5; exit }')
	cat <<-T
		attr cpu-clock type=software config=0 sample=IP,TID,TIME sample_id_all ids=1
		feature arch=$arch
		comm 7/7 "prog" t=5000000000
		mmap2 7/7 $(printf '0x%x+0x%x@0x%x' $((0x10000000 + vaddr)) $(((size + 4095) & ~4095)) $((offset))) r-xp "$PWD/stripped" t=5000000001
	T
	for symbol; do
		at=$(nm "$file" | awk -v s="$symbol" '$3 == s { print $1 }')
		echo "sample 7/7 t=$((5000000001 + n)) ip=$((0x10000000 + 0x$at + 4))"
		n=$((n + 1))
	done
}
names() { "$PREC" script -i data -F ip,sym,symoff --symfs / 2>err | awk '{ print $2 }'; }
starts() {
	local symbol
	for symbol; do
		echo "stripped@0x$(nm prog | awk -v s="$symbol" '$3 == s { print $1 }' | sed 's/^0*//')+0x4"
	done
}

cat >prog.c <<'T'
static volatile int n;
__attribute__((noinline)) void first(void) { n++; n++; n++; }
__attribute__((noinline)) void second(void) { first(); n--; first(); n--; }
int main(void) { first(); second(); return 0; }
T
for flags in "" "-static" "-m32" "-fno-pie -no-pie"; do
	# shellcheck disable=SC2086
	$(compiler_for cc "$flags") -O1 -Wl,--build-id=none $flags -o prog prog.c 2>/dev/null || { part_skipped "$flags: cc cannot"; continue; }
	strip -s -o stripped prog
	arch=x86_64
	[ "$(uname -m)" = x86_64 ] || arch=$(uname -m)
	place prog "$arch" first second >data.txt
	"$(helper mkdata/mkdata)" data.txt data
	expect "$flags" "$(starts first second)" "$(names)"
	# One row a function, and still told as without a name.
	expect "$flags: rows" 2 "$("$PREC" report -i data --stdio -s sym --symfs / 2>err | grep -c 'stripped@0x')"
	"$PREC" report -i data --unresolved --symfs / 2>/dev/null | grep stripped >/dev/null || fail "$flags: the reason is missing"
	expect_finding no-symbol err
done

# 32-bit Arm has other tables, in pairs of an address and its instructions.
if command -v arm-linux-gnueabihf-gcc >/dev/null; then
	arm-linux-gnueabihf-gcc -O1 -marm -funwind-tables -Wl,--build-id=none -o prog prog.c
	strip=arm-linux-gnueabihf-strip
	$strip -s -o stripped prog
	place prog armv7l first second >data.txt
	"$(helper mkdata/mkdata)" data.txt data
	expect "arm" "$(starts first second)" "$(names)"
else
	part_skipped "32-bit Arm: no arm-linux-gnueabihf-gcc"
fi

# Not where there are names.
cc -O1 -Wl,--build-id=none -o prog prog.c
cp prog stripped
place prog "$(uname -m)" first second >data.txt
"$(helper mkdata/mkdata)" data.txt data
expect "with names" "first+0x4 second+0x4" "$(names | xargs)"

# What is damaged costs no more than names.
strip -s -o good prog
size=$(stat -c %s good)
hdr=$(readelf -lW good | awk '/EH_FRAME/ { print $2 }')
for at in $((hdr)) $((hdr + 8)) $((hdr + 12)) $((hdr + 16)) $((hdr + 0x40)) $((size / 2)); do
	cp good stripped
	head -c 64 /dev/urandom | dd of=stripped bs=1 seek="$at" conv=notrunc status=none
	"$PREC" report -i data --stdio -s sym --symfs / >/dev/null 2>&1
	printf '\xff\xff\xff\x7f\xff\xff\xff\x7f' | dd of=stripped bs=1 seek="$at" conv=notrunc status=none
	"$PREC" report -i data --stdio -s sym --symfs / >/dev/null 2>&1
done

# A Go program that is stripped.
if command -v go >/dev/null && go version >/dev/null 2>&1; then
	cat >g.go <<-'T'
		package main
		//go:noinline
		func spin(n int) int { s := 0; for i := 0; i < n; i++ { s += i * i % 7 }; return s }
		func main() { println(spin(300)) }
	T
	GOFLAGS=-buildvcs=false GOCACHE=$PWD/cache HOME=$PWD go build -o prog g.go
	GOFLAGS=-buildvcs=false GOCACHE=$PWD/cache HOME=$PWD go build -ldflags='-s -w' -o stripped g.go
	place prog "$(uname -m)" main.spin main.main runtime.mallocgc >data.txt
	"$(helper mkdata/mkdata)" data.txt data
	expect "Go" "main.spin+0x4 main.main+0x4 runtime.mallocgc+0x4" "$(names | xargs)"
else
	part_skipped "Go: no go"
fi
