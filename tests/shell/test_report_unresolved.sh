#!/bin/bash
# Each reason for addresses without a name is told, with what helps: in the finding, and by report --unresolved.
. "$(dirname "$0")/lib/prec.sh"
need cc
echo 'static int one(int x) { return x + 1; } int main(int n, char **v) { (void)v; return one(n) - 1; }' >prog.c
cc -O0 -Wl,--build-id -o prog prog.c
id=$(build_id_of prog)

# reason WANT HELP LINE...: a recording in which a sample at 0x100010 has no name for that reason.
reason() {
	local want=$1 help=$2
	shift 2
	{
		echo 'attr cpu-clock type=software config=0 sample=IP,TID,TIME sample_id_all ids=1'
		echo "feature arch=$(uname -m)"
		echo 'comm 7/7 "prog" t=1'
		printf '%s\n' "$@"
	} >in.txt
	"$(helper mkdata/mkdata)" in.txt in.data
	chmod 644 in.data
	"${AS[@]}" "$PREC" report -i in.data --unresolved ${MORE:-} >out 2>err
	grep -q "1 of 1 samples have no symbol" out || fail "$want: $(cat out)"
	grep -qE -- "^ +$want" out || fail "want the reason '$want': $(cat out)"
	grep -qE -- "^ +-> .*$help" out || fail "$want: want the help '$help': $(cat out)"
	"${AS[@]}" "$PREC" report -i in.data --stdio ${MORE:-} >out 2>err
	expect_finding no-symbol err "${want%$}.*$help"
}
AS=()
user() { echo "mmap2 7/7 0x100000+0x100000@0 r-xp \"$PWD/$1\" t=2 ${2:-}"; }
sample='sample 7/7 t=3 ip=0x100010 mode=user'

strip -o stripped prog
reason 'stripped: only what it exports' 'debug symbols' "$(user stripped "$id")" "$sample"
cc -O0 -static -nostdlib -Wl,--build-id,-e,main -o static prog.c
static_id=$(build_id_of static)
strip static
reason 'stripped$' 'debug symbols' "$(user static "$static_id")" "$sample"
reason 'none of its functions is there' 'without a symbol' "$(user prog "$id")" "$sample"
reason 'not here' '--symfs' "$(user nowhere "$id")" "$sample"
reason 'deleted while it ran' 'without -N' "$(user 'gone (deleted)' "$id")" "$sample"
reason 'changed since: its build id is [0-9a-f]*..., 0102' '--symfs' \
	"$(user prog buildid=0102030405060708090a0b0c0d0e0f1011121314)" "$sample"
reason 'not known to be the recorded file: its segments' '--symfs' "$(user prog)" "$sample"
echo text >text
reason 'no ELF file' 'knows its names' "$(user text "$id")" "$sample"
reason "no '/tmp/perf-7.map'" 'perf-basic-prof' 'mmap2 7/7 0x100000+0x100000@0 r-xp "//anon" t=2' "$sample"
# The file that is not there is no place of samples.
expect_finding no-symbol err "symbol: 1 in code made at run time by process 7 \\(no '/tmp/perf-7.map': "
"$PREC" report -i in.data --unresolved >out 2>err
grep -q '^ *1 100.00%  code made at run time by process 7$' out || fail "the place: $(<out)"
mkdir -p fs/tmp
echo '200000 10 made' >fs/tmp/perf-7.map
MORE='--symfs fs' reason "'/tmp/perf-7.map' does not list it" 'write again' \
	'mmap2 7/7 0x100000+0x100000@0 r-xp "//anon" t=2' "$sample"
reason 'memory without a file' 'nothing tells' 'mmap2 7/7 0x100000+0x100000@0 rw-p "[heap]" t=2' "$sample"
kernel='mmap -1/0 0xffffffff81000000+0x10000@0xffffffff81000000 "[kernel.kallsyms]_text" t=0'
printf '0000000000000000 T %s\n' _text start_kernel >kallsyms
MORE='--kallsyms kallsyms' reason 'its addresses are hidden.* .kernel.[a-z_]* is [0-9]' 'sysctl kernel.' \
	"$kernel" 'sample 7/7 t=3 ip=0xffffffff81000010 mode=kernel'
