#!/bin/bash
# At least 97 % of this machine's tracepoints print as perf prints them, and each of the others differs for a known reason.
. "$(dirname "$0")/lib/prec.sh"
need_perf
[ ! -x "${PREC_PERF:-}" ] || PERF=$PREC_PERF
need_root
need_tracepoints
MKTRACE=$(helper mkdata/mktrace)

# Where perf is wrong and prec is not; a pattern of names, and why. perf's parser is libtraceevent.
cat >known <<'END'
btrfs:*			negative constants all are -1 there; a shown flag word of 0 has the name of an unknown constant
xfs:xfs_exch*		a flag of bit 63 is negative there, and ignored
xfs:*			-1 in an int is not found in a table; a flag of value 0 is not found
writeback:*		a flag word of 0 has the name of the first unknown constant
sb_*			the same
fs_dax:*		the same
neigh:*			an array longer than its field is read beyond it
kvm:kvm_emulate_insn	the same
btrfs:raid56_read	a conditional within another's branch is taken wrongly
sock:sock_*_length	the same
kvm:kvm_nested_vmenter	the same
kmem:mm_page_alloc_extfrag	a comparison with a conditional in parentheses
timer:timer_start	a mask in parentheses counts only to its first |
kvm:kvm_pvclock_update	a signed byte prints as unsigned
kvm:kvm_userspace_exit	a negative int is not below 0 there
kvmmmu:kvm_mmu_set_spte	a negative char is not -1 there
timer:itimer_state	a negative number is divided as unsigned
sched:sched_skip_cpuset_numa	%*pbl is not known
maple_tree:ma_*		not parsed at all
kvm:kvm_apicv_inhibit_changed	shifts by unknown constants
END
# Only the old perf: %z cut to 32 bits, masks in hexadecimal, arrays of arrays.
cat >known.old <<'END'
block:block_*_buffer	%zu
dev:devres_log		%zu
dma:*			%zu
ext4:ext4_*invalidate_folio	%zu
iomap:iomap_*		%zd
iommu:*			%zu
ipi:ipi_send_cpumask	a mask in hexadecimal
kmem:*			%zu
percpu:percpu_alloc_percpu*	%zu
swiotlb:swiotlb_bounced	%zu
tcp:tcp_*		%c
END
[ "$PERF" = "${PREC_PERF:-}" ] || cat known.old >>known

# "sys:event text", one a sample: a text may have newlines in it.
one_a_line() {
	awk '/^ *[a-z0-9_]+:[a-zA-Z0-9_]+: / { if (s != "") print s; s = "" }
		{ gsub(/[ \t]+/, " "); sub(/^ /, ""); sub(/ $/, ""); s = s == "" ? $0 : s " " $0 }
		END { if (s != "") print s }'
}

# perf crashes on some formats: a file for each system, and what it cannot print is not compared.
for dir in "$TRACEFS"/events/*/; do
	system=$(basename "$dir")
	if [ "$system" = ftrace ] || ! compgen -G "$dir*/format" >/dev/null; then
		continue
	fi
	"$MKTRACE" a.data 5 7 "$dir"*/format
	{ "$PERF" script -i a.data -F event,trace || true; } 2>/dev/null | one_a_line >"$system.want"
	[ -s "$system.want" ] || continue
	"$PREC" script -i a.data -F event,trace | one_a_line >"$system.got"
done

# An event is equal where all of its lines are.
cat ./*.want >want
cat ./*.got >got
awk 'NR == FNR { want[$1] = want[$1] "\n" $0; next }
	{ got[$1] = got[$1] "\n" $0 }
	END { for (e in want) print (want[e] == got[e] ? "equal" : "differs"), substr(e, 1, length(e) - 1) }' want got >events
while read -r pattern _; do
	patterns+=("$pattern")
done <known
is_known() {
	for p in "${patterns[@]}"; do
		# shellcheck disable=SC2053
		[[ $1 != $p ]] || return 0
	done
	return 1
}

all=$(wc -l <events)
equal=$(grep -c ^equal events)
[ "$all" -gt 100 ] || fail "only $all tracepoints were compared"
: >unknown
awk '$1 == "differs" { print $2 }' events | while read -r e; do
	is_known "$e" && continue
	diff <(grep "^$e:" want) <(grep "^$e:" got) | head -4 >&2 || true
	echo "$e" >>unknown
done
known=$((all - equal - $(wc -l <unknown)))
awk -v a="$all" -v e="$equal" -v k="$known" 'BEGIN {
	printf "%d tracepoints: %.2f %% equal, %.2f %% where perf is wrong, %d others differ\n", a, 100 * e / a, 100 * k / a, a - e - k
	exit !(100 * e / (a - k) >= 97 && 100 * e / a >= 92) }' || fail "too many tracepoints print differently"
[ ! -s unknown ] || fail "these print differently: $(tr '\n' ' ' <unknown)"
