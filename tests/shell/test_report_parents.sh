#!/bin/bash
# Report --parent, --exclude-other and --ignore-callees: samples by a function in their call chains.
. "$(dirname "$0")/lib/prec.sh"
need cc
need objdump

cat >prog.c <<'END_OF_C'
void leaf(void) { }
void mid(void) { leaf(); }
void other(void) { leaf(); }
int main(void) { mid(); other(); return 0; }
END_OF_C
cc -O0 -o prog prog.c
# An address in leaf(), and those to which the first calls of the others return.
leaf=$((0x10000 + 0x$(nm prog | awk '$3 == "leaf" { print $1 }') + 1))
returns() {
	objdump -d --no-show-raw-insn prog | awk -v f="<$1>:" '
		after { sub(/:/, "", $1); print "0x" $1; exit }
		$2 == f { inside = 1 }
		inside && /\t(call|bl)/ { after = 1 }'
}
mid=$((0x10000 + $(returns mid))) other=$((0x10000 + $(returns other))) main=$((0x10000 + $(returns main)))
cat >in.txt <<IN
attr ev type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN sample_id_all=1
feature arch=x86_64
comm 100/100 "prog"
mmap2 100/100 0x10000+0x100000@0 r-xp "$PWD/prog" $(build_id_of prog)
sample 100/100 t=1000 ip=$leaf mode=user period=50 cpu=0 chain=user,$leaf,$mid,$main
sample 100/100 t=2000 ip=$leaf mode=user period=20 cpu=0 chain=user,$leaf,$other,$main
sample 100/100 t=3000 ip=$mid mode=user period=15 cpu=1 chain=user,$mid,$main
sample 100/100 t=4000 ip=$main mode=user period=10 cpu=1 chain=user,$main
sample 100/100 t=5000 ip=$leaf mode=user period=5 cpu=1 chain=user,$leaf,$mid,$other,$main
IN
"$(helper mkdata/mkdata)" in.txt in.data
rows() { "$PREC" report -i in.data -q -g none --no-children "$@" 2>messages | tr -s ' ' | sed 's/^ //; s/ *$//; /^$/d'; }

expect "the innermost caller that matches" "70.00% mid
20.00% other
10.00% [other]" "$(rows -s parent -p '^mid|^other')"
expect "--parent alone is a key behind the others" "55.00% prog prog [.] leaf mid
20.00% prog prog [.] leaf [other]
15.00% prog prog [.] mid mid
10.00% prog prog [.] main [other]" "$(rows -p mid)"
expect "with other fields" "75.00% [.] leaf 55.00%" \
	"$(rows -F overhead,sym | head -1) $(rows -F overhead,sym -p mid | sed -n '1s/%.*/%/p')"
expect "-x leaves out the rest" "55.00% prog prog [.] leaf mid
15.00% prog prog [.] mid mid" "$(rows -p mid -x)"
expect "and with --percentage what is left is all" "78.57% mid
21.43% mid" "$(rows -p mid -x --percentage relative | awk '{ print $1, $NF }')"
expect "without --parent system calls and faults are looked for" "100.00% [other]" "$(rows -s parent)"
expect "--ignore-callees charges the function" "70.00% [.] mid
20.00% [.] leaf
10.00% [.] main" "$(rows -s sym --ignore-callees '^mid$')"
expect "the outermost of those that match" "65.00% [.] mid
25.00% [.] other
10.00% [.] main" "$(rows -s sym --ignore-callees '^mid$|^other$')"
expect "in call graphs they end there" "0" \
	"$("$PREC" report -i in.data -q --no-children -g graph,0 -S mid --ignore-callees '^mid$' 2>/dev/null | grep -c leaf || true)"
expect_status 129 "$PREC" report -i in.data -p '(' 2>err
grep -q "needs a regular expression" err || fail "$(cat err)"

# perf looks at chains only where it draws them.
if with_newperf; then
	while read -r options; do
		# shellcheck disable=SC2086
		"$PREC_PERF" report --stdio -g graph,0 --no-children -i in.data $options 2>/dev/null | grep '^ .*%.*  ' | grep -v -e '--' |
			tr -s ' ' | sed 's/^ //; s/ *$//; s/ - -$//' | sort >want
		# shellcheck disable=SC2086
		rows $options | sort >got
		expect_same "as perf: $options" want got
	done <<-'X'
		-p ^mid|^other
		-p mid -x
		-s parent -p main
		-s sym --ignore-callees ^mid
		-s sym --ignore-callees ^mid|^other
	X
fi
