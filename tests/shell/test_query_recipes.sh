#!/bin/bash
# The queries that come with prec are installed as files, which give the same results as their names.
. "$(dirname "$0")/lib/prec.sh"

"$PREC" query -l >list
mkdir -p root/bin root/share/prec/queries
cp "$PREC" root/bin/prec
while read -r name sentence; do
	"$PREC" query -l "@$name" >"root/share/prec/queries/$name.sql" || fail "no text of @$name"
	expect "the first line of $name.sql" "-- $name: $sentence" "$(head -1 "root/share/prec/queries/$name.sql")"
done <list
root/bin/prec query -l >listed
expect "where they are" "As files: $PWD/root/share/prec/queries" "$(tail -1 listed)"
expect_same "the list" list <(head -n -2 listed)
expect_status 1 "$PREC" query -l @nothing 2>err
grep -q "no query '@nothing'" err || fail "an unknown name: $(<err)"

cat >in.txt <<'X'
attr cpu-clock sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER read=ID sample_id_all mmap comm task mmap2
comm 100/100 "p" exec t=1000
ksymbol 0xffffffffc0000000+0x100 "one" type=1 t=1
repeat 30
  sample 100/100 t={2000+i} ip=0xffffffffc0000010 mode=kernel cpu=0 period=1000
end
X
"$(helper mkdata/mkdata)" in.txt in.data
"$PREC" query -i in.data 'SELECT 1' >/dev/null 2>err || { grep -q 'without SQLite' err && skip "built without SQLite"; fail "$(<err)"; }
for name in top top-by-thread by-second top-by-second stackcollapse callers processes; do
	"$PREC" query -q -i in.data "@$name" >by_name
	"$PREC" query -q -i in.data -f "root/share/prec/queries/$name.sql" >by_file
	[ -s by_name ] || fail "@$name has no result"
	expect_same "$name.sql" by_name by_file
done

# make install writes the same files.
[ -e "$SRC/Makefile" ] && [ -x "${BUILD:-}/prec" ] || exit 0
unset MAKEFLAGS MAKELEVEL MAKEOVERRIDES
make -C "$SRC" -n install DESTDIR="$PWD/to" B="$BUILD" 2>/dev/null | sed -n '/^for name in /,/done$/p' >install.sh
grep -q 'share/prec/queries' install.sh || fail "make install writes no queries"
mkdir -p to/usr/local/share/prec/queries
(cd "$SRC" && sh "$OLDPWD/install.sh")
diff -r to/usr/local/share/prec/queries root/share/prec/queries >&2 || fail "make install writes other queries"
