/* What happened when: activity by thread or CPU in lanes, a heat map of fractions of a second, a stack chart of a thread. */
"use strict";

const LANE = 24, MOST_LANES = 200, LEAST_GAP = 2, MOST_ALIKE = 3;

/* Names take less of a narrow picture, and fewer arrows can be told apart in it. */
function laneLabel(width) { return width < 600 ? 104 : 190; }

function mostArrows(width) { return width < 600 ? 40 : 300; }

/* The colours of ON, RUNNABLE and OFF, and how much of them covers what is below: as those of intervals. */
const KIND_STYLES = [["--accent", 1], ["--error", .35], ["--off", .35]];

/*
 * Draw activity as bars: the share of the time that a bin's weight is, or of the busiest bin where weights are no times. Waits stand
 * on what ran, in what is left of the height.
 */
function drawActivity(c, activity, x, y, width, height, full) {
	const nr = activity[ON].length, step = width / nr, used = new Float64Array(nr);
	activity.forEach((bins, kind) => {
		c.fillStyle = style(KIND_STYLES[kind][0]);
		c.globalAlpha = KIND_STYLES[kind][1];
		for (let i = 0; i < nr; i++) {
			if (!bins[i])
				continue;
			const h = Math.min(height - used[i], Math.max(kind === ON ? 1 : 0, bins[i] / full * height)), left = Math.round(x + i * step);
			used[i] += h;
			c.fillRect(left, y + height - used[i], Math.max(Math.round(x + (i + 1) * step) - left, .7), h);
		}
	});
	c.globalAlpha = 1;
}

/* What a full bar means: in units of time as many ns as the bin is long (times @lanes), else the largest bin. */
function fullBar(model, state, bins, span, lanes) {
	let most = 0;
	for (const b of bins)
		most = Math.max(most, b);
	if (model.events[state.event].unit !== "ns")
		return most || 1;
	return Math.max(1, span / bins.length * lanes, Math.min(most, span / bins.length * lanes * 2));
}

function drawOverview(page) {
	const { model, state } = page, canvas = $("overview"), height = 20, axis = 12;
	$("overview-box").hidden = !model.timed;
	if (!model.timed)
		return;
	const width = page.widthOf(canvas) || 800;
	const drawn = JSON.stringify([state.event, state.thread, state.cpu, state.from, state.to, width, devicePixelRatio, document.documentElement.dataset.theme]);
	if (page.overview.drawn === drawn)
		return;
	const c = sized(canvas, width, height + axis), nr = Math.max(1, Math.min(600, Math.floor(width / 2)));
	/* A range of time does not change it. */
	const key = JSON.stringify([state.event, state.thread, state.cpu, nr]);
	if (page.overview.key !== key)
		page.overview = { key, activity: model.activity(state, nr) };
	page.overview.drawn = drawn;
	const { activity } = page.overview, waits = activity[RUNNABLE].some(b => b) || activity[OFF].some(b => b);
	/* Where waits are shown, too, a full bar is at least a thread that runs all the time: else little that ran would look like much. */
	let most = waits ? (model.end - model.begin) / nr : 0;
	for (const b of activity[ON])
		most = Math.max(most, b);
	drawActivity(c, activity, 0, 0, width, height - 2, most || 1);
	markInstants(page, c, 0, width, height, model.begin, model.end, null);
	c.font = "11px system-ui, sans-serif";
	drawAxis(c, 0, model.end - model.begin, 0, height, width);
	if (state.from !== null || state.to !== null) {
		const span = model.end - model.begin, from = (state.from || 0) / span * width;
		const to = (state.to === null ? span : state.to) / span * width;
		c.fillStyle = style("--select");
		c.fillRect(from, 0, Math.max(1, to - from), height);
		c.fillStyle = style("--accent");
		c.fillRect(from, 0, 1, height);
		c.fillRect(to, 0, 1, height);
	}
}

function isLoss(model, kind) { return /lost|throttle/.test(model.kindName(kind)); }

