/* The flame graph: a level a row, the width of a frame its share. Frames narrower than half a pixel are not drawn. */
"use strict";

const ROW = 19;
/* Hue and saturation, as in core/show/export/svg.c: of the kernel, of Python, of code made at run time, and of libraries by their
   weight. */
const KERNEL = [32, 62], PYTHON = [60, 90], JIT = [120, 80], PALETTE = [[206, 62], [145, 42], [278, 45], [350, 55], [178, 48], [95, 40], [320, 40], [240, 45]];

/* Fill colours by what frames are. */
class Colours {
	constructor(model, result, state) {
		this.model = model;
		this.mode = state.colour;
		this.dark = document.documentElement.dataset.theme === "dark";
		this.sum = result.sum || 1;
		this.keys = result.g.keys;
		this.made = [];		/* by key */
		this.byDso = result.ranks || (result.ranks = this.rankDsos(result));
	}

	/* The dsos that are shown, and have no colour of their own, by their weight: {number: rank}. */
	rankDsos(result) {
		const { model } = this, weights = new Map();
		const dsos = result.g.keys.map(key => this.levelColour(key.fn) ? null : model.fn.dso[key.fn]);
		for (let i = 0; i < result.g.length; i++)
			if (result.totalCount[i] && dsos[result.g.key[i]] !== null)
				weights.set(dsos[result.g.key[i]], (weights.get(dsos[result.g.key[i]]) || 0) + result.self[i]);
		return new Map([...weights].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([dso], rank) => [dso, rank]));
	}

	/* Of what has one, whatever library it is in. */
	levelColour(fn) {
		return this.model.isKernel(fn) ? KERNEL : this.model.isPython(fn) ? PYTHON : this.model.isJit(fn) ? JIT : null;
	}

	hsl(hue, saturation, light) {
		return `hsl(${hue} ${saturation}% ${this.dark ? light - 44 : light}%)`;
	}

	of(item, key) {
		if (this.mode === "heat")
			return this.heat(item.self / this.sum);
		return this.made[key.number] || (this.made[key.number] = this.mode === "kind" ? this.kind(this.kindOf(key.fn)) : this.library(key.fn, hash(key.name) % 9));
	}

	heat(share) {
		const heat = Math.min(1, Math.sqrt(share));
		return this.hsl(48 - 44 * heat, 70, 88 - 20 * heat);
	}

	kindOf(fn) { return this.model.isKernel(fn) ? 1 : this.model.isUnnamed(fn) ? 3 : this.model.isInlined(fn) ? 2 : 0; }

	kind(kind) { return kind === 3 ? this.hsl(0, 0, 82) : this.hsl(...[PALETTE[0], KERNEL, PALETTE[1]][kind], 79); }

	library(fn, lighter) {
		const fixed = this.levelColour(fn);
		if (fixed)
			return this.hsl(...fixed, 76 + lighter);
		const rank = this.byDso.has(this.model.fn.dso[fn]) ? this.byDso.get(this.model.fn.dso[fn]) : 99;
		if (rank >= PALETTE.length)
			return this.hsl(220, 6, 82);
		const [hue, saturation] = PALETTE[rank];
		return this.hsl(hue, saturation, 76 + lighter);
	}

	/* What the colours are. */
	legend() {
		const box = el("p", { className: "legend", id: "colours" }), add = (colour, text) => {
			const key = el("span", { className: "key" });
			key.style.background = colour;
			box.append(el("span", { className: "entry" }, key, text));
		};
		if (this.mode === "heat")
			[0, .05, .25, 1].forEach(share => add(this.heat(share), "self " + 100 * share + " %"));
		else if (this.mode === "kind")
			["program", "kernel", "inlined", "no symbol"].forEach((text, kind) => add(this.kind(kind), text));
		else {
			for (const [text, fixed] of [["kernel", KERNEL], ["Python", PYTHON], ["made at run time", JIT]])
				if (this.keys.some(key => this.levelColour(key.fn) === fixed))
					add(this.hsl(...fixed, 80), text);
			for (const [dso, rank] of [...this.byDso].slice(0, PALETTE.length + 1))
				add(rank < PALETTE.length ? this.hsl(...PALETTE[rank], 80) : this.hsl(220, 6, 82),
				    rank === PALETTE.length ? "others" : dso < 0 ? "[unknown]" : fitName(this.model.dsos[dso].name, 40));
		}
		return box;
	}
}

