# shellcheck shell=bash
# The cost of exporting, beside the report of the same recording; folded stacks beside perf's text and a script that folds it.
# Rows for tests/bench/run.
beside() {	# NAME GOALS EXPORT-OPTIONS...
	local name=$1 goals=$2
	shift 2
	[[ $name = *$filter* ]] || return 0
	"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" "$name" "$goals" "$PREC export -q -i chain.data $*" "$PREC report -i chain.data --stdio" || status=1
}
smaller() {	# NAME FILE OTHER: how many times
	[[ $1 = *$filter* ]] || return 0
	awk -v name="$1" -v ours="$(stat -L -c %s "$2")" -v theirs="$(stat -L -c %s "$3")" -v goal="$4" 'BEGIN {
		printf "%-34s %-4s %-4s %10.2f %10.2f %8.2f %6s%s\n", name, "size", "MB", ours / 1e6, theirs / 1e6, theirs / ours, goal,
			theirs / ours < goal ? " missed" : "" }'
}
if make_data chain.data -m 8M -e cpu-clock -c 25000 -g "$SRC/tests/bench/run" --compile 20; then
	beside 'export html, beside report' cpu=0.67 -o out.html
	beside 'export parquet, beside report' cpu=0.67 -o out.parquet
	# Both tell threads and CPUs apart, too: what that alone takes.
	[[ 'html, parquet, floor: report by CPU' != *$filter* ]] ||
		"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" 'html, parquet, floor: report by CPU' cpu=0.67 \
			"$PREC report -i chain.data --stdio -s comm,tid,cpu,dso,sym" "$PREC report -i chain.data --stdio" || status=1
	beside 'export folded, beside report' cpu=0.67 -o out.folded
	if [ -s out.html ] && [ -s out.parquet ]; then
		smaller 'html, beside the recording' out.html chain.data 10
		zstd -q -f chain.data -o chain.zst && smaller 'parquet, beside it compressed' out.parquet chain.zst 1
	fi
	if wanted 'page, ' && command -v chromium >/dev/null; then
		[ -s out.html ] || "$PREC" export -q -i chain.data -o out.html
		{ read -r first && read -r range slowest_range && read -r zoom slowest_zoom; } < <(python3 "$SRC/tests/bench/page_times.py" out.html)
		figure 'page, first flame graph' wall ms "$first" - '<1000'
		figure 'page, a range redrawn' wall ms "$range" - '<100'
		figure 'page, slowest range' wall ms "$slowest_range" - '<100'
		figure 'page, a zoom step' wall ms "$zoom" - '<16'
		figure 'page, slowest zoom step' wall ms "$slowest_zoom" - '<16'
	fi
	if [ "$PERF" ] && [[ 'export folded, beside a script' = *$filter* ]]; then
		export PERF
		"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" 'export folded, beside a script' cpu=20 \
			"$PREC export -q -i chain.data -o out.folded" "$SRC/tests/bench/run --fold chain.data" || status=1
		# The same chains, read and named, but neither joined nor printed.
		"$BUILD/tests/bench/ratio" -n "${RUNS:-3}" '  floor: a report without graphs' cpu=20 \
			"$PREC report --stdio --no-children -g none -i chain.data" "$SRC/tests/bench/run --fold chain.data" || status=1
	fi
fi

# A page of LARGE_PAGE samples of 10,000 threads, with more stacks than it holds; only where it is asked for by name. Its recording,
# of five gigabytes, is removed afterwards.
LARGE_PAGE=${LARGE_PAGE:-50000000}

large_page() {
	local kernel leaf caller middle
	kernel=$(printf %u 0xffffffff81000000)
	leaf="{i*7+j%1009*256+$kernel}" caller="{i*13+j%1511*256+$kernel+1}" middle="{i*31+j%2003*256+$kernel+1}"
	cat <<-END
	attr cpu-clock type=software config=0 sample_id_all sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER,CALLCHAIN ids=1
	feature hostname=big arch=x86_64 osrelease=6.18.0 nrcpus=64
	mmap -1/0 0xffffffff81000000+0x2000000@0xffffffff81000000 "[kernel.kallsyms]_text"
	repeat 2048
	ksymbol {i*256+$kernel}+0x100 "f{i}" type=1
	end
	repeat 10000
	comm {i/100+100}/{i+1000} "worker-{i%37}"
	end
	repeat $((LARGE_PAGE / 10000))
	repeat 10000
	sample {j/100+100}/{j+1000} t={i*10000000+j*997+1000000000} cpu={j%64} period={j*3+i+1000} mode=kernel ip=$leaf chain=kernel,$leaf,$middle,$caller,{j%97*256+$kernel+1},{j%11*256+$kernel+1}
	end
	end
	END
}
if [ "${1:-}" = export ] && [ "$filter" ] && [[ 'page of 50 million' = *$filter* ]] && command -v chromium >/dev/null; then
	large_page >large_page.txt && "$BUILD/tests/mkdata/mkdata" large_page.txt large_page.data && "$PREC" export -q -i large_page.data -o large_page.html &&
		read -r first opened most < <(python3 "$SRC/tests/bench/page_memory.py" large_page.html) && {
		figure 'page of 50 million, first view' wall ms "$first" - '<3000'
		figure 'page of 50 million, opened' rss MiB "$opened" - '<500'
		figure 'page of 50 million, all views' rss MiB "$most" - '<500'
	}
	rm -f large_page.data large_page.txt
fi
