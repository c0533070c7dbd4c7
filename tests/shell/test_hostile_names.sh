#!/bin/bash
# Whatever those files say that names come from, or whatever stands in their place: no crash, no hang, nothing written elsewhere.
# Runs: slow
. "$(dirname "$0")/lib/prec.sh"
need cc
need objcopy
need python3
mkdir home
export HOME=$PWD/home
cat >whole.c <<'T2'
int dynamic_one(int x);
__attribute__((noinline)) static int hidden_one(int x) { __asm__ volatile ("" : "+r" (x)); return x + 1; }
__attribute__((noinline)) int dynamic_one(int x) { __asm__ volatile ("" : "+r" (x)); return hidden_one(x) * 3; }
int main(int argc, char **argv) { (void)argv; return dynamic_one(argc); }
T2
cc -O1 -g -Wl,--build-id -rdynamic -o whole whole.c
id=$(readelf -n whole | sed -n 's/.*Build ID: //p')
cache=home/.debug/.build-id/${id:0:2}/${id:2}
address() { nm whole | awk -v n="$1" '$3 == n { print "0x" $1 }'; }
read -r offset vaddr size < <(readelf -lW whole | awk '/LOAD/ && / R E / { print $2, $3, $5; exit }')
strip -o stripped whole
objcopy --only-keep-debug whole whole.debug

# limited COMMAND...: it ends, and needs no gigabytes (a sanitizer reserves terabytes).
limited() {
	local status=0
	(sanitized || ulimit -v 3000000; exec timeout -k 1 100 "$@" 2>err </dev/null) || status=$?
	[ $status -lt 124 ] || { echo "status $status of: $*" >>"$HOME/unexpected"; fail "status $status of: $*"; }
	return $status
}
ended_well() { [ ! -e "$HOME/unexpected" ] || fail "$(<"$HOME/unexpected")"; }
prec() { limited "$PREC" "$@"; }

# data [NAME]: a recording with a sample in each of the two functions, of the program or of NAME, and of what a JIT made.
data() {
	cat >data.txt <<-T2
		attr cpu-clock type=software config=0 sample=IP,TID,TIME sample_id_all ids=1
		feature arch=$(uname -m)
		comm 7/7 "prog" t=1
		mmap2 7/7 $(printf '0x%x+0x%x@0x%x' $((0x10000000 + vaddr)) $(((size + 4095) & ~4095)) $((offset))) r-xp "$PWD/${1:-prog}" t=2 buildid=$id
		sample 7/7 t=3 ip=$((0x10000000 + $(address hidden_one)))
		sample 7/7 t=4 ip=$((0x10000000 + $(address dynamic_one)))
	T2
	"$(helper mkdata/mkdata)" data.txt data
}
names() { prec script -i data -F ip,sym "$@" | awk '{ print $2 }' | sed 's/prog@0x[0-9a-f]*/unnamed/' | xargs; }
lines() { prec report -i data --stdio -s srcline | grep -c 'whole.c:[0-9]' || true; }
data

# ---- symbols that the program carries with it ----
# mini BYTES_OF_PYTHON: they are its .gnu_debugdata.
mini() {
	python3 - >mini <<-T2
		import lzma, os, sys, zlib
		def xz(data): return lzma.compress(data, preset=1)
		sys.stdout.buffer.write($1)
	T2
	rm -f prog
	objcopy --add-section .gnu_debugdata=mini stripped prog
}
mini 'xz(open("whole.debug", "rb").read())'
expect "it is read" "hidden_one dynamic_one" "$(names)"
mini 'xz(bytes(64 << 20)) * 80'
expect "5 GiB of nothing" "unnamed dynamic_one" "$(names)"
prec report -i data --unresolved >out
grep "stripped.*its .gnu_debugdata cannot be used: it unpacks to more than 256 MiB" out >/dev/null || fail "it is not told: $(<out)"
mini 'xz(open("whole.debug", "rb").read() + bytes(300 << 20))'
expect "300 MiB of nothing after the symbols" "unnamed dynamic_one" "$(names)"
# A block's header that asks for a dictionary of 4 GiB: byte 6 of it, then its CRC-32 (The .xz File Format, 3.1).
mini '(lambda b: b[:12] + b[12:18] + b"\x28" + b[19:24 - 4] + zlib.crc32(b[12:18] + b"\x28" + b[19:20]).to_bytes(4, "little") + b[24:])(
	(lambda x: x)(xz(bytes(1000))))'
