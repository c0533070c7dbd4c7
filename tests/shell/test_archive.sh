#!/bin/bash
# An archived recording shows in an empty root, without binaries and /proc, what the recording shows here; perf reads it.
. "$(dirname "$0")/lib/prec.sh"
need cc
need_events
need_root
mkdir -p root here
chroot root true 2>/dev/null || [ $? = 127 ] || skip "no chroot here"

# The program's own needs, with the library that it loads for annotate, and nothing else.
cp "$PREC" root/prec
while read -r lib; do
	mkdir -p "root/${lib%/*}"
	cp "$lib" "root/$lib"
done < <(ldd "$PREC" | grep -oE '/[^ ]+'; ldconfig -p | grep -m1 -oE '/.*/libcapstone\.so\.[0-9]+$')

cat >prog.c <<'T'
static volatile long s;
static inline __attribute__((always_inline)) void inner(long i) { for (int k = 0; k < 50; k++) s += i * k; }
__attribute__((noinline)) void middle(long i) { inner(i); }
__attribute__((noinline)) void outer(long i) { middle(i); s++; }
int main(void) { for (long i = 0; i < 2000000; i++) outer(i); return 0; }
T
cc -O1 -g -o prog prog.c

# same NAME: all that these commands print of it is the same.
same() {
	local n=0 line
	ln -f "$1.data" here/data
	cp -p "$1.archive" root/data
	while read -r line; do
		[ "$line" ] || continue
		n=$((n + 1))
		# shellcheck disable=SC2086
		(cd here && any_status "$PREC" $line >../want 2>../want.err)
		# shellcheck disable=SC2086
		any_status chroot root /prec $line >got 2>got.err
		expect_same "$1: $line" want got
		expect_same "$1: what is said of: $line" want.err got.err
		[ -s want ] || fail "$1: there is nothing to compare: $line"
	done <<-T
		report -i data --stdio
		report -i data --stdio --no-children -s comm,dso,sym,srcline,symbol_size
		report -i data --stdio -g caller -s sym,srcline
		report -i data --stdio -s symoff --no-demangle
		report -i data --unresolved
		script -i data
		script -i data -F ip,sym,symoff,dso,srcline
		export --format folded data
		export --format pprof data
		export --format firefox data
		summary -i data
		verify data
		${2:-}
	T
	[ $n -ge 12 ] || fail "$1: only $n were compared"
}

code='annotate -i data --stdio outer
annotate -i data --stdio
annotate -i data --stdio --source-only
script -i data -F ip,insn,disasm
script -i data -F +srccode'
"$PREC" record -q -o fp.data -e cpu-clock:u -g ./prog
"$PREC" record -q -o dwarf.data -e cpu-clock:u --call-graph dwarf,4096 ./prog
"$PREC" record -q -o all.data -e cpu-clock -a -g -- ./prog 2>/dev/null || "$PREC" record -q -o all.data -g ./prog
for f in fp dwarf all; do
	"$PREC" archive "$f.data" -o "$f.archive" 2>said
	grep -E "^prec: wrote '$f.archive': [1-9][0-9]* addresses, [1-9]" said >/dev/null || fail "it says: $(<said)"
	same "$f"
done
"$PREC" archive --code fp.data -o fp.archive 2>/dev/null
same fp "$code"
chroot root /prec annotate -i data --stdio middle 2>/dev/null | grep -F 's += i * k' >/dev/null || fail "no text of source in the archive"

# The program is gone: its names are not. Without unwind tables there are no callers.
"$PREC" report -i dwarf.archive --stdio --no-children -g none -s sym,srcline 2>/dev/null >want
mv prog gone
rm -rf "$HOME/.debug"
"$PREC" report -i dwarf.archive --stdio --no-children -g none -s sym,srcline 2>/dev/null | cmp - want || fail "the names went with the program"
grep -w middle want >/dev/null || fail "there is no function: $(<want)"

# By default beside the recording; the recording itself may become one, and one be archived again.
cp fp.archive again
"$PREC" archive again 2>/dev/null
"$PREC" report -i again.archive --stdio -s sym,srcline >got 2>/dev/null
"$PREC" report -i fp.archive --stdio -s sym,srcline >want 2>/dev/null
expect_same "archived twice" want got
"$PREC" archive again -o again 2>/dev/null
"$PREC" report -i again --stdio -s sym,srcline >got 2>/dev/null
expect_same "in its place" want got
[ -z "$(find . -name 'again?*' ! -name again.archive)" ] || fail "something is left"

# Record does it itself, at the end; not where there is no file to come back to.
mv gone prog
"$PREC" record -q --archive -o by_record -e cpu-clock:u -g ./prog 2>/dev/null
rm -rf prog "$HOME/.debug"
"$PREC" report -i by_record --stdio -s sym,srcline 2>/dev/null | grep 'prog.c:[0-9]' >/dev/null || fail "record --archive: no names"
for wrong in "-o -" "--switch-output -o x" "--threads -o x"; do
	# shellcheck disable=SC2086
	expect_status 129 "$PREC" record --archive $wrong true 2>err >/dev/null
	grep -e --archive err >/dev/null || fail "it says: $(<err)"
done

# perf passes over it.
for perf in $(perfs); do
	expect "samples by $perf" "$("$PREC" script -i fp.archive -G -F event 2>/dev/null | wc -l)" \
		"$("$perf" script -i fp.archive -G -F event 2>/dev/null </dev/null | wc -l)"
	"$perf" buildid-list -i fp.archive 2>/dev/null </dev/null | grep "prog$" >/dev/null || fail "$perf sees no build ids"
done

# Cut and damaged, it is reported, and costs names alone.
size=$(stat -c %s fp.archive)
for at in 40 200 1000; do
	cp fp.archive damaged
	printf '\xff\xff\xff\xff\xff\xff\xff\xff' | dd of=damaged bs=1 seek=$((size - at)) conv=notrunc status=none
	any_status "$PREC" report -i damaged --stdio >/dev/null 2>&1
done
cp fp.archive damaged
head -c 100 /dev/zero | dd of=damaged bs=1 seek=$((size - 400)) conv=notrunc status=none
"$PREC" report -i damaged --stdio >/dev/null 2>err
expect_finding unusable-archive err
head -c $((size - 1)) fp.archive >damaged
expect_status 2 "$PREC" report -i damaged --stdio >/dev/null 2>err
expect_finding damaged-header err "behind the header's sections"
expect_status 1 "$PREC" archive nowhere 2>/dev/null
expect_status 1 "$PREC" archive fp.data -o no/where 2>err
grep "cannot write 'no/where'" err >/dev/null || fail "it says: $(<err)"