# knobs KPTR_RESTRICT PARANOID WHY HELP: what is said where these are set; a mount namespace of its own shows other values.
knobs() {
	echo "$1" >kptr_restrict
	echo "$2" >perf_event_paranoid
	unshare -m sh -c 'for f in kptr_restrict perf_event_paranoid; do mount --bind $f /proc/sys/kernel/$f || exit 9; done; exec "$@"' \
		sh "$PREC" report -i hidden.data --kallsyms kallsyms --unresolved >knobs.out 2>err
	grep -F -- "hidden$3" knobs.out >/dev/null && grep -F -- "$4" knobs.out >/dev/null || fail "knobs $1 $2: $(<knobs.out)"
}
cp in.data hidden.data
if [ "$(id -u)" = 0 ] && unshare -m mount --bind kallsyms /proc/sys/kernel/kptr_restrict 2>/dev/null; then
	knobs 2 4 ' (kernel.kptr_restrict is 2)' 'to root 1 does'
	knobs 1 4 ' from users (kernel.kptr_restrict is 1)' 'as root (CAP_SYSLOG), or sysctl kernel.kptr_restrict=0'
	knobs 0 2 ' from users (kernel.perf_event_paranoid is 2)' 'sysctl kernel.perf_event_paranoid=1'
else
	part_skipped "the knobs of the kernel: no mount namespace"
fi
reason 'no kallsyms or vmlinux of that kernel is here' '--kallsyms' \
	"$kernel" 'sample 7/7 t=3 ip=0xffffffff81000010 mode=kernel'
reason "no kallsyms of that kernel, nor the module's file" '--symfs' \
	'mmap -1/0 0xffffffffc0000000+0x10000@0 "/lib/modules/x/mod.ko" t=0' 'sample 7/7 t=3 ip=0xffffffffc0000010 mode=kernel'
reason 'it is of another kernel' 'on the machine' 'mmap2 7/7 0x100000+0x1000@0 r-xp "[vdso]" t=2' "$sample"
reason 'outside of all that was mapped' 'record of the map was lost' "$(user prog "$id")" 'sample 7/7 t=3 ip=0x900000 mode=user'
reason 'nothing tells what the process had mapped' 'proc/PID/maps' "$sample"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	open=$(mktemp -d /tmp/prec.XXXXXX)	# where others may look
	at_end "rm -rf $open"
	chmod 755 "$open"
	cp prog "$open/secret"
	cd "$open"
	chmod 0600 secret
	AS=(env HOME=/nowhere setpriv --reuid=65534 --regid=65534 --clear-groups)
	if "${AS[@]}" test -x "$PREC" && "${AS[@]}" test -r "$open"; then
		reason 'not readable: its owner is root, its mode 0600' 'as its owner or root' "$(user secret "$id")" "$sample"
	else
		part_skipped "an unreadable file: the program is not readable for others"
	fi
else
	part_skipped "an unreadable file: not root, or no setpriv"
fi

# Where addresses of the kernel were hidden, a module said to be everywhere is nowhere, and the upper half is the kernel's.
cat >hidden.txt <<'E2'
attr cycles type=hardware config=0 sample=IP,TID,TIME,PERIOD sample_id_all ids=1
feature arch=x86_64
mmap -1/0 0+0@0 "[kernel.kallsyms]_text" mode=kernel t=1
mmap -1/0 0+0@0 "/lib/modules/3.13.0/kernel/net/nf_nat.ko" mode=kernel t=1
mmap -1/0 0+0xffffffffffffffff@0 "/lib/modules/3.13.0/kernel/drivers/ata/pata_acpi.ko" mode=kernel t=1
mmap -1/0 0xffffffffc0000000+0x1000@0 "/lib/modules/3.13.0/kernel/net/seen.ko" mode=kernel t=1
comm 100/100 "demo" t=2
sample 100/100 t=3 ip=0xffffffff8172cb32 mode=kernel
sample 100/100 t=4 ip=0xffffffffc0000010 mode=kernel
E2
"$(helper mkdata/mkdata)" hidden.txt hidden.data
expect "the kernel's samples" "([kernel.kallsyms]) ([seen])" "$("$PREC" script -F ip,sym,dso -i hidden.data 2>err | awk '{ print $NF }' | paste -sd ' ')"

# Where functions without a name are left out, broken chains are still those of their file.
cat >in.txt <<E
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CALLCHAIN sample_id_all ids=1
feature arch=$(uname -m)
comm 7/7 "prog" t=1
$(user nowhere "$id")
sample 7/7 t=3 ip=0x100010 chain=user,0x100010,0x900000
E
"$(helper mkdata/mkdata)" in.txt in.data
for option in --children -U; do
	"$PREC" report -i in.data --stdio $option >out 2>err
	expect_finding chains-broken err '1 of 1 call chains of nowhere leave'
done