names >/dev/null
for bytes in 'b""' 'b"\0"' 'b"not packed at all"' 'open("whole", "rb").read()' 'xz(b"")' 'xz(b"no ELF file")' 'xz(os.urandom(5000))' \
	     'xz(open("whole.debug", "rb").read())[:-30]' 'xz(open("whole.debug", "rb").read()[:3000])' 'xz(xz(bytes(5000)))' \
	     'open("whole", "rb").read()[:64] + os.urandom(5000)' 'xz(open("whole", "rb").read()[:64] + os.urandom(5000))'; do
	mini "$bytes"
	case $(names) in "unnamed dynamic_one" | "hidden_one dynamic_one") ;; *) fail ".gnu_debugdata is $bytes: $(names)" ;; esac
done

# ---- where the debug file is ----
# link BYTES_OF_PYTHON: they are its .gnu_debuglink, with room for the sum.
link() {
	python3 -c "import sys, zlib; crc = zlib.crc32(open('whole.debug', 'rb').read()).to_bytes(4, '$order')
sys.stdout.buffer.write($1)" >link
	rm -f prog
	objcopy --add-section .gnu_debuglink=link stripped prog
}
order=$(python3 -c 'import sys; print(sys.byteorder)')
mkdir -p up/dir
cp whole.debug up/
link 'b"whole.debug\0" + crc'
expect "it is followed" "hidden_one dynamic_one" "$(names)"
mkfifo fifo
for bytes in 'b"../up/whole.debug\0\0\0" + crc' 'b"up/whole.debug\0\0" + crc' "b'$PWD/up/whole.debug'.ljust(400, b'\\0') + crc" \
	     'b"whole.debug"' 'b"whole.debug\0"' 'b"x" * 5000' 'b""' 'b"\0" * 8' 'b"..\0\0" + crc' 'b".\0\0\0" + crc' \
	     'b"prog\0\0\0\0" + crc' 'b"fifo\0\0\0\0" + crc' 'b"up\0\0" + crc' 'b"link\0\0\0\0" + crc'; do
	link "$bytes"
	expect "a debug link of $bytes" "unnamed dynamic_one" "$(names)"
done
link 'b"../up/whole.debug\0\0\0" + crc'
names -v >/dev/null
! grep -F .. err || fail "a debug link leads out of its directory"
# A link to another with a link, and back.
link 'b"other\0\0\0" + crc'
objcopy --add-section .gnu_debuglink=<(python3 -c 'import sys; sys.stdout.buffer.write(b"prog\0\0\0\0abcd")') stripped other
expect "a circle of debug links" "unnamed dynamic_one" "$(names)"

