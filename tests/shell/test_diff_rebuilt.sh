#!/bin/bash
# After a rebuild functions are matched, and that is said: f inlined, g renamed, h cloned, the file of another name.
. "$(dirname "$0")/lib/prec.sh"
need jq
need gcc
need_events

# A and B differ by macros alone; clones have the names that gcc gives them.
cat >prog.c <<'IN'
#include <stdint.h>
static volatile uint64_t sink;
#define LOOP(n) do { uint64_t x = n; for (long i = 0; i < 60000000; i++) x = x * 6364136223846793005u + n; sink = x; } while (0)
#define APART __attribute__((noinline, noclone))
#ifdef B
#define INLINE static inline __attribute__((always_inline))
#define G g_of_another_name
#else
#define INLINE static APART
#define G g
#endif
INLINE void f(void) { LOOP(1); }
static APART void below(void) { LOOP(2); }
APART void G(void) { LOOP(3); below(); LOOP(4); }
#ifdef B
APART void h_cold(void) __asm__("h.cold");
APART void h_part(void) __asm__("h.part.0");
APART void h_constprop(void) __asm__("h.constprop.0");
void h_cold(void) { LOOP(5); }
void h_part(void) { LOOP(6); }
void h_constprop(void) { LOOP(7); h_part(); h_cold(); }
#define h h_constprop
#else
APART void h(void) { LOOP(5); LOOP(6); LOOP(7); }
#endif
APART void same(void) { LOOP(8); }
int main(void) { f(); G(); h(); same(); return 0; }
IN
gcc -g -O2 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o prog_old prog.c
gcc -g -O2 -fno-omit-frame-pointer -fno-optimize-sibling-calls -DB -o prog_new prog.c
for v in old new; do
	"$PREC" record -q -g -e cpu-clock:u -F 2000 -o $v.data ./prog_$v 2>err || fail "cannot record: $(cat err)"
done
"$PREC" diff -q --json old.data new.data >diff.json
notes() { jq -r '.[0].rows[] | select(.a > 1000000 or .b > 1000000) | "\(.symbol) \(.dso) \(.a > 0) \(.b > 0): \(.note)"' "$1" | sed 's/ $//' | sort; }
expect "what is the same" "\
below prog_old true true:
f prog_old true true: inlined in B
g prog_old true true: renamed g_of_another_name in B
h prog_old true true: h.cold in B, h.constprop.0 in B, h.part.0 in B
same prog_old true true:" "$(notes diff.json)"
"$PREC" diff -q --no-pager old.data new.data >out
grep -q "'prog_new' of B is compared with 'prog_old' of A" out || fail "the file's other name is not said: $(cat out)"
grep -q ' f  \[prog_old\] (inlined in B)$' out || fail "$(cat out)"

# The tree begins with the command, whose name is that of the file.
"$PREC" diff -q --folded old.data new.data >out.folded
expect "the commands of the tree, with both sides" 'prog_old 1 1' \
	"$(awk '{ sub(";.*", "", $1); a[$1] += $(NF - 1); b[$1] += $NF } END { for (i in a) print i, (a[i] > 1e7), (b[i] > 1e7) }' out.folded)"
"$PREC" diff -q -g old.data new.data >tree
expect "commands that only one side has" '' "$(grep -E 'only [AB] +prog_' tree || true)"
grep -q "^# 'prog_new' of B is compared with 'prog_old' of A" tree || fail "the tree does not say the file's other name: $(cat tree)"

# The other way round.
"$PREC" diff -q --json new.data old.data >back.json
notes back.json | grep -q '^f prog_new true true: inlined in A$' || fail "$(notes back.json)"
notes back.json | grep -q '^g_of_another_name prog_new true true: renamed g in B$' || fail "$(notes back.json)"

# Without looking for inlined functions f is gone, and its caller has what it had.
"$PREC" diff -q --no-inline --json old.data new.data >plain.json
notes plain.json | grep -q '^f prog_old true false:$' || fail "$(notes plain.json)"
notes plain.json | grep -q '^main prog_old .* true:$' || fail "$(notes plain.json)"
