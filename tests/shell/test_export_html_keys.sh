#!/bin/bash
# The page is driven by keys alone; its pictures are there as text, with what their colours mean; it says when it was recorded.
. "$(dirname "$0")/lib/prec.sh"
need chromium
need python3
KERNEL=$(printf %u 0xffffffff81000000)

cat >in.txt <<IN
attr instructions type=hardware config=1 sample_id_all sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER,CALLCHAIN ids=1
feature cmdline=/opt/x/bin/prec,record,-g,./a/b
mmap -1/0 0xffffffff81000000+0x2000000@0xffffffff81000000 "[kernel.kallsyms]_text"
repeat 40
ksymbol {i*256+$KERNEL}+0x100 "f{i}" type=1
end
comm 7/7 "seven"
comm 7/8 "eight"
repeat 1001
sample 7/7 t={i*1000000+1000000000} cpu=0 period=3 mode=kernel ip={i%3*256+$KERNEL} chain=kernel,{i%3*256+$KERNEL},{$KERNEL+2561}
sample 7/8 t={i*1000000+1000000000} cpu=1 period=2 mode=kernel ip={i%5*256+$KERNEL} chain=kernel,{i%5*256+$KERNEL},{$KERNEL+2561}
end
IN
"$(helper mkdata/mkdata)" in.txt in.data
TZ=UTC touch -d '2024-05-06 07:08:09' in.data
"$PREC" export -q -i in.data -o in.html
# Every half second nothing runs for 8 ms: half a pixel of 20 s. Sums are made from left to right.
{
	sed '/^repeat 1001/,$d' in.txt
	echo 'repeat 20000'
	echo "sample 7/7 t={i/500*8+i*1000000+1000000000} cpu=0 period=1 mode=kernel ip={i%3*256+$KERNEL} chain=kernel,{i%3*256+$KERNEL},{$KERNEL+2561}"
	echo end
} >gaps.txt
"$(helper mkdata/mkdata)" gaps.txt gaps.data
"$PREC" export -q -i gaps.data -o gaps.html
string='std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >'
printf 'main;%s\n' "std::vector<$string, std::allocator<$string > >::push_back($string const&) 60" 'my::allocate(int) 10' 'other 30' >cxx.folded
"$PREC" export -q -i cxx.folded -o cxx.html
printf 'main;%s\n' 'f 2' 'f;f 3' 'f;f;f 3' 'f;f;f;g;f 4' >deep.folded
"$PREC" export -q -i deep.folded -o deep.html
export WORK SRC
PYTHONPATH=$SRC/tests/lib PYTHONDONTWRITEBYTECODE=1 python3 "$SRC/tests/lib/page_keys.py"
