# Shared by the tests of script; after lib/prec.sh.
# shellcheck shell=bash

# Blanks are alignment: one counts as many, none at the ends.
collapse() {
	sed -E 's/[[:blank:]]+/ /g; s/^ //; s/ $//'
}

# perf names code without a symbol unknown; here it is named by its function's start.
unnamed() { sed -E 's/[^ ()=]+@0x[0-9a-f]+(\+0x[0-9a-f]+)?/[unknown]/g'; }

# same_names WANT GOT: GOT, with perf's text where the two differ for a reason that stays:
# - perf forgets the name of a thread that has exited and prints :TID for its last samples; prec knows it;
# - a sample of a dying thread may have a process and no thread: perf calls thread 0 of any process swapper;
# - and its process's maps, so that who called exit(2) is [unknown]; for prec it is the thread that it was;
# - perf 6.1 has no name for the entry of an indirect function in a procedure linkage table, "@plt"; prec has;
# - where debug information has no line, perf prints a file that is empty, or none; prec prints the place in the file.
same_names() {
	awk 'function rest(s) { sub(/^[^ ]+ /, "", s); return s }
		NR == FNR { want[FNR] = $0; next }
		want[FNR] == "" { in_exit = 0 }
		want[FNR] ~ / do_exit / { in_exit = 1 }
		$0 == want[FNR] { print; next }
		want[FNR] ~ /^:[0-9]+ |^swapper [1-9][0-9]*\/0 / {
			w = rest(want[FNR])
			if (length($0) > length(w) && substr($0, length($0) - length(w)) == " " w) $0 = want[FNR]
		}
		in_exit && want[FNR] == $1 " [unknown] ([unknown])" { $0 = want[FNR] }
		want[FNR] ~ / @plt / { w = $0; sub(/ [^ ]+@plt /, " @plt ", w); if (w == want[FNR]) $0 = w }
		want[FNR] ~ /^(\?\?)?:0$/ && /^[^ ]+\[[0-9a-f]+\]$/ { $0 = want[FNR] }
		{ print }' "$1" "$2"
}

# compare PERF FILE OPTIONS...: prec prints what that perf prints, which looks callers up where they go on.
compare() {
	local perf=$1 file=$2 status=0
	shift 2
	"$perf" script -i "$file" "$@" 2>perf.err </dev/null | collapse >want || true
	"$PREC" script --inline-at-return -i "$file" "$@" 2>prec.err </dev/null | collapse | unnamed >all || status=$?
	case $status in
	0|2)	;;
	*)	cat prec.err >&2; fail "prec script -i $file $*: exit status $status";;
	esac
	[ -s want ] || fail "perf script -i $file $* prints nothing: $(head -3 perf.err)"
	same_names want all >got
	expect_same "$(basename "$file") $*" want got
}
