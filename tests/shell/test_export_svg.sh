#!/bin/bash
# The flame graph in SVG zooms and searches by itself, exactly; its text stays in its boxes, and its colours are those of the page.
. "$(dirname "$0")/lib/prec.sh"
need chromium
need python3
need_events

"$PREC" record -q -F 1000 -g -o in.data "$(workload phases)" 300 >/dev/null 2>said || fail "record: $(tail -3 said)"
"$PREC" export -q -i in.data -o in.svg
"$PREC" export -q -i in.data -o in.html
# 700 functions, each of less than a pixel and a seventh of a percent; below one of them two of equal weight, with long names.
string='std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >'
{
	for n in {1..700}; do echo "main;leaf_$n 1000000"; done
	echo "main;leaf_7;std::map<$string, $string>::allocate($string const&) 1000001"
	echo "main;leaf_7;std::map<$string, $string>::erase($string const&) 999999"
} >many.folded
"$PREC" export -q -i many.folded -o many.svg
export WORK
PYTHONPATH=$SRC/tests/lib PYTHONDONTWRITEBYTECODE=1 python3 - <<'END' || fail "see above"
import re
import urllib.parse
from chromium import Chromium

BOXES = '''[...document.querySelectorAll("g")].filter(g => g.getAttribute("display") !== "none").map(g => {
	const rect = g.querySelector("rect"), text = g.querySelector("text");
	return { title: g.querySelector("title").textContent, x: +rect.getAttribute("x"), y: +rect.getAttribute("y"),
		 width: +rect.getAttribute("width"), fill: rect.getAttribute("fill"), text: text ? text.textContent : "",
		 length: text ? text.getComputedTextLength() : 0, marked: rect.getAttribute("stroke") !== "none",
		 number: [...document.querySelectorAll("g")].indexOf(g) };
})'''
LINKS = '[...document.querySelectorAll("svg > text")].slice(2).map(text => text.textContent)'
WIDTH = 1000
wrong = []


def check(ok, what):
	if not ok:
		wrong.append(what)


def show(fragment='', file='in.svg'):
	browser.call('Page.navigate', url='about:blank')
	browser.call('Page.navigate', url='file://' + urllib.parse.quote(__import__('os').path.abspath(file)) + fragment)
	browser.evaluate('''new Promise(done => { const look = () => location.href.startsWith("file") && document.readyState === "complete" ?
		done(true) : setTimeout(look, 5); look(); })''')
	boxes = browser.evaluate(BOXES)
	check(browser.evaluate('document.documentElement.viewBox.baseVal.width === innerWidth && innerWidth') == WIDTH, 'as wide as the window')
	for box in boxes:
		check(box['length'] <= box['width'], 'text wider than its box: %s' % box)
		check(box['x'] >= 9.99 and box['x'] + box['width'] <= WIDTH - 9.99, 'outside of the picture: %s' % box)
	return boxes, browser.evaluate(LINKS)


def key(name):
	browser.evaluate('dispatchEvent(new KeyboardEvent("keydown", { key: "%s" }))' % name)
	return browser.evaluate(BOXES), browser.evaluate('location.hash')


def share(box):
	return float(box['title'].split(' ')[0])


