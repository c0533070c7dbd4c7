#!/bin/bash
# Cycles of blocks of code, and the last branches before samples, are those that the branch stacks have, as both perfs have them.
. "$(dirname "$0")/lib/prec.sh"
CC=${CC:-cc}

[ "$(uname -m)" = x86_64 ] || skip "code of x86 is made here"
# Functions on a line each, of instructions of one byte, but for calls at their begins.
{
	printf '\t.section .note.GNU-stack\n\t.text\n'
	for f in inner 'outer inner' 'main outer'; do
		printf '	.globl %s; .type %s, @function; %s: ' "${f% *}" "${f% *}" "${f% *}"
		[ "$f" = inner ] || printf 'call %s; ' "${f#* }"
		for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do printf 'nop; '; done
		printf 'ret; .size %s, .-%s\n' "${f% *}" "${f% *}"
	done
} >prog.s
$CC -g -no-pie prog.s -o prog
at() { readelf -sW prog | awk -v n="$1" '$8 == n { print "0x" $2 }'; }
inner=$(at inner) outer=$(at outer) main=$(at main)
# place FUNCTION OFFSET, and a branch: branch FROM TO CYCLES
place() { printf '0x%x' $(($1 + $2)); }
branch() { printf '%s:%s:0x%x' "$1" "$2" $(($3 << 4 | 2)); }
loop=$(branch "$(place "$inner" 12)" "$(place "$inner" 6)" 12) again=$(branch "$(place "$inner" 12)" "$(place "$inner" 6)" 10)
call=$(branch "$outer" "$inner" 30) back=$(branch "$(place "$inner" 14)" "$(place "$outer" 5)" 9)
{
	echo "attr ev type=hardware config=0 ids=1 branch_type=0x8 sample=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,CALLCHAIN,BRANCH_STACK sample_id_all=1"
	echo "feature arch=x86_64 branch_stack"
	echo 'comm 100/100 "prog"'
	echo "mmap2 100/100 0x400000+0x10000@0 r-xp \"$PWD/prog\" $(build_id_of prog)"
	echo "sample 100/100 t=1000 ip=$(place "$outer" 6) mode=user period=7 cpu=0 branch=$back,$loop,$again,$call chain=user,$(place "$outer" 6),$(place "$main" 5)"
	echo "sample 100/100 t=2000 ip=$(place "$inner" 8) mode=user period=7 cpu=0 branch=$loop,$call chain=user,$(place "$inner" 8),$(place "$outer" 5),$(place "$main" 5)"
	echo "sample 100/100 t=3000 ip=$(place "$inner" 8) mode=user period=7 cpu=0 chain=user,$(place "$inner" 8),$(place "$outer" 5),$(place "$main" 5)"
} >blocks.txt
"$(helper mkdata/mkdata)" blocks.txt blocks.data

# The loop's end is the end of blocks of 12, 10 and 12 cycles; what comes before the first branch of a stack is not known.
"$PREC" report -i blocks.data --total-cycles | awk '/%/ && !/#/ { print $1, $2, $3, $4, $NF }' >got
expect "blocks" "58.25% 60 60.00% 30 outer
33.01% 34 22.00% 11 inner
8.74% 9 18.00% 9 inner" "$(cat got)"
expect "of a time" "inner outer" "$("$PREC" report -i blocks.data --total-cycles -q --time ,0.0000015 | awk 'NF { print $NF }' | sort -u | xargs)"
# The same without callers, of which perf leaves some out.
sed 's/CALLCHAIN,//; s/ chain=.*//; /t=3000/d' blocks.txt >bare.txt
"$(helper mkdata/mkdata)" bare.txt bare.data
for perf in $(perfs); do
	# perf 6.1 may crash over it.
	"$perf" report -i bare.data --total-cycles --stdio >perfs 2>/dev/null </dev/null || { part_skipped "$perf fails"; continue; }
	<perfs awk '/%/ && !/#/ { sub(/ *$/, ""); n = $1 " " $2 " " $4; sub(/^[^[]*/, ""); print n, $0 }' |
		tr -s ' ' >want
	"$PREC" report -i bare.data --total-cycles |
		awk '/%/ && !/#/ { n = $1 " " $2 " " $4; sub(/^[^[]*/, ""); sub(/ +[^ ]+$/, ""); print n, $0 }' | tr -s ' ' >got
	expect_same "--total-cycles of $perf" want got
