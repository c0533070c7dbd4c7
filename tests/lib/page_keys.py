"""For test_export_html_keys.sh: drives the page in.html by keys and looks at its pictures' texts. Its samples are of 1 s from the first."""
import json
import os
import re
import sys

from chromium import Chromium

KEYS = {'ArrowRight': 39, 'ArrowLeft': 37, 'ArrowDown': 40, 'ArrowUp': 38, 'Enter': 13, 'Tab': 9}
STRING = 'std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >'
VECTOR = 'std::vector<%s, std::allocator<%s > >::push_back(%s const&)' % (STRING, STRING, STRING)


def fail(text):
	sys.exit('failed: ' + text)


def expect(what, want, got):
	if want != got:
		fail('%s: want %s, got %s' % (what, want, got))


# Of each control that has a place: its id, whether it is in view, the room for its text and that which it needs, and the middle.
CONTROLS = """[...document.querySelectorAll("#controls select, #controls input, #controls button")].filter(e => e.offsetWidth).map(e => {
	const box = e.getBoundingClientRect(), style = getComputedStyle(e), c = document.createElement("canvas").getContext("2d");
	c.font = style.fontSize + " " + style.fontFamily;
	const text = e.selectedOptions ? e.selectedOptions[0].textContent : e.value || e.placeholder || e.textContent;
	const seen = document.elementFromPoint(box.left + 3, (box.top + box.bottom) / 2) === e && box.left >= 0 && box.right <= innerWidth;
	return [e.id, seen, e.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight), c.measureText(text).width, (box.top + box.bottom) / 2];
})"""


class Page:
	def __init__(self, browser):
		self.browser = browser

	def press(self, *keys):
		"""As the keyboard does; "Shift+" in front."""
		for key in keys:
			shift, name = key.startswith('Shift+'), key.removeprefix('Shift+')
			params = {'key': name, 'windowsVirtualKeyCode': KEYS.get(name, ord(name[0].upper())), 'modifiers': 8 if shift else 0}
			if len(name) == 1:
				params['text'] = name
			self.browser.call('Input.dispatchKeyEvent', type='keyDown', **params)
			self.browser.call('Input.dispatchKeyEvent', type='keyUp', **params)

	def state(self):
		text = self.browser.evaluate('location.hash').lstrip('#')
		return dict(part.split('=') for part in text.split('&') if part)

	def focused(self):
		return self.browser.evaluate('document.activeElement.id')

	def range(self):
		state = self.state()
		return float(state.get('from', 0)), float(state.get('to', 1))


def ranges(page):
	"""Of the overview, from any view; and all of it is there again without them."""
	page.browser.show('in.html', view='table')
	whole = page.browser.evaluate('document.body.dataset.samples')
	page.press('r')
	expect('r goes to the overview', 'overview', page.focused())
	for key, want in (('ArrowRight', (0, .1)), ('ArrowRight', (.01, .11)), ('Shift+ArrowRight', (.01, .12)), ('Shift+ArrowLeft', (.01, .109)),
			  ('-', (0, .1585)), ('+', (.0396, .1189)), ('ArrowLeft', (.0317, .1110))):
		page.press(key)
		if max(abs(a - b) for a, b in zip(page.range(), want)) > .0003:
			fail('%s: want the range %s, got %s' % (key, want, page.range()))
	if not 0 < int(page.browser.evaluate('document.body.dataset.samples')) < int(whole):
		fail('the range filters nothing')
	expect('the focus stays', 'overview', page.focused())
	page.press('Backspace')
	expect('Backspace', whole, page.browser.evaluate('document.body.dataset.samples'))
	page.press('ArrowLeft')
	if abs(page.range()[0] - .9) > .001 or page.range()[1] < .999:
		fail('from the end: %s' % (page.range(),))


def title(page):
	"""The command that recorded begins with the program's name, and is whole under the pointer."""
	page.browser.show('in.html', view='summary')
	shown = page.browser.evaluate('[document.getElementById("title").textContent, document.getElementById("title").title]')
	expect('the title', ['prec record -g ./a/b', '/opt/x/bin/prec record -g ./a/b'], shown)


def head(page):
	"""Above the view there are at most 100 pixels, with each control whole, in one line, and its text legible."""
	for width, height in ((1280, 800), (390, 844)):
		page.browser.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=False)
		for state in ({}, {'thread': '7', 'from': '.1', 'to': '.5', 'search': 'f1'}):
			page.browser.show('in.html', view='table', **state)
			where = '%d wide %s: ' % (width, state)
			high = page.browser.evaluate('document.querySelector("header").getBoundingClientRect().height')
			if high > 100:
				fail(where + 'the head is %s high' % high)
			controls = page.browser.evaluate(CONTROLS)
			expect(where + 'controls', ['thread', 'group', 'search', 'theme', 'help-button'], [c[0] for c in controls])
			expect(where + 'controls that are hidden, or whose text is cut', [], [c for c in controls if not c[1] or c[2] + 1 < c[3]])
			expect(where + 'they are in one line', True, max(c[4] for c in controls) - min(c[4] for c in controls) < 6)
			high = page.browser.evaluate('document.getElementById("overview").getBoundingClientRect().height')
			expect(where + 'the activity over time', True, 24 <= high <= 32)
	page.browser.call('Emulation.clearDeviceMetricsOverride')