browser = Chromium()
try:
	browser.call('Emulation.setDeviceMetricsOverride', width=WIDTH, height=700, deviceScaleFactor=1, mobile=False)
	whole, links = show()
	check(links == ['', ''], 'links: %s' % links)
	b = next(box for box in whole if ': b_20, ' in box['title'])
	zoomed, links = show('#zoom=%d' % b['number'])
	now = next(box for box in zoomed if box['number'] == b['number'])
	check(abs(now['width'] - (WIDTH - 20.5)) < .02 and abs(now['x'] - 10) < .02, 'zoomed: %s' % now)
	check(now['text'] == 'b_20' and links[0] == 'Zoom out', 'zoomed: %s, %s' % (now, links))
	check(not any(': a_70, ' in box['title'] for box in zoomed), 'a_70 is shown beside')
	check(any(': main, ' in box['title'] and box['width'] > WIDTH - 21 for box in zoomed), 'what leads there is not shown')
	for undo in 'Escape', 'Backspace':
		again, fragment = key(undo)
		check(again == whole and not fragment, '%s: %s' % (undo, fragment))
		show('#zoom=%d' % b['number'])
	found, links = show('#find=_20')
	check([box['number'] for box in found if box['marked']] == [b['number']], 'found: %s' % [box for box in found if box['marked']])
	check(links[1] == '%.2f %% found' % share(b), 'found: %s, not %s' % (links, share(b)))
	a = next(box for box in whole if ': a_70, ' in box['title'])
	c = next(box for box in whole if ': c_10, ' in box['title'])
	_, links = show('#find=main')
	check(abs(float(links[1].split()[0]) - share(a) - share(b) - share(c)) < 2, 'main: %s' % links)
	again, fragment = key('Escape')
	check(again == whole and not fragment, 'the end of a search')
	# A library that no function is called like.
	found, links = show('#find=phases')
	check(sum(box['marked'] for box in found) >= 4, 'by library: %s' % links)
	# Hues by library.
	hues = {}
	for box in whole:
		library = box['title'].rsplit(', ', 1)[1]
		if '[kernel' not in library and '[unknown]' not in library:
			hues.setdefault(library, set()).add(re.match(r'hsl\((\d+)', box['fill'])[1])
	check(all(len(of) == 1 for of in hues.values()), 'several hues: %s' % hues)
	# The box to search in: as it is typed in, by '/', until Escape.
	show()
	browser.evaluate('dispatchEvent(new KeyboardEvent("keydown", { key: "/" }))')
	check(browser.evaluate('document.activeElement.localName') == 'input', '/ does not lead to the box')
	browser.call('Input.insertText', text='_20')
	check(browser.evaluate('location.hash') == '#find=_20' and browser.evaluate(LINKS)[1] == '%.2f %% found' % share(b), 'typed')
	for kind in 'keyDown', 'keyUp':
		browser.call('Input.dispatchKeyEvent', type=kind, key='Escape', windowsVirtualKeyCode=27)
	check(browser.evaluate('[location.hash, (document.activeElement || {}).localName === "input"]') == ['', False], 'Escape in the box')
	# Shares are sums of what was counted, not of rounded percents; names are shortened as everywhere after a zoom, too.
	_, links = show('#find=leaf', 'many.svg')
	check(links[1] == '100.00 % found', '700 leaves: %s' % links)
	_, links = show('#find=allocat', 'many.svg')
	check(links[1] == '0.14 % found', 'names, and not arguments: %s' % links)
	leaf = next(box for box in show('', 'many.svg')[0] if ': leaf_7, ' in box['title'])
	below = [box for box in show('#zoom=%d' % leaf['number'], 'many.svg')[0] if box['y'] > leaf['y']]
	check(len(below) == 2, 'below the leaf: %s' % below)
	for box, weight in zip(sorted(below, key=lambda box: box['x']), (1000001, 999999)):
		check(abs(box['width'] + .5 - (WIDTH - 20) * weight / 3000000) < .02, 'zoomed: %s' % box)
		text = 'std::map<std::string, %s(...)' % ('...>::allocate' if weight > 1000000 else 'std::string>::erase')
		check(box['text'] == text, 'zoomed: %s' % box['text'])
		check('std::allocator' in box['title'], 'the whole name on demand: %s' % box['title'])
	browser.show('in.html', view='flame')
	legend = browser.evaluate('''[...document.querySelectorAll("#colours .entry")].map(entry => [entry.textContent,
		entry.querySelector(".key").style.background])''')
	seen = 0
	for name, colour in legend:
		if name in hues:
			red, green, blue = [int(v) / 255 for v in re.findall(r'\d+', colour)[:3]]
			import colorsys
			hue = colorsys.rgb_to_hls(red, green, blue)[0] * 360
			check(abs(hue - int(min(hues[name]))) < 3, '%s: hue %s in the page, %s' % (name, hue, hues[name]))
			seen += 1
	check(seen >= 1, 'no library in both: %s, %s' % (legend, hues))
finally:
	browser.close()
for what in wrong[:10]:
	print(what)
print('%d boxes, %d libraries in both' % (len(whole), seen))
raise SystemExit(bool(wrong))
END