function markInstants(page, c, x, width, height, from, to, thread) {
	const { model } = page, { instant } = model;
	for (let i = 0; i < instant.time.length; i++) {
		if ((thread !== null && instant.thread[i] !== thread) || instant.time[i] < from || instant.time[i] > to)
			continue;
		c.fillStyle = isLoss(model, instant.kind[i]) ? style("--error") : style("--off");
		c.fillRect(x + (instant.time[i] - from) / (to - from) * width, 0, 1.5, height);
	}
}

/* Sets the range of time, in ns from the begin of all; what is not within all of the time is cut off. */
function setRange(page, from, to) {
	const span = page.model.end - page.model.begin;
	page.set({ from: Math.max(0, Math.round(from)), to: Math.min(span, Math.round(to)), zoom: "" });
}

/* Drag on @canvas selects from..to; @place gives the time of a point; a click alone calls @click. While it is dragged, a band shows it. */
function selectByDrag(page, canvas, place, click) {
	const band = $("band");
	let start = null;
	canvas.onpointerdown = e => {
		start = { x: e.offsetX, y: e.offsetY };
		canvas.setPointerCapture(e.pointerId);
	};
	canvas.onpointermove = e => {
		band.hidden = !start || Math.abs(e.offsetX - start.x) < 4;
		if (band.hidden)
			return;
		const box = canvas.getBoundingClientRect(), left = Math.max(0, Math.min(start.x, e.offsetX));
		Object.assign(band.style, { left: box.left + left + "px", top: box.top + "px", height: box.height + "px",
					    width: Math.min(box.width, Math.max(start.x, e.offsetX)) - left + "px" });
	};
	canvas.onpointercancel = () => {
		start = null;
		band.hidden = true;
	};
	canvas.onpointerup = e => {
		if (!start)
			return;
		const began = start, moved = Math.abs(e.offsetX - start.x) >= 4;
		canvas.onpointercancel();
		if (!moved) {
			if (click)
				click(e.offsetX, began.y, e);
			return;
		}
		const [a, b] = [place(began.x, began.y), place(e.offsetX, e.offsetY)].sort((p, q) => p - q);
		setRange(page, a, b);
	};
}

/*
 * The range of time by keys: arrows move it by a tenth of its length, with Shift they move its end, + and - halve and double it.
 * Without one the arrows begin with a tenth of all of the time. True: the key was one of them.
 */
function rangeKey(page, e) {
	const { state, model } = page, span = model.end - model.begin, none = state.from === null && state.to === null;
	const from = state.from || 0, to = state.to === null ? span : state.to, length = Math.max(1, to - from), step = (e.key === "ArrowLeft" ? -.1 : .1) * length;
	if (e.key === "ArrowLeft" || e.key === "ArrowRight") {
		if (none)
			setRange(page, step < 0 ? .9 * span : 0, step < 0 ? span : .1 * span);
		else if (e.shiftKey)
			setRange(page, from, Math.max(from + 1, to + step));
		else if (from + step >= 0 && to + step <= span)
			setRange(page, from + step, to + step);
		else
			setRange(page, step < 0 ? 0 : span - length, step < 0 ? length : span);
	} else if (e.key === "+" || e.key === "-") {
		const by = (e.key === "+" ? -.25 : .5) * length;
		setRange(page, from - by, to + by);
	} else {
		return false;
	}
	e.preventDefault();
	e.stopPropagation();
	return true;
}

/*
 * The lanes of @kind, "threads" or "cpus", busiest in the range of time first: {label, title, test, filter, thread}. What has nothing
 * within the range keeps its lane.
 */
function lanesOf(page, kind) {
	const { model, state } = page, { sample } = model, cpus = kind === "cpus";
	const most = cpus ? sample.cpu.reduce((m, n) => Math.max(m, n), -1) : model.threads.length, sums = new Float64Array(most + 2), seen = new Uint8Array(most + 2);
	for (const { thread, begin, end } of model.shownRuns(state, -Infinity, Infinity))
		for (let i = begin; i < end; i++)
			if (state.cpu === null || sample.cpu[i] === state.cpu)
				seen[(cpus ? sample.cpu[i] : thread) + 1] = 1;
	for (const { thread, begin, end } of model.shownRuns(state))
		for (let i = begin; i < end; i++)
			if ((state.cpu === null || sample.cpu[i] === state.cpu) && page.passes(sample.stack[i]))
				sums[(cpus ? sample.cpu[i] : thread) + 1] += sample.weight[i];
	const weight = new Map(), test = model.threadTest(state.thread);
	seen.forEach((is, n) => is && weight.set(n - 1, sums[n]));
	if (kind !== "cpus")
		for (const t of new Set(model.interval.thread))
			if (!weight.has(t) && (!test || test[t]))
				weight.set(t, 0);
	return [...weight].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([n, w]) => {
		if (kind === "cpus")
			return { n, weight: w, label: n >= 0 ? "CPU " + n : "CPU unknown", filter: n >= 0 ? { cpu: n } : {}, thread: null };
		const t = model.threads[n];
		return { n, weight: w, label: t.name + " " + t.tid, filter: { thread: String(t.tid) }, thread: n };
	});
}