def lanes(page):
	page.browser.show('in.html', view='timeline')
	page.browser.evaluate('document.getElementById("picture").focus()')
	page.press('ArrowRight')
	expect('the focus after the range has changed', 'picture', page.focused())
	page.press('ArrowDown', 'ArrowDown', 'ArrowUp', 'Enter')
	busiest = page.browser.evaluate('document.querySelector("#thread").value')
	expect('the first lane', '7', busiest)


def gaps(page):
	"""Intervals of a lane with less than two pixels between them are one block, which is fainter where it is emptier."""
	drawn = page.browser.evaluate('''(() => {
		const begin = [0, 2, 4, 40, 45], model = { kindName: () => "on CPU", interval: { thread: [1, 1, 1, 1, 1], kind: [0, 0, 0, 0, 0], begin, end: begin.map(t => t + 1) } };
		const out = [], c = { fillRect: (x, y, w) => out.push([x, w, +c.globalAlpha.toFixed(3)]) };
		drawIntervals({ model, state: { lanes: "threads" } }, c, [{ n: 1 }], 0, 100, 10, 100);
		return out;
	})()''')
	expect('blocks [x, width, alpha]', [[10, 5, .266], [50, 1, .35], [55, 1, .35]], drawn)


def stacks(page):
	"""Of the stack chart, too: gaps that are less than two pixels do not cut it, and are seen where they are more."""
	runs = lambda: sum(row['data']['depth'] == '0' for row in page.browser.rows('#text tbody tr'))
	page.browser.show('gaps.html', view='timeline', form='stacks')
	expect('the whole as one', 1, runs())
	page.browser.show('gaps.html', view='timeline', form='stacks', **{'from': '1', 'to': '2.2'})
	expect('gaps between 1 s and 2.2 s', 4, runs())


def names(page):
	"""The page shortens names as fit_name() does: by the examples of its test."""
	text = open(os.path.join(os.environ['SRC'], 'tests/unit/fit_test.c'), encoding='utf-8').read()
	examples = re.findall(r'check_name\(("(?:[^"\\]|\\.)*"), (\d+),\s*("(?:[^"\\]|\\.)*")\);', text)
	examples = [(json.loads(name), int(width), json.loads(want)) for name, width, want in examples if '\\x' not in name]
	# Files and levels are no part of the page's names.
	examples = [example for example in examples if not re.search(r'^\[|\]$', example[0])]
	if len(examples) < 20:
		fail('%d examples in fit_test.c' % len(examples))
	got = page.browser.evaluate('%s.map(([name, width]) => fitName(name, width))' % json.dumps(examples))
	for example, name in zip(examples, got):
		expect('%r in %d' % example[:2], example[2], name)


def search(page):
	"""Of shown names first, as it says, and on demand of their arguments: of 100, 60 are in push_back, 10 in allocate()."""
	matched = lambda: page.browser.text('#matched')
	page.browser.show('cxx.html', view='flame', search='alloc')
	expect('names', 'Matched: 10.00 %, 10, in names', matched())
	expect('others', '\u2018alloc\u2019: 1 more by arguments or library', page.browser.text('#whole'))
	page.browser.evaluate('document.getElementById("whole").click()')
	expect('whole names', ('1', 'Matched: 70.00 %, 70, in names, their arguments and libraries'), (page.state().get('whole'), matched()))
	page.press('Escape')
	expect('no search', (None, ''), (page.browser.text('#whole'), matched()))
	page.browser.show('cxx.html', view='flame', search='char_traits')
	expect('in no shown name', 'Matched: 60.00 %, 60, in names, their arguments and libraries', matched())
	# A tip begins with numbers; a row has the name that there is room for, and the whole on demand.
	page.browser.show('cxx.html', view='flame')
	box = page.browser.evaluate('(r => [r.left, r.top])(document.getElementById("picture").getBoundingClientRect())')
	page.browser.call('Input.dispatchMouseEvent', type='mouseMoved', x=box[0] + 20, y=box[1] + 9)
	tip = page.browser.text('#tip').split('\n')
	expect('the tip', ['total 60.00 %, 60, 60 samples', 'self 60.00 %, 60', VECTOR.replace(STRING, 'std::string')], tip[:3])
	page.browser.call('Emulation.setDeviceMetricsOverride', width=390, height=844, deviceScaleFactor=1, mobile=False)
	page.browser.show('cxx.html', view='table')
	cell = page.browser.rows('#table tbody tr')[0]['cells'][3]
	expect('the row', [True, VECTOR], [re.fullmatch(r'((std::)?vector(<.*\.\.\.>)?::)?push_back(\(\.\.\.\))?', cell[0]) is not None, cell[1]])
	page.browser.call('Emulation.clearDeviceMetricsOverride')