# ---- sections that are packed ----
# packed NAME FLAGS BYTES_OF_PYTHON: the debug information is this; zeros(N) is the deflate stream of that many.
packed() {
	rm -f prog
	python3 - "$@" <<-'T2'
		import struct, sys, zlib
		def zeros(n, chunk=1 << 24):
		    z = zlib.compressobj(9)
		    first = z.compress(bytes(chunk)) + z.flush(zlib.Z_FULL_FLUSH)
		    again = z.compress(bytes(chunk)) + z.flush(zlib.Z_FULL_FLUSH)
		    return first + again * (n // chunk - 1) + b"\3\0" + struct.pack(">I", n % 65521 << 16 | 1)
		def rows(n):
		    start = bytes([1, 1, 1, 251, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0]) + b"x.c" + bytes(5)
		    return zlib.compress(struct.pack("=IHI", n - 4, 4, len(start)) + start + b"\x13" * (n - 10 - len(start)), 9)
		def header(size, type=1): return struct.pack("=IIQQ", type, 0, size, 1)
		name, flags, code = sys.argv[1:]
		open("section", "wb").write(eval(code))
	T2
	local how=(--add-section "$1=section" --remove-section .debug_info)
	[ "$1" != .debug_line ] || how=(--update-section "$1=section")
	objcopy "${how[@]}" whole prog.new 2>/dev/null
	python3 - "$1" "$2" <<-'T2'
		import struct, sys
		b = bytearray(open("prog.new", "rb").read())
		at, = struct.unpack_from("=Q", b, 40)
		size, nr, names = struct.unpack_from("=HHH", b, 58)
		text, = struct.unpack_from("=Q", b, at + names * size + 24)
		for i in range(nr):
		    name, = struct.unpack_from("=I", b, at + i * size)
		    if b[text + name:b.index(0, text + name)] == sys.argv[1].encode():
		        struct.pack_into("=Q", b, at + i * size + 8, int(sys.argv[2], 0))
		open("prog", "wb").write(b)
	T2
	chmod +x prog
}
packed .debug_info 0x800 'header(6 << 30) + zeros(6 << 30)'
expect "6 GiB of debug information: symbols" "hidden_one dynamic_one" "$(names)"
expect "6 GiB of debug information: lines" 0 "$(lines)"
grep "no lines: its compressed sections claim to be more than" err >/dev/null || fail "it is not told: $(<err)"
# A line table of one unit, each byte of which is a row.
packed .debug_line 0x800 'header(1 << 24) + rows(1 << 24)'
expect "a line table of 16 million rows: lines" 0 "$(lines)"
grep "or 4 MiB of line tables, which they are too small for" err >/dev/null || fail "it is not told: $(<err)"
packed .debug_frame 0x800 'header(6 << 30) + zeros(6 << 30)'
expect "6 GiB of unwind tables" 0 "$(lines)"
prec record -q -o live.data -e cpu-clock:u --call-graph dwarf ./prog >/dev/null || true
for bytes in 'header(1 << 40) + b"x" * 50' 'header((1 << 64) - 1) + b"x" * 50' 'header(1 << 33, 2) + b"\x28\xb5\x2f\xfd" + b"x" * 50' \
	     'header(5000, 77) + b"x" * 50' 'header(0)' 'b"x"' 'header(5000) + zeros(1 << 24)'; do
	packed .debug_info 0x800 "$bytes"
	expect "packed: $bytes" 0 "$(lines)"
	expect "packed: $bytes: symbols" "hidden_one dynamic_one" "$(names)"
done
for bytes in 'b"ZLIB" + struct.pack(">Q", 6 << 30) + zeros(6 << 30)' 'b"ZLIB" + b"\xff" * 8 + b"xxxx"' 'b"ZLIB"' 'b"nothing"'; do
	packed .zdebug_info 0 "$bytes"
	expect "packed as it was before: $bytes" 0 "$(lines)"
done
# A whole file that is packed, as modules are.
python3 -c 'import gzip, sys
z = gzip.compress(bytes(32 << 20)); sys.stdout.buffer.write(gzip.compress(open("whole", "rb").read()) + z * 100)' >prog
any_status names >/dev/null
python3 -c 'import lzma, sys; sys.stdout.buffer.write(lzma.compress(bytes(32 << 20), preset=1) * 200)' >prog
any_status names >/dev/null
if command -v zstd >/dev/null; then
	head -c 64M /dev/zero | zstd -q -c >z
	for _ in {1..64}; do cat z; done >prog
	any_status names >/dev/null
fi

# ---- something else where a file is expected ----
# place PATH: each of these in turn, by CHECK...
in_place() {
	local path=$1 what
	shift
	mkdir -p "$(dirname "$path")"
	for what in fifo directory itself zero terminal nowhere empty; do
		rm -rf "$path"
		case $what in
		fifo)		mkfifo "$path";;
		directory)	mkdir "$path";;
		itself)		ln -s "$(basename "$path")" "$path";;
		zero)		ln -s /dev/zero "$path";;
		terminal)	ln -s /dev/tty "$path";;
		nowhere)	ln -s nowhere/at/all "$path";;
		empty)		: >"$path";;
		esac
		any_status "$@" >out
	done
	rm -rf "$path"
	ended_well
}
cp whole prog
in_place prog prec report -i data --stdio -s sym,srcline
in_place prog prec report -i data --unresolved
in_place prog prec annotate -i data --stdio
in_place prog prec archive --code data -o archived
cp stripped prog
in_place whole.debug names
mkdir -p "$(dirname "$cache")" home/.debug/prog
in_place "$cache" names
ln -s ../../prog "$cache"
in_place home/.debug/prog/elf names
in_place home/.debug/prog/debug names
rm -r home/.debug
cp whole prog
in_place whole.c prec annotate -i data --stdio

