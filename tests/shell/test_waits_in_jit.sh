#!/bin/bash
# Code that was made at run time waits in its own name, in summary and on the page, and not in that of its caller or of a library.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/page.sh"
[ "$(uname -m)" = x86_64 ] || skip "the code is of x86"
CC=${CC:-cc}
at_end 'rm -f "/tmp/perf-$pid.map"'

cat >jit.c <<'END'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
/* nanosleep(rdi, NULL), with a frame */
static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xb8, 35, 0, 0, 0, 0x31, 0xf6, 0x0f, 0x05, 0x5d, 0xc3 };
int main(void)
{
	struct timespec t = { .tv_nsec = 20000000 };
	char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), path[64];
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	FILE *map = fopen(path, "w");
	fprintf(map, "%lx %zx made_at_run_time\n", (unsigned long)at, sizeof(code));
	fclose(map);
	memcpy(at, code, sizeof(code));
	for (int i = 0; i < 20; i++)
		((void (*)(struct timespec *))(void *)at)(&t);
	printf("%d\n", (int)getpid());
	return 0;
}
END
$CC -O1 -fno-omit-frame-pointer jit.c -o jit
"$PREC" record -q --off-cpu -g -o data ./jit >pid 2>err || skip "waits cannot be recorded: $(head -1 err)"
pid=$(<pid)
"$PREC" summary -i data >out 2>err
grep -E '% .*waiting: sleep, in made_at_run_time' out >/dev/null || fail "summary: $(head -5 out)"
command -v chromium >/dev/null || { part_skipped "the page: no chromium"; exit 0; }
"$PREC" export -q -i data -o page.html
# Of the whole recording, and of a part, which the page sums up by itself.
for state in view=summary "view=summary&thread=$pid"; do
	dom page.html "$state" | grep -o 'data-name="Waits".*' >waits || fail "$state: no waits"
	grep 'waiting: sleep, in made_at_run_time' waits >/dev/null || fail "$state: $(cut -c 1-400 waits)"
done