/*
 * Of lanes of threads those of more than MOST_ALIKE processes of one command are a group: one lane for all of them, {..., group, members:
 * their numbers}. Where it is open, theirs stand below it.
 */
function groupLanes(page, lanes) {
	const { model, state } = page, open = state.open.split("\n"), commands = new Map(), entries = [];
	for (const lane of lanes) {
		const { pid } = model.threads[lane.thread], name = model.commandOf(model.threads[lane.thread]), of = commands.get(name) || { lanes: [], pids: new Set() };
		of.lanes.push(lane);
		of.pids.add(pid);
		commands.set(name, of);
	}
	for (const [group, of] of commands) {
		const mark = open.includes(group) ? "\u25be" : "\u25b8", weight = of.lanes.reduce((sum, lane) => sum + lane.weight, 0);
		if (of.pids.size <= MOST_ALIKE)
			entries.push(...of.lanes.map(lane => [lane]));
		else
			entries.push([{ n: -1, members: of.lanes.map(lane => lane.n), weight, label: `${mark} ${group} \u00d7 ${amount(of.pids.size, "count")}`, filter: {}, thread: null, group },
				      ...open.includes(group) ? of.lanes.map(lane => ({ ...lane, label: "    " + lane.label })) : []]);
	}
	return entries.sort((a, b) => b[0].weight - a[0].weight).flat();
}

/* The change of the state that opens or closes the group of @lane, or leaves its thread or CPU alone. */
function laneChoice(page, lane) {
	const open = page.state.open.split("\n").filter(name => name && name !== lane.group);
	return !lane.group ? lane.filter : { open: (page.state.open.split("\n").includes(lane.group) ? open : [...open, lane.group]).join("\n") };
}

/* By number of a thread or CPU the rows of its lanes: its group's, then its own. */
function rowsOf(lanes) {
	const rows = new Map();
	lanes.forEach((lane, row) => {
		for (const n of lane.members || [lane.n])
			rows.has(n) ? rows.get(n).push(row) : rows.set(n, [row]);
	});
	return rows;
}

/* Activity of all lanes in one walk over the samples: newActivity() each. */
function laneBins(page, lanes, bins, from, to) {
	const { model, state } = page, { sample } = model, cpus = state.lanes === "cpus";
	const rows = rowsOf(lanes), out = lanes.map(() => newActivity(bins)), scale = bins / Math.max(1, to - from);
	for (const run of model.shownRuns({ ...state, thread: "" }, from, to))
		for (let i = run.begin; i < run.end; i++) {
			const of = rows.get(cpus ? sample.cpu[i] : run.thread);
			if (of && (state.cpu === null || sample.cpu[i] === state.cpu) && page.passes(sample.stack[i]))
				for (const r of of)
					model.addToBins(out[r][model.kindOf(run, i)], run, i, from, scale);
		}
	return out;
}