def merged(page):
	"""R merges what calls itself, in the address, and Backspace undoes it: of main, f, f, f, g, f the fs before g are one."""
	frames = lambda: [[row['data']['depth'], row['cells'][0][0], row['cells'][2][0]] for row in page.browser.rows('#text tbody tr')]
	page.browser.show('deep.html', view='flame')
	whole = sorted(frames())
	expect('the whole', [['0', 'f', '12'], ['1', 'f', '10'], ['2', 'f', '7'], ['3', 'g', '4'], ['4', 'f', '4']], whole)
	page.press('Shift+R')
	page.browser.show('deep.html', **page.state())
	expect('merged', ('recursion', [['0', 'f', '12'], ['1', 'g', '4'], ['2', 'f', '4']]), (page.state().get('transforms'), sorted(frames())))
	page.press('Backspace')
	page.browser.show('deep.html', **page.state())
	expect('undone', (None, whole), (page.state().get('transforms'), sorted(frames())))


def flame(page):
	"""Frames are walked and zoomed, and the walk goes on there."""
	page.browser.show('in.html', view='flame')
	page.browser.evaluate('document.getElementById("picture").focus()')
	page.press('ArrowDown', 'Enter')
	expect('after a zoom', 'picture', page.focused())
	if page.state().get('zoom', '').count('.') != 1:
		fail('zoomed to %s' % page.state())
	legend = page.browser.evaluate('[...document.querySelectorAll("#colours .entry")].map(e => e.textContent)')
	expect('the colours', ['kernel'], legend)	# all of it
	page.press('c')
	legend = page.browser.evaluate('[...document.querySelectorAll("#colours .entry")].map(e => e.textContent)')
	expect('the colours of kinds', ['program', 'kernel', 'inlined', 'no symbol'], legend)


def kept(page):
	"""A zoom changes the picture in place; nothing of what was drawn before is left, and it is as high as what is shown."""
	picture = lambda: page.browser.evaluate('document.getElementById("picture").toDataURL()')
	height = lambda: page.browser.evaluate('document.getElementById("picture").getBoundingClientRect().height')
	page.browser.show('in.html', view='flame')
	page.browser.evaluate('(window.picture = document.getElementById("picture")).focus()')
	page.press('ArrowDown', 'ArrowUp')
	before, high = picture(), height()
	page.press('ArrowDown', 'ArrowDown', 'Enter')
	if picture() == before or not page.browser.evaluate('document.querySelector(".minimap .frame").getBoundingClientRect().width > 0'):
		fail('the zoom is not drawn')
	expect('the canvas after a zoom', True, page.browser.evaluate('picture === document.getElementById("picture")'))
	page.press('Escape')
	expect('the picture and its height after the zoom', (True, high), (picture() == before, height()))
	expect('the minimap after the zoom', None, page.browser.evaluate('document.querySelector(".minimap")'))


def texts(page):
	"""What the heat map and the stack chart draw is there as text: 1 s in columns of 10 ms."""
	page.browser.show('in.html', view='timeline', form='heat map')
	rows = page.browser.rows('#text tbody tr')
	samples = sum(int(row['cells'][1][0].replace('\u202f', '')) for row in rows)
	expect('the heat map', page.browser.evaluate('+document.body.dataset.sum'), samples)
	page.browser.show('in.html', view='timeline', form='stacks')
	rows = page.browser.rows('#text tbody tr')
	if not rows or rows[0]['data']['depth'] != '0' or not rows[0]['cells'][0][0].startswith('f'):
		fail('the stack chart has no text: %s' % rows[:2])


def released(page):
	"""A view that is left keeps no picture: a canvas may be 50 MB."""
	page.browser.show('in.html', view='timeline')
	page.browser.evaluate('window.left = document.getElementById("picture")')
	page.browser.show('in.html', view='table')
	expect('the canvas of the view that was left', [0, 0], page.browser.evaluate('[left.width, left.height]'))


def printed(page):
	"""Paper is white: a dark page is drawn anew for it, and again afterwards."""
	page.browser.show('in.html', view='flame', theme='dark')
	for event, theme in (('beforeprint', 'light'), ('afterprint', 'dark')):
		page.browser.evaluate('dispatchEvent(new Event("%s"))' % event)
		expect('the theme after ' + event, theme, page.browser.evaluate('document.documentElement.dataset.theme'))


def main():
	browser = Chromium()
	try:
		page = Page(browser)
		for part in (title, head, ranges, lanes, gaps, stacks, names, search, merged, flame, kept, texts, released, printed):
			part(page)
		browser.show('in.html', view='summary')
		if '2024-05-06 07:08 UTC' not in browser.text('#facts'):
			fail('when it was recorded is not said: ' + browser.text('#facts'))
	finally:
		browser.close()


main()
