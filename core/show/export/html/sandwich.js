/* The sandwich: what calls a function above it, what it calls below, as pictures and as trees. */
"use strict";

const MOST_LEVELS = 12;		/* of each side of the picture: the trees below it have all */

/* The frames of both sides as boxes, with those of the callers turned over, so that they stand on the function. */
function sandwichBoxes(model, result, up, down, width) {
	const side = item => layoutFlame(model, result, model.children(result, item), item.total, [], .5 / width).filter(b => b.depth < MOST_LEVELS);
	const callers = side(up), callees = side(down), levels = callers.reduce((most, b) => Math.max(most, b.depth + 1), 0);
	for (const b of callers)
		b.depth = levels - 1 - b.depth;
	for (const b of callees)
		b.depth += levels + 1;
	return [...callers, { item: down, x: 0, w: 1, depth: levels, up: null, above: false }, ...callees];
}

function sandwichPicture(page, up, down, box) {
	const { model, state, result } = page, width = Math.max(200, page.widthOf(box)), colours = new Colours(model, result, state);
	const boxes = sandwichBoxes(model, result, up, down, width), depth = boxes.reduce((most, b) => Math.max(most, b.depth), 0) + 1;
	const canvas = el("canvas", { id: "picture", role: "img", ariaLabel: "Callers above the function, callees below; the same as in the trees" });
	box.append(canvas, colours.legend());
	drawFlame(sized(canvas, width, depth * ROW + 2), boxes, width, result, colours, page.matches, boxes.find(b => b.item === down));
	pointBoxes(page, canvas, boxes, width, b => functionOf(result.g.keys[b.item.key], b.item.up), b => page.set({ of: result.g.keys[b.item.key].name }));
}

function viewSandwich(page, box) {
	const { model, state, result } = page;
	if (!result.samples)
		return box.append(nothing(page));
	const rows = model.rows(result).sort((a, b) => b.self - a.self || b.total - a.total), names = rows.map(row => result.g.keys[row.key].name);
	const of = state.of !== null && names.includes(state.of) ? state.of : names[0];
	const list = el("datalist", { id: "names" }, ...[...new Set(names)].slice(0, 2000).map(n => el("option", { value: n })));
	const input = el("input", { className: "of", value: of, title: of, onchange: e => page.set({ of: e.target.value }) });
	input.setAttribute("list", "names");
	const row = rows[names.indexOf(of)];
	box.append(list, el("div", { className: "bar-tools" }, el("label", {}, "Function ", input),
		el("span", { id: "of" }, `self ${percent(row.self, result.sum)} (${amount(row.self, page.unit())}), total ${percent(row.total, result.sum)} (${amount(row.total, page.unit())})`),
		el("button", { type: "button", onclick: () => page.transform("only", page.target()) }, "Only stacks that have it (f)"),
		el("button", { type: "button", id: "more", onclick: e => openMenu(page, e, page.target()) }, "Focus, merge, drop\u2026"),
		el("button", { type: "button", id: "to-code", onclick: () => page.set({ view: "code" }) }, "Its code (a)")));
	const split = innerWidth <= 700 ? 1 : .49, up = model.itemOf(result, row.key, true), down = model.itemOf(result, row.key, false);
	if (up && down)
		sandwichPicture(page, up, down, box);
	box.append(el("div", { className: "split" },
		el("section", {}, el("h2", {}, "Callers"), treeTable(page, up ? model.children(result, up) : [], "callers", split)),
		el("section", {}, el("h2", {}, "Callees"), treeTable(page, down ? model.children(result, down) : [], "callees", split))));
}
