/* The views: each fills an element with what the page's state says. VIEWS lists them; keys 1 to 9 and the tabs follow from it. */
"use strict";

/* A cell with a share as a bar, percent and amount. */
function shareCell(page, part) {
	return el("td", { className: "num share", share: page.result.sum ? Math.max(0, part) / page.result.sum : 0, title: amount(part, page.unit()) },
		  percent(part, page.result.sum));
}

/* How many characters of a name there is room for in a table with @numbers columns of numbers, @share of the view's width. */
function nameRoom(page, box, numbers, share) {
	const width = share * page.widthOf(box), narrow = innerWidth <= 700;
	return Math.max(12, Math.floor((width * (narrow ? 1 : .78) - numbers * (narrow ? 78 : 92) - 16) / 7.6));
}

function nameCell(page, key, room, extra) {
	const inlined = page.model.isInlined(key.fn), whole = key.name.length + INLINED.length <= room;
	const mark = inlined && (whole || room >= LEAST_BESIDE + INLINED.length) ? INLINED : "";
	const cell = el("td", { className: "name" + (inlined ? " inlined" : ""), title: key.name }, ...(extra || []),
			fittedName(key, room - mark.length), mark);
	if (page.matches && page.matches[key.number])
		cell.classList.add("hit");
	return cell;
}

function nothing(page) {
	const e = page.model.events[page.state.event];
	return el("p", { className: "empty" }, e && e.samples ? "No sample passes the filters above. Remove one, or press Backspace."
							 : "There are no samples of this event in the recording.");
}

/* A table for screen readers, and for whoever reads the page without its pictures. */
function notDrawn(caption, body) {
	return el("div", { className: "sr", id: "text" }, el("table", {}, el("caption", {}, caption), body));
}

function select(values, value, change) {
	const s = el("select", { onchange: e => change(e.target.value) }, ...values.map(v => el("option", { value: v }, v)));
	s.value = value;
	return s;
}

/* ---- table ---- */

const COLUMNS = [
	{ id: "self", title: "Self", of: row => row.self },
	{ id: "total", title: "Total", of: row => row.total },
	{ id: "samples", title: "Samples", of: row => row.selfCount },
];

function viewTable(page, box) {
	const { model, state, result } = page;
	if (!result.samples)
		return box.append(nothing(page));
	let rows = model.rows(result);
	if (page.matches)
		rows = rows.filter(row => page.matches[row.key]);
	const column = COLUMNS.find(c => c.id === state.sort), name = row => result.g.keys[row.key].name;
	rows.sort((a, b) => (column ? column.of(b) - column.of(a) : state.sort === "library"
		? model.dsoName(result.g.keys[a.key].fn).localeCompare(model.dsoName(result.g.keys[b.key].fn)) : 0) || b.self - a.self || b.total - a.total || (name(a) < name(b) ? -1 : 1));
	const head = el("tr", {});
	for (const c of [...COLUMNS, { id: "name", title: "Function" }, { id: "library", title: "Library", lib: true }])
		head.append(el("th", { id: "sort-" + c.id, className: "sortable " + (c.of ? "num" : c.lib ? "lib" : ""), tabIndex: 0, onclick: () => page.set({ sort: c.id }),
				       onkeydown: e => e.key === "Enter" && page.set({ sort: c.id }) }, c.title + (state.sort === c.id ? " \u25be" : "")));
	const body = el("tbody"), most = 500, room = nameRoom(page, box, 3, 1);
	for (const row of rows.slice(0, most)) {
		const key = result.g.keys[row.key];
		const tr = el("tr", { tabIndex: 0, onclick: () => page.set({ view: "sandwich", of: key.name }), onkeydown: e => functionKey(page, e, key.name) },
			shareCell(page, row.self), shareCell(page, row.total), el("td", { className: "num" }, amount(row.selfCount, "count")),
			nameCell(page, key, room), el("td", { className: "lib", title: model.dsoName(key.fn) }, model.dsoName(key.fn)));
		tr.dataset.self = row.self;
		tr.dataset.total = row.total;
		pointRow(page, tr, functionOf(key));
		body.append(tr);
	}
	box.append(el("div", { className: "bar-tools" }, `${rows.length} ${page.matches ? "matching " : ""}row${rows.length === 1 ? "" : "s"}` + (rows.length > most ? `, the first ${most} shown; search for others` : "") +
		      (page.matches ? ". " + matchedShare(page) : "")));
	box.append(el("table", { className: "wide", id: "table" }, el("thead", {}, head), body));
}

