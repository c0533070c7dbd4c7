#!/bin/bash
# Settings hold for a command until its command line says otherwise, and help tells where each is from.
. "$(dirname "$0")/lib/prec.sh"
cat >in.txt <<'IN'
attr ev type=software config=0 sample=IP,TID,TIME,CPU,PERIOD,CALLCHAIN sample_id_all=1
comm 100/100 "demo"
ksymbol 0xffffffffc0000000+0x100 "hot" type=1 t=1
ksymbol 0xffffffffc0000100+0x100 "cold" type=1 t=1
sample 100/100 t=1000 ip=0xffffffffc0000010 mode=kernel period=95 cpu=0 chain=kernel,0xffffffffc0000010
sample 100/100 t=2000 ip=0xffffffffc0000110 mode=kernel period=5 cpu=0 chain=kernel,0xffffffffc0000110
IN
"$(helper mkdata/mkdata)" in.txt in.data
report() { "$PREC" report -i in.data "$@" 2>err || fail "$(cat err)"; }

cat >own <<'IN'
# of prec
[report]
	percent-limit = 10	; not the cold one
	children = false
[script]
	fields = "comm,ip"
IN
cat >perfs <<'IN'
[report]
	percent-limit = 50
	sort_order = sym
	queue-size = 1
[call-graph]
	print-type = folded
[annotate]
	hide_src_code = true
[colors]
	top = red, default
IN
export PREC_CONFIG=$PWD/own
report --percent-limit 10 --no-children >want
report >got
expect_same "as if they were given" want got
report --percent-limit 0 | grep -F cold >/dev/null || fail "the command line has the last word"
expect "script's" "demo ffffffffc0000010" "$("$PREC" script -i in.data -G 2>/dev/null | head -1 | xargs)"

export PERF_CONFIG=$PWD/perfs
PREC_CONFIG=/dev/null report --percent-limit 50 >got
PREC_CONFIG=/dev/null PERF_CONFIG=/dev/null report --percent-limit 50 -s sym -g folded >want
expect_same "perf's" want got
report | grep -F 'hot' >/dev/null || fail "both files"
expect "help config" "\
report --percent-limit=50 $PWD/perfs:2
report --sort=sym $PWD/perfs:3
report --graph-style=folded $PWD/perfs:6
annotate --no-source $PWD/perfs:8
report --percent-limit=10 $PWD/own:3
report --no-children $PWD/own:4
script --fields=comm,ip $PWD/own:6
not used report.queue-size $PWD/perfs:4
not used colors.top $PWD/perfs:10" "$("$PREC" help config | sed 's/  */ /g')"

printf '[report]\n\tsrot = x\nno section = x\n' >own
expect_status 129 "$PREC" report -i in.data 2>err
grep -F "did you mean --sort?" err >/dev/null || fail "$(cat err)"
grep -F "prec help config" err >/dev/null || fail "where a wrong setting is from: $(cat err)"
printf 'percent-limit = 1\n' >own
expect_status 0 "$PREC" report -i in.data >/dev/null 2>err
grep -F "'$PWD/own', line 1: a setting is" err >/dev/null || fail "$(cat err)"

# Homes.
unset PREC_CONFIG PERF_CONFIG
mkdir -p home/.config/prec
cp perfs home/.perfconfig
printf '[report]\nsort = dso\n' >home/.config/prec/config
expect "files below HOME" "home/.config/prec/config:2 home/.perfconfig:3" \
	"$(HOME=$PWD/home XDG_CONFIG_HOME='' "$PREC" help config | grep -oE 'home/[^ ]*:[0-9]+' | grep -E 'config:2|:3' | grep -v 'perfconfig:2' | sort | xargs)"
