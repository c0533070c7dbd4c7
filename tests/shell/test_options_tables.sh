#!/bin/bash
# Every key, field, column, format and letter of --itrace in prec's tables is shown or refused, over recordings of each kind.
# Never a crash, a hang or memory without end, alone and with others.
# Runs: slow
. "$(dirname "$0")/lib/prec.sh"
MKDATA=$(helper mkdata/mkdata)
runs=0
! sanitized || LIMITED=
LIMITED=${LIMITED-yes}

# Reading the symbols of the machine's kernel and programs would take longer than all else.
echo 'ffffffff81000000 T _text' >kallsyms
mkdir nothing

# tried COMMAND...: 0 where it was shown.
tried() {
	local status=0 elsewhere=(--kallsyms kallsyms --symfs nothing)
	case $1 in verify | diff) elsewhere=() ;; esac
	runs=$((runs + 1))
	(${LIMITED:+ulimit -v 1000000}; exec timeout -k 1 20 "$PREC" "$@" "${elsewhere[@]}" >out 2>err </dev/null) || status=$?
	case $status in
	0 | 2 | 3) return 0 ;;
	1 | 129) [ -s err ] || fail "prec $*: refused without a reason"; return 1 ;;
	esac
	fail "prec $*: status $status: $(tail -3 err)"
}
each() { tried "$@" || true; }	# shown or refused

# ---- recordings ----

cat >format <<'E2'
name: hit
ID: 7
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:char text[8];	offset:8;	size:8;	signed:1;

print fmt: "text=%s", REC->text
E2
made() {	# NAME: of the text on standard input
	{ echo 'feature arch=x86_64'; cat; } >"$1.txt"
	"$MKDATA" "$1.txt" "$1.data"
	recordings+=("$1.data")
}
recordings=()
made few <<'E2'
attr cycles type=hardware config=0 sample=IP,TID exclude_kernel
comm 7/7 "few"
mmap 7/7 0x400000+0x1000@0 "/nowhere/few"
sample 7/7 ip=0x400123 mode=user
sample 8/8 ip=0x7 mode=user
E2
made none <<'E2'
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU exclude_kernel
comm 7/7 "none" t=1
E2
# All that a sample can have, a group of two events, waits that switches tell of.
made all <<'E2'
attr cycles type=hardware config=0 sample=IDENTIFIER,IP,TID,TIME,ADDR,CPU,PERIOD,CALLCHAIN,BRANCH_STACK,REGS_USER,STACK_USER,WEIGHT_STRUCT,DATA_SRC,TRANSACTION,REGS_INTR,PHYS_ADDR,CGROUP,DATA_PAGE_SIZE,CODE_PAGE_SIZE uregs=0x101 iregs=0x101 period=1 exclude_kernel sample_id_all context_switch ids=1
attr sys:hit type=tracepoint config=7 sample=IDENTIFIER,IP,TID,TIME,CPU,PERIOD,RAW exclude_kernel sample_id_all ids=2
feature tracing=sys:format
feature nrcpus=2 sockets=0,1 hostname=made
comm 7/7 "all 7" exec t=1000
comm 8/8 "all 8" t=1000
mmap2 7/7 0x400000+0x10000@0 r-xp "/nowhere/all" dev=8:1 ino=7 t=1000
mmap2 8/8 0x400000+0x10000@0 r-xp "/nowhere/other" dev=8:1 ino=8 t=1000
cgroup 5 "/a/b" t=1001
repeat 20
switch in {i%2+7}/{i%2+7} t={i*1000+2000} cpu={i%2}
sample {i%2+7}/{i%2+7} t={i*1000+2100} cpu={i%2} ip={i*16+4194320} mode=user period={i+1} event=cycles addr={i*64+8192} data_src={i*4099+1746403650} weight={i*65537+8590000131} txn={i+1} phys=0xabc000 dpage=4096 cpage=4096 cgroup=5 chain=user,{i*16+4194320},0x400456 branch=0x400010:0x400020:{i%4},0x400030:0x400040:0x22 uregs=0x11,0x22 iregs=0x11,0x22
sample {i%2+7}/{i%2+7} t={i*1000+2200} cpu={i%2} ip=0x400123 mode=user period=1 event=sys:hit raw=0700000000000000686974{i%9+31}61626300
switch out {i%2+7}/{i%2+7} t={i*1000+2900} cpu={i%2}
end
E2
if (need_root; need_tracepoints) >/dev/null 2>&1 && "$PREC" record -q -N --off-cpu-args -o waits.data -- sh -c 'sleep 0.01 & wait; ls / | cat' >/dev/null 2>err
then
	recordings+=(waits.data)
else
	part_skipped "recorded waits: $(tail -1 err)"