/* On a row of a function: Enter shows the sandwich, a its code. */
function functionKey(page, e, of) {
	if (e.key !== "Enter" && e.key !== "a")
		return;
	page.set({ view: e.key === "a" ? "code" : "sandwich", of });
	e.stopPropagation();
}

/* ---- call tree ---- */

/* A table of a tree: rows open in place, the heaviest path is open at first. @whole: it begins with the root, and not with a function. */
function treeTable(page, items, id, share, whole) {
	const { model, result } = page, body = el("tbody"), room = nameRoom(page, $("view"), 2, share);
	const addRow = (item, depth, before, open, path) => {
		const key = result.g.keys[item.key], kids = model.children(result, item);
		const mark = el("button", { type: "button", ariaLabel: kids.length ? "open or close" : "leaf" }, kids.length ? "\u25b8" : "\u00b7");
		const cell = nameCell(page, key, Math.max(12, room - 3 - 2 * Math.min(depth, 60)), [mark]);
		cell.style.paddingLeft = 8 + Math.min(depth, 60) * 14 + "px";
		const row = el("tr", { tabIndex: 0 }, shareCell(page, item.total), shareCell(page, item.up ? item.total - kids.reduce((s, k) => s + k.total, 0) : item.self), cell,
			       el("td", { className: "lib", title: model.dsoName(key.fn) }, model.dsoName(key.fn)));
		row.dataset.depth = depth;
		pointRow(page, row, whole ? targetOf(page, path, item.up) : functionOf(key, item.up));
		body.insertBefore(row, before);
		let shown = false;
		const toggle = () => {
			if (shown)
				while (row.nextSibling && +row.nextSibling.dataset.depth > depth)
					row.nextSibling.remove();
			else
				addRows(kids, depth + 1, row.nextSibling, false, path);
			shown = !shown;
			mark.textContent = !kids.length ? "\u00b7" : shown ? "\u25be" : "\u25b8";
		};
		mark.onclick = toggle;
		row.onkeydown = e => {
			if (e.target === mark && e.key === "Enter")
				return;
			if (e.key === "Enter" || (e.key === "ArrowRight" && !shown) || (e.key === "ArrowLeft" && shown))
				toggle();
			else if (e.key === "a")
				page.set({ view: "code", of: key.name });
			else if (e.key === "ArrowDown" && row.nextSibling)
				row.nextSibling.focus();
			else if (e.key === "ArrowUp" && row.previousSibling)
				row.previousSibling.focus();
			else
				return;
			e.preventDefault();
			e.stopPropagation();
		};
		if (open && kids.length && depth < 40) {
			addRows(kids, depth + 1, row.nextSibling, kids[0].total > item.total / 3, path);
			shown = true;
			mark.textContent = "\u25be";
		}
	};
	const addRows = (list, depth, before, open, path) => {
		list.slice(0, 100).forEach((item, i) => addRow(item, depth, before, open && i === 0, [...path, item]));
		if (list.length > 100) {
			const more = el("tr", {}, el("td", { colspan: 4 }, `${list.length - 100} more, ${percent(list.slice(100).reduce((s, i) => s + i.total, 0), result.sum)}`));
			more.dataset.depth = depth;
			body.insertBefore(more, before);
		}
	};
	addRows(items, 0, null, true, []);
	return el("table", { className: "wide", id }, el("thead", {}, el("tr", {}, el("th", { className: "num" }, "Total"),
		  el("th", { className: "num" }, items.length && items[0].up ? "Ends here" : "Self"), el("th", {}, "Function"), el("th", { className: "lib" }, "Library"))), body);
}

