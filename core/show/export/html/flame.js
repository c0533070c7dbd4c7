/* The flame graph: a level a row, the width of a frame its share. Frames narrower than half a pixel are not drawn. */
"use strict";

const ROW = 19;
/* Hue and saturation, as in core/show/export/svg.c: of the kernel, of Python, and of libraries by their weight. */
const KERNEL = [32, 62], PYTHON = [60, 90], PALETTE = [[206, 62], [145, 42], [278, 45], [350, 55], [178, 48], [95, 40], [320, 40], [240, 45]];

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
		const dsos = result.g.keys.map(key => model.isKernel(key.fn) || model.isPython(key.fn) ? null : model.fn.dso[key.fn]);
		for (let i = 0; i < result.g.length; i++)
			if (result.totalCount[i] && dsos[result.g.key[i]] !== null)
				weights.set(dsos[result.g.key[i]], (weights.get(dsos[result.g.key[i]]) || 0) + result.self[i]);
		return new Map([...weights].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([dso], rank) => [dso, rank]));
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
		if (this.model.isKernel(fn) || this.model.isPython(fn))
			return this.hsl(...(this.model.isKernel(fn) ? KERNEL : PYTHON), 76 + lighter);
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
			for (const [text, fixed] of [["kernel", KERNEL], ["Python", PYTHON]])
				if (this.keys.some(key => fixed === KERNEL ? this.model.isKernel(key.fn) : this.model.isPython(key.fn)))
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

/* As fitName(); what a key gave is kept, as a picture is drawn again at each step. */
function fittedName(key, width) {
	const fitted = key.fitted || (key.fitted = new Map());
	if (!fitted.has(width))
		fitted.set(width, fitName(key.name, width));
	return fitted.get(width);
}

/* The name of @key at @x within @room pixels, as much of it as there is room for. A width is measured once. */
function drawName(c, key, x, y, room) {
	if (key.width === undefined)
		key.width = c.measureText(key.name).width;
	if (key.width <= room)
		c.fillText(key.name, x, y);
	else
		c.fillText(fittedName(key, Math.floor(key.name.length * room / key.width)), x, y, room);
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
			c.fillRect(px, py + ROW - 3, pw, 1);
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
