"""page_opens.py html FILE | speedscope FOLDER FILE | json FILE: how soon a file of calls is open in headless Chromium, in ms, the best of
three: until the page has drawn its calls in order of time, since its navigation began; until speedscope, whose release is in FOLDER, has
drawn them, since it was given the file. json: reading it and parsing it alone, which no page can do without."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from chromium import Chromium  # noqa: E402
from speedscope import open_file  # noqa: E402

INPUT = 'document.body.appendChild(Object.assign(document.createElement("input"), { type: "file" }))'
PARSED = '''(async () => {
	const began = performance.now();
	JSON.parse(await document.querySelector("input").files[0].text());
	return performance.now() - began;
})()'''


def html(browser, file):
	browser.url = None
	browser.call('Page.navigate', url='about:blank')
	browser.show(file, view='timeline', form='stacks')
	if not int(browser.evaluate('document.querySelector("[data-calls]").dataset.calls')):
		sys.exit('the page draws no calls')
	return float(browser.evaluate('document.body.dataset.ready'))


def json(browser, file):
	browser.call('Page.navigate', url='about:blank')
	node = browser.call('Runtime.evaluate', expression=INPUT)['result']['objectId']
	browser.call('DOM.setFileInputFiles', files=[os.path.realpath(file)], objectId=node)
	return browser.evaluate(PARSED)


def main():
	browser = Chromium()
	try:
		way = {'html': html, 'speedscope': open_file, 'json': json}[sys.argv[1]]
		print('%.0f' % min(way(browser, *sys.argv[2:]) for n in range(3)))
	finally:
		browser.close()


main()
