"""page_times.py FILE: how soon the page FILE answers in headless Chromium, in ms by its own clock: the first flame graph since navigation
began; a selected range of time and a zoom step, each the median and the slowest. What is counted is the time of the page's thread:
of the key until the picture is drawn, and of the frame that shows it."""
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from chromium import Chromium  # noqa: E402

# The time of what an expression does, and of the frame after it.
STEP = '''new Promise(done => {
	const began = performance.now();
	%s;
	const ended = performance.now();
	requestAnimationFrame(() => {
		const frame = performance.now(), channel = new MessageChannel();
		channel.port1.onmessage = () => done(ended - began + performance.now() - frame);
		channel.port2.postMessage(0);
	});
})'''
KEY = 'document.querySelector("%s").dispatchEvent(new KeyboardEvent("keydown", { key: "%s", bubbles: true, cancelable: true }))'
SETTLE = 'new Promise(done => setTimeout(() => requestAnimationFrame(() => done(true)), 80))'


def steps(browser, actions):
	"""Each is (what comes before it, the step)."""
	times = []
	for before, action in actions:
		browser.evaluate(before)
		browser.evaluate(SETTLE)
		was = browser.evaluate('location.hash')
		times.append(browser.evaluate(STEP % action))
		if browser.evaluate('location.hash') == was:	# it was no step
			times.pop()
	return '%.1f %.1f' % (statistics.median(times), max(times))


def main():
	browser = Chromium()
	try:
		first = []
		for n in range(3):
			browser.url = None
			browser.show(sys.argv[1], view='flame', colour=('library', 'kind', 'heat')[n])
			first.append(float(browser.evaluate('document.body.dataset.ready')))
		print(min(first))
		print(steps(browser, [('', KEY % ('#overview', 'ArrowRight'))] * 9))
		browser.show(sys.argv[1], view='flame')
		down = [(KEY % ('#picture', 'ArrowDown'), KEY % ('#picture', 'Enter'))] * 8
		print(steps(browser, [*down, ('', KEY % ('body', 'Escape')), *down]))
	finally:
		browser.close()


main()
