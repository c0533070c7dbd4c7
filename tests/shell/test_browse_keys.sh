#!/bin/bash
# Any keys, and any sizes of the terminal between them, leave the browser alive, and the terminal as it was when it ends.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/browse.sh"
need_browser

"$(helper mkdata/mkdata)" "$(browse_recording)" in.data
export LC_ALL=C.UTF-8
for seed in 1 2 3; do
	"$(workload typist)" 80x24 random $seed $((${LONG:-0} ? 3000 : 1000)) "$PREC" report -i in.data >out || fail "seed $seed: $(cat out)"
	rm -f prec.hist.*
done
# Keys also while it is read.
"$(workload typist)" 200x60 random 4 300 "$PREC" report -j 1 -i in.data >out || fail "seed 4: $(cat out)"
rm -f prec.hist.*

# Every view, filter and prompt, in order: nothing is read that is not there, and nothing is left.
SCRIPT='\d\d+\deECro\d+obr\d+qb+qaqS+EC\dqgr\x\d\r\bq/te\r\bcEr\d+CqTv\x\x\x\rp\d\rf\td\bs\btkktLl\b1\rL0\rFVHw/a\rnqi\xqhqy\rPm\emq\e'
[ ${#SCRIPT} -ge 60 ]
typed() {
	"$(workload typist)" 120x40 keys 'functions 1/' "$SCRIPT" "$@" report -i in.data >out || fail "the script of keys: $(cat out valgrind.log)"
	rm -f prec.hist.*
}
: >valgrind.log
typed "$PREC"

! command -v valgrind >/dev/null || sanitized && { part_skipped "the browser under valgrind: no valgrind, or another sanitizer"; exit 0; }
"$(workload typist)" 80x24 random 5 200 "$(command -v valgrind)" -q --error-exitcode=9 --log-file=valgrind.log "$PREC" report -i in.data \
	>out || fail "valgrind: $(cat out valgrind.log)"
! grep -E 'Invalid|uninitialised' valgrind.log >found || fail "valgrind: $(cat found)"
typed "$(command -v valgrind)" -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite,indirect \
	--show-leak-kinds=definite,indirect --log-file=valgrind.log "$PREC"
expect "valgrind of the script" "" "$(<valgrind.log)"
