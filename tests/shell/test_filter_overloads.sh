#!/bin/bash
# The bare name of a C++ function stands for all of that name in -S, with whatever arguments; with arguments for that one.
. "$(dirname "$0")/lib/prec.sh"

{
	echo 'attr cpu-clock type=software config=0 sample=IP,TID,TIME,PERIOD sample_id_all=1'
	at=0
	for name in 'price(double)' 'price(int)' 'pricey(int)' 'shop::price(int)' price2; do
		printf 'ksymbol 0x%x+0x100 "%s" type=1 t=1\n' $((0xffffffffc0000000 + at)) "$name"
		printf 'sample 1/1 t=%d ip=0x%x mode=kernel period=1\n' $((100 + at)) $((0xffffffffc0000010 + at))
		at=$((at + 0x100))
	done
} >in.txt
"$(helper mkdata/mkdata)" in.txt in.data

symbols() {
	"$PREC" report -i in.data --stdio -s sym -q -S "$1" 2>/dev/null | sed -n 's/^.*\[k\] //p' | sed 's/ *$//' | sort | xargs
}
expect "by the bare name" "2" "$("$PREC" script -i in.data -F ip,sym -S price 2>/dev/null | grep -c 'price(')"
expect "by one with arguments" "price(int)" "$("$PREC" script -i in.data -F ip,sym -S 'price(int)' 2>/dev/null | sed "s, *[^ ]* *,,")"
expect "in report" "40.00%" "$("$PREC" report -i in.data --stdio -s comm -q -S price 2>/dev/null | awk '/%/ { print $1 }')"
expect "in report, with others" "price(double) price(int) price2" "$(symbols price,price2)"
expect "a part of a name" "" "$(symbols pric)"
