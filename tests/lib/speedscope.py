"""speedscope in headless Chromium, out of its npm package: FOLDER is node_modules/speedscope/dist/release. As a program,
speedscope.py FOLDER FILE... prints of its table of functions "name self total" as it shows them, by name; of several files after a
line "== FILE" each."""
import os
import sys
import time
import urllib.parse

from chromium import Chromium

INPUT = 'document.querySelector("input[type=file]")'
# The file is there, and two frames have been drawn since, of which the first may have begun before.
OPENED = '''new Promise(done => {
	const look = () => document.title.endsWith(" - speedscope") && document.querySelector("canvas") ?
		requestAnimationFrame(() => requestAnimationFrame(() => done(true))) : setTimeout(look, 2);
	look();
})'''
AWAIT = '''new Promise(done => {
	const look = () => %s ? done(true) : setTimeout(look, 2);
	look();
})'''
TAB = '[...document.querySelectorAll("div")].filter(e => e.textContent.endsWith("Sandwich")).pop()'
ROWS = '[...document.querySelectorAll("tr")].map(row => [...row.cells].map(cell => cell.textContent))'


def open_file(browser, folder, file):
	"""How many ms it takes until the calls of @file are drawn."""
	browser.call('Page.navigate', url='about:blank')
	browser.call('Page.navigate', url='file://' + urllib.parse.quote(os.path.join(os.path.realpath(folder), 'index.html')))
	browser.evaluate(AWAIT % INPUT)
	node = browser.call('Runtime.evaluate', expression=INPUT)['result']['objectId']
	began = time.monotonic()
	browser.call('DOM.setFileInputFiles', files=[os.path.realpath(file)], objectId=node)
	browser.evaluate(OPENED)
	return (time.monotonic() - began) * 1000


def functions(browser):
	"""The rows of its table of functions: (name, self, total), as "12.70µs"."""
	browser.evaluate(TAB + '.click()')
	browser.evaluate(AWAIT % 'document.querySelector("td")')
	rows = [row for row in browser.evaluate(ROWS) if row[0] != 'Total']
	return sorted((name, own.split()[0], total.split()[0]) for total, own, name in rows)


def main():
	browser = Chromium()
	try:
		folder, *files = sys.argv[1:]
		for file in files:
			if len(files) > 1:
				print('==', file)
			open_file(browser, folder, file)
			for row in functions(browser):
				print(*row)
	finally:
		browser.close()


if __name__ == '__main__':
	main()
