#!/bin/bash
# A program that ran out of memory alone (memfd_create, fexecve) has its names, by what record kept of it.
. "$(dirname "$0")/lib/prec.sh"
need cc
need_events
need_root
cat >prog.c <<'T'
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile long n;
__attribute__((noinline)) void wombat(void) { n++; }
int main(int argc, char **argv)
{
	char bytes[65536], *args[] = { argv[0], 0 };
	int to = argc > 1 ? memfd_create("secret", 0) : -1, from = open("/proc/self/exe", O_RDONLY);
	for (long got; to >= 0 && (got = read(from, bytes, sizeof(bytes))) > 0;)
		if (write(to, bytes, got) != got) return 8;
	if (to >= 0) return fexecve(to, args, (char *[]){ 0 }), 9;
	for (long i = 0; i < 60000000; i++) wombat();
	return 0;
}
T
cc -O1 -static -Wl,--build-id -o prog prog.c
"$PREC" record -q -e cpu-clock:u -o data ./prog memory
rm prog
"$PREC" script -i data -F ip,sym,dso 2>/dev/null | grep 'wombat (/memfd:secret (deleted))' >/dev/null || fail "there is no name"
