#!/bin/bash
# Each finding is printed with its code, is in the manual, and is provoked by a test.
. "$(dirname "$0")/lib/prec.sh"
codes() { sed -nE 's/^\tROW\([A-Z_]+, "([a-z-]+)", ([A-Z]+),.*/\1/p' "$SRC/core/ui/finding_sentences.h"; }
[ "$(codes | wc -l)" -ge 50 ] || fail "found only $(codes | wc -l) codes"
bad=0
for code in $(codes); do
	grep -qE "expect_finding $code( |\$|;)|\\[$code\\\\*\\]" "$SRC"/tests/shell/test_*.sh || { echo "no test provokes $code"; bad=1; }
	grep -qx "\\.B ${code//-/\\\\-}" "$SRC/man/prec.1" || { echo "prec.1 does not describe $code"; bad=1; }
done
[ $bad = 0 ] || fail 'see above'

# What record finds comes back from the file: a test of each code that record has compares what record and readers say.
# Of chains test_chains_cut does, for all that counts them is one function; of CPUs the virtual machine's.
recorders() {
	grep -ohE 'FINDING_[A-Z_]+' "$SRC"/core/record/*/*.c "$SRC"/auxtrace/recording.c | sort -u |
		while read -r id; do sed -nE "s/^\tROW\(${id#FINDING_}, \"([a-z-]+)\".*/\1/p" "$SRC/core/ui/finding_sentences.h"; done
}
[ "$(recorders | wc -l)" -ge 18 ] || fail "found only $(recorders | wc -l) codes of record"
for code in $(recorders); do
	case $code in
	cpu-*)		pattern='says again';;
	stacks-shed)	pattern="verify' \"\$shed";;
	throttled | lost-*) pattern=expect_finding;;	# by its records
	*)		pattern='expect_kept ';;
	esac
	grep -lE "expect_finding $code( |\$|;)|\[$code\\\\*\]" "$SRC"/tests/shell/test_*.sh | xargs grep -q "$pattern" ||
		fail "no test compares what record and readers say of $code"
done

MKDATA=$(helper mkdata/mkdata)
attr='attr ev type=software config=0 sample=IP,TID,TIME,IDENTIFIER sample_id_all ids=1'
samples() { for t in $(seq 10 19); do echo "sample 7/7 t=$t ip=0x100 mode=user"; done; }
# read_it STATUS COMMAND...: what standard input describes, read by the command; its messages go to err.
read_it() {
	cat >text
	"$MKDATA" text data
	expect_status "$1" "$PREC" "${@:2}" -i data >out 2>err
}
made() { printf '%s\n' "$attr" 'comm 7/7 "seven" t=1' "$@" "$(samples)"; }

# ---- what is not whole ----

{ made; echo unfinished; } | read_it 2 report
expect_finding unfinished err "'data' was never finished: [0-9]* bytes"
{ made; echo 'cut -400'; } | read_it 2 report
size=$(stat -c %s data)
expect_finding cut-record err
{ made; echo "cut $((size - 8))"; } | read_it 2 script
expect_finding cut-file err "'data' is cut: [0-9]* of [0-9]* bytes"
made 'raw type=3 misc=0 0700000007000000' | read_it 2 report
expect_finding damaged-records err '1 damaged record was left out, the first at offset 0x[0-9a-f]*'
made 'feature hostname=here' | read_it 0 report
{ made 'feature hostname=here'; echo 'cut -4'; } | read_it 2 report
expect_finding damaged-header err "'data': .* is beyond the end of the file"
{ echo 'attr other type=software config=1 sample=IP,TID,TIME,IDENTIFIER ids=2'; made 'sample 7/7 t=5 ip=0x100 mode=user id=99'; } |
	read_it 2 script
