#!/bin/bash
# The header names the BPF programs and type descriptions that were loaded, as the newer perf does; recorded names are whole.
. "$(dirname "$0")/lib/prec.sh"
need_corpus linux-perf-data
bpf() { grep -E '^# (bpf_prog_info|btf info|.sub_prog)' | grep -v empty || true; }
with_programs=0
while read -r file; do
	"$PREC" report -i "$file" --header-only 2>/dev/null | bpf >prec
	[ ! -s prec ] || with_programs=$((with_programs + 1))
	! with_newperf || expect_same "$file" <("$PREC_PERF" report -i "$file" --header-only 2>/dev/null </dev/null | bpf) prec
done < <(find "$PREC_CORPUS/linux-perf-data" "$PREC_CORPUS/perfparser" -name '*.data*' -type f)
[ $with_programs -ge 1 ] || fail "only $with_programs files have programs"
expect "a program without a name" 1 "$("$PREC" report -i "$PREC_CORPUS/linux-perf-data/sleep.compressed.data" --header-only 2>/dev/null |
	grep -cx '# bpf_prog_info 28: bpf_prog_ee0e253c78993a24 addr 0xffff8000816cdd24 size 424')"

# Programs have room for 15 letters of a name. BTF has all, and names of functions but the first.
part() { part_skipped "whole names: $1"; exit 0; }
[ "$(id -u)" = 0 ] || part 'not root'
command -v clang >/dev/null || part 'no clang'
cat >long.c <<'END'
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
char LICENSE[] SEC("license") = "GPL";
__attribute__((noinline)) int a_part_with_a_long_name(int x) { return x + bpf_get_smp_processor_id(); }
SEC("perf_event") int keeps_each_and_every_sample(void *ctx) { return a_part_with_a_long_name(1) + 1; }
END
clang -target bpf -O2 -g -I"/usr/include/$(uname -m)-linux-gnu" -c -o long.o long.c 2>err || part 'clang makes no BPF programs'
with_newperf || PREC_PERF=
any_status "$PREC" record -q -e cpu-clock -c 100000000 --bpf=long.o:keeps_each_and_every_sample -o outer sh -c \
	"'$PREC' record -q -a -e cpu-clock -o inner true; [ -z '$PREC_PERF' ] || '$PREC_PERF' record -q -e cpu-clock -o perf true" >out 2>err
[ -e inner ] || part "no BPF programs here ($(head -1 err))"
names() { grep -oE 'bpf_prog_[0-9a-f]{16}_(keeps|a_part).*' | sed 's/^bpf_prog_[0-9a-f]*_//; s/ .*//' | sort -u | tr '\n' ' '; }
want='a_part_with_a_long_name keeps_each_and_every_sample '
expect 'recorded names' "$want" "$("$PREC" script -i inner --show-bpf-events 2>/dev/null | names)"
[ -n "$PREC_PERF" ] || exit 0
expect 'names of the header' "$want" "$("$PREC" report -i perf --header-only 2>/dev/null | names)"
expect_same 'as perf' <("$PREC_PERF" report -i perf --header-only 2>/dev/null </dev/null | bpf) <("$PREC" report -i perf --header-only 2>/dev/null | bpf)
