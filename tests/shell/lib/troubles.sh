# Recordings of the troubles that summaries and the page must tell at once. Those of programs need need_events and strip.
# shellcheck shell=bash

troubles=$(workload troubles)

record_trouble() {
	"$PREC" record -q -o "$@" >/dev/null 2>record.err || fail "$(cat record.err)"
}

# idle.data, lost.data, throttled.data: samples alone tell of them.
make_sample_troubles() {
	local n name
	{
		echo "attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,ID sample_id_all=1 ids=1"
		echo "feature arch=x86_64"
		echo 'comm 100/100 "busy"'
		for n in {1..95}; do
			echo "sample 0/0 t=$((n * 4000000)) ip=0xffffffff81000000 mode=kernel period=4000000 cpu=0 id=1"
		done
		for n in {96..100}; do
			echo "sample 100/100 t=$((n * 4000000)) ip=0x400000 mode=user period=4000000 cpu=0 id=1"
		done
	} >idle.txt
	sed 's/^comm.*/&\nlost_samples n=300 id=1/' idle.txt >lost.txt
	{ cat idle.txt; for n in 1 2 3; do echo "throttle t=$((n * 40000000)) id=1"; done; } >throttled.txt
	for name in idle lost throttled; do
		"$(helper mkdata/mkdata)" $name.txt $name.data
	done
}

# hot.data: a loop; thread.data: one thread of several; faults.data: page faults are a third of the time, more in a virtual machine.
make_cpu_troubles() {
	record_trouble hot.data -g -F 997 "$troubles" hot
	record_trouble thread.data -g -F 997 "$troubles" thread
	record_trouble faults.data --call-graph auto -F 997 "$(workload faults)" 60000
}

# lock.data, syscall.data: what is waited for. False: switches cannot be recorded here.
make_wait_troubles() {
	"$PREC" record --off-cpu --call-graph auto -o lock.data "$troubles" lock >/dev/null 2>&1 || return 1
	record_trouble syscall.data --off-cpu --call-graph auto "$troubles" syscall
}

# broken.data: stacks that frame pointers cannot give; stripped.data: a program without names. False: this is no x86.
make_code_troubles() {
	[ "$(uname -m)" = x86_64 ] || return 1
	cat >deep.c <<-'END'
	volatile unsigned sum;
	__attribute__((noinline)) void leaf(unsigned n) { for (unsigned i = 0; i < n; i++) sum += i; __asm__ volatile("" ::: "memory"); }
	__attribute__((noinline)) void middle(unsigned n, char *at) { char room[64]; __asm__ volatile("" : : "r"(room), "r"(at) : "memory", "rbp"); leaf(n); __asm__ volatile("" ::: "memory"); }
	int main(void) { char c = 0; for (int i = 0; i < 300; i++) middle(500000, &c); return 0; }
	END
	"${CC:-cc}" -O1 -fomit-frame-pointer deep.c -o deep
	record_trouble broken.data --call-graph fp -F 997 ./deep
	sed 's/500000/400001/' deep.c >other.c	# nothing that is kept has its build id
	"${CC:-cc}" -O1 other.c -o stripped
	strip stripped
	record_trouble stripped.data -e cpu-clock:u -F 997 -N ./stripped
}