expect_finding no-event err '1 sample of no known event was left out'
made 'raw type=200 misc=0 0102030405060708' | read_it 0 script
expect_finding unknown-records err '1 record of types unknown'
made 'lost id=1 n=3 t=20' | read_it 0 report
expect_finding lost-records err '3 records were lost'
made "raw type=70 misc=0 $(printf '%016d' 63)0000000000000000" | read_it 0 script
expect_finding unknown-trace err

# ---- what is more than a number holds ----

huge() {
	printf '%s\n' 'attr ev type=software config=0 sample=IP,TID,TIME,PERIOD,IDENTIFIER sample_id_all ids=1' 'comm 7/7 "seven" t=1'
	for t in 10 11 12; do echo "sample 7/7 t=$t ip=0x$t mode=user period=0x${1}000000000000000"; done
}
huge 5 | read_it 0 report -F period,sample -s pid	# three times 5 is 15, and 6 is more than 16 of them
! grep period-overflow err || fail "sums that fit are said not to"
huge 6 | read_it 0 report --no-children -F period,sample -s pid -t ';'
expect_finding period-overflow err "the periods of ev"
grep -q '18446744073709551615;3' out || fail "the sum does not stand still: $(cat out)"
for jobs in 1 2; do
	huge 6 | read_it 0 report -q --no-children -F period -s sym -j $jobs -t ';'
	[ "$(grep -c 6917529027641081856 out)" = 3 ] || fail "rows that fit are not right: $(cat out)"
done
huge 6 | read_it 0 export -o out.folded
expect_finding period-overflow err "the periods of ev"
huge 6 | read_it 0 summary
grep -q 'period-overflow' out || fail "the summary does not say that periods are too many: $(cat out)"
huge 6 | read_it 0 report --stdio -s sym -F period,overhead_guest_us
! grep -E -- '-[0-9]' out || fail "a sum has wrapped round: $(cat out)"
if command -v go >/dev/null; then
	huge 6 | read_it 0 export -o out.pb.gz
	! go tool pprof -raw out.pb.gz 2>/dev/null | grep -E '^ .* -[0-9]' || fail "a sum is below 0 for pprof"
else
	part_skipped "sums for pprof: no go"
fi

# ---- what comes down a pipe ----

rounds() { for t in 30 40 50; do printf '%s\n' "sample 7/7 t=$t ip=0x100 mode=user" round; done; }
# live LINE [PREFIX...]: a stream whose last line comes when others have been printed.
live() {
	{ echo stream; made; rounds; } >text
	"$MKDATA" text early
	echo "$1" >>text
	"$MKDATA" text data
	mkfifo pipe
	"${@:2}" "$PREC" script -i pipe >out 2>err & script=$!
	exec 5>pipe
	cat early >&5
	await 60 test -s out
	(trap '' PIPE && tail -c +$(($(stat -c %s early) + 1)) data >&5) 2>/dev/null || true
	exec 5>&-
	status=0
	wait $script || status=$?
	rm pipe
}
live 'raw type=70 misc=0 00000000000000000000000000000000'
expect_finding late-headers err '1 record that says how to read others came too late'
expect 'headers that are late' 2 $status
live 'sample 7/7 t=20 ip=0x100 mode=user'
expect_finding disordered err '1 record came later than the rounds of the recorder promise'
expect 'records that are late' 0 $status
if command -v strace >/dev/null; then
	# The reads before the one that fails got what has been printed.
	live 'comm 7/7 "last" t=60' strace -o reads -P "$PWD/pipe" -e trace=read
	good=$(awk '/= [1-9]/' reads | wc -l)
	live 'comm 7/7 "last" t=60' strace -o reads -P "$PWD/pipe" -e trace=read -e inject=read:error=EIO:when="$good"+
	expect_finding read-failed err "cannot read 'pipe' further: Input/output error"
	expect 'what could not be read' 2 $status
fi

# ---- names ----

