#!/bin/bash
# A picture that a browser takes of a page when it is loaded shows the profile.
. "$(dirname "$0")/lib/prec.sh"
need chromium
need python3
KERNEL=$(printf %u 0xffffffff81000000)

cat >in.txt <<IN
attr instructions type=hardware config=1 sample_id_all sample=IP,TID,TIME,CPU,PERIOD,IDENTIFIER,CALLCHAIN ids=1
mmap -1/0 0xffffffff81000000+0x2000000@0xffffffff81000000 "[kernel.kallsyms]_text"
repeat 40
ksymbol {i*256+$KERNEL}+0x100 "f{i}" type=1
end
comm 7/7 "seven"
repeat 20000
sample 7/7 t={i*1000000+1000000000} cpu=0 period={i+3} mode=kernel ip={i%3*256+$KERNEL} chain=kernel,{i%3*256+$KERNEL},{$KERNEL+2561}
end
IN
"$(helper mkdata/mkdata)" in.txt in.data
"$PREC" export -q -i in.data -o in.html

# By the page's own clock: it was ready before it was loaded.
export WORK
PYTHONPATH=$SRC/tests/lib PYTHONDONTWRITEBYTECODE=1 python3 - <<'END' || fail "the page is loaded before it shows the profile"
from chromium import Chromium
browser = Chromium()
try:
	browser.show('in.html', view='flame')
	ready, loaded, frames = browser.evaluate('''new Promise(done => {
		const look = () => {
			const at = performance.getEntriesByType("navigation")[0].loadEventStart;
			if (at)
				done([+document.body.dataset.ready, Math.ceil(at), document.querySelectorAll("iframe").length]);
			else
				setTimeout(look, 2);
		};
		look();
	})''')
finally:
	browser.close()
print('ready after %s ms, loaded after %s ms' % (ready, loaded))
raise SystemExit(ready > loaded or frames)
END

command -v firefox-esr >/dev/null || { part_skipped "the page in Firefox: no firefox-esr"; exit 0; }
HOME=$WORK firefox-esr --headless --no-remote --profile "$(mktemp -d -p "$WORK")" --window-size=800,500 --screenshot "$PWD/firefox.png" \
	"file://$PWD/in.html#view=flame&theme=light" >firefox.log 2>&1 || fail "firefox: $(tail -3 firefox.log)"
# Pixels that are no grey: rows of the flame graph. Of a page without a profile a few frames of buttons have a colour.
python3 - firefox.png <<'END' || fail "Firefox's picture shows no flame graph"
import struct
import sys
import zlib
data, at, packed = open(sys.argv[1], 'rb').read(), 8, b''
while at < len(data):
	size, kind = struct.unpack('>I4s', data[at:at + 8])
	body = data[at + 8:at + 8 + size]
	if kind == b'IHDR':
		width, height, depth, colour = struct.unpack('>IIBB', body[:10])
	if kind == b'IDAT':
		packed += body
	at += size + 12
channels = {2: 3, 6: 4}[colour]
assert depth == 8
raw, line, coloured = zlib.decompress(packed), bytearray(width * channels), 0
for y in range(height):
	kind, row = raw[y * (len(line) + 1)], bytearray(raw[y * (len(line) + 1) + 1:(y + 1) * (len(line) + 1)])
	for x in range(len(row)):
		left, up, corner = (row[x - channels], line[x], line[x - channels]) if x >= channels else (0, line[x], 0)
		near = min((abs(up - corner), 0, left), (abs(left - corner), 1, up), (abs(left + up - 2 * corner), 2, corner))[2]
		row[x] = (row[x] + (0, left, up, (left + up) // 2, near)[kind]) & 255
	line = row
	for x in range(0, len(row), channels):
		coloured += max(row[x:x + 3]) - min(row[x:x + 3]) > 30
print(width, height, coloured)
raise SystemExit(coloured < width * height // 50)
END