# What a split program and one after dwz refer to; both are found first, or nothing would be tested.
printf 'int hidden_one(int x) { return x + 1; }\nint main(int n, char **v) { (void)v; return hidden_one(n); }\n' >split.c
split_lines() {
	prec report -i split.data --stdio -q -s sym,srcline --inline | grep -c "split.c:1" || true
}
split_data() {
	local ip=$((0x10000000 + 0x$(nm "$1" | awk '$3 == "hidden_one" { print $1 }')))
	sed -e "s/IP,TID,TIME/&,CALLCHAIN/" -e "s,$id,$(readelf -n "$1" | sed -n 's/.*Build ID: //p')," -e "s,\"$PWD/prog\",\"$PWD/$1\"," \
	    -e "s/ip=.*/ip=$ip chain=user,$ip/" data.txt |
		awk '!/^sample/ || !seen++' >split.txt
	"$(helper mkdata/mkdata)" split.txt split.data
}
cc -g -gsplit-dwarf -O0 -Wl,--build-id -o split split.c
dwo=$(find . -maxdepth 1 -name '*.dwo' | head -1)
if [ "$dwo" ]; then
	split_data split
	expect "split" 1 "$(split_lines)"
	in_place "$dwo" split_lines
	# Packages: Debian's tools make them of version 4.
	cc -g -gdwarf-4 -gsplit-dwarf -O0 -Wl,--build-id -o split split.c
	split_data split
	if dwp=$(command -v dwp || command -v llvm-dwp || command -v llvm-dwp-14) &&
	   timeout 30 "$dwp" -e split -o split.dwp </dev/null 2>err; then
		rm "$dwo"
		in_place split.dwp split_lines
	else
		part_skipped 'packages of split debug information: no dwp that makes one'
	fi
else
	part_skipped "split debug information: the compiler makes none"
fi
if command -v dwz >/dev/null; then
	# Inlined functions have their names in the alternate file alone.
	printf '%s\n' '#include <stdio.h>' '#include <stdlib.h>' \
		'static inline __attribute__((always_inline)) int inlined_function_of_both(int x) { return x + 1; }' \
		'int hidden_one(int x) { return inlined_function_of_both(x); }' \
		'int main(int n, char **v) { (void)v; printf("%d", hidden_one(n)); return abs(n); }' >split.c
	cc -g -gdwarf-4 -O1 -Wl,--build-id -o shared split.c
	cp shared shared2
	dwz -m common shared shared2 2>/dev/null || true
	if [ -e common ]; then
		split_data shared
		prec report -i split.data --stdio -q --no-children --inline -g caller >out
		grep inlined_function_of_both out >/dev/null || fail "after dwz there is no name: $(<out)"
		in_place common split_lines
	else
		part_skipped "dwz: it finds nothing that is in both"
	fi
else
	part_skipped "dwz: is not here"
fi

# ---- maps and dumps of code made at run time ----
pid=$((4194304 + $$))	# above all that a kernel gives
at_end "rm -rf /tmp/perf-$pid.map"
cat >jit.txt <<T2
attr cpu-clock type=software config=0 sample=IP,TID,TIME sample_id_all ids=1
feature arch=$(uname -m)
comm $pid/$pid "jit" t=1
mmap2 $pid/$pid 0x70000000+0x1000@0 r-xp "//anon" t=2
mmap2 $pid/$pid 0x60000000+0x1000@0 r-xp "$PWD/jit-$pid.dump" t=3
sample $pid/$pid t=4 ip=0x70000008 mode=user
T2
"$(helper mkdata/mkdata)" jit.txt jit.data
made() { prec script -i jit.data -F ip,sym | awk '{ print $2 }'; }
map=/tmp/perf-$pid.map
echo "70000000 100 compiled" >"$map"
expect "the map" compiled "$(made)"
in_place "$map" prec report -i jit.data --stdio
in_place "jit-$pid.dump" prec report -i jit.data --stdio
hostile_map() {
	python3 -c "import os, sys; sys.stdout.buffer.write($1)" >"$map"
	prec report -i jit.data --stdio >out
	! LC_ALL=C grep -P '[\x00-\x08\x0e-\x1f\x7f]' out || fail "a map of $1 reaches the terminal"
}
for bytes in 'b"70000000 100 \x1b]0;x\x07\x1b[31mred"' 'b"70000000 ffffffffffffffff x"' 'b"ffffffffffffffff 1 x\n" * 3' 'b"70000000 -1 x"' \
	     'b"-1 -1 x"' 'b"70000000 100 " + b"x" * (8 << 20)' 'b"\n" * (4 << 20)' 'b"70000000 1 a\n" * 200000' 'os.urandom(1 << 20)' \
	     'b"".join(b"%x %x n%d\n" % (0x70000000 + i % 64, 4096 - i % 64, i) for i in range(200000))' 'b"70000000 100"' 'b"70000000 100 "' \
	     'b"70000000 100 \0hidden\n70000000 20 \0"'; do
	hostile_map "$bytes"
done
rm -f "$map"