made | read_it 0 report
expect_finding no-symbol err '10 of 10 samples have no symbol'
printf '%s\n' "$attr" 'comm 7/7 "seven" t=1' | read_it 0 report
expect_finding no-samples err "'data' has no samples"
made | read_it 0 report --time 1,2
expect_finding no-samples-left err
kernel='mmap -1/0 0xffffffff81000000+0x1000000@0xffffffff81000000 "[kernel.kallsyms]_text" t=0'
sample='sample 7/7 t=30 ip=0xffffffff81000010 mode=kernel'
printf '%016d T _text\n%016d T other\n' 0 0 >hidden
made "$kernel" "$sample" | read_it 0 report --kallsyms hidden
expect_finding kernel-hidden err "'hidden' hides addresses"
made "$kernel" "$sample" | read_it 0 report --kallsyms nothing
expect_finding unusable-kallsyms err "'nothing' as kallsyms"
made "$kernel" "$sample" | read_it 0 report --vmlinux text
expect_finding unusable-vmlinux err "'text' cannot be used as vmlinux"
echo 'attr ev type=software config=0 sample=IP,TID,TIME,BRANCH_STACK ids=1
sample 7/7 t=3 ip=0x100 mode=user branch=0x10:0x20:0' | read_it 0 report
expect_finding no-target-symbol err
echo 'attr ev type=software config=0 sample=IP,TID,TIME,CALLCHAIN ids=1
sample 7/7 t=3 ip=0x100 mode=user
sample 7/7 t=4 ip=0x100 mode=user chain=user,0x100,0x200' | read_it 0 report -g
expect_finding no-chain err '1 of 2 samples has no call chain'

# ---- stacks ----

NEST=$(workload nest)
main=$(readelf -sW "$NEST" | awk '$8 == "main" { print "0x" $2; exit }')
# stacks FILE RETURN: a sample at the beginning of a function of FILE, on whose stack RETURN is.
stacks() {
	local word=''
	for i in 56 48 40 32 24 16 8 0; do
		word+=$(printf %02x $(($2 >> (56 - i) & 255)))
	done
	echo 'feature arch=x86_64'
	echo 'attr ev type=software config=0 sample=IP,TID,TIME,CALLCHAIN,REGS_USER,STACK_USER uregs=0x1c0 stack=1024 exclude_callchain_user ids=1'
	echo "mmap2 7/7 0x10000000+0x10000@0 r-xp \"$1\" $(build_id_of "$1" 2>/dev/null) t=1"
	echo "sample 7/7 t=2 ip=$((0x10000000 + main)) mode=user uregs=0x100000000,0x7fff00000000,$((0x10000000 + main))" \
		"stack=$word$(printf '%02032d' 0)"
}
case $(uname -m) in
x86_64)	stacks "$NEST" 0x1234 | read_it 0 script
	expect_finding chains-misfit err '1 of 1 call chains'
	stacks /nowhere/program 0x1234 | read_it 0 script
	expect_finding chains-without-tables err '/nowhere/program';;
esac

# ---- no sentence reaches a terminal raw ----

made "mmap 7/7 0x100+0x1000@0 \"/$(printf '\033')[31m/x\" t=2" | read_it 0 report
expect_finding no-symbol err "in '/.x1b.31m/x'"
! grep -q "$(printf '\033')" err || fail 'an escape sequence of the file is printed'

# ---- while recording ----

need_events
# Maps that are made while the recorder is stopped: more than a ring of a page holds.
cat >command <<END
echo \$\$ >pid
until [ -e go ]; do sleep 0.02; done
exec $(workload maps) 2000
END
exec "$PREC" record -m 1 -e cpu-clock -F 10 -o data sh command >ready 2>err & prec=$!
await 60 test -s pid
kill -STOP $prec
touch go
await 60 test -s ready
kill "$(cat pid)"
kill -CONT $prec
ended $prec
expect_finding lost-side-band err '[0-9]+ records? of maps, names or tasks'
# Of samples none was lost, so that the remedy is a finding by itself.
expect_finding loss-remedy err
expect_kept data err
