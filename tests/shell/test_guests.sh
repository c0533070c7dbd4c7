#!/bin/bash
# Samples in the kernels of virtual machines have names from copies of their kallsyms, the same as perf's where perf has any.
. "$(dirname "$0")/lib/prec.sh"

cat >host <<'E2'
ffffffff81000000 T _text
ffffffff81000100 T host_one
ffffffff81000200 T host_two
ffffffff81000300 T _etext
E2
sed 's/host/guest/' host >guest
printf 'ffffffffc0000000 t mod_init\t[gmod]\nffffffffc0000100 t mod_work\t[gmod]\nffffffffc0000200 t mod_end\t[gmod]\n' >>guest
echo 'gmod 16384 0 - Live 0xffffffffc0000000 (E)' >modules
mkdir -p mount/500/proc mount/nonsense
cp guest mount/500/proc/kallsyms
cp modules mount/500/proc/modules

# made PID FILE [AT]: a recording whose guest has the maps of PID, in FILE its name; the kernel is at AT.
made() {
	cat >text <<-E2
	feature arch=x86_64 | nrcpus=1
	attr cycles type=hardware config=0 sample=IP,TID,TIME,CPU,CALLCHAIN,IDENTIFIER period=1 sample_id_all ids=1
	comm 500/500 "vmm" t=1
	mmap -1/-1 0xffffffff81000000+0x1000000@0xffffffff81000000 "[kernel.kallsyms]_text"
	mmap $1/$1 ${3-0xffffffff81000000}+0x1000000@${3-0xffffffff81000000} "[guest.kernel.kallsyms$2]_text" mode=guest_kernel
	mmap $1/$1 0xffffffffc0000000+0x4000@0 "[gmod]" mode=guest_kernel
	mmap2 500/500 0x400000+0x10000@0 r-xp "/no/such/program" dev=8:1 ino=7
	sample 500/500 t=10 ip=0xffffffff81000110 mode=guest_kernel cpu=0
	sample 500/500 t=11 ip=0xffffffff81000210 mode=guest_kernel cpu=0
	sample 500/500 t=12 ip=0xffffffffc0000110 mode=guest_kernel cpu=0
	sample 500/500 t=13 ip=0xffffffff81000110 mode=kernel cpu=0
	sample 500/500 t=14 ip=0x402310 mode=guest_user cpu=0
	sample 500/500 t=15 ip=0x402310 mode=user cpu=0
	sample 500/500 t=16 ip=0xffffffff81000210 mode=guest_kernel cpu=0 chain=guest_kernel,0xffffffff81000210,0xffffffff81000110
	E2
	"$(helper mkdata/mkdata)" text "in$2.data"
}
made 0 ''
made 500 .500

# names OPTIONS...: of the first six samples, by script.
names() { "$PREC" script -G --kallsyms host -F ip,sym,symoff,dso "$@" 2>err | head -6 | sed 's/^ *//'; }
named='ffffffff81000110 guest_one+0x10 ([guest.kernel.kallsyms])
ffffffff81000210 guest_two+0x10 ([guest.kernel.kallsyms])
ffffffffc0000110 mod_work+0x10 ([gmod])
ffffffff81000110 host_one+0x10 ([kernel.kallsyms])
402310 [unknown] ([unknown])
402310 [unknown] (/no/such/program)'

expect "without an option" "$(sed -E '1,3s/ .*/ [unknown] ([unknown])/' <<<"$named")" "$(names -i in.data)"
"$PREC" report -i in.data --kallsyms host --stdio 2>&1 | grep -q "'\[unknown\]' (run by a virtual machine: --guestkallsyms" ||
	fail "no word of --guestkallsyms"
expect "--guestkallsyms" "$named" "$(names -i in.data --guestkallsyms guest)"
expect "--guestmodules" "$named" "$(names -i in.data --guestkallsyms guest --guestmodules modules)"
expect "--guestmount" "${named//kallsyms])/kallsyms.500])}" \
	"$(names -i in.500.data --guestmount mount | sed 's/\[kernel.kallsyms\]/[kernel.kallsyms.500]/')"
expect "a chain" "guest_two guest_one" \
	"$("$PREC" script -i in.data --guestkallsyms guest -F ip,sym 2>/dev/null | tail -3 | awk 'NF { print $2 }' | xargs)"

# Without records of the guest's maps its addresses are those of the copies.
grep -v '^mmap 500' text | "$(helper mkdata/mkdata)" /dev/stdin bare.data
expect "no maps" "$named" "$(names -i bare.data --guestkallsyms guest --guestmodules modules)"
expect "no maps nor modules" "$(sed "3s/ .*/ */" <<<"$named")" \
	"$(names -i bare.data --guestkallsyms guest | sed 's/^ffffffffc.*/ffffffffc0000110 */')"

# A guest that was started again is elsewhere, by the symbol in its map's name.
sed 's/^ffffffff81/ffffffff91/' guest >moved
expect "moved" "${named/mod_work+0x10/[unknown]}" "$(names -i in.data --guestkallsyms moved)"

# Levels, by report; a guest's code that is its hypervisor's.
expect "levels" "[.] [g] [g] [g] [k] [u]" \
	"$("$PREC" report -i in.data --kallsyms host --guestkallsyms guest --no-children -g none --stdio 2>/dev/null |
		grep -o '\[[.gku]\]' | sort | xargs)"
expect "--guest-code" 2 "$(names -i in.data --guest-code | grep -c '402310 \[unknown\] (/no/such/program)')"

# Files that cannot be used are named.
sed 's/^f*8*[0-9a-f]*/0000000000000000/' guest >hidden
for file in hidden missing; do
	"$PREC" report -i in.data --guestkallsyms $file --stdio >out 2>err
	grep -q "cannot use '$file' as kallsyms \[unusable-kallsyms\]" err || fail "$file: $(cat err)"
done
"$PREC" report -i in.data --guestvmlinux modules --stdio >out 2>err
grep -q "'modules' cannot be used as vmlinux" err || fail "vmlinux: $(cat err)"

# A vmlinux: an ELF file with symbols.
if command -v gcc >/dev/null; then
	printf '.globl guest_one, guest_two\n.type guest_one,@function\n.type guest_two,@function\nguest_one: .zero 256\n.size guest_one,256\nguest_two: .zero 256\n.size guest_two,256\n' >vmlinux.s
	gcc -c -o vmlinux.o vmlinux.s && ld -Ttext=0xffffffff81000100 -e guest_one -o vmlinux vmlinux.o ||
		fail "gcc or ld"
	expect "--guestvmlinux" "$(head -2 <<<"$named")" "$(names -i in.data --guestvmlinux vmlinux | head -2)"
fi

need_newperf
# perf has names of kernels only, and where their maps were recorded.
expect "perf script" "$("$PREC_PERF" script -G --kallsyms host -F ip,sym,symoff,dso -i in.data --guestkallsyms guest 2>/dev/null |
	head -6 | sed 's/^ *//')" "${named/mod_work+0x10/[unknown]}"
"$PREC_PERF" kvm --guest --guestkallsyms=guest report -i in.data --stdio -g none --no-children 2>/dev/null |
	awk '/\[g\]/ { print $3, $4, $NF }' | grep -v gmod | sort >perf.rows
"$PREC" report -i in.data --kallsyms host --guestkallsyms guest --stdio -g none --no-children 2>/dev/null |
	awk '/\[g\]/ { print $3, $4, $NF }' | grep -v gmod | sort >prec.rows
[ -s perf.rows ] || fail "perf kvm report prints no row of a guest"
diff perf.rows prec.rows || fail "rows of report are not those of perf kvm report"
