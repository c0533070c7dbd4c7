/*
 * What a flame graph in SVG does in a browser: a click zooms into a box, '/' or Ctrl-F searches, Escape and Backspace undo. Both are in
 * the address (#zoom=N&find=TEXT), so that a link shows the same. Without scripts the picture is whole.
 */
"use strict";
(() => {
const svg = document.documentElement, MARGIN = 10, INNER = svg.viewBox.baseVal.width - 2 * MARGIN, LETTER = 6.65, GAP = .5;

/* The boxes; a title is "SHARE %, AMOUNT: NAME, LIBRARY", with " (inlined)" after the name. */
const boxes = [...svg.querySelectorAll("g")].map((group, number) => {
	const rect = group.querySelector("rect"), title = group.querySelector("title").textContent;
	const x = +rect.getAttribute("x"), y = +rect.getAttribute("y"), width = +rect.getAttribute("width");
	const from = title.indexOf(": ") + 2, to = title.lastIndexOf(", ");
	return { number, group, rect, x, y, width, title, share: parseFloat(title), name: title.slice(from, to > from ? to : undefined),
		 text: group.querySelector("text"), shown: group.querySelector("text") ? group.querySelector("text").textContent : "" };
});
const state = { zoom: null, find: "" };

function place(box, x, width, shown) {
	const room = Math.floor((width - 6) / LETTER);
	box.rect.setAttribute("x", x.toFixed(2));
	box.rect.setAttribute("width", Math.max(width, .3).toFixed(2));
	if (shown === undefined)
		shown = room < 3 ? "" : box.name.length <= room ? box.name : box.name.slice(0, room - 2) + "..";
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

const holds = (outer, inner) => inner.x >= outer.x - .01 && inner.x + inner.width <= outer.x + outer.width + GAP + .01;

/* Below the box all is as much wider as it is; what leads to it is as wide as the picture. */
function zoom(to) {
	const wider = to ? INNER / (to.width + GAP) : 1;
	for (const box of boxes) {
		const above = to && box.y < to.y, inside = !to || (above ? holds(box, to) : holds(to, box));
		box.group.setAttribute("display", inside ? "inline" : "none");
		box.group.setAttribute("opacity", above ? .6 : 1);
		if (!to)
			place(box, box.x, box.width, box.shown);
		else if (above)
			place(box, MARGIN, INNER - GAP);
		else if (inside)
			place(box, MARGIN + (box.x - to.x) * wider, (box.width + GAP) * wider - GAP);
	}
}

/* Names are searched first, and what else a title says only where no name has the text. A box within one that is found counts once. */
function find(text) {
	const exact = /[A-Z]/.test(text), of = s => exact ? s : s.toLowerCase();
	let found = text ? boxes.filter(box => of(box.name).includes(text)) : [], share = 0;
	if (text && !found.length)
		found = boxes.filter(box => of(box.title).includes(text));
	const set = new Set(found), counted = [];
	for (const box of boxes) {
		box.rect.setAttribute("stroke", set.has(box) ? "#c2185b" : "none");
		box.rect.setAttribute("stroke-width", 2);
		if (set.has(box) && !counted.some(outer => outer.y < box.y && holds(outer, box))) {
			counted.push(box);
			share += box.share;
		}
	}
	return share;
}

function button(right, run) {
	const text = document.createElementNS(svg.namespaceURI, "text");
	text.setAttribute("x", svg.viewBox.baseVal.width - right);
	text.setAttribute("y", 22);
	text.setAttribute("text-anchor", "end");
	text.setAttribute("fill", "#1a5fb4");
	text.setAttribute("font-family", "sans-serif");
	text.setAttribute("font-size", 12);
	text.style.cursor = "pointer";
	text.addEventListener("click", run);
	svg.append(text);
	return text;
}

const reset = button(MARGIN + 190, () => go({ zoom: null })), search = button(MARGIN, ask);

function show() {
	const words = new URLSearchParams(location.hash.slice(1)), number = words.get("zoom");
	state.zoom = number !== null && boxes[number] ? boxes[number] : null;
	state.find = words.get("find") || "";
	zoom(state.zoom);
	const share = find(state.find);
	reset.textContent = state.zoom ? "Zoom out" : "";
	search.textContent = state.find ? `"${state.find.slice(0, 12)}": ${share.toFixed(2)} %` : "Search";
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

function ask() {
	const text = prompt("Search for a part of a name:", state.find);
	if (text !== null)
		go({ find: text });
}

for (const box of boxes) {
	box.group.style.cursor = "pointer";
	box.group.addEventListener("click", () => go({ zoom: box }));
}
addEventListener("hashchange", show);
addEventListener("keydown", event => {
	if (event.key === "/" || (event.key === "f" && (event.ctrlKey || event.metaKey))) {
		event.preventDefault();
		ask();
	} else if (event.key === "Escape" || event.key === "Backspace") {
		event.preventDefault();
		go(state.zoom ? { zoom: null } : { find: "" });
	}
});
show();
})();
