#!/bin/bash
# Ten times as many samples of the same addresses do not take ten times the memory: files are read in pieces, rows stream.
. "$(dirname "$0")/lib/prec.sh"
mkdata=$(helper mkdata/mkdata)
peak=$(workload peak)
! sanitized || skip "a sanitizer keeps memory of its own"

# ROUNDS: of a hundred samples each, which overlap.
recording() {
	cat <<-END
		attr cpu-clock type=software config=0 sample=IP,TID,TIME,PERIOD period=250000 sample_id_all comm task mmap
		comm 100/100 "demo" exec t=1
		mmap 100/100 0x400000+0x1000000@0 "/bin/demo" t=2
		repeat $1
		repeat 50
		sample 100/{j%4+100} t={i*1000000+3000000-j} ip={i*50+j*7919%2000+4194304} mode=user
		end
		repeat 50
		sample 100/{j%4+100} t={i*1000000+10000+j} ip={i*50+j*7907%2000+4194304} mode=user
		end
		round
		end
	END
}
# made RECORDING SMALL LARGE: of so many rounds; by how many KiB the large one is larger.
made() {
	"$1" "$2" >small.txt
	"$1" "$3" >large.txt
	for f in small large; do
		"$mkdata" $f.txt $f.data
	done
	more=$((($(stat -c %s large.data) - $(stat -c %s small.data)) / 1024))
}
made recording 2000 20000

# bounded COMMAND...: half of what the file has more would be too much.
bounded() {
	local f
	for f in small large; do
		"$peak" $f.kib "$PREC" "$@" -i $f.data >$f.out 2>$f.err || fail "$*: status $?: $(<$f.err)"
	done
	[ $(($(<large.kib) - $(<small.kib))) -lt $((more / 2)) ] ||
		fail "$*: $(<small.kib) KiB, and $(<large.kib) KiB of a file of $more KiB more"
}
bounded report --stdio
bounded script -F comm,tid,time,ip
bounded script -D -j1
expect "all samples are listed" 2000000 "$(grep -c PERF_RECORD_SAMPLE large.out)"
bounded export --format=jsonl --samples -o -
expect "all samples are rows" 2000000 "$(wc -l <large.out)"
expect "in order of time" "" "$(sed 's/^{"time":\([0-9]*\),.*/\1/' large.out | sort -nc 2>&1)"
bounded export --format=csv --samples -o -

# Many small windows are one text.
"$PREC" script -i large.data -F tid,time,ip >lines
expect "all samples are lines" 2000000 "$(wc -l <lines)"
expect "lines are in order of time" "" "$(awk '{ sub(/\./, "", $2); print $2 + 0 }' lines | sort -nc 2>&1)"

# The same of few records that are large, as copies of stacks are, with side band between them: pages that were read are given back.
heavy() {	# ROUNDS: of ten samples each
	cat <<-END
		attr cpu-clock type=software config=0 sample=IP,TID,TIME,PERIOD,RAW period=250000 sample_id_all comm task mmap
		comm 100/100 "demo" exec t=1
		repeat $1
		mmap 100/100 {i%1000*65536+4194304}+0x10000@0 "/bin/demo" t={i*1000+1000}
		repeat 10
		sample 100/100 t={i*1000+j+1100} ip={i%1000*65536+4194304+j} raw=$(printf '%08000d' 0)
		end
		round
		end
	END
}
made heavy 300 4000
[ $more -gt 140000 ] || fail "a file of only $more KiB more"
bounded report --stdio --no-children -g none
bounded report --stats
bounded script -F comm,tid,time,ip
expect "all large samples are lines" 40000 "$(wc -l <large.out)"
