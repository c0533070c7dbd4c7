# Recordings of the CoreSight traces that csgen makes. Sourced behind prec.sh.
# shellcheck shell=bash
. "$SRC/tests/shell/lib/aux.sh"
gen=$(helper trace/csgen) decode=$(helper trace/cs_insn) mkdata=$(helper mkdata/mkdata)

setting() { # setting NAME FILE
	sed -n "s/^$1=//p" "$2" | head -1
}

# Timestamps are perf's times where this is set.
WITH_TIMES=

# unit NUMBER: the words of a CPU.
unit() {
	local ini=trace/etm_$1.ini magic=0x4040404040404040 nr=7
	[ -z "$(setting TRCDEVARCH "$ini")" ] || magic=0x5050505050505050 nr=8
	words $magic "$1" $((nr + ${#WITH_TIMES}))
	for name in CONFIGR TRACEIDR IDR0 IDR1 IDR2 IDR8 AUTHSTATUS; do
		le 16 "$(setting TRC$name "$ini")"
	done
	[ $nr = 7 ] || le 16 "$(setting TRCDEVARCH "$ini")"
	[ -z "$WITH_TIMES" ] || words 1
}

# recording FLAGS CPU TID PORTION: what csgen made as made.data, in AUXTRACE records of PORTION bytes.
recording() {
	local flags=$1 cpu=$2 tid=$3 portion=$4 size n units
	units=$(ls trace/etm_*.ini | wc -l)
	size=$(stat -c %s trace/trace.bin)
	{
		echo "feature arch=aarch64 nrcpus=8 auxtrace"
		echo "attr cs_etm type=8 sample=IP,TID,TIME,CPU,IDENTIFIER read=ID period=1 exclude_hv sample_id_all ids=1"
		# perf looks for the clock when it meets the trace's description.
		[ -z "$WITH_TIMES" ] || echo "raw type=79 $(words 0 1 0 0 0)0100000000000000"
		printf 'raw type=70 %s' "$(le 8 3)$(le 8 0)$(le 16 1)$(le 16 $((8 << 32 | units)))$(le 16 0)"
		for ((n = 0; n < units; n++)); do unit $n; done
		echo
		# Each context that the trace names is a process with the same program.
		for n in 4242 $("$decode" -d trace | sed -n 's/.*CID=\(0x[0-9a-f]*\).*/\1/p' | sort -u); do
			n=$((n))
			[ $n != 0 ] || continue
			echo "comm $n/$n \"program\" exec t=1 event=cs_etm id=1"
			printf 'mmap2 %u/%u %s+%#x@0 r-xp "%s" t=2 event=cs_etm id=1\n' $n $n "$(setting address trace/cpu_0.ini)" \
				"$(stat -c %s trace/code.bin)" "$PWD/trace/code.bin"
		done
		echo "itrace_start 4242/4242 t=4 cpu=0 event=cs_etm id=1"
		echo "aux 4242/4242 off=0 size=$size flags=$flags t=900000000 cpu=0 event=cs_etm id=1"
		auxtrace trace/trace.bin "$cpu" "$tid" "$portion"
	} >made.txt
	"$mkdata" made.txt made.data
}

# compiled NAME ROUNDS: the program NAME, which branches in all ways, and its code as NAME.bin.
compiled() {
	local tool
	for tool in aarch64-linux-gnu-gcc aarch64-linux-gnu-objcopy; do
		command -v $tool >/dev/null || skip "$tool is not installed"
	done
	cat >program.c <<'END_OF_C'
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

static volatile int rounds = ROUNDS;

void _start(void)
{
	for (int round = 0; round < rounds; round++) {
		for (int i = 0; i < 200; i++)
			numbers[i] = pick(next() >> 8);
		order = round & 1 ? down : up;
		sort(0, 199);
	}
	asm volatile("mov x0, 0; mov x8, 93; svc 0");
	__builtin_unreachable();
}
END_OF_C
	aarch64-linux-gnu-gcc -O1 "-DROUNDS=$2" -fno-inline -static -nostdlib -Wl,-Ttext=0x400000 -Wl,--build-id=none -o "$1" program.c
	aarch64-linux-gnu-objcopy -O binary -j .text -j .rodata "$1" "$1.bin"
}

# followed PROGRAM: runs it under QEMU: into the pipe ips what it executes, an address a line. Its status is that of the
# background job.
followed() {
	command -v qemu-aarch64 >/dev/null || skip "qemu-aarch64 is not installed"
	qemu-aarch64 -h | grep -e '^-plugin' >/dev/null || skip "qemu-aarch64 takes no plugins"
	gcc -std=gnu11 -D_GNU_SOURCE -O2 -shared -fPIC -o ips.so "$SRC/tests/trace/qemu/ips.c"
	mkfifo ips
	qemu-aarch64 -plugin ./ips.so,log=ips "./$1" &
}

# logged ROUNDS: follows the program, of code.bin.
logged() {
	compiled code "$1"
	followed code
}

# logged_called ROUNDS: the program called, of tests/data, its code as code.bin, and what it executes as the file all.
logged_called() {
	need aarch64-linux-gnu-gcc
	need aarch64-linux-gnu-objcopy
	aarch64-linux-gnu-gcc -Wl,--build-id=sha1 -O1 -g -static -nostdlib -fno-stack-protector -no-pie -Wl,-Ttext=0x400000 \
		-Wl,--section-start=.note.gnu.build-id=0x3f0000 "-DROUNDS=$1" -o called "$SRC/tests/data/called.c"
	aarch64-linux-gnu-objcopy -O binary -j .text called code.bin
	followed called
	cat ips >all
	wait $!
}

# text_offset PROGRAM: where in the file its code is, in hexadecimal: for a program that is mapped itself, in place of its code alone.
text_offset() {
	readelf -SW "$1" | awk '{ for (i = 1; i < NF; i++) if ($i == ".text") print $(i + 3) }'
}