/* Place frames: {item, x, y, w, depth, up} with x and w as shares of 1, down to @least; .up is the box above. @path: the items above the first. */
function layoutFlame(model, r, roots, sum, path, least) {
	const boxes = [], waiting = [];
	let above = null;
	path.forEach((item, depth) => boxes.push(above = { item, x: 0, w: 1, depth, up: above, above: true }));
	const whole = path.length ? path[path.length - 1].total : sum;
	const start = path.length ? model.children(r, path[path.length - 1]) : roots;
	const place = (items, left, depth, up) => {
		for (const item of items) {
			const w = whole > 0 ? item.total / whole : 0;
			if (w < least)
				break;
			const box = { item, x: left, w, depth, up, above: false };
			boxes.push(box);
			waiting.push(box);
			left += w;
		}
	};
	place(start, 0, path.length, above);
	while (waiting.length) {
		const box = waiting.pop();
		place(model.children(r, box.item), box.x, box.depth + 1, box);
	}
	return boxes;
}

/* The items from the outermost to that of @box. */
function pathOf(box) {
	const path = [];
	for (let b = box; b; b = b.up)
		path.unshift(b.item);
	return path;
}

function drawFlame(c, boxes, width, r, colours, matches, current) {
	c.font = "12px system-ui, sans-serif";
	c.textBaseline = "middle";
	const text = style("--text"), mark = style("--mark"), dim = style("--dim");
	for (const box of boxes) {
		const key = r.g.keys[box.item.key], px = box.x * width, pw = Math.max(box.w * width - .5, .5), py = box.depth * ROW;
		c.globalAlpha = box.above ? .55 : 1;
		c.fillStyle = matches && matches[box.item.key] ? mark : colours.of(box.item, key);
		c.fillRect(px, py, pw, ROW - 1);
		c.globalAlpha = 1;
		if (colours.model.isInlined(key.fn) && pw > 3) {
			c.fillStyle = dim;
			c.globalAlpha = .35;
			c.fillRect(px, py + ROW - 3, pw, 1);
			c.globalAlpha = 1;
		}
		if (box === current) {
			c.strokeStyle = text;
			c.lineWidth = 2;
			c.strokeRect(px + 1, py + 1, Math.max(pw - 2, 1), ROW - 3);
		}
		if (pw > 26) {
			c.fillStyle = text;
			drawName(c, key, px + 3, py + ROW / 2, pw - 5);
		}
	}
}

/* ---- the view ---- */

function zoomPath(page, roots) {
	const { model, state, result } = page, path = [];
	let items = roots;
	for (const part of state.zoom ? state.zoom.split(".") : []) {
		const item = items.find(i => i.key === +part);
		if (!item)
			break;
		path.push(item);
		items = model.children(result, item);
	}
	return path;
}

/* The shown frames. */
function textOf(page, boxes) {
	const body = el("tbody");
	for (const box of [...boxes].sort((a, b) => b.item.total - a.item.total || a.depth - b.depth).slice(0, 200))
		body.append(el("tr", { dataset: { depth: box.depth } }, el("td", {}, page.result.g.keys[box.item.key].name), el("td", {}, percent(box.item.total, page.result.sum)),
			       el("td", {}, amount(box.item.total, page.unit())), el("td", {}, amount(box.item.count, "count"))));
	return notDrawn("What the picture shows", body);
}

