# For tests of call chains: programs that print their own stacks, recorded and judged by what they print. To be sourced after
# lib/prec.sh, as "$SRC/tests/shell/lib/stacks.sh".
# shellcheck shell=bash

# The builds of tests/work/stacks.c, by flags.
declare -A STACKS=(
	[tables]=-fomit-frame-pointer
	[pointers]='-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer'
	[static]=-static
	[static_pie]=-static-pie
	[debug_frame]='-fno-asynchronous-unwind-tables -fomit-frame-pointer'
	[plain]=-O0
	[plain_static_pie]='-O0 -static-pie'
	[plain_bits32]='-O0 -m32'
	[bits32]=-m32
	[two_tables]='-fomit-frame-pointer -fcf-protection=full -Wl,-z,ibtplt'	# .plt and .plt.sec
	[swaps]='-static -no-pie -fno-pie -falign-functions=1'	# functions follow each other without a gap
	# At the same addresses, with other code and other frames there.
	[one_place]='-fno-pie -no-pie -fomit-frame-pointer'
	[other_place]='-O0 -fno-pie -no-pie -fomit-frame-pointer'
)

# build_stacks COMPILER NAME: that one, as NAME.
build_stacks() {
	# shellcheck disable=SC2086,SC2046
	$(compiler_for "$1" "${STACKS[$2]}") -std=gnu11 -D_GNU_SOURCE -I"$SRC" -g -O2 -fno-optimize-sibling-calls ${STACKS[$2]} -o "$2" "$SRC/tests/work/stacks.c" -lpthread
}

# The functions of each chain, innermost first, a line each. What a compiler or linker adds to names is left out.
chains() {	# ARG OF SCRIPT...
	"$PREC" script --no-inline -F ip,sym "$@" 2>err.script | awk '
		function flush() { if (line != "") print substr(line, 2); line = "" }
		NF == 0 { flush(); next }
		{ sub(/@.*|\.cold.*|\.abi0$/, "", $2); line = line " " $2 }
		END { flush() }'
}

# Each chain with a function of the stacks in `says` has those of a stack from there on, and ends at a root. How many, and
# those that are wrong.
judge() {	# ROOTS
	awk -v roots="$1" '
		BEGIN { n = split(roots, r); for (i = 1; i <= n; i++) is_root[r[i]] = 1 }
		NR == FNR { stack[++nr] = $0; for (i = 1; i <= NF; i++) known[$i] = 1; next }
		{
			own = ""
			for (i = 1; i <= NF; i++) if ($i in known) own = own " " $i
			if (own == "") next
			good = n == 0 || $NF in is_root
			found = 0
			for (i = 1; i <= nr; i++) {
				at = length(" " stack[i]) - length(own)
				if (at >= 0 && substr(" " stack[i], at + 1) == own) found = 1
			}
			if (good && found) right++; else print
		}
		END { print right + 0, "right" }' says chains
}

FEW=${FEW:-20}	# chains that a program must have at least

# Record the program, by record's options in MODE: it prints the stacks. The chains, but for those that AWAY matches, are in
# `chains`, what was said in `err`. NAMELESS: of the C library only what it exports has a name.
record_program() {	# WHAT ROOTS PROGRAM ARG...
	local what=$1 roots=$2
	shift 2
	# On a busy machine stacks are shed before samples are lost: then once more.
	for _ in 1 2 3 4 5; do
		PAD=$((RANDOM % 5000)) "$PREC" record -k mono -e cpu-clock:u -c 500000 -m 1M "${MODE[@]}" -o data "$@" >says 2>err ||
			fail "$what: cannot be recorded: $(<err)"
		grep -Eq '\[(stacks-shed|lost-samples)\]' err || break
	done
	[ -z "${NAMELESS:-}" ] || sed -i 's/ __startcontext$//' says
	chains -i data >all
	grep -Ev "${AWAY:-^$}" all >chains || [ $? = 1 ]	# where nothing was sampled there is none
	cat err.script >>err
	judge "$roots" >judged
	! grep -qv 'right$' judged || cat err
	expect "$what: chains that are wrong (the stacks: $(tr '\n' ';' <says))" '' "$(grep -v 'right$' judged | sort | uniq -c || true)"
}

# The same until it has enough chains: a machine that is emulated, or has much to do, takes few samples.
check_program() {	# WHAT ROOTS PROGRAM ARG...
	local what="$1, ${MODE[*]}" right=0 i
	shift
	for ((i = 0; i < 5 && right < FEW; i++)); do
		record_program "$what" "$@"
		right=$((right + $(tail -1 judged | cut -d ' ' -f 1)))
	done
	[ $right -ge $FEW ] || fail "$what: few chains: $right right"
}