fi
traces=()
(. "$SRC/tests/shell/lib/spe.sh"; lay random 2) >/dev/null && mv made.data spe.data && traces+=(spe.data)
if [ "$(uname -m)" = x86_64 ]; then
	(. "$SRC/tests/shell/lib/pt.sh"
	pt_traces t 1500 psb=300,cyc -- /bin/true
	pt_recording t 1 0xe601 -1 100 100000000) >/dev/null 2>&1 && traces+=(t.1.data)
fi
[ ${#traces[@]} -gt 0 ] || part_skipped "traces: none could be made"

# ---- the tables ----

words_after() { sed -n "s/.*$1//p" | tr ', ' '\n\n' | grep .; }
any_status "$PREC" report -i few.data -s '?' 2>err
mapfile -t keys < <(words_after 'known are: ' <err | sort -u)
keys+=(text)	# a tracepoint's
any_status "$PREC" script -i few.data -F '?' 2>err
mapfile -t fields < <(words_after 'known are ' <err)
"$PREC" export --format help >out
mapfile -t formats < <(awk '/^[a-z]/ { print $1 }' out)
any_status "$PREC" script --itrace='?' -i few.data 2>err
mapfile -t letters < <(sed -n 's/.*known are \(.*\)).*/\1/p' err | tr ' ' '\n')
for table in keys fields formats letters; do
	declare -n words=$table
	[ ${#words[@]} -gt 12 ] || fail "the table of $table is not read: ${words[*]}"
done

# lists STRIDE WORD...: the words in lists of six, each a stride apart: with strides of 1, 5, 11 most pairs that are near in the tables
# are in one list, and many others.
lists() {
	local stride=$1 i k all n
	shift
	all=("$@") n=$#
	for ((i = 0; i < n; i += 6)); do
		for ((k = i; k < i + 6; k++)); do
			printf '%s,' "${all[k * stride % n]}"
		done
		echo
	done
}

# ---- alone and in lists ----

# Each word is tried on one of the recordings, turn by turn, with --long on all of them.
turn=0
chosen() {
	turn=$((turn + 1))
	[ "${LONG:-}" ] && ! sanitized || { echo "${recordings[turn % ${#recordings[@]}]}"; return; }
	printf '%s\n' "${recordings[@]}"
}
good=()
for key in "${keys[@]}"; do
	turn=$((turn + 1))
	shown=
	for data in $(chosen); do
		if tried report --stdio -j1 -i "$data" -s "$key"; then shown=yes; fi
		each report --stdio -j2 -i "$data" -H -s "$key"
		each export -j1 -i "$data" --format jsonl --by "comm,$key" -o out.jsonl
		each export -j1 -i "$data" --format csv --columns "$key" -o out.csv
	done
	[ -z "$shown" ] || good+=("$key")
done
for data in $(chosen); do
	for stride in 1 5 11; do
		for list in $(lists $stride "${good[@]}"); do
			each report --stdio -j1 -i "$data" -F "$list"
			each report --stdio -j1 -i "$data" -H -s "$list"
			each export -j1 -i "$data" --format parquet --by "$list" -o out.parquet
			each export -j1 -i "$data" --format csv --columns "$list" -o out.csv
		done
	done
	for option in --group --mem-mode --branch-history --children --no-children -n --total-cycles --durations --wall --tasks --mmaps --stats; do
		each report --stdio -j1 -i "$data" "$option"
		each report --stdio -j1 -i "$data" "$option" -s "comm,time"
	done
done
for field in "${fields[@]}"; do
	turn=$((turn + 1))
	for data in $(chosen); do
		each script -j1 -i "$data" -F "$field"
		each script -j2 -i "$data" -F "+$field" --itrace=i100ibe
	done
done
for data in "${recordings[@]}"; do
	for list in $(lists 1 "${fields[@]}") $(lists 5 "${fields[@]}"); do
		each script -j1 -i "$data" -F "$list"
	done
	for format in "${formats[@]}"; do
		each export -j1 -i "$data" --format "$format" -o out.any
		each export -j2 -i "$data" --format "$format" --samples -o out.any
		each export -j1 -i "$data" --format "$format" --by time -o out.any
	done
	each annotate --stdio -i "$data"
	each diff --stdio "$data" all.data
	each summary --json -i "$data"
	each verify "$data"
done
for data in few.data "${traces[@]}"; do
	for letter in "${letters[@]}"; do
		each script -j1 -i "$data" --itrace="$letter"
		each script -j1 -i "$data" --itrace="i1000i$letter+o"
		each report --stdio -j1 -i "$data" --itrace="b$letter-e"
		! sanitized || continue
		for other in e d+o gl i10us; do
			each script -j1 -i "$data" --itrace="$letter$other"
		done
	done
	each script -j1 -i "$data" --itrace=d+o
	each script -j1 -i "$data" --itrace=d+e+o
done
[ $runs -gt 500 ] || fail "only $runs runs"
echo "$runs runs: ${#keys[@]} keys, ${#fields[@]} fields, ${#formats[@]} formats, ${#letters[@]} letters, ${#recordings[@]} recordings, ${#traces[@]} traces"
