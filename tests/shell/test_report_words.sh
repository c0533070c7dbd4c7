#!/bin/bash
# Report's keys that are words of a sample: weights, transactions, pages, addresses, processes, sockets; and averages of weights.
. "$(dirname "$0")/lib/prec.sh"

cat >in.txt <<'IN'
attr ev type=hardware config=0 sample=IP,TID,TIME,CPU,PERIOD,WEIGHT_STRUCT,TRANSACTION,CODE_PAGE_SIZE sample_id_all=1
feature arch=x86_64
comm 100/100 "demo"
comm 100/101 "demo7"
mmap2 100/100 0x10000+0x10000@0 r-xp "/no/such/prog"
sample 100/100 t=1000 ip=0x10100 mode=user period=7 cpu=0 weight=0x0003000200000064 txn=0x3 cpage=4096
sample 100/100 t=2000 ip=0x10104 mode=user period=7 cpu=1 weight=0x0003000200000064 txn=0x700000005 cpage=0x200000
sample 100/101 t=3000 ip=0x10100 mode=user period=7 cpu=1 weight=0x0005000200000064 txn=0x700000005 cpage=0
sample 100/101 t=4000 ip=0x10100 mode=user period=14 cpu=1 weight=0x0005000200000066 txn=0xf8 cpage=0
sample 100/101 t=5000 ip=0x30100 mode=user period=15 cpu=1 weight=0x0005000200000066 cpage=0
IN
"$(helper mkdata/mkdata)" in.txt in.data
rows() { "$PREC" report -i in.data -q "$@" 2>messages | tr -s ' ' | sed 's/^ //; s/ *$//; /^$/d'; }

expect "a weight, and all of a row's" "58.00% 102 204
42.00% 100 300" "$(rows -s local_weight,weight)"
expect "the second part" "100.00% 2 10" "$(rows -s local_ins_lat,ins_lat)"
expect "the third part" "72.00% 5 15
28.00% 3 6" "$(rows -s local_retire_lat,retire_lat)"
expect "also called" "$(rows -s local_retire_lat,retire_lat)" "$(rows -s local_p_stage_cyc,p_stage_cyc)"
expect "transactions" "30.00%
28.00% ASYNC RETRY CON CAP-WRITE CAP-READ
28.00% EL SYNC :7
14.00% EL TX NEITHER" "$(rows -s transaction | sort -k1,1rn -k2)"
expect "pages of code" "72.00% N/A
14.00% 2M
14.00% 4K" "$(rows -s code_page_size)"
expect "addresses" "56.00% 0x10100
30.00% 0x30100
14.00% 0x10104" "$(rows -s addr)"
expect "in functions" "56.00% [.] 0x0000000000000100
30.00% [.] 0x0000000000030100
14.00% [.] 0x0000000000000104" "$(rows -s symoff)"
expect "processes" "100.00% 100:demo" "$(rows -s tgid)"
expect "the size of what is mapped" "70.00% 65536
30.00% unknown" "$(rows -s dso_size)"
expect "averages" "72.00% 101.3 2.0 5.0 demo7
28.00% 100.0 2.0 3.0 demo" "$(rows -F overhead,weight1,weight2,weight3,comm)"
expect "by other names" "$(rows -F overhead,weight2,weight3,comm)" "$(rows -F overhead,ins_lat,retire_lat,comm)"
expect "keys of all kinds together" "5" "$(rows -s comm,weight,transaction,symbol,addr,cpu | wc -l)"
expect_status 129 "$PREC" report -i in.data -s typeoff 2>err
grep -q "'typeoff' is not there: .*types" err || fail "$(cat err)"