# hostile_dump RECORDS: of Linux, tools/perf/Documentation/jitdump-specification.txt; head() and load() have their fields.
hostile_dump() {
	python3 - >"jit-$pid.dump" <<-T2
		import os, struct, sys
		def head(magic=0x4a695444, version=1, size=40, mach=62, pid=$pid, flags=0):
		    return struct.pack("=IIIIIIQQ", magic, version, size, mach, 0, pid, 0, flags)
		def load(name=b"f\0", code=b"\x90" * 16, at=0x70000000, size=None, nr=None, total=None, id=0, time=3):
		    body = struct.pack("=IIQQQQ", $pid, $pid, at, at, len(code) if size is None else size, id) + name + code
		    return struct.pack("=IIQ", 0, 16 + len(body) if total is None else total, time) + body
		def record(kind, body, total=None): return struct.pack("=IIQ", kind, 16 + len(body) if total is None else total, 2) + body
		sys.stdout.buffer.write($1)
	T2
	any_status prec report -i jit.data --stdio -s sym,srcline >out
	any_status prec annotate -i jit.data --stdio >out
	! LC_ALL=C grep -P '[\x00-\x08\x0e-\x1f\x7f]' out || fail "a dump of $1 reaches the terminal"
}
hostile_dump 'head() + load()'
expect "the dump" f "$(made)"
for records in 'head()' 'head(size=0) + load()' 'head(size=0xffffffff) + load()' 'head(version=9) + load()' 'head(mach=0xffff) + load()' \
	       'head() + load(total=0)' 'head() + load(total=1) * 100' 'head() + load(total=0xffffffff)' 'head() + load(size=1 << 62)' \
	       'head() + load(size=(1 << 64) - 1)' 'head() + load(at=(1 << 64) - 8)' 'head() + load(name=b"")' 'head() + load(name=b"x" * 60000)' \
	       'head() + load(name=b"\x1b[31m\0")' 'head() + record(2, struct.pack("=QQ", 0x70000000, (1 << 64) - 1))' \
	       'head() + record(2, struct.pack("=QQ", 0x70000000, 5) + b"x" * 40) + load()' 'head() + record(1, b"") * 9' \
	       'head() + record(1, struct.pack("=IIQQQQ", 0, 0, 0, 1 << 63, 1 << 63, 1 << 63))' 'head() + load() + record(4, b"\xff" * 24)' \
	       'head() + record(4, struct.pack("=QQQ", 1 << 60, 1 << 61, 1 << 62)) + load()' 'head() + record(3, b"")' 'head() + record(77, b"x" * 9)' \
	       'head() + load() * 20000' 'os.urandom(1 << 20)' 'head() + os.urandom(1 << 20)'; do
	hostile_dump "$records"
done
rm -f "jit-$pid.dump"

# ---- the cache, when it is written to ----
"$(workload opens)" 2>/dev/null || { ended_well; part_skipped "what record keeps: cannot open events"; exit 0; }
printf 'int main(void) { for (volatile long i = 0; i < 30000000; i++); return 0; }\n' >spin.c
cc -O1 -Wl,--build-id -o spin spin.c
id=$(readelf -n spin | sed -n 's/.*Build ID: //p')
place=home/.debug$PWD/spin/$id
# keep: after a recording, nothing is where the links lead.
keep() {
	prec record -q -e cpu-clock:u -o kept.data ./spin || fail "$1: $(<err)"
	expect "$1" "" "$(ls -A elsewhere)"
	rm -rf home/.debug elsewhere
	mkdir elsewhere
}
mkdir elsewhere
keep "a cache of its own"
mkdir -p "$place"
mkfifo "$place/kept"
keep "a fifo where the time is kept"
mkdir -p "$place"
mkfifo "$place/elf"
keep "a fifo in the place of the copy"
mkdir -p "$(dirname "$place")"
ln -s "$PWD/elsewhere" "$place"
keep "a link in the place of the directory"
mkdir -p home/.debug/.build-id "home/.debug/${place#home/.debug/}"
ln -s "$PWD/elsewhere" "home/.debug/.build-id/${id:0:2}"
keep "a link in the place of the links"
mkdir -p "$place"
ln -s "$PWD/elsewhere/elf" "$place/elf"
ln -s "$PWD/elsewhere/kept" "$place/kept"
keep "links in the place of the copy"
if [ "$(id -u)" = 0 ]; then
	mkdir home/.debug
	chown 65534 home/.debug
	prec record -q -e cpu-clock:u -o kept.data ./spin || fail "another's cache: $(<err)"
	expect "another's cache" "" "$(ls -A home/.debug)"
fi
ended_well