/* What the view is made of as long as it is shown: a step changes it in place, which costs a tenth of making it again. */
function flameParts(page, box) {
	if (page.flame && page.flame.tools.parentNode === box)
		return page.flame;
	const parts = page.flame = {
		invert: el("button", { type: "button", id: "invert", onclick: () => page.set({ up: !page.state.up, zoom: "" }) }),
		colour: select(["library", "kind", "heat"], page.state.colour, colour => page.set({ colour })),
		out: el("button", { type: "button", onclick: () => page.set({ zoom: "" }) }, "Zoom out (Esc)"),
		share: el("span", { id: "matched" }),
		map: el("canvas"), frame: el("div", { className: "frame" }), mapOf: null,
		canvas: el("canvas", { id: "picture", tabIndex: 0, role: "img", ariaLabel: "Flame graph; arrow keys move, Enter zooms, Backspace goes back" }),
		legend: null, text: null,
		hint: el("span", {}, "Right button: focus, merge, drop"),
	};
	parts.minimap = el("div", { className: "minimap", ariaHidden: "true", onclick: () => page.set({ zoom: "" }) }, parts.map, parts.frame);
	parts.tools = el("div", { className: "bar-tools" }, parts.invert, el("label", {}, "Colours by ", parts.colour), parts.share, parts.hint);
	box.replaceChildren(parts.tools, parts.canvas);
	return parts;
}

function keepLegend(parts, result, colours) {
	const key = [colours.mode, colours.dark].join();
	if (parts.legend && parts.legend.result === result && parts.legend.key === key)
		return;
	if (parts.legend)
		parts.legend.element.remove();
	parts.legend = { result, key, element: colours.legend() };
	parts.canvas.after(parts.legend.element);
}

function viewFlame(page, box) {
	const { model, state, result } = page, parts = flameParts(page, box), { canvas, minimap } = parts;
	if (parts.text)
		parts.text.remove();
	parts.invert.textContent = state.up ? "Callers up (i)" : "Callees down (i)";
	parts.colour.value = state.colour;
	parts.share.textContent = matchedShare(page);
	if (!state.zoom)
		parts.out.remove();
	else if (!parts.out.isConnected)
		parts.share.before(parts.out);
	if (!result.samples) {
		page.flame = null;
		return box.replaceChildren(parts.tools, nothing(page));
	}
	const roots = page.rootItems(), path = zoomPath(page, roots), colours = new Colours(model, result, state);
	if (!path.length)
		minimap.remove();
	else if (!minimap.isConnected)
		canvas.before(minimap);
	keepLegend(parts, result, colours);
	const width = Math.max(200, page.widthOf(box)), boxes = layoutFlame(model, result, roots, result.sum, path, .5 / width);
	const depth = boxes.reduce((d, b) => Math.max(d, b.depth), 0) + 1;
	let current = boxes[path.length ? path.length - 1 : 0] || null;
	const draw = () => drawFlame(sized(canvas, width, depth * ROW + 2), boxes, width, result, colours, page.matches, current);
	draw();
	if (path.length) {
		drawMinimap(page, parts, roots, width, colours);
		placeMinimap(page, parts, roots, path, width);
	}
	pointFlame(page, canvas, boxes, width, b => { current = b; draw(); }, () => current);
	/* After the picture: the text is a table of 200 rows, and the next zoom, which wants the whole, may come first. */
	clearTimeout(page.writing);
	page.writing = setTimeout(() => {
		if (!canvas.isConnected)
			return;
		box.append(parts.text = textOf(page, boxes));
		drawMinimap(page, parts, roots, width, colours);
	}, 50);
}

/* Where the frames that @path leads to stand in the whole: {x, w} as shares of 1. */
function placeOf(page, roots, path) {
	const { model, result } = page;
	let x = 0, items = roots;
	for (const item of path) {
		for (const before of items.slice(0, items.indexOf(item)))
			x += before.total / result.sum;
		items = model.children(result, item);
	}
	return { x, w: path[path.length - 1].total / result.sum };
}

/* The whole is drawn once: a zoom only moves the frame around what is shown. */
function drawMinimap(page, parts, roots, width, colours) {
	const { model, state, result } = page, key = [width, state.up, colours.mode, colours.dark].join();
	if (parts.mapOf && parts.mapOf.result === result && parts.mapOf.key === key)
		return;
	parts.mapOf = { result, key };
	const c = sized(parts.map, width, 44), boxes = layoutFlame(model, result, roots, result.sum, [], 1 / width);
	const depth = boxes.reduce((d, b) => Math.max(d, b.depth), 0) + 1, step = Math.min(4, 42 / depth);
	for (const b of boxes) {
		c.fillStyle = colours.of(b.item, result.g.keys[b.item.key]);
		c.fillRect(b.x * width, b.depth * step, Math.max(.5, b.w * width - .5), Math.max(1, step - .5));
	}
}

