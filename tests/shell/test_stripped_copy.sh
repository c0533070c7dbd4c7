#!/bin/bash
# A program was stripped when it was recorded, and record kept it so: the file with symbols is used where the user says it is.
. "$(dirname "$0")/lib/prec.sh"
need cc
need strip
cat >prog.c <<'E'
static volatile int n;
__attribute__((noinline)) void wombat(void) { n++; }
int main(void) { for (int i = 0; i < 30000000; i++) wombat(); return 0; }
E
mkdir -p run full/"$PWD"/run
cc -O1 -Wl,--build-id -o full/"$PWD"/run/prog prog.c
strip -o run/prog full/"$PWD"/run/prog
"$PREC" record -q -o data -e cpu-clock:u ./run/prog 2>err || fail "$(cat err)"
names() { "$PREC" report -i data --stdio -s sym "$@" 2>/dev/null | grep -c wombat; }
expect "names in the stripped copy" 0 "$(names)"
expect "names below --symfs" 1 "$(names --symfs full)"
expect "names below a --symfs without the file" 0 "$(names --symfs empty)"
"$PREC" buildid-cache -a full/"$PWD"/run/prog 2>err || fail "$(cat err)"
expect "names in the copy that was added" 1 "$(names)"
expect "copies of the program" 1 "$("$PREC" buildid-cache -l 2>/dev/null | grep -c /prog)"
"$PREC" buildid-cache -a full/"$PWD"/run/prog 2>err || fail "a second time: $(cat err)"
expect "names in the copy that was added twice" 1 "$(names)"