function drawLanes(page, canvas, lanes, width) {
	const { model, state } = page, from = model.begin + (state.from || 0), to = state.to === null ? model.end : model.begin + state.to;
	const c = sized(canvas, width, lanes.length * LANE + 20), label = laneLabel(width), room = width - label, nr = Math.max(10, Math.min(800, Math.floor(room / 2)));
	const bins = laneBins(page, lanes, nr, from, to), span = to - from;
	let most = 1;
	for (const b of bins)
		most = Math.max(most, fullBar(model, state, b[ON], span, 1));
	c.font = "12px system-ui, sans-serif";
	c.textBaseline = "middle";
	drawIntervals(page, c, lanes, from, to, label, room);
	lanes.forEach((lane, i) => {
		const y = i * LANE;
		drawActivity(c, bins[i], label, y + 2, room, LANE - 4, most);
		c.fillStyle = style("--text");
		c.fillText(fitName(lane.label, Math.floor(label / 7.2)), 4, y + LANE / 2, label - 8);
		c.fillStyle = style("--line");
		c.fillRect(0, y + LANE - 1, width, 1);
	});
	drawAxis(c, from - model.begin, to - model.begin, label, lanes.length * LANE, room);
	markInstants(page, c, label, room, lanes.length * LANE, from, to, null);
}

/* Over the lanes: lane @i framed (@framed), and the arrows from and to it, which would hide what is below them if they were all there. */
function drawChosen(page, over, lanes, arrows, width, i, framed) {
	const { model, state } = page, from = state.from || 0, span = (state.to === null ? model.end - model.begin : state.to) - from;
	const c = sized(over, width, lanes.length * LANE + 20), label = laneLabel(width), room = width - label;
	const x = time => label + (time - model.begin - from) / span * room, y = lane => lane * LANE + LANE / 2;
	const own = arrows.filter(a => a.from === i || a.to === i);
	over.dataset.arrows = own.length <= mostArrows(width) ? own.length : 0;
	if (framed && lanes[i]) {
		c.strokeStyle = style("--text");
		c.lineWidth = 2;
		c.strokeRect(1, i * LANE + 1, label - 4, LANE - 4);
	}
	if (own.length <= mostArrows(width))
		for (const a of own)
			drawArrow(c, x(a.begin), y(a.from), x(a.end), y(a.to));
}

/* Of lane @i: "woke others 3 times, was woken 4 times". */
function wakeUps(arrows, i, width) {
	const woke = arrows.filter(a => a.from === i).length, woken = arrows.filter(a => a.to === i).length, times = n => n + (n === 1 ? " time" : " times");
	return !woke && !woken ? "" : `\nwoke others ${times(woke)}, was woken ${times(woken)}` +
	       (woke + woken > mostArrows(width) ? ": select a shorter time for arrows" : "");
}

/* Who woke whom, between two lanes: {from, to: numbers of lanes, begin, end}. */
function arrowsOf(page, lanes, from, to) {
	const { link } = page.model, row = new Map([...rowsOf(lanes)].map(([n, rows]) => [n, rows[rows.length - 1]])), out = [];
	for (let i = 0; i < link.begin.length; i++) {
		const a = row.get(link.from[i]), b = row.get(link.to[i]);
		if (a !== undefined && b !== undefined && a !== b && link.begin[i] >= from && link.end[i] <= to)
			out.push({ from: a, to: b, begin: link.begin[i], end: link.end[i] });
	}
	return out;
}

function drawArrow(c, x1, y1, x2, y2) {
	const angle = Math.atan2(y2 - y1, x2 - x1);
	c.strokeStyle = c.fillStyle = style("--text");
	c.lineWidth = 1;
	c.beginPath();
	c.moveTo(x1, y1);
	c.lineTo(x2, y2);
	c.stroke();
	c.beginPath();
	c.moveTo(x2, y2);
	for (const side of [-.4, .4])
		c.lineTo(x2 - 7 * Math.cos(angle + side), y2 - 7 * Math.sin(angle + side));
	c.fill();
}

/* The colours of what is there, and the number of @arrows. */
function timelineLegend(page, arrows) {
	const { model, state } = page, kinds = new Set(Array.from(new Set(model.interval.kind), k => model.kindName(k))), drawn = model.kindsOf(state.event);
	const has = test => [...kinds].some(test), box = el("p", { className: "legend", id: "legend" });
	const key = (name, text) => box.append(el("span", { className: "entry" }, el("span", { className: "key " + name }), text));
	if (drawn & 1 << ON || has(k => k === "on CPU"))
		key("on", "on a CPU");
	if (drawn & 1 << RUNNABLE || has(k => /runnable/.test(k)))
		key("runnable", "runnable, has no CPU");
	if (drawn & 1 << OFF || has(k => k !== "on CPU" && !/runnable/.test(k)))
		key("off", "off the CPU");
	if (model.instant.kind.some(k => isLoss(model, k)))
		key("loss", "lost, or not sampled");
	if (arrows)
		box.append(`\u2192 who woke whom: ${arrows}; point at a lane, or choose it by keys`);
	return box;
}

