#!/bin/bash
# Who runs and what code is where may change while a PT trace runs: the last record of a time holds, and from then on.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/pt.sh"
need xxd
psb=02820282028202820282028202820282

# ---- other code at the same address, between two AUX records ----

printf '\x90\x90\x75\x00\x90\xf4' >t.img
printf '\x66\x90\x75\x00\x90\xf4' >other.img
echo "1000-1006 r-xp 00000000 00:00 1 t.img" >t.maps
# PSB+ at 1000, T, interrupt at 1004; again from 1000 on, with a PSB in front or without.
first="${psb}99017d0010000000000223063d041001"
for second in "310010063d041001" "${psb}022399013100100000063d041001"; do
	printf '%s' "$first" "$second" | xxd -r -p >t.1.pt
	pt_recording t 1 0x2001 -1 100 $((${#first} / 2))
	"$PREC" script --itrace=i1i -F ip -i t.1.data 2>messages >got || true
	awk '{ print } /^bytes/ && !n++ { print "mmap2 100/100 0x1000+6@0 r-xp \"'"$PWD"'/other.img\" t=900000005 event=intel_pt id=1" }' \
		made.txt >remap.txt
	"$(helper mkdata/mkdata)" remap.txt remap.data
	expect "code that was mapped anew" "1000 1001 1002 1000 1002" \
		"$("$PREC" script --itrace=i1i -F ip -i remap.data 2>messages | xargs)"
	# The end of the file was looked at, and nothing is there: that is no missing file.
	expect "what is said" "" "$(<messages)"
done

# ---- two threads that begin at the same nanosecond ----

printf '%s' "$first" | xxd -r -p >t.1.pt
pt_recording t 1 0x2401 0 -1 100000
for tids in "100 50" "50 100"; do
	read -r a b <<<"$tids"
	awk -v a="$a" -v b="$b" '/^mmap2/ { other = $0; sub("100/100", "50/50", other); print other }
		{ print }
		/^itrace_start/ {
			print "comm 50/50 \"other\" exec t=1 event=intel_pt id=1"
			print "switch in " a "/" a " t=5 cpu=0 event=intel_pt id=1"
			print "switch in " b "/" b " t=5 cpu=0 event=intel_pt id=1"
		}' made.txt >two.txt
	"$(helper mkdata/mkdata)" two.txt two.data
	expect "who runs after $a and then $b began" "$b" \
		"$("$PREC" script --itrace=i1i -F tid,ip -i two.data 2>messages | awk '{ print $1 }' | sort -u | xargs)"
done
