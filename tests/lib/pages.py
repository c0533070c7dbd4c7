"""Loads pages for dom() of tests/shell/lib/page.sh in one browser: pages.py REQUESTS ANSWERS FILE.

Each line of the pipe REQUESTS is an address. The document is written into FILE when the page is ready or has an error, and then a line
into the pipe ANSWERS: empty, or the reason of a failure. Ends with the test.
"""
import sys
from chromium import Chromium

# Also behind two more frames: what is drawn in them belongs to the document.
LOADED = '''new Promise(done => {
	const look = () => {
		const body = document.body;
		if (location.href.startsWith("about:") || document.readyState !== "complete" ||
		    !(body && ("error" in body.dataset || "ready" in body.dataset)))
			setTimeout(look, 5);
		else
			requestAnimationFrame(() => requestAnimationFrame(() => done(document.documentElement.outerHTML)));
	};
	setTimeout(() => done(document.documentElement.outerHTML), 20000);
	look();
})'''


def load(browser, address):
	browser.call('Page.navigate', url='about:blank')
	browser.call('Page.navigate', url=address)
	for again in (True, True, False):
		try:
			return browser.evaluate(LOADED)
		except RuntimeError:	# what was asked just before the page changed
			if not again:
				raise


browser = Chromium()
while True:
	with open(sys.argv[1]) as requests:
		address = requests.readline().rstrip('\n')
	failure = ''
	try:
		document = load(browser, address)
		with open(sys.argv[3], 'w') as out:
			out.write('<!DOCTYPE html>\n' + document + '\n')
	except (RuntimeError, OSError) as e:
		failure = str(e).replace('\n', ' ')
	with open(sys.argv[2], 'w') as answers:
		answers.write(failure + '\n')