function placeMinimap(page, parts, roots, path, width) {
	const shown = placeOf(page, roots, path);
	parts.frame.style.left = 100 * shown.x + "%";
	parts.frame.style.width = 100 * Math.max(shown.w, 5 / width) + "%";
}

/* The share of all that has a frame that the search matches, each sample once. */
function matchedShare(page) {
	const { result } = page;
	if (!page.matches)
		return "";
	let sum = 0;
	const covered = new Uint8Array(result.g.length);
	for (let i = 0; i < result.g.length; i++) {
		const p = result.g.parent[i];
		covered[i] = (p >= 0 && covered[p]) || page.matches[result.g.key[i]] ? 1 : 0;
		if (covered[i])
			sum += result.self[i];
	}
	return `Matched: ${percent(sum, result.sum)}, ${amount(sum, page.unit())}, ${page.found.of}`;
}

const TIP_NAME = 200;	/* characters of a name in a tip: the whole is in the title of a table's cell */

/* Numbers first: a name may have lines. */
function frameTip(page, item) {
	const { model, result } = page, key = result.g.keys[item.key];
	return `${item.up ? "through here" : "total"} ${percent(item.total, result.sum)}, ${amount(item.total, page.unit())}, ${amount(item.count, "count")} samples` +
	       (item.up ? "" : `\nself ${percent(item.self, result.sum)}, ${amount(item.self, page.unit())}`) +
	       `\n${fittedName(key, TIP_NAME)}${model.isInlined(key.fn) ? INLINED : ""}\n${model.dsoName(key.fn)}`;
}

/* The mouse over boxes: a tip, the menu of @target(box), and @click(box). */
function pointBoxes(page, canvas, boxes, width, target, click) {
	const at = e => {
		const depth = Math.floor(e.offsetY / ROW), x = e.offsetX / width;
		return boxes.find(b => b.depth === depth && x >= b.x && x < b.x + Math.max(b.w, 1 / width)) || null;
	};
	canvas.onmousemove = e => {
		const b = at(e);
		page.pointed = b && target(b);
		page.tip(b && frameTip(page, b.item), e);
	};
	canvas.onmouseleave = () => {
		page.pointed = null;
		page.tip(null);
	};
	canvas.oncontextmenu = e => {
		const b = at(e);
		if (b)
			openMenu(page, e, target(b));
	};
	canvas.onclick = e => {
		const b = at(e);
		if (b)
			click(b, e);
	};
}

function pointFlame(page, canvas, boxes, width, choose, chosen) {
	const zoom = b => page.set({ zoom: pathOf(b).map(item => item.key).join(".") });
	const target = b => targetOf(page, pathOf(b), b.item.up);
	pointBoxes(page, canvas, boxes, width, target, (b, e) => e.shiftKey ? page.set({ view: "sandwich", of: page.result.g.keys[b.item.key].name }) : zoom(b));
	canvas.onkeydown = e => {
		const c = chosen();
		if (!c)
			return;
		const near = boxes.filter(b => e.key === "ArrowDown" ? b.up === c : e.key === "ArrowUp" ? b === c.up
			: e.key === "ArrowRight" ? b.depth === c.depth && b.x > c.x : e.key === "ArrowLeft" ? b.depth === c.depth && b.x < c.x : false);
		const next = near.sort((a, b) => Math.abs(a.x - c.x) - Math.abs(b.x - c.x))[0];
		if (e.key === "Enter")
			zoom(c);
		else if (e.key === "s" || e.key === "a")
			page.set({ view: e.key === "s" ? "sandwich" : "code", of: page.result.g.keys[c.item.key].name });
		else if (next)
			choose(next);
		else if (Object.values(TRANSFORMS).some(t => t.key === e.key)) {
			page.pointed = page.pointed || target(c);
			return;
		} else
			return;
		e.preventDefault();
		e.stopPropagation();
	};
}
