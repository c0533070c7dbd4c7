/*
 * What a flame graph in SVG does in a browser: a click zooms into a box, '/' or Ctrl-F searches, Escape and Backspace undo. Both are in
 * the address (#zoom=N&find=TEXT), so that a link shows the same. The picture is as wide as the window. Without scripts the picture is
 * whole. Sums are exact: each box has what is left of it and its own value, as "FROM VALUE" in data-at.
 */
(() => {
const svg = document.documentElement, MARGIN = 10, LETTER = 6.65, GAP = .5, NARROWEST = .3, LEAST = 400;
const HEIGHT = svg.viewBox.baseVal.height, TOTAL = +svg.dataset.total || 1;
let width = svg.viewBox.baseVal.width, inner = width - 2 * MARGIN;	/* of the picture, and without its margins */

/* The boxes; a title is "SHARE %, AMOUNT: NAME, LIBRARY", with " (inlined)" after the name. */
const boxes = [...svg.querySelectorAll("g")].map((group, number) => {
	const [from, value] = group.dataset.at.split(" ").map(Number), title = group.querySelector("title").textContent;
	const begin = title.indexOf(": ") + 2, end = title.lastIndexOf(", "), name = title.slice(begin, end > begin ? end : undefined);
	return { number, group, from, value, title, rect: group.querySelector("rect"), text: group.querySelector("text"),
		 y: +group.querySelector("rect").getAttribute("y"), name: name.endsWith(INLINED) ? name.slice(0, -INLINED.length) : name };
});
const state = { zoom: null, find: "" };

function place(box, x, width) {
	box.rect.setAttribute("x", x.toFixed(2));
	box.rect.setAttribute("width", Math.max(width - GAP, NARROWEST).toFixed(2));
	const shown = width > 3 * LETTER ? fitName(box.name, Math.floor((width - 6) / LETTER)) : "";
	if (!box.text && shown) {
		box.text = document.createElementNS(svg.namespaceURI, "text");
		box.text.setAttribute("y", box.y + 13);
		box.group.append(box.text);
	}
	if (box.text) {
		box.text.textContent = shown;
		box.text.setAttribute("x", (x + 3).toFixed(2));
	}
}

const holds = (outer, inner) => inner.from >= outer.from && inner.from + inner.value <= outer.from + outer.value;

/* Below the box all is as much wider as it is; what leads to it is as wide as the picture. */
function zoom(to) {
	const left = to ? to.from : 0, scale = inner / (to ? to.value : TOTAL);
	for (const box of boxes) {
		const above = to && box.y < to.y, inside = !to || (above ? holds(box, to) : holds(to, box) && (box === to || box.y > to.y));
		box.group.setAttribute("display", inside ? "inline" : "none");
		box.group.setAttribute("opacity", above ? .6 : 1);
		if (above)
			place(box, MARGIN, inner);
		else if (inside)
			place(box, MARGIN + (box.from - left) * scale, box.value * scale);
	}
}

/*
 * Names as people call functions are searched first: the arguments of templates have "alloc" nearly everywhere. The rest of a title
 * counts only where no name has the text. A box within one that is found counts once.
 */
function find(text) {
	const exact = /[A-Z]/.test(text), of = s => exact ? s : s.toLowerCase();
	let found = text ? boxes.filter(box => of(shownName(box.name)).includes(text)) : [], sum = 0;
	if (text && !found.length)
		found = boxes.filter(box => of(box.title).includes(text));
	for (const box of boxes)
		box.rect.setAttribute("stroke", "none");
	/* From left to right, callers first: what ends before .end is within one that was counted. */
	let end = 0;
	for (const box of [...found].sort((a, b) => a.from - b.from || a.y - b.y)) {
		box.rect.setAttribute("stroke", "#c2185b");
		box.rect.setAttribute("stroke-width", 2);
		if (box.from < end)
			continue;
		sum += box.value;
		end = box.from + box.value;
	}
	return sum / TOTAL;
}

const atRight = [];	/* elements with their distance from the right edge */

function keepAtRight(element, right) {
	atRight.push([element, right]);
	svg.append(element);
}

function label(right, run) {
	const text = document.createElementNS(svg.namespaceURI, "text");
	for (const [key, value] of [["y", 43], ["text-anchor", "end"], ["font-family", "sans-serif"], ["font-size", 12]])
		text.setAttribute(key, value);
	if (run) {
		text.setAttribute("class", "link");
		text.style.cursor = "pointer";
		text.addEventListener("click", run);
	}
	keepAtRight(text, right);
	return text;
}

function searchBox() {
	const place = document.createElementNS(svg.namespaceURI, "foreignObject"), input = document.createElementNS("http://www.w3.org/1999/xhtml", "input");
	for (const [key, value] of [["y", 28], ["width", 170], ["height", 24]])
		place.setAttribute(key, value);
	input.type = "search";
	input.placeholder = "Search ( / )";
	input.setAttribute("aria-label", "Search for a part of a name");
	input.style.cssText = "box-sizing: border-box; width: 170px; height: 22px; font: 12px sans-serif";
	input.addEventListener("input", () => go({ find: input.value }));
	input.addEventListener("keydown", event => {
		event.stopPropagation();
		if (event.key === "Enter" || event.key === "Escape")
			input.blur();
		if (event.key === "Escape")
			go({ find: "" });
	});
	place.append(input);
	keepAtRight(place, MARGIN + 170);
	return input;
}

const reset = label(MARGIN + 320, () => go({ zoom: null })), share = label(MARGIN + 180), search = searchBox();

function show() {
	const words = new URLSearchParams(location.hash.slice(1)), number = words.get("zoom");
	state.zoom = number !== null && boxes[number] ? boxes[number] : null;
	state.find = words.get("find") || "";
	zoom(state.zoom);
	const found = find(state.find);
	reset.textContent = state.zoom ? "Zoom out" : "";
	share.textContent = state.find ? (100 * found).toFixed(2) + " % found" : "";
	if (search.value !== state.find)
		search.value = state.find;
}

function go(change) {
	const next = { ...state, ...change }, words = new URLSearchParams();
	if (next.zoom)
		words.set("zoom", next.zoom.number);
	if (next.find)
		words.set("find", next.find);
	location.hash = words.toString();
	show();
}

function fit() {
	svg.setAttribute("width", "100%");
	width = Math.max(svg.getBoundingClientRect().width, LEAST);
	inner = width - 2 * MARGIN;
	svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
	for (const [element, right] of atRight)
		element.setAttribute("x", width - right);
	show();
}

for (const box of boxes) {
	box.group.style.cursor = "pointer";
	box.group.addEventListener("click", () => go({ zoom: box }));
}
addEventListener("hashchange", show);
addEventListener("resize", fit);
addEventListener("keydown", event => {
	if (event.key === "/" || (event.key === "f" && (event.ctrlKey || event.metaKey))) {
		event.preventDefault();
		search.focus();
		search.select();
	} else if (event.key === "Escape" || event.key === "Backspace") {
		event.preventDefault();
		go(state.zoom ? { zoom: null } : { find: "" });
	}
});
fit();
})();
