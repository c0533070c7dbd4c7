#!/bin/bash
# An archived recording shows on a machine of another architecture, in an empty root, what it shows here.
# Runs: long arm64
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/vm.sh"
need qemu-aarch64
need_root
need_events
need_cross

# The emulator with its libraries, prec with those of its own machine, and nothing else.
qemu=$(command -v qemu-aarch64)
mkdir -p root/lib here
cp "$CROSS_BUILD/prec" root/prec
cp "$qemu" root/qemu
take() {	# FROM PATH...
	local from=$1 path
	shift
	for path; do
		mkdir -p "root/${path%/*}"
		cp -L "$from$path" "root/$path" 2>/dev/null || cp -L "$from/usr$path" "root/$path"
	done
}
# shellcheck disable=SC2046
take "" $({ ldd "$qemu" || true; } 2>/dev/null | grep -oE '/[^ ]+' || true)
loader=/lib/ld-linux-aarch64.so.1
# shellcheck disable=SC2046
take "$SYSROOT" $loader $("$qemu" -L "$SYSROOT" "$SYSROOT$loader" --list root/prec | grep -oE '=> /lib[^ ]+' | cut -c4- | grep -v "$loader")
# shellcheck disable=SC2046
take "$SYSROOT" $(cd "$SYSROOT" && find . -name 'libcapstone.so.[0-9]' | sed 's/^\.//')
chroot root /qemu /prec --version >version 2>&1 || skip "no emulation in an empty root here: $(tail -1 version)"

n=0
for how in "-g" "--call-graph dwarf,4096"; do
	# shellcheck disable=SC2086
	"$PREC" record -q -o data $how "$(workload calls)" 20000000 20000000 >/dev/null 2>said || fail "$(<said)"
	"$PREC" archive --code data -o archived 2>/dev/null
	cp -p archived root/data
	cp -p data here/data
	while read -r line; do
		# shellcheck disable=SC2086
		(cd here && any_status "$PREC" $line >../want 2>../want.err)
		# shellcheck disable=SC2086
		any_status chroot root /qemu /prec $line >got 2>got.err
		[ -s want ] || fail "$how: $line prints nothing"
		expect_same "$how: $line" want got
		expect_same "$how: what is said of: $line" want.err got.err
		n=$((n + 1))
	done <<-T
		report -i data --stdio
		report -i data --stdio -g caller -s sym,srcline
		script -i data
		annotate -i data --stdio --no-source
		export --format folded data
		summary -i data
	T
done
[ $n = 12 ] || fail "only $n were compared"
