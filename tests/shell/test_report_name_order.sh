#!/bin/bash
# Entries of equal weight stand in the order of their names, however many characters these begin with alike.
. "$(dirname "$0")/lib/prec.sh"
mkdata=$(helper mkdata/mkdata)

comms="same-beginning a same-beginninh same-beg same-beginnin samf z same same-beginnina"
dsos="libsame.so libsame-name-of-a-file-1.so libsame-name-of-a-file-10.so libsame-name-of-a-file-2.so a.so libsame-.so"
{
	echo 'attr cpu-clock type=software config=0 sample=IP,TID,TIME,PERIOD period=1000 sample_id_all comm task mmap'
	pid=100
	for comm in $comms; do
		echo "comm $((++pid))/$pid \"$comm\" exec t=1"
		at=$((0x400000))
		for dso in $dsos; do
			echo "mmap $pid/$pid $((at += 0x10000))+0x1000@0 \"/lib/$dso\" t=2"
			echo "sample $pid/$pid t=100 ip=$((at + 16)) mode=user"
		done
	done
} >names.txt
"$mkdata" names.txt names.data

# in_order KEY NAMES...
in_order() {
	local key=$1
	shift
	for jobs in 1 8; do
		"$PREC" report --stdio -q -j$jobs -i names.data -s "$key" -F "$key" >out 2>err || fail "-s $key: $(<err)"
		expect "-s $key -j$jobs" "$(printf '%s\n' "$@" | sort)" "$(sed 's/^ *//; s/ *$//; /^$/d' out)"
	done
}
export LC_ALL=C
# shellcheck disable=SC2086
in_order comm $comms
# shellcheck disable=SC2086
in_order dso $dsos