function viewTree(page, box) {
	const { state, result } = page;
	box.append(el("div", { className: "bar-tools" }, el("button", { type: "button", id: "invert", onclick: () => page.set({ up: !state.up }) },
							    state.up ? "Callers below (i)" : "Callees below (i)")));
	if (!result.samples)
		return box.append(nothing(page));
	box.append(treeTable(page, page.rootItems(), "tree", 1, true));
}

/* ---- timeline ---- */

const LANES = ["groups", "threads", "cpus"];

function viewTimeline(page, box) {
	const { model, state } = page;
	if (!model.timed)
		return box.append(el("p", { className: "empty" }, "The samples of this recording carry no time."));
	box.append(el("div", { className: "bar-tools" },
		el("label", {}, "Show ", select(["lanes", "heat map", "stacks"], state.form, form => page.set({ form }))),
		state.form === "lanes" ? el("label", {}, "one for each of ", select(LANES, state.lanes, lanes => page.set({ lanes }))) : null,
		el("span", {}, state.form === "stacks" ? "of one thread, in order of time" : "Drag to select a range of time; it filters every view.")));
	({ lanes: timelineLanes, "heat map": timelineHeat, stacks: timelineStacks }[state.form] || timelineLanes)(page, box);
}

function timelineLanes(page, box) {
	const { model, state } = page, all = state.lanes === "groups" ? groupLanes(page, lanesOf(page, "threads")) : lanesOf(page, state.lanes), lanes = all.slice(0, MOST_LANES), width = Math.max(300, page.widthOf(box));
	const canvas = el("canvas", { id: "picture", tabIndex: 0, role: "img", ariaLabel: "Activity by lane; up and down choose a lane, Enter shows only that, or opens a group; left and right move the range of time" });
	const over = el("canvas", { id: "over" });
	box.append(el("div", { className: "lanes" }, canvas, over), el("p", { className: "empty", id: "happenings" }, happenings(model)));
	if (all.length > lanes.length)
		box.append(el("p", { className: "empty" }, `${all.length - lanes.length} less busy lanes are not drawn.`));
	let current = -1;
	drawLanes(page, canvas, lanes, width);
	const from = state.from || 0, to = state.to === null ? model.end - model.begin : state.to, label = laneLabel(width), room = width - label;
	const arrows = state.lanes === "cpus" ? [] : arrowsOf(page, lanes, model.begin + from, model.begin + to);
	canvas.parentNode.after(timelineLegend(page, arrows.length));
	let shown = -1;
	const choose = (i, framed) => {
		if (i !== shown || framed)
			drawChosen(page, over, lanes, arrows, width, i, framed);
		shown = i;
	};
	selectByDrag(page, canvas, x => from + Math.min(1, Math.max(0, (x - label) / room)) * (to - from), (x, y) => {
		const lane = lanes[Math.floor(y / LANE)];
		if (lane && x < label)
			page.set(laneChoice(page, lane));
	});
	canvas.onmousemove = e => {
		const i = Math.floor(e.offsetY / LANE), lane = lanes[i];
		choose(lane ? i : current, !lane);
		page.tip(lane ? `${lane.label}\n${amount(lane.weight, page.unit())}` + wakeUps(arrows, i, width) + (e.offsetX > label ? `\nat ${seconds(from + (e.offsetX - label) / room * (to - from))}` : lane.group ? "\nclick: each of them" : "\nclick: only this") : null, e);
	};
	canvas.onmouseleave = () => {
		page.tip(null);
		choose(current, true);
	};
	canvas.onkeydown = e => {
		if (rangeKey(page, e))
			return;
		if (e.key === "Enter" && lanes[current])
			page.set(laneChoice(page, lanes[current]));
		else if (e.key === "ArrowDown" || e.key === "ArrowUp")
			choose(current = Math.max(0, Math.min(lanes.length - 1, current + (e.key === "ArrowDown" ? 1 : -1))), true);
		else
			return;
		e.preventDefault();
		e.stopPropagation();
	};
	const body = el("tbody");
	for (const lane of all.slice(0, 1000))
		body.append(el("tr", {}, el("td", {}, lane.label), el("td", {}, amount(lane.weight, page.unit()))));
	box.append(notDrawn("Lanes", body));
}

