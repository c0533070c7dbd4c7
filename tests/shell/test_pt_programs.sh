#!/bin/bash
# Traces of all kinds of programs - static, PIE, dynamic, with the vdso, with signals - give every instruction, whole and in pieces.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
[ "$(uname -m)" = x86_64 ] || skip "makes its traces on x86_64 only"
cat >calls.c <<'EOC'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static unsigned deep(unsigned n)
{
	return n ? deep(n - 1) + n % 3 : 0;
}

int main(void)
{
	int v[40];
	struct timespec t;
	unsigned sum = deep(100);

	for (int i = 0; i < 40; i++)
		v[i] = i * 7919 % 41;
	qsort(v, 40, sizeof(*v), compare);
	for (int i = 0; i < 20; i++)
		sum += clock_gettime(CLOCK_MONOTONIC, &t);
	printf("%u %d\n", sum, v[7]);
	return 0;
}
EOC
programs=()
build() { # NAME OPTIONS...: a program of that kind, where the compiler makes it
	cc -O1 -o "$1" calls.c "${@:2}" 2>cc.said || fail "$1: $(head -1 cc.said)"
	programs+=("$PWD/$1")
}
build static -static -no-pie
build static-pie -static-pie -fPIE
build fixed -no-pie
build pie -pie -fPIE -z now
printf '%s\n' b a c >lines
programs+=("sort lines" "gzip -c lines" "ls -l lines" "date +%s")
sets=(psb=512,cyc,async=400 no-ret-comp,defer,long-tnt,psb=900)

for program in "${programs[@]}"; do
	name=${program%% *} name=${name##*/}
	# shellcheck disable=SC2086
	pt_traces "$name" 12000 "${sets[@]}" -- $program
	for ((n = 1; n <= ${#sets[@]}; n++)); do
		options=()
		[[ ${sets[n - 1]} != *no-ret-comp* ]] || options=(--no-ret-comp)
		[ "$(wc -l <"$name.$n.exp")" -gt 3000 ] || fail "$name: too few instructions"
		for pieces in '' --pieces; do
			"$(helper trace/pt_insn)" "${options[@]}" ${pieces:+"$pieces"} "$name.$n.pt" "$name.maps" >got 2>messages
			expect_same "$name, ${sets[n - 1]} $pieces" "$name.$n.exp" got
		done
	done
done
[ ${#programs[@]} -ge 6 ] || fail "too few programs"
# The vdso's code came by a path of its own.
grep -q 'vdso\|\.img' pie.maps || fail "no vdso: $(cat pie.maps)"
