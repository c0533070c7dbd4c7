#!/bin/bash
# An archive of perf archive is unpacked into the cache of binaries; a hostile archive writes nothing anywhere else.
. "$(dirname "$0")/lib/prec.sh"
need cc
need python3
need bzip2
cat >prog.c <<'T'
static volatile int n;
__attribute__((noinline)) void wombat(void) { n++; }
int main(void) { for (int i = 0; i < 30000000; i++) wombat(); return 0; }
T
cc -O1 -Wl,--build-id -o prog prog.c
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')
copy() { echo "$HOME/.debug/.build-id/${id:0:2}/${id:2}/elf"; }
unpack() { "$PREC" archive --unpack "$@" 2>err; }

# As perf does it: with its own cache and its own program.
if command -v perf >/dev/null && perf --version >/dev/null 2>&1 && [ -x /usr/lib/perf-core/perf-archive ]; then
	"$(workload opens)" 2>/dev/null && "$PREC" record -q -N -o perf.data -e cpu-clock:u ./prog
	mkdir there
	HOME=$PWD/there perf buildid-cache -a prog
	[ -s perf.data ] && HOME=$PWD/there perf archive perf.data >/dev/null 2>&1 </dev/null
	if [ -s perf.data.tar.bz2 ]; then
		unpack perf.data.tar.bz2 || fail "perf's: $(<err)"
		cmp prog "$(copy)" || fail "perf's: there is no copy"
		mv prog gone
		"$PREC" report -i perf.data --stdio -s sym 2>/dev/null | grep wombat >/dev/null || fail "no name by what was unpacked"
		mv gone prog
		rm -rf "$HOME/.debug"
	else
		part_skipped "what perf archive packs: it packs nothing here"
	fi
else
	part_skipped "what perf archive packs: no perf"
fi

# make NAME CODE: a tar archive by Python; add(name, bytes, **fields) adds an entry.
make() {
	python3 - "$1" <<-T
		import io, sys, tarfile
		prog = open("prog", "rb").read()
		id = "$id"
		def add(name, data=b"", **fields):
		    i = tarfile.TarInfo(name)
		    i.size = len(data)
		    for k, v in fields.items(): setattr(i, k, v)
		    t.addfile(i, io.BytesIO(data))
		def link(name, to, type=tarfile.SYMTYPE): add(name, type=type, linkname=to)
		t = tarfile.open(sys.argv[1], "w", format=tarfile.${3:-GNU}_FORMAT)
		$2
		t.close()
	T
}
clean() { rm -rf "$HOME/.debug" out; mkdir -p "$HOME"; }
good='add("home/me/prog/" + id + "/elf", prog)'

for format in GNU PAX USTAR; do
	clean
	make good.tar "$good" $format
	unpack good.tar || fail "$format: $(<err)"
	cmp prog "$(copy)" || fail "$format: there is no copy"
done
for packer in gzip bzip2 xz zstd; do
	command -v $packer >/dev/null || { part_skipped "$packer: is not here"; continue; }
	clean
	$packer -c good.tar >packed
	unpack packed || fail "$packer: $(<err)"
	[ -s "$(copy)" ] || fail "$packer: there is no copy"
	unpack - <packed || fail "$packer: standard input: $(<err)"
done
# Long names of both kinds.
for format in GNU PAX; do
	clean
	make long.tar 'add("x" * 120 + "/" + "y" * 120 + "/" + id + "/elf", prog)' $format
	unpack long.tar || fail "$format: long names: $(<err)"
	[ -s "$(copy)" ] || fail "$format: long names: there is no copy"
done

# hostile CODE: nothing appears outside of the cache, nor what should not be in it.
seen() { { find .; find /tmp -maxdepth 1 -name 'evil*'; } | grep -v -e /.debug -e '^./bad.tar$' -e '^./err$' -e '^./seen' | sort; }
hostile() {
	clean
	seen >seen.before
	make bad.tar "$1"
	any_status unpack bad.tar
	seen >seen.after
	expect_same "something was written: $1" seen.before seen.after
	! find "$HOME/.debug" -name 'evil*' 2>/dev/null | grep . || fail "evil is in the cache: $1"
}
hostile 'add("../../evil", prog)'
hostile 'add("../../../evil/" + id + "/elf", prog)'
hostile 'add("/tmp/evil", prog)'
hostile 'add("a/../../../evil/" + id + "/elf", prog)'
hostile 'link("evil", "/tmp"); add("evil/evil", prog)'
hostile 'link(".build-id", "/tmp"); link("home", "'"$PWD"'"); '"$good"
hostile 'link("home/me/prog/" + id + "/elf", "/etc/passwd", tarfile.LNKTYPE)'
hostile 'add("evil", type=tarfile.CHRTYPE, devmajor=1, devminor=3)'
hostile 'add("home/evil/" + "0" * 40 + "/elf", prog)'
hostile 'add("home/evil/" + id + "/elf", b"not an ELF file")'
hostile 'add("home/evil/" + id + "/../elf", prog)'
[ ! -e "$HOME/.debug/.build-id/00" ] || fail "a file is kept under another build id"

# The cache's own links are not followed either.
clean
mkdir -p "$HOME/.debug" out
ln -s "$PWD/out" "$HOME/.debug/home"
any_status unpack good.tar
[ -z "$(ls out)" ] || fail "written through a link"
# Cut, damaged, empty, none.
clean
size=$(stat -c %s good.tar)
for n in 0 100 512 700 $((size / 2)); do
	head -c "$n" good.tar >cut.tar
	expect_status 1 "$PREC" archive --unpack cut.tar 2>err
	grep -q . err || fail "nothing is said of a tar of $n bytes"
	[ ! -e "$(copy)" ] || fail "half a file is kept"
done
for at in 100 124 148 156 257; do
	cp good.tar cut.tar
	printf '\xff\xff\xff\xff\xff\xff' | dd of=cut.tar bs=1 seek=$at conv=notrunc status=none
	any_status unpack cut.tar
done
bzip2 -c good.tar | head -c 300 >cut.tar.bz2
expect_status 1 "$PREC" archive --unpack cut.tar.bz2 2>/dev/null
expect_status 1 "$PREC" archive --unpack nowhere.tar 2>/dev/null