function timelineHeat(page, box) {
	const { model } = page, width = Math.max(300, page.widthOf(box)), rows = 50, map = heatMap(page, Math.floor(width / 6), rows);
	const cell = Math.min(24, Math.max(6, Math.floor(width / map.nr))), canvas = el("canvas", { id: "picture", tabIndex: 0, role: "img", ariaLabel: "Activity by second and fraction of a second; arrows move the range of time" });
	box.append(canvas);
	const c = sized(canvas, width, rows * 8 + 36);
	for (let x = 0; x < map.nr; x++)
		for (let y = 0; y < rows; y++) {
			const v = map.cells[x * rows + y];
			if (!v)
				continue;
			c.fillStyle = `hsl(${50 - 46 * v / map.most} 80% ${document.documentElement.dataset.theme === "dark" ? 22 + 38 * v / map.most : 88 - 48 * v / map.most}%)`;
			c.fillRect(x * cell, (rows - 1 - y) * 8, cell - 1, 7);
		}
	c.fillStyle = style("--dim");
	c.font = "12px system-ui, sans-serif";
	drawAxis(c, 0, map.nr * map.column, 0, rows * 8 + 2, map.nr * cell);
	c.fillText(`a column is ${scaled(map.column, UNITS.ns)}, from bottom to top`, 2, rows * 8 + 30);
	const timeAt = (x, y) => Math.floor(x / cell) * map.column + Math.min(rows - 1, Math.max(0, rows - 1 - Math.floor(y / 8))) * map.column / rows;
	let start = null;
	canvas.onpointerdown = e => { start = [e.offsetX, e.offsetY]; canvas.setPointerCapture(e.pointerId); };
	canvas.onpointerup = e => {
		if (!start)
			return;
		const [a, b] = [timeAt(...start), timeAt(e.offsetX, e.offsetY)].sort((p, q) => p - q);
		start = null;
		setRange(page, a, b + map.column / rows);
	};
	canvas.onkeydown = e => rangeKey(page, e);
	canvas.onmousemove = e => {
		const x = Math.floor(e.offsetX / cell), y = rows - 1 - Math.floor(e.offsetY / 8), inside = x < map.nr && y >= 0;
		page.tip(inside ? `${seconds(timeAt(e.offsetX, e.offsetY))}\n${amount(map.cells[x * rows + y], page.unit())}` : null, e);
	};
	canvas.onmouseleave = () => page.tip(null);
	box.append(heatText(page, map));
}

/* The columns of the heat map as text: when each begins, its sum, and its busiest fraction. */
function heatText(page, map) {
	const body = el("tbody");
	for (let x = 0; x < Math.min(map.nr, 1000); x++) {
		const cells = map.cells.subarray(x * map.rows, (x + 1) * map.rows), most = cells.indexOf(cells.reduce((a, b) => Math.max(a, b), 0));
		body.append(el("tr", {}, el("td", {}, seconds(x * map.column)), el("td", {}, amount(cells.reduce((a, b) => a + b, 0), page.unit())),
			       el("td", {}, seconds(x * map.column + most * map.column / map.rows))));
	}
	return notDrawn("Columns: begin, sum, busiest fraction", body);
}