/*
 * Intervals as blocks behind the activity: time on a CPU below it, waits in its lower half, for a CPU in its upper half. Of one kind
 * those with less than @LEAST_GAP pixels between them are one block, the fainter the less of it they fill.
 */
function drawIntervals(page, c, lanes, from, to, x, width) {
	const { model, state } = page, { interval } = model, by = state.lanes === "cpus" ? interval.cpu : interval.thread;
	const rows = rowsOf(lanes), open = new Map(), scale = width / (to - from);
	const draw = ({ kind, r, begin, end, filled }) => {
		const on = kind === "on CPU", runnable = /runnable/.test(kind), length = Math.max(.5, end - begin);
		c.globalAlpha = .35 * Math.min(1, .4 + .6 * filled / length);
		c.fillStyle = style(runnable ? "--error" : on ? "--accent" : "--off");
		c.fillRect(x + begin, r * LANE + (on ? LANE - 4 : runnable ? 2 : LANE / 2), length, on ? 3 : LANE / 2 - 2);
	};
	const add = (kind, r, a, b) => {
		const key = kind + r, last = open.get(key);
		if (last && a >= last.begin && a < last.end + LEAST_GAP) {
			last.filled += Math.max(0, b - Math.max(a, last.end));
			last.end = Math.max(last.end, b);
			return;
		}
		if (last)
			draw(last);
		open.set(key, { kind, r, begin: a, end: b, filled: b - a });
	};
	for (let i = 0; i < interval.begin.length; i++) {
		if (!rows.has(by[i]) || interval.end[i] < from || interval.begin[i] > to)
			continue;
		const a = (Math.max(from, interval.begin[i]) - from) * scale, b = (Math.min(to, interval.end[i]) - from) * scale;
		const kind = model.kindName(interval.kind[i]);
		for (const r of rows.get(by[i]))
			add(kind, r, a, b);
	}
	open.forEach(draw);
	c.globalAlpha = 1;
}

/* What marks and bars are, and how many there are in all: "on CPU: 12; marks: lost 3 (2000 in all)". */
function happenings(model) {
	const { interval, instant } = model, bars = new Map(), marks = new Map();
	for (const kind of interval.kind)
		bars.set(kind, (bars.get(kind) || 0) + 1);
	for (let i = 0; i < instant.kind.length; i++) {
		const m = marks.get(instant.kind[i]) || { number: 0, sum: 0 };
		m.number++;
		m.sum += instant.value[i];
		marks.set(instant.kind[i], m);
	}
	const counted = (kind, n, word) => `${model.kindName(kind)}: ${n} ${word}${n === 1 ? "" : "s"}`;
	const parts = [...bars].map(([kind, n]) => counted(kind, n, "interval"));
	for (const [kind, m] of marks)
		parts.push(counted(kind, m.number, "mark") + (m.sum > m.number ? ` (${m.sum})` : ""));
	const { link } = model, links = new Map();
	for (const kind of link.kind)
		links.set(kind, (links.get(kind) || 0) + 1);
	for (const [kind, n] of links)
		parts.push(counted(kind, n, "link"));
	return parts.join("; ");
}

function drawAxis(c, from, to, x, y, width) {
	const step = 10 ** Math.floor(Math.log10(Math.max(1, (to - from) / 4)));
	const by = [1, 2, 5, 10].map(k => k * step).find(s => (to - from) / s <= Math.max(2, width / 90)) || step * 10;
	c.fillStyle = style("--dim");
	for (let t = Math.ceil(from / by) * by; t <= to; t += by) {
		const text = scaled(t, UNITS.ns), at = (t - from) / (to - from) * width + 2;
		/* No half of a number: it would be another. */
		if (at + c.measureText(text).width <= width)
			c.fillText(text, x + at, y + 10);
	}
}

