#!/bin/bash
# Each event that list prints can be recorded, and its words choose among them.
. "$(dirname "$0")/lib/prec.sh"
. "$SRC/tests/shell/lib/sysfs.sh"
need_events

# The first spelling of each event, without its kind.
names() {
	"$PREC" list "$@" | sed 's/ *\[.*//; s/^ *//; s/ OR .*//'
}

"$PREC" list > all 2> err
for kind in hw sw cache pmu vendor other; do
	"$PREC" list $kind 2>/dev/null || true
done > kinds
expect_same 'all is the kinds together' <(grep -v 'tracepoint event\]' all) kinds
nr=0
for event in $(names sw); do
	"$PREC" record -q -e "$event:u" -o data true > out 2>&1 || fail "$event is listed, but: $(cat out)"
	nr=$((nr + 1))
done
[ $nr -ge 10 ] || fail "only $nr software events"
expect 'a name' '  page-faults OR faults                              [software event]' "$("$PREC" list sw | grep faults | head -1)"
expect 'a part of a name' 'page-faults minor-faults major-faults alignment-faults emulation-faults' \
	"$(names sw | grep fault | xargs)"
expect 'a pattern' 'minor-faults major-faults' "$(names 'm*or-faults' | xargs)"
expect 'two words' 'minor-faults major-faults' "$(names major-fault minor-fault | xargs)"
expect_status 1 "$PREC" list no-such-event 2> err
grep -q 'no event' err || fail 'not said that nothing matches'
"$PREC" list --details sw | grep -q 'type=1,config=0x2' || fail 'no details'

# By libpfm4, of another machine.
if LIBPFM_FORCE_PMU=skl "$PREC" list vendor >vendor 2>err; then
	grep -A1 '^  L2_RQSTS.MISS  *\[vendor event\]$' vendor | grep '^        skl: .*L2' >/dev/null || fail "no L2_RQSTS.MISS: $(head -5 vendor)"
	LIBPFM_FORCE_PMU=skl "$PREC" list --details L2_RQSTS.MISS | grep 'type=4,config=0x3f24$' >/dev/null || fail "L2_RQSTS.MISS: no code"
else
	part_skipped 'names of vendors: built without libpfm4'
fi

# A reader that has gone is no error.
status=$("$PREC" list 2> err | head -1 > /dev/null; echo "${PIPESTATUS[0]}")
[ "$status" = 0 ] || fail "status $status where nobody reads: $(cat err)"
expect_status 1 "$PREC" list sw > /dev/full 2> err
expect_status 129 "$PREC" list --no-such-option 2> err

# JSON that another program reads.
if command -v python3 > /dev/null; then
	"$PREC" list -j > all.json 2> err
	python3 -c 'import json, sys
events = json.load(open("all.json"))
assert len(events) > 10 and all(e["EventName"] and e["EventType"] for e in events)
print(len(events))' > nr || fail 'JSON'
	expect 'as many in JSON' "$(wc -l < all)" "$(cat nr)"
fi

# Another machine.
make_sysfs_one sys
export SYSFS_PATH=$PWD/sys
"$PREC" list pmu | grep -q '^  cpu/mem-loads/  *\[PMU event\]$' || fail 'events of a PMU in sysfs'
expect 'what describes another is none' 'uncore_imc_0/cas_count_read/ uncore_imc_1/cas_count_read/' "$(names '*cas*' | xargs)"
"$PREC" list pmu --details > details
grep -q '^        cpu/event=0xcd,umask=0x1,ldlat=3/$' details || fail 'what an event stands for'
grep -q '^    term offcore_rsp = config1:0-63$' details || fail 'terms of a PMU'
grep -q '^    can branches = 32$' details || fail 'abilities of a PMU'
names other | grep -qx rNNN || fail 'raw events'