function timelineStacks(page, box) {
	const { model, state, result } = page, lane = lanesOf(page, "threads")[0];
	if (!lane)
		return box.append(nothing(page));
	const from = model.begin + (state.from || 0), to = state.to === null ? model.end : model.begin + state.to, width = Math.max(300, page.widthOf(box));
	const runs = stackChart(page, lane.thread, from, to, width), g = model.grouping(state), colours = new Colours(model, result, state);
	const depth = runs.reduce((d, r) => Math.max(d, r.depth), 0) + 1, canvas = el("canvas", { id: "picture", tabIndex: 0, role: "img", ariaLabel: "Stacks in order of time; arrows move the range of time" });
	canvas.dataset.calls = model.call.begin.length ? runs.length : 0;
	canvas.dataset.inferred = runs.filter(r => r.flags & 3).length;
	box.append(el("p", {}, "Thread " + lane.label + (state.thread ? "" : ", the busiest: choose another above")), canvas, colours.legend());
	const c = sized(canvas, width, depth * ROW + 20), scale = width / (to - from);
	c.font = "12px system-ui, sans-serif";
	c.textBaseline = "middle";
	const text = style("--text"), mark = style("--mark"), open = style("--error");
	for (const run of runs) {
		const x = (run.begin - from) * scale, w = Math.max(.5, (run.end - run.begin) * scale - .3), key = g.keys[run.key];
		c.fillStyle = page.matches && page.matches[run.key] ? mark : colours.of({ self: 0 }, key);
		c.fillRect(x, run.depth * ROW, w, ROW - 1);
		/* Where nobody saw it begin or end, it is open at that side. */
		c.fillStyle = open;
		if (run.flags & 1)
			c.fillRect(x, run.depth * ROW, Math.min(2, w), ROW - 1);
		if (run.flags & 2)
			c.fillRect(x + Math.max(0, w - 2), run.depth * ROW, Math.min(2, w), ROW - 1);
		if (w > 26) {
			c.fillStyle = text;
			drawName(c, key, x + 3, run.depth * ROW + ROW / 2, w - 5);
		}
	}
	drawAxis(c, from - model.begin, to - model.begin, 0, depth * ROW, width);
	selectByDrag(page, canvas, x => from - model.begin + x / scale, null);
	canvas.onkeydown = e => rangeKey(page, e);
	box.append(stacksText(page, runs, g));
	canvas.onmousemove = e => {
		const t = from + e.offsetX / scale, run = runs.find(r => r.depth === Math.floor(e.offsetY / ROW) && t >= r.begin && t <= r.end);
		const open = !run || !run.flags ? "" : (run.flags & 1 ? "\nits begin was not seen" : "") + (run.flags & 2 ? "\nits end was not seen" : "");
		page.tip(run ? `${seconds(run.begin - model.begin)}, ${amount(run.end - run.begin, "ns")}${open}\n${fittedName(g.keys[run.key], TIP_NAME)}` : null, e);
	};
	canvas.onmouseleave = () => page.tip(null);
}

/* The longest of the stack chart as text. */
function stacksText(page, runs, g) {
	const body = el("tbody"), length = run => run.end - run.begin;
	for (const run of [...runs].sort((a, b) => length(b) - length(a) || a.depth - b.depth || a.begin - b.begin).slice(0, 200))
		body.append(el("tr", { dataset: { depth: run.depth } }, el("td", {}, g.keys[run.key].name), el("td", {}, seconds(run.begin - page.model.begin)),
			       el("td", {}, amount(length(run), "ns"))));
	return notDrawn("What the picture shows: function, begin, length", body);
}

const VIEWS = [
	{ id: "summary", title: "Summary", show: viewSummary },
	{ id: "flame", title: "Flame graph", show: viewFlame, keeps: true },
	{ id: "table", title: "Functions", show: viewTable },
	{ id: "sandwich", title: "Sandwich", show: viewSandwich },
	{ id: "tree", title: "Call tree", show: viewTree },
	{ id: "timeline", title: "Timeline", show: viewTimeline },
	{ id: "code", title: "Code", show: viewCode },
];
