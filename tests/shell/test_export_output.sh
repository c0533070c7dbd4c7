#!/bin/bash
# The output of export is complete or absent, and each failure is reported.
. "$(dirname "$0")/lib/prec.sh"

cat >in.txt <<'IN'
attr cycles type=hardware config=0 sample=IP,TID,TIME,PERIOD sample_id_all=1
feature arch=x86_64
comm 7/7 "demo"
mmap2 7/7 0x10000+0x10000@0 r-xp "/no/such/prog"
sample 7/7 t=1 ip=0x10003 mode=user period=60
IN
"$(helper mkdata/mkdata)" in.txt in.data
want='demo;[prog] 60'
export_in() { "$PREC" export -i in.data "$@" 2>err; }

export_in -o a.folded
expect "format by suffix" "$want" "$(cat a.folded)"
expect "standard output" "$want" "$(export_in --format=folded)"
expect "standard output by name" "$want" "$(export_in --format=folded -o -)"
expect "a format for any name" "$want" "$(export_in --format=folded -o x.y; cat x.y)"
expect "from a pipe" "$want" "$(cat in.data | "$PREC" export --format=folded 2>err)"
mkfifo fifo
export_in --format=folded -o fifo &
expect "into a pipe with a name" "$want" "$(cat fifo)"
wait $!
ln -s a.folded link.folded
echo old >a.folded
export_in -o link.folded
expect "what a link leads to" old "$(cat a.folded)"
[ ! -L link.folded ] || fail "the link was not replaced"
expect "in the place of a link" "$want" "$(cat link.folded)"
expect "standard output by its name" "before $want" "$({ printf 'before '; export_in --format=folded -o /dev/stdout; } | cat)"
{ printf 'before '; export_in --format=folded -o /dev/stdout; } >stdout
expect "standard output by its name, a file" "before $want" "$(cat stdout)"

# fails STATUS MESSAGE OPTIONS...: and leaves neither a file nor a piece of one.
fails() {
	local status=$1 message=$2
	shift 2
	mkdir empty
	(cd empty && expect_status "$status" "$PREC" export -q -i ../in.data "$@" 2>../err)
	grep -q -e "$message" err || fail "$*: want '$message', got '$(cat err)'"
	expect "$*: one message" 1 "$(wc -l <err)"
	rmdir empty
}
fails 129 'does not say which format' -o out.xyz
fails 129 'folded (.folded)' -o out
fails 129 'nothing says what to write'
fails 129 "no format 'none'" --format=none
fails 1 "'/no/such/dir/out.folded': No such file" -o /no/such/dir/out.folded
fails 1 'is a directory' --format=folded -o /
fails 1 "'/dev/full': No space left" --format=folded -o /dev/full
for format in parquet jsonl html; do
	fails 1 "'/no/such/dir/out.$format': No such file" -o /no/such/dir/out.$format
	fails 1 "'/dev/full': No space left" --format=$format -o /dev/full
done
expect_status 1 "$PREC" export -i in.data --format=folded >/dev/full 2>err
grep -q 'standard output: No space left' err || fail "full disk: $(cat err)"

# A full disk under a file that is there: it stays as it was.
if [ "$(id -u)" = 0 ] && mkdir disk && mount -t tmpfs -o size=16k none disk 2>/dev/null; then
	echo old >disk/out.folded
	awk 'NR < 5 { print } END { for (i = 0; i < 4000; i++) printf "sample 7/7 t=%d ip=0x%x mode=user period=1\n", i + 1, 65536 + i }' \
		in.txt >many.txt
	sed -i 's/demo/a_long_name_/' many.txt
	for i in $(seq 200); do printf 'comm %d/%d "thread %d"\nsample %d/%d t=9 ip=0x1 mode=user period=5\n' "$i" "$i" "$i" "$i" "$i"; done >>many.txt
	"$(helper mkdata/mkdata)" many.txt many.data
	dd if=/dev/zero of=disk/fill bs=1k 2>/dev/null || true
	expect_status 1 "$PREC" export -i many.data -o disk/out.folded 2>err
	expect "what was there" old "$(cat disk/out.folded)"
	expect "files" "fill out.folded" "$(echo $(ls disk))"
	grep -q "disk/out.folded': No space left" err || fail "full disk: $(cat err)"
	umount disk
fi

# A pipe whose reader has gone.
mkfifo gone
exec 8<>gone 9>gone 8>&-
for format in folded parquet; do
	expect_status 1 "$PREC" export -i in.data --format=$format >&9 2>err
	grep -q 'standard output: Broken pipe' err || fail "closed pipe: $(cat err)"
done

# ---- the list of formats ----

expect 'formats that --format=help lists' "$(any_status "$PREC" export --format='?' 2>&1 | grep -oE '[a-z]+ \(\.' | sed 's/ .*//' | xargs)" \
	"$("$PREC" export --format=help | awk '{ print $1 }' | xargs)"
