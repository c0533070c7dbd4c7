#!/bin/bash
# Waits are intervals where viewers in time show them: off the CPU, and runnable from the wake-up on.
. "$(dirname "$0")/lib/prec.sh"
. "$(dirname "$0")/lib/page.sh"
need jq
MKDATA=$(helper mkdata/mkdata)
cat >in.txt <<'EOS'
attr cpu-clock type=software config=0 sample=IP,TID,TIME,CPU,IDENTIFIER period=1 sample_id_all context_switch ids=1
comm 7/7 "seven" t=1
fork 7/8 parent=7/7 t=1000
sample 7/7 t=1000 ip=0x100 mode=user cpu=0
switch in 7/8 t=1500 cpu=1
switch out 7/7 t=2000 cpu=0
switch in 7/7 t=5000 cpu=0
switch preempt 7/7 t=6000 cpu=0
switch in 7/7 t=6400 cpu=1
exit 7/8 t=7000 cpu=1
sample 7/7 t=9000 ip=0x100 mode=user cpu=1
EOS
"$MKDATA" in.txt in.data
markers() {
	"$PREC" export -q -i in.data --format=firefox "$@" | gzip -dc | jq -r '.shared.stringArray as $s | .threads[] | .tid as $tid |
		.markers | range(.length) as $i | [$tid, $s[.name[$i]], .startTime[$i], .endTime[$i]] | map(tostring) | join(" ")'
}
lengths() { awk '{ n = $NF - $(NF - 1); NF -= 2; printf "%s %d\n", $0, n * 1000000 + 0.5 }' | sort; }
expect 'waits' '7 off CPU 3000
7 runnable 400
8 runnable 500' "$(markers -e offcpu-time | grep -v 'on CPU' | lengths)"
expect 'not of a recording that was made for something else' '' "$(markers | grep -v 'on CPU')"
expect 'for any number of threads' "$(markers -j1 -e offcpu-time)" "$(markers -j4 -e offcpu-time)"
expect 'of one thread' '8 runnable 500' "$(markers -e offcpu-time --tid 8 | grep -v 'on CPU' | lengths)"

# By a program: the view of the page in a browser.
if [ "$(id -u)" = 0 ]; then
	"$PREC" record --off-cpu -e cpu-clock -o in.data "$(workload waits)" sleep pipe >says 2>err
	expect 'kinds of a program' 'pipe sleep' "$(markers 2>err | sed -n 's/.* off CPU: \([a-z]*\) .*/\1/p' | grep -x 'pipe\|sleep' | sort -u | xargs)"
	# The page has their colours, and an arrow for each wake-up of a thread by another: of all, and of none where no time is left.
	if command -v chromium >/dev/null; then
		"$PREC" export -q -i in.data -o page.html 2>err
		dom page.html view=timeline >page
		grep -o 'id="legend".*' page | sed 's/<\/p>.*//; s/<[^>]*>/ /g' | plain >legend
		for word in 'runnable, has no CPU' 'off the CPU' 'who woke whom: [1-9]'; do
			grep -q "$word" legend || fail "no '$word' in the legend: $(cat legend)"
		done
		woken=$(grep -o 'wakeup: [0-9]*' page | tr -dc 0-9)
		shown=$(grep -o 'who woke whom: [0-9]*' legend | tr -dc 0-9)
		[ "$shown" -le "$woken" ] || fail "$shown arrows of $woken wake-ups"
		# They are drawn of the lane under the pointer, or chosen by keys: each belongs to two lanes.
		expect 'arrows at first, of all lanes, none without the pointer, the first by keys' "None $((2 * shown)) True True" \
			"$(WORK=$WORK PYTHONPATH=$SRC/tests/lib PYTHONDONTWRITEBYTECODE=1 python3 - <<'END'
from chromium import Chromium
browser = Chromium()
arrows = lambda: browser.evaluate('document.getElementById("over").dataset.arrows')
lanes = []
try:
	browser.show('page.html', view='timeline')
	before = arrows()
	box = browser.evaluate('(r => [r.left, r.top])(document.getElementById("picture").getBoundingClientRect())')
	for lane in range(len(browser.rows('#text tbody tr'))):
		browser.call('Input.dispatchMouseEvent', type='mouseMoved', x=box[0] + 300, y=box[1] + 24 * lane + 12)
		lanes.append(int(arrows()))
	browser.evaluate('document.getElementById("picture").dispatchEvent(new MouseEvent("mouseleave"))')
	away = arrows() == '0'
	browser.evaluate('document.getElementById("picture").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown" }))')
	print(before, sum(lanes), away, int(arrows()) == lanes[0])
finally:
	browser.close()
END
			)"
		dom page.html 'view=timeline&from=0&to=0.000000001' >page
		! grep -o 'id="legend".*' page | sed 's/<\/p>.*//' | grep 'who woke whom' || fail "arrows where no time is left"
	else
		part_skipped 'the page: no chromium'
	fi
else
	part_skipped 'a recorded program: not root'
fi
