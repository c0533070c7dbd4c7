#!/bin/bash
# Who may not record learns which setting refuses it, its value and what would do; what is allowed is recorded.
. "$(dirname "$0")/lib/prec.sh"
need_root
need setpriv
[ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ] || skip 'kernel.perf_event_paranoid is not 2'
# The test's own directory is nobody's.
top=$(mktemp -d /tmp/prec-refused.XXXXXX)
at_end 'rm -rf "$top"'
chmod 777 "$top"
cp "$PREC" "$top/prec"
chmod 755 "$top/prec"
cd "$top"
become=(setpriv --reuid 65534 --regid 65534 --clear-groups)
nobody=("${become[@]}" "$top/prec" record)
"${become[@]}" test -x "$top/prec" || skip 'nobody cannot execute in /tmp'
mkdir -m 777 out
"${nobody[@]}" -e cpu-clock -o out/data true 2>err || { cat err; fail 'own processes are refused'; }
grep -q ':u' err || fail 'does not say that the kernel is left out'
expect 'the event' cpu-clock:u "$("$PREC" script -i out/data -F event | tr -d ' ' | sort -u | sed 's/:$//')"
expect_status 1 "${nobody[@]}" -e cpu-clock -a -o out/all true 2>err
grep -q 'perf_event_paranoid' err && grep -q 'that is 2' err && grep -q CAP_PERFMON err || { cat err; fail 'no reason'; }
expect_status 1 "${nobody[@]}" -e cpu-clock:k -o out/all true 2>err
grep -q ':u' err || fail 'no way out'
expect_status 1 "${nobody[@]}" -e cpu-clock -p 1 -o out/all true 2>err
grep -q 'process 1' err || fail 'no reason for process 1'
[ ! -e out/all ] || fail 'a refused recording wrote a file'
# Too little memory may be locked: smaller rings.
(ulimit -l 0; "${nobody[@]}" -e cpu-clock:u -m 8M -o out/data true 2>err) || { cat err; fail 'large rings are refused'; }
grep -q 'warning.*KiB' err || { cat err; fail 'does not say that rings are smaller'; }
# Too few files may be open.
expect_status 1 bash -c 'ulimit -n 6; exec "$@"' - "${nobody[@]}" -e cpu-clock:u,cs:u,faults:u -o out/data true 2>err
grep -q 'files' err || { cat err; fail 'no reason'; }
# A program with other rights, or one that may not be read, whose events the kernel ends when it is executed.
cp "$(workload spin)" out/program
for mode in 4755 711; do
	chmod $mode out/program
	"${nobody[@]}" -N -e cpu-clock:u -o out/data out/program -1 20 >/dev/null 2>err || { cat err; fail "a program of mode $mode"; }
	grep -q "warning: 'out/program' .*only root record it" err || { cat err; fail "a program of mode $mode: no reason"; }
	expect "samples of it" 0 "$("$PREC" script -i out/data 2>/dev/null | wc -l)"
done
