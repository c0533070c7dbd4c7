#!/bin/bash
# Every option and sub-option in perf's -h of record, report and script is accepted, or refused with a reason.
# It prints the table of them.
. "$(dirname "$0")/lib/prec.sh"
need_newperf
need_events
counted=0 refused=0

cat >text <<'E2'
feature arch=x86_64
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,CALLCHAIN,IDENTIFIER period=1 sample_id_all ids=1
comm 7/7 "few" t=1
sample 7/7 t=200000000 ip=0x100 mode=user cpu=0 chain=user,0x100
E2
"$(helper mkdata/mkdata)" text in.data
touch kallsyms

# An argument of the kind that the option wants.
value_of() {
	case $1 in
	record:--count) echo 1000 ;; *:--cpu) echo 0 ;; *:--event) echo cpu-clock ;; record:--freq) echo 99 ;;
	record:--delay | *:--max-stack | *:--max-blocks | *:--addr-range) echo 10 ;; record:--clockid) echo mono ;;
	record:--cgroup | *:--symfs | *:--guestmount) echo / ;; record:--branch-filter) echo any ;; record:--mmap-pages) echo 8 ;;
	record:--pid | record:--tid) echo $$ ;; *:--pid | *:--tid) echo 7 ;; record:--affinity) echo cpu ;; record:--call-graph) echo fp ;;
	record:--control) echo fd:0 ;; record:--filter) echo 'ip > 0' ;; record:--max-size) echo 1M ;; record:--setup-filter) echo pin ;;
	record:--realtime | record:--mmap-flush | record:--num-thread-synthesize) echo 1 ;; record:--switch-max-files) echo 2 ;;
	record:--off-cpu-thresh | record:--proc-map-timeout) echo 500 ;; record:--uid) echo 0 ;; record:--synth) echo all ;;
	record:--switch-output-event) echo dummy ;; *:--vmlinux | *:--kallsyms) echo kallsyms ;; *:--output) echo x.data ;;
	report:--fields) echo sample,symbol ;; script:--fields) echo ip,sym ;; *:--sort) echo symbol ;; *:--input) echo in.data ;;
	report:--call-graph) echo graph,0.5,caller,function,percent ;; *:--disassembler-style) echo intel ;; *:--samples) echo 1 ;;
	*:--field-separator) echo , ;; *:--column-widths) echo 10,10 ;; *:--group-sort-idx | *:--socket-filter) echo 0 ;;
	*:--parallelism | *:--percent-limit | *:--prefix-strip) echo 1 ;; *:--percent-type) echo local-period ;; *:--pretty) echo raw ;;
	*:--percentage) echo relative ;; *:--stdio-color) echo never ;; *:--switch-o*) echo cpu-clock ;; *:--time) echo 0,1 ;;
	*:--time-quantum) echo 1ms ;; *) echo main ;;
	esac
}

# tried COMMAND OPTION [ARGUMENT]: a row of the table.
tried() {
	local status=0 input=(-i in.data --kallsyms kallsyms) workload=() WANTED=any
	[ "$1" != record ] || input=(--dry-run) workload=(true)
	timeout 20 "$PREC" "$1" "${input[@]}" "${@:2}" "${workload[@]}" >out 2>err </dev/null || status=$?
	counted=$((counted + 1))
	case $status in
	0) printf '%-7s %-40s accepted\n' "$1" "${*:2}" ;;
	1 | 129)
		refused=$((refused + 1))
		printf '%-7s %-40s %s\n' "$1" "${*:2}" "$(grep -m1 '^prec: ' err)"
		! grep -qE 'unknown|no such|ambiguous' err && [ -s err ] || fail "$1 ${*:2}: no reason: $(cat err)" ;;
	*) fail "$1 ${*:2}: status $status: $(tail -3 err)" ;;
	esac
}

for command in record report script; do
	any_status "$PREC_PERF" $command -h >help 2>&1 </dev/null
	grep -E '^ {4,}(-[a-zA-Z0-9]\b|--[a-z0-9])' help >rows
	[ "$(wc -l <rows)" -gt 60 ] || fail "perf $command -h lists hardly any option"
	while IFS= read -r row; do
		[[ $row =~ --([a-z0-9A-Z-]+) ]] && option=--${BASH_REMATCH[1]} || option=$(grep -oE -- '-[a-zA-Z0-9]' <<<"$row" | head -1)
		[[ $row =~ ^' '*-([a-zA-Z0-9]), ]] && letter=-${BASH_REMATCH[1]} || letter=
		argument=()
		! [[ $row =~ ^' '*(-[a-zA-Z0-9], )?(--[a-zA-Z0-9-]+|-[a-zA-Z0-9])' <' ]] || argument=("$(value_of $command:$option)")
		tried $command "$option" "${argument[@]}"
		if [ "$letter" ]; then
			tried $command "$letter" "${argument[@]}"
		fi
	done <rows
done

# Of these options each word that perf's help has for it.
any_status "$PREC_PERF" report -h >help 2>&1 </dev/null
for key in $(awk '/^ *-S, /{ exit } on { sub(/.*key[(]s[)]:/, ""); print } /^ *-s, --sort/ { on = 1 }' help); do
	tried report --sort "$key"
	tried report --fields "$key"
done
any_status "$PREC_PERF" script -h >help 2>&1 </dev/null
for field in $(sed -n 's/.*Fields: //p' help | tr , ' '); do
	tried script --fields "$field"
done
for form in graph flat fractal folded none caller callee function address branch percent period count; do
	tried report -g "$form"
done
for letter in i1000 y b c r x w p o I e d f m t a g l G L s10 q A Z T; do
	tried report --itrace=$letter
	tried script --itrace=$letter
done
for words in '--call-graph fp' '--call-graph dwarf,8192' '--call-graph lbr' '--affinity node' '--synth no' '--synth task' '--synth mmap' \
	'--synth cgroup' '--switch-output=signal' '--switch-output=1M' '--switch-output=10s' '--threads=cpu' '--threads=core' \
	'-D -1' '-F max' '-I?' '--user-regs=?'; do
	# shellcheck disable=SC2086
	tried record $words
done
for layout in hierarchy flat; do
	tried report --symfs "/,$layout"
	tried script --symfs "/,$layout"
done
echo "$counted options and sub-options, $refused of them refused with a reason"
