#!/bin/bash
# Processes of one command are one lane of the page, with all of their time, and open on a click at its name.
. "$(dirname "$0")/lib/prec.sh"
need chromium
need python3

# A shell, 50 of true, 5 of gzip with two threads each, and two of sed.
{
	echo 'attr cpu-clock type=software config=0 sample_id_all sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER ids=1'
	t=1000000000
	for n in {0..57}; do
		comm=true nr=1 period=$((1000 + n))
		if [ "$n" = 0 ]; then comm=bash nr=9; elif [ "$n" -gt 50 ]; then comm=gzip; fi
		if [ "$n" -gt 55 ]; then comm=sed period=30; fi
		echo "comm $((100 + n))/$((100 + n)) \"$comm\""
		[ $comm != gzip ] || echo "comm $((100 + n))/$((900 + n)) \"worker\""
		for ((i = 0; i < nr; i++)); do
			t=$((t + 1000000))
			echo "sample $((100 + n))/$((100 + n)) t=$t cpu=0 period=$period ip=0x400000 mode=user"
			[ $comm != gzip ] || echo "sample $((100 + n))/$((900 + n)) t=$t cpu=1 period=$period ip=0x400000 mode=user"
		done
	done
} >in.txt
"$(helper mkdata/mkdata)" in.txt in.data
"$PREC" export -q -i in.data -o in.html
export WORK
PYTHONPATH=$SRC/tests/lib PYTHONDONTWRITEBYTECODE=1 python3 - <<'END' || fail "see above"
import re
from chromium import Chromium

# What the processes took, by command, from the text that the recording was made of.
names, sums, wrong = {}, {}, []
for line in open('in.txt'):
	comm = re.match(r'comm (\d+)/(\d+) "(\w+)"', line)
	sample = re.match(r'sample (\d+)/(\d+) .*period=(\d+)', line)
	if comm:
		names[comm[2]] = comm[3]
	if sample:
		command = names[sample[1]]
		sums.setdefault(command, {}).setdefault(sample[2], [names[sample[2]], 0])[1] += int(sample[3])


def check(what, want, got):
	if want != got:
		wrong.append('%s:\n want %s\n got  %s' % (what, want, got))


def amount(ns):
	return '%d ns' % ns if ns < 1000 else '%.*f \u00b5s' % (3 if ns < 10000 else 2 if ns < 100000 else 1, ns / 1000)


def total(command):
	return sum(weight for _, weight in sums[command].values())


def lanes():
	return [[cell[0] for cell in row['cells']] for row in browser.rows('#text tbody tr')]


def click(name):
	"""At the name of a lane."""
	row = next(i for i, lane in enumerate(lanes()) if name in lane[0])
	left, top = browser.evaluate('(r => [r.left, r.top])(document.getElementById("picture").getBoundingClientRect())')
	for kind, buttons in (('mousePressed', 1), ('mouseReleased', 0)):
		browser.call('Input.dispatchMouseEvent', type=kind, x=left + 30, y=top + 24 * row + 10, button='left', buttons=buttons, clickCount=1)


browser = Chromium()
try:
	browser.show('in.html', view='timeline')
	seds = [['sed %s' % tid, amount(weight)] for tid, (_, weight) in sums['sed'].items()]
	closed = [['\u25b8 true \u00d7 50', amount(total('true'))], ['\u25b8 gzip \u00d7 5', amount(total('gzip'))], ['bash 100', amount(total('bash'))], *seds]
	check('groups', closed, lanes())
	# The group's activity is that of all of its members, wherever in time they ran.
	drawn = browser.evaluate('''(() => {
		const canvas = document.getElementById("picture"), ratio = devicePixelRatio, c = canvas.getContext("2d"), width = canvas.width;
		const filled = row => {	/* columns of pixels that have any: how many, the first, the last */
			const room = width - 190 * ratio, high = 20 * ratio, pixels = c.getImageData(190 * ratio, (row * 24 + 2) * ratio, room, high).data;
			const columns = [...Array(room).keys()].filter(x => [...Array(high).keys()].some(y => pixels[4 * (y * room + x) + 3] > 200));
			return [columns.length, columns[0], columns[columns.length - 1]];
		};
		return [filled(0), filled(1), width - 190 * ratio];
	})()''')
	check('true is drawn from early to late, gzip after it', True, drawn[0][0] > 40 and drawn[0][2] - drawn[0][1] > .5 * drawn[2] and drawn[1][1] > drawn[0][2])
	click('gzip')
	check('opened', 'gzip', browser.evaluate('new URLSearchParams(location.hash.slice(1)).get("open")'))
	members = sorted(([name + ' ' + tid, amount(weight)] for tid, (name, weight) in sums['gzip'].items()))
	check('the others stay', closed[0], lanes()[0])
	check('its mark', '\u25be gzip \u00d7 5', lanes()[1][0])
	check('its threads', members, sorted([name.strip(), weight] for name, weight in lanes()[2:12]))
	click('gzip 151')
	check('one of them alone', '151', browser.evaluate('new URLSearchParams(location.hash.slice(1)).get("thread")'))
	browser.show('in.html', view='timeline', open='gzip')
	click('gzip \u00d7')
	check('closed again', closed, lanes())
	browser.show('in.html', view='timeline', lanes='threads')
	check('all threads', sum(len(of) for of in sums.values()), len(lanes()))
finally:
	browser.close()
print('\n'.join(wrong[:6]))
raise SystemExit(bool(wrong))
END
