#!/bin/bash
# The kernel's names are kept once a boot, and name a recording where its kernel does not run any more, for perf, too.
. "$(dirname "$0")/lib/prec.sh"
need_root
need_events all
awk '$1 != "0000000000000000" { n++ } n > 9 { exit } END { exit n < 9 }' /proc/kallsyms || skip 'the kernel hides its addresses'
unshare -m true 2>/dev/null || skip 'no mount namespaces'
export HOME=$PWD/home
mkdir home

"$PREC" record -q -e cpu-clock:k -c 100000 -o data dd if=/dev/zero of=/dev/null bs=1 count=100000 status=none
id=$(od -An -v -tx1 /sys/kernel/notes | tr -d ' \n' | sed -E 's/.*040000001400000003000000474e5500(.{40}).*/\1/')
kept="home/.debug/[kernel.kallsyms]/$id/kallsyms"
[ -f "$kept" ] || { find home; fail 'no kallsyms'; }
# Programs of BPF come and go.
grep -v '\[' /proc/kallsyms >now
grep -v '\[' "$kept" >then
expect_same "the kernel's names" now then
expect 'a link by build id' "../../[kernel.kallsyms]/$id" "$(readlink "home/.debug/.build-id/${id:0:2}/${id:2}")"
find home/.debug/\[vdso\] -name vdso -size +0 | grep -q . || fail 'no vdso'

# Here the kernel has no names.
: >none	# nothing is mounted over /proc elsewhere
nameless() {
	unshare -m sh -c 'mount --bind none /proc/kallsyms && exec "$@"' nameless "$@"
}
"$PREC" script -i data -F ip,sym >named 2>err
[ "$(grep -c '[a-z]' named)" -gt 10 ] || fail 'no samples'
nameless "$PREC" script -i data -F ip,sym >again 2>err || { cat err; fail 'script'; }
expect_same 'names' named again
mv home away
nameless "$PREC" script -i data -F ip,sym >again 2>err || true
[ "$(grep -c '\[unknown\]' again)" -gt 10 ] || fail 'they are named by something else'
mv away home

# In this boot it is read in place of the kernel's own text, which takes long to print; not if it is cut, of before, or another's.
with() {	# NAME: how often samples are named so
	"$PREC" script -i data -F ip,sym 2>err | grep -c " $1\$" || true
}
name=$(sed -n 's/^ *[0-9a-f]* //p' named | grep -v '\[unknown\]' | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')
times=$(with "$name")
cp "$kept" whole
sed "s/ $name\$/ kept_name/" whole >"$kept"
expect 'the copy is read' "$times 0" "$(with kept_name) $(with "$name")"
touch -d '2020-01-01' "$kept"
expect 'one of another boot' "0 $times" "$(with kept_name) $(with "$name")"
touch "$kept"
chown 65534 home/.debug
expect "another user's" "0 $times" "$(with kept_name) $(with "$name")"
chown 0 home/.debug
grep -B99999 ' _stext$' whole | sed "s/ $name\$/ kept_name/" >"$kept"
expect 'one that is cut' "0 $times" "$(with kept_name) $(with "$name")"
echo nonsense >"$kept"
expect 'nonsense' "0 $times" "$(with kept_name) $(with "$name")"
{ cat whole; printf 'ffffffffc0000000 t somewhere\t[such_a_module]\n'; } >"$kept"
printf 'other_module 4096 0 - Live 0xffffffffc1000000\n' >modules
if [ -e /proc/modules ]; then
	sed -i "s/ $name\$/ kept_name/" "$kept"
	expect 'before a module came' "0 $times" "$(
		unshare -m sh -c 'mount --bind modules /proc/modules && exec "$@"' with "$PREC" script -i data -F ip,sym 2>err |
		awk -v name="$name" '$2 == "kept_name" { kept++ } $2 == name { n++ } END { print kept + 0, n + 0 }')"
fi

# Once a boot: a file of before is written anew, one of this boot stays as it is.
echo old >"$kept.old" && mv "$kept.old" "$kept" && touch -d '2020-01-01' "$kept"
"$PREC" record -q -e cpu-clock:k -o data true
[ "$(wc -l <"$kept")" -gt 1000 ] || fail 'an old one stays'
echo new >"$kept"
"$PREC" record -q -e cpu-clock:k -o data true
expect 'one of this boot' new "$(<"$kept")"
rm -r home/.debug
"$PREC" record -q -N -e cpu-clock:k -o data true
[ ! -e home/.debug ] || fail 'kept in spite of -N'