done
expect_status 1 "$PREC" report -i blocks.data --total-cycles -e no-such 2>/dev/null
expect_status 129 "$PREC" report -i blocks.data --total-cycles -s dso 2>err
grep -q "prints a table of its own" err || fail "$(cat err)"

# Where it went to, where it came from, from the last branch to the first; loops once; then who called.
rows() { grep -v '^#' | sed 's/([^)]*)//g; s/[-|]/ /g; s/[0-9.]*%//g; s/^ *//; s/ *$//; /^$/d' | tr -s ' '; }
"$PREC" report -i blocks.data --branch-history --no-children --time ,0.0000015 | rows >got
expect "a history" "prog.s:4 [.] outer prog
outer prog.s:4
inner prog.s:3
inner prog.s:3
inner prog.s:3
inner prog.s:3
outer prog.s:4
main prog.s:5" "$(cat got)"
for perf in $(perfs); do
	"$perf" report -i bare.data --branch-history --no-children --stdio -s symbol 2>/dev/null </dev/null | rows | sed 's/ [0-9]* *[0-9]*$//' >want
	"$PREC" report -i bare.data --branch-history --no-children --stdio -s symbol 2>/dev/null | rows >got
	expect_same "--branch-history of $perf" want got
done
# Sums of the branches in a row's chains: loops once, both ends of each, a sample that is there twice, one without branches.
sed 's/:0x1e2/:0x1e1/; s/:0x92/:0x9a/' blocks.txt >sums.txt
sed -n 's/ t=1000 / t=4000 /p' sums.txt >>sums.txt
"$(helper mkdata/mkdata)" sums.txt sums.data
sums=callchain_branch_predicted,callchain_branch_abort,callchain_branch_cycles
sums() { "$@" --no-children -i sums.data 2>/dev/null </dev/null | awk '/^# Over/ { print substr($0, 1, index($0 "  IPC", "  IPC") - 1) }
	/^ *[0-9.]+%  (\[|[0-9])/ { sub(/ +- +-? *$/, ""); print }' | sed 's/ *$//'; }
expect "sums of branches" "# Overhead  Symbol     Predicted  Abort  Cycles
    50.00%  [.] inner  25.0%      0      10
    50.00%  [.] outer  33.3%      2      8" "$(sums "$PREC" report --branch-history -s symbol,$sums)"
expect "of all rows" "100.00% 31.2% 2 9" "$(sums "$PREC" report --branch-history -s $sums -g none | sed 1d | xargs)"
for options in --branch-history '--no-branch-stack -g graph,0.5,callee,address,branch' '--no-branch-stack -g fractal,0.5,caller,function,branch'; do
	for perf in $(perfs); do
		sums "$perf" report --stdio $options -s symbol,$sums >want
		[ -s want ] || { part_skipped "$perf fails"; continue; }
		expect "$options of $perf" "$(cat want)" "$(sums "$PREC" report $options -s symbol,$sums)"
	done
done
for options in --branch-history '--no-branch-stack --no-children' '--no-branch-stack -g caller'; do
	expect_status 129 "$PREC" report -i sums.data $options -s callchain_branch_abort 2>err
	grep -qF -e '--branch-history (or -g branch) --no-children has them' err || fail "$(cat err)"
done
# With -g perf wants call chains: here they have no callers.
sed 's/ chain=[^ ]*//; s/ ip=\([^ ]*\)/& chain=user,\1/; /t=3000/d' blocks.txt >alone.txt
"$(helper mkdata/mkdata)" alone.txt alone.data
for perf in $(perfs); do
	"$perf" report --no-branch-stack -i alone.data -g graph,0.5,callee,address,branch --no-children --stdio -s symbol 2>/dev/null </dev/null >perfs || { part_skipped "$perf fails"; continue; }
	rows <perfs | sed 's/ *$//' >want
	"$PREC" report --no-branch-stack -i alone.data -g graph,0.5,callee,address,branch --no-children --stdio -s symbol 2>/dev/null | rows >got
	grep -q . got || fail "-g branch shows nothing"
	expect_same "-g branch of $perf" want got
done
expect "-g branch" "$("$PREC" report -i blocks.data --branch-history --no-children -s comm,dso,symbol 2>/dev/null)" \
	"$("$PREC" report -i blocks.data -g callee,address,branch --no-children 2>/dev/null)"
"$PREC" record -e cpu-clock -o none.data true >/dev/null 2>&1 || skip "cannot record here"
for option in --total-cycles --branch-history; do
	expect_status 1 "$PREC" report -i none.data $option 2>err
	grep -q "record with -b" err || fail "$option: $(cat err)"
done
