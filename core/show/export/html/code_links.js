/* Source beside assembly: lines and their instructions mark each other; jumps within a function are arrows beside its instructions. */
"use strict";

const MOST_JUMPS = 500, JUMP_LANES = 6, JUMP_STEP = 7;

/*
 * Pointing at a row marks those of the same line of source in both panes. A click, or Enter, keeps them marked, in the address too, and
 * shows the hottest of them in the other pane. At first the line of the address is marked, or else that of row @first.
 */
function linkPlaces(page, box, panes, first) {
	const byPlace = new Map();
	for (const row of box.querySelectorAll("tr[data-place]")) {
		row.tabIndex = 0;
		byPlace.set(row.dataset.place, (byPlace.get(row.dataset.place) || []).concat(row));
	}
	const nameOf = row => row.dataset.place.replace(/^\d+/, file => page.model.strings[file]);
	const rowAt = e => e.target.closest("tr[data-place]"), marked = { linked: [], pinned: [] };
	const mark = (how, row) => {
		for (const before of marked[how])
			before.classList.remove(how);
		marked[how] = row ? byPlace.get(row.dataset.place) : [];
		for (const now of marked[how])
			now.classList.add(how);
	};
	const pin = row => {
		mark("pinned", row);
		const other = panes.find(pane => !pane.contains(row)), rows = marked.pinned.filter(r => other.contains(r));
		const hottest = rows.reduce((most, r) => !most || +r.dataset.self > +most.dataset.self ? r : most, null);
		for (const [pane, shown] of [[other, hottest], [panes.find(p => p !== other), row]])
			if (shown)
				bringInto(pane, shown);
	};
	box.onmouseover = e => mark("linked", rowAt(e));
	box.onmouseleave = () => mark("linked", null);
	const keep = row => {
		pin(row);
		page.note({ mark: nameOf(row) });
	};
	box.onclick = e => rowAt(e) && keep(rowAt(e));
	box.onkeydown = e => {
		if (e.key === "Enter" && rowAt(e) === e.target)
			keep(e.target);
	};
	const linked = [...byPlace.values()].find(rows => nameOf(rows[0]) === page.state.mark), shown = linked ? linked[0] : first;
	if (shown)
		pin(shown);
}

/* Scrolls @pane so that @row is in its middle, unless it can be seen. */
function bringInto(pane, row) {
	const head = pane.querySelector("thead").offsetHeight, top = row.offsetTop - pane.scrollTop;
	if (top < head || top + row.offsetHeight > pane.clientHeight)
		pane.scrollTop = row.offsetTop - pane.clientHeight / 2;
}

function svgElement(name, attributes) {
	const e = document.createElementNS("http://www.w3.org/2000/svg", name);
	for (const [key, value] of Object.entries(attributes))
		e.setAttribute(key, value);
	return e;
}

/*
 * A lane for each of @jumps, from the shortest on, which is nearest to the code. One that finds none free is .crowded: it shares the
 * last, and is seen while one of its ends is pointed at. Returns the number of lanes.
 */
function laneJumps(jumps) {
	const lanes = [];
	for (const jump of jumps) {
		let lane = lanes.findIndex(taken => taken.every(other => other.bottom < jump.top || other.top > jump.bottom));
		if (lane < 0 && lanes.length < JUMP_LANES)
			lane = lanes.push([]) - 1;
		jump.crowded = lane < 0;
		jump.lane = lane < 0 ? JUMP_LANES - 1 : lane;
		if (lane >= 0)
			lanes[lane].push(jump);
	}
	return lanes.length;
}

/* Arrows between rows of @pane: {row, to}. Those of the row that is pointed at stand out. */
function drawJumps(pane, list) {
	const jumps = list.map(({ row, to }) => ({ row, to, top: Math.min(row.rowIndex, to.rowIndex), bottom: Math.max(row.rowIndex, to.rowIndex) }))
		.sort((a, b) => a.bottom - a.top - (b.bottom - b.top) || a.top - b.top).slice(0, MOST_JUMPS);
	if (!jumps.length)
		return;
	/* Room for them may break lines: heights are known afterwards. */
	const width = laneJumps(jumps) * JUMP_STEP + 8, middle = row => row.offsetTop + row.offsetHeight / 2;
	pane.style.setProperty("--jumps", width + "px");
	const svg = svgElement("svg", { width, height: pane.querySelector("table").offsetHeight, "aria-hidden": "true" });
	for (const j of jumps) {
		const x = width - 8 - j.lane * JUMP_STEP, from = middle(j.row), to = middle(j.to);
		j.group = svgElement("g", { "data-from": j.row.dataset.address, "data-to": j.to.dataset.address, class: j.crowded ? "crowded" : "" });
		j.group.append(svgElement("path", { d: `M${width},${from}H${x}V${to}H${width - 4}` }), svgElement("path", { class: "tip", d: `M${width + 2},${to}l-6,-3v6z` }));
		svg.append(j.group);
	}
	svg.style.left = jumps[0].row.lastChild.offsetLeft + 2 + "px";
	svg.style.top = "0";
	pane.append(svg);
	pane.addEventListener("mouseover", e => {
		const row = e.target.closest("tr");
		for (const j of jumps)
			j.group.classList.toggle("on", j.row === row || j.to === row);
	});
}
