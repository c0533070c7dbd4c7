#!/bin/bash
# CoreSight: an arm64 program under QEMU, each instruction logged, encoded and decoded: the log comes back.
. "$(dirname "$0")/lib/prec.sh"
T=$BUILD/tests/trace
[ -x "$T/csgen" ] || skip "csgen is not built"
for tool in qemu-aarch64 aarch64-linux-gnu-gcc aarch64-linux-gnu-objcopy; do
	command -v $tool >/dev/null || skip "$tool is not installed"
done

cat >program.c <<'X'
static unsigned seed = 12345, numbers[200];
static unsigned next(void) { return seed = seed * 1103515245 + 12345; }
static int up(unsigned a, unsigned b) { return a > b; }
static int down(unsigned a, unsigned b) { return a < b; }
static int (*volatile order)(unsigned, unsigned);

static void sort(int from, int to)
{
	unsigned pivot = numbers[(from + to) / 2], t;
	int i = from, j = to;

	if (from >= to)
		return;
	while (i <= j) {
		while (order(pivot, numbers[i])) i++;
		while (order(numbers[j], pivot)) j--;
		if (i <= j) { t = numbers[i]; numbers[i++] = numbers[j]; numbers[j--] = t; }
	}
	sort(from, j);
	sort(i, to);
}

static unsigned pick(unsigned n)
{
	switch (n % 7) {
	case 0: return next();
	case 1: return n * 3;
	case 2: return n ^ 77;
	case 3: return n << 2;
	case 4: asm volatile("isb"); return n;
	case 5: return n / 5;
	default: return 1;
	}
}

void _start(void)
{
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 200; i++)
			numbers[i] = pick(next() >> 8);
		order = round & 1 ? down : up;
		sort(0, 199);
	}
	asm volatile("mov x0, 0; mov x8, 93; svc 0");
	__builtin_unreachable();
}
X
aarch64-linux-gnu-gcc -O1 -fno-inline -static -nostdlib -Wl,-Ttext=0x400000 -Wl,--build-id=none -o program program.c
aarch64-linux-gnu-objcopy -O binary -j .text -j .rodata program code.bin
qemu-aarch64 -singlestep -d exec,nochain -D log program || fail "the program ends with status $?"
sed -n 's,^Trace [^/]*/0*\([0-9a-f]*\)/.*,\1,p' log >ips
[ "$(wc -l <ips)" -gt 20000 ] || fail "only $(wc -l <ips) instructions logged"

for options in "" "rs" "cc cid" "spec rs cc ccommit" "ete" "raw rs"; do
	args=()
	for o in $options; do args+=(-o "$o"); done
	rm -rf trace
	"$T/csgen" "${args[@]}" -l ips -c code.bin trace
	"$T/cs_insn" trace >got 2>gaps
	# The trace ends with the last branch of the program.
	[ "$(wc -l <got)" -gt $(($(wc -l <ips) - 50)) ] || fail "'$options': $(wc -l <got) of $(wc -l <ips) instructions"
	cmp got <(head -n "$(wc -l <got)" ips) || fail "'$options': not what was executed"
done
