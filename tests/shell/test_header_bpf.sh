#!/bin/bash
# The header names the BPF programs and type descriptions that were loaded, as the newer perf does.
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
