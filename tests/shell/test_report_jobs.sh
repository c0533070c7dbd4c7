#!/bin/bash
# The text of a report does not depend on the number of threads that make it.
. "$(dirname "$0")/lib/prec.sh"
need_events

"$PREC" record -q -g -F 5000 -o rec.data sh -c "'$(workload shares)' 3 200; '$(workload forks)' 20; ls -R /usr/lib" \
	>/dev/null 2>&1 || skip "cannot record"
for how in "" "--no-children" "-g fractal -s dso,sym" "-g folded,0 --no-children" "-s pid,cpu -g none" \
	   "-s time,sym -n" "-g none --no-children -s comm,dso" "-F sample,period,comm,sym" "-g callee,count -s comm"; do
	for jobs in 1 2 8; do
		# shellcheck disable=SC2086
		"$PREC" report -i rec.data -j$jobs $how >out.$jobs 2>err.$jobs
	done
	expect_same "$how: -j2 as -j1" out.1 out.2
	expect_same "$how: -j8 as -j1" out.1 out.8
	expect_same "$how: messages of -j8 as of -j1" err.1 err.8
	[ "$(grep -c % out.1)" -gt 3 ] || fail "$how: hardly an entry"
done

# Nor do the bytes of an archive.
for jobs in 1 8; do
	"$PREC" archive -j$jobs rec.data -o archived >/dev/null
	mv archived archived.$jobs
done
cmp archived.1 archived.8 || fail "archive: -j8 is not as -j1"
