#!/bin/bash
# A reader of the stream that goes away ends the recording with an error, and the command with it.
. "$(dirname "$0")/lib/prec.sh"
need_events
cat >script <<'EOF'
echo $$ >pid
while :; do :; done
EOF
mkfifo stream
head -c 300000 <stream >/dev/null & reader=$!
expect_status 1 timeout 60 "$PREC" record -e cpu-clock:u -F 20000 -g -o - sh script >stream 2>err
wait $reader
grep -q 'Broken pipe' err || fail "no reason: $(cat err)"
! kill -0 "$(cat pid)" 2>/dev/null || fail 'the command was left running'

# Whoever started the recorder may ignore its children: the recorder must not.
expect_status 3 env --ignore-signal=CHLD timeout 60 env --ignore-signal=CHLD "$PREC" record -q -e cpu-clock:u -o data sh -c 'exit 3'