# Threads that only their numbers tell apart.
cat >pool.txt <<'IN'
attr ev type=software config=0 sample=IP,TID,TIME,CPU,PERIOD sample_id_all
feature arch=x86_64 sockets=0,1,0,1
comm 1/1 "kw/10:2"
comm 2/2 "kw/7:31"
comm 3/3 "kw"
comm 4/4 "4kw/8"
sample 1/1 t=1000 ip=0x10100 mode=user period=10 cpu=0
sample 2/2 t=2000 ip=0x10100 mode=user period=20 cpu=1
sample 3/3 t=3000 ip=0x10100 mode=user period=30 cpu=2
sample 4/4 t=4000 ip=0x10100 mode=user period=40 cpu=3
IN
"$(helper mkdata/mkdata)" pool.txt in.data
expect "names without their numbers" "40.00% <N>kw/<N>
30.00% kw
30.00% kw/<N>:<N>" "$(rows -s comm_nodigit)"
expect "sockets" "60.00% 001
40.00% 000" "$(rows -s socket)"
expect "those of a socket" "40.00% 4kw/8
20.00% kw/7:31" "$(rows -s comm --socket-filter 1)"
expect "of both" "$(rows -s comm)" "$(rows -s comm --socket-filter 0,1)"
expect "as a share of them" "75.00% kw" "$(rows -s comm --socket-filter 0 --percentage relative | head -1)"
expect_status 1 "$PREC" report -i in.data --socket-filter x >out 2>err
grep -q "no list of sockets" err || fail "$(cat err)"
if with_newperf; then
	for how in "-s comm_nodigit" "-s comm --socket-filter 1"; do
		# shellcheck disable=SC2086
		"$PREC_PERF" report --stdio -i in.data -q $how 2>/dev/null | tr -s ' ' | sed 's/^ //; s/ *$//; /^$/d' | sort >want
		# shellcheck disable=SC2086
		rows $how | sort >got
		expect_same "as perf: $how" want got
	done
fi
sed 's/ sockets=[0-9,]*//' pool.txt >flat.txt
"$(helper mkdata/mkdata)" flat.txt in.data
expect_status 1 "$PREC" report -i in.data --socket-filter 0 >out 2>err
grep -q "which CPUs are on which socket" err || fail "$(cat err)"
sed 's/,CPU//' pool.txt >nowhere.txt
"$(helper mkdata/mkdata)" nowhere.txt in.data
expect_status 1 "$PREC" report -i in.data --socket-filter 0 >out 2>err
grep -q "recorded with its CPU" err || fail "$(cat err)"

# Sizes and offsets of a real program's functions, which nm knows.
cat >prog.c <<'END_OF_C'
int main(void) { return 0; }
END_OF_C
need cc
cc -O0 -o prog prog.c
read -r start size < <(nm -S prog | awk '$4 == "main" { print $1, $2 }')
cat >real.txt <<IN
attr ev type=software config=0 sample=IP,TID,TIME,CPU,PERIOD sample_id_all=1
feature arch=x86_64
mmap2 100/100 0x10000+0x100000@0 r-xp "$PWD/prog" $(build_id_of prog)
sample 100/100 t=1000 ip=$((0x10000 + 0x$start + 1)) mode=user period=3 cpu=0
sample 100/100 t=1000 ip=$((0x10000 + 0x$start + 4)) mode=user period=1 cpu=0
IN
"$(helper mkdata/mkdata)" real.txt in.data
expect "the size of a function" "100.00% $((0x$size)) [.] main" "$(rows -s symbol_size,symbol)"
expect "offsets in it" "75.00% [.] main+0x1
25.00% [.] main+0x4" "$(rows -s symoff)"
expect "an address a row, by name" "75.00% [.] main
25.00% [.] main" "$(rows -s symbol_iaddr)"
expect "both" "75.00% [.] main+0x1 [.] main
25.00% [.] main+0x4 [.] main" "$(rows -s symoff,symbol)"

# As perf, where it has the key and calls it so.
if with_newperf; then
	"$(helper mkdata/mkdata)" in.txt in.data
	for keys in weight,local_weight ins_lat,local_ins_lat transaction code_page_size tgid socket addr; do
		"$PREC_PERF" report --stdio -i in.data -s $keys 2>/dev/null | grep -v '^#' | tr -s ' ' | sed 's/^ //; s/ *$//; /^$/d' | sort >want
		rows -s $keys | sort >got
		expect_same "as perf: $keys" want got
	done
fi