/* Weight by column of a second (or another power of ten, for at least some 20 and at most @columns) and row of its fraction. */
function heatMap(page, columns, rows) {
	const { model, state } = page, { sample } = model, span = model.end - model.begin;
	const column = Math.max(10 ** Math.floor(Math.log10(Math.max(10, span / 20))), Math.ceil(span / columns)), nr = Math.max(1, Math.ceil(span / column));
	const cells = new Float64Array(nr * rows);
	for (const run of model.shownRuns(state, -Infinity, Infinity))
		for (let i = run.begin; i < run.end; i++)
			if (state.cpu === null || sample.cpu[i] === state.cpu)
				model.addToBins(cells, run, i, model.begin, rows / column);
	return { cells, column, nr, rows, most: cells.reduce((a, b) => Math.max(a, b), 0) };
}

/* How deep each node of a grouping is, from 0. */
function depthsOf(g) {
	const depths = new Int32Array(g.parent.length).fill(-1), path = [];
	for (let n = 0; n < depths.length; n++) {
		let at = n;
		for (; at >= 0 && depths[at] < 0; at = g.parent[at])
			path.push(at);
		for (let depth = at < 0 ? 0 : depths[at] + 1; path.length; depth++)
			depths[path.pop()] = depth;
	}
	return depths;
}

/* The calls of one thread, {depth, begin, end, node, key, flags}; of those that one pixel shows together the first. */
function callChart(page, thread, from, to) {
	const { model, state } = page, { call } = model, g = model.grouping(state), depths = depthsOf(g), runs = [], drawn = [];
	const least = (to - from) / 2000;
	for (let i = 0; i < call.begin.length; i++) {
		const begin = call.begin[i], end = begin + call.length[i];
		if (call.thread[i] !== thread || end < from || begin > to)
			continue;
		const node = g.nodeOf[call.stack[i] - 1], depth = depths[node];
		if (node < 0 || end < drawn[depth] + least)
			continue;
		drawn[depth] = end;
		runs.push({ depth, begin, end, node, key: g.key[node], flags: call.flags[i] });
	}
	return runs;
}

/*
 * The stacks of one thread in order of time: runs of equal frames at a depth, {depth, begin, end, key}; of a trace its calls. Gaps of
 * less than LEAST_GAP pixels, of @width for all of the time, are none.
 */
function stackChart(page, thread, from, to, width) {
	if (page.model.call.begin.length)
		return callChart(page, thread, from, to);
	const { model, state } = page, { sample } = model, g = model.grouping(state), order = [];
	const ends = new Map();		/* of waits */
	for (const run of model.shownRuns({ ...state, thread: "" }, from, to).filter(r => r.thread === thread))
		for (let i = run.begin; i < run.end; i++)
			if (sample.stack[i] && page.passes(sample.stack[i])) {
				order.push(i);
				if (model.lasts(run, i))
					ends.set(i, sample.time[i] + sample.weight[i]);
			}
	const runs = [], open = [];
	const typical = order.length > 1 ? (sample.time[order[order.length - 1]] - sample.time[order[0]]) / (order.length - 1) : to - from;
	/* Of the samples that one pixel shows together the first is drawn. */
	const least = (to - from) / 4000, gap = Math.max(4 * typical, LEAST_GAP * (to - from) / width);
	let last = from, drawn = -Infinity, over = from;	/* .over: when what is open has ended, if nothing follows soon */
	const close = (depth, at) => {
		while (open.length > depth) {
			const run = open.pop();
			run.end = at;
			runs.push(run);
		}
	};
	for (const i of order) {
		const t = sample.time[i], path = [], end = ends.get(i) || 0;
		if (t < drawn + least && end < t + least) {
			last = Math.max(last, end || t);
			over = Math.max(over, end || t + typical);
			continue;
		}
		drawn = t;
		for (let n = g.nodeOf[sample.stack[i] - 1]; n >= 0; n = g.parent[n])
			path.push(n);
		path.reverse();
		if (open.length && t - last > gap)
			close(0, over);
		let same = 0;
		while (same < open.length && same < path.length && open[same].node === path[same])
			same++;
		close(same, t);
		for (let depth = same; depth < path.length; depth++)
			open.push({ depth, begin: t, node: path[depth], key: g.key[path[depth]] });
		last = end || t;
		over = end || t + typical;
	}
	close(0, Math.min(to, over));
	return runs;
}
