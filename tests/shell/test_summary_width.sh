#!/bin/bash
# A summary's lines of call chains fit a terminal, and have a width in a pipe, too: the callers farthest away are left out.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/tmux.sh"
at_end 'end_terminal'
{
	cat <<'IN'
attr cpu-clock type=software config=0 sample=IP,TID,TIME,PERIOD,CALLCHAIN,IDENTIFIER sample_id_all=1 ids=1
feature arch=x86_64
comm 7/7 "prog"
IN
	chain=
	for n in {0..9}; do
		printf 'ksymbol 0x%x+0x100 "caller_of_some_length_%d" type=1 t=1\n' $((0xffffffffc0000000 + n * 0x100)) "$n"
		chain=$chain,$(printf 0x%x $((0xffffffffc0000010 + n * 0x100)))
	done
	printf 'ksymbol 0x%x+0x100 "hot_%s" type=1 t=1\n' $((0xffffffffc0001000)) "$(printf '%060d' 0)"
	echo "sample 7/7 id=1 t=100 ip=0xffffffffc0000010 mode=kernel period=3000 chain=kernel$chain"
	echo "sample 7/7 id=1 t=101 ip=0xffffffffc0001010 mode=kernel period=2000 chain=kernel,0xffffffffc0001010$chain"
} >in.txt
"$(helper mkdata/mkdata)" in.txt in.data

# chains WIDTH: of the page "text" lines are no wider; "got" are their functions, which are the innermost ones, in order.
chains() {
	sed -n '/^call chains/,/^$/{/ s:/p}' text | sed 's/ *$//' >lines
	expect "two chains" 2 "$(wc -l <lines)"
	awk -v w="$1" 'length > w' lines >wide
	[ ! -s wide ] || fail "wider than $1: $(cat wide)"
	sed -n '1s/.* s:[0-9a-f]*  //p' lines | sed 's/ > /\n/g' >got
	expect "the callers that were left out" ... "$(head -1 got)"
	sed 1d got | tac >shown
	seq -f caller_of_some_length_%g 0 9 | head -n "$(wc -l <shown)" >want
	expect_same "the innermost in $1 columns" want shown
	sed -n 2p lines | grep -E '> hot_0+\.\.\.0+$' >/dev/null || fail "of the hottest, whose name is long: $(cat lines)"
}
"$PREC" summary -i in.data >text
chains 125
expect "in a pipe" 3 "$(wc -l <shown)"
for width in 80 100; do
	start_terminal ${width}x60
	on_screen "'$PREC' summary --no-pager -i in.data" >text
	chains $width
	expect "on a terminal of $width columns" $((width / 20 - 3)) "$(wc -l <shown)"
done
