/* The view that comes first: where the time goes, who took it, what was waited for, and how good the recording is. */
"use strict";

const MOST_OF_WAIT = 150;	/* characters, in up to three lines: reason, lock, function and holder */
const MOST_PROCESSES = 8;	/* lines of the tree of processes */

function sums(page, list, nameOf) {
	const rows = [...list].map(([key, weight]) => ({ name: nameOf(key), weight, key })).sort((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1));
	return rows;
}

/* At most ten rows, without those below 0.1 %, which are summed in the last one. */
function sumTable(page, title, rows, pick) {
	const some = rows.slice(0, 10).filter((row, i) => !i || row.weight * 1000 >= page.result.sum).length;
	const body = el("tbody"), shown = rows.slice(0, some), rest = rows.slice(some), room = innerWidth <= 700 ? 24 : 46;
	for (const row of shown)
		body.append(el("tr", {}, shareCell(page, row.weight), el("td", { className: "num" }, amount(row.weight, page.unit())),
			       el("td", { className: "name" }, pick && pick(row) ? el("button", { type: "button", title: row.name, onclick: () => page.set(pick(row)) }, fitName(row.name, room)) : fitName(row.name, room))));
	if (rest.length) {
		const left = rest.reduce((sum, row) => sum + row.weight, 0);
		body.append(el("tr", {}, shareCell(page, left), el("td", { className: "num" }, amount(left, page.unit())), el("td", {}, rest.length + " more")));
	}
	return el("section", {}, el("h2", {}, title), el("table", { dataset: { name: title } }, body));
}

/* What, where, when and how it was recorded. */
function factsTable(page) {
	const { model } = page, facts = el("tbody"), add = (name, value) => facts.append(el("tr", {}, el("td", { className: "fact" }, name), el("td", {}, value)));
	for (const [name, value] of model.facts)
		add(name, value);
	for (const e of model.shownEvents().map(i => model.events[i]).filter(e => e))
		add("Event", `${e.name}: ${amount(e.samples, "count")} samples, ${amount(e.total, e.unit)}` + (e.rate ? `, ${e.rate}` : ""));
	if (model.merged)
		add("Merged", model.merged);
	return el("section", {}, el("h2", {}, "The recording"), el("table", { id: "facts" }, facts));
}

function findingElement(f, id) {
	return el("div", { id, className: "finding " + f.severity }, el("div", {}, f.text), f.remedy ? el("div", { className: "remedy" }, f.remedy) : null);
}

/* The worst, where it concerns a hundredth of the samples and is no note; and names that a tenth of the samples lack. */
function worstFindings(page) {
	const { findings } = page.model, worst = findings.find(f => !f.small && f.severity !== "note");
	return findings.filter(f => f === worst || (f.code === "no-symbol" && f.much));
}

/* The others; of those that concern less than a hundredth of the samples there is only the number, until it is opened. */
function findingsOf(page) {
	const worst = worstFindings(page), others = page.model.findings.filter(f => !worst.includes(f)), small = others.filter(f => f.small);
	const section = el("section", { id: "findings" }, el("h2", {}, (worst.length ? "Other findings" : "Findings") + (others.length ? "" : ": none")));
	section.append(...others.filter(f => !small.includes(f)).map(f => findingElement(f, "")));
	if (small.length)
		section.append(el("details", {}, el("summary", {}, `${small.length} of less weight`), ...small.map(f => findingElement(f, ""))));
	return section;
}

/* Where the time goes first; then how good that is, and what it is of. What is wrong with much of it is above all. */
function viewSummary(page, box) {
	worstFindings(page).forEach((f, i) => box.append(findingElement(f, i ? "" : "worst")));
	summaryTables(page, box);
	box.append(findingsOf(page), factsTable(page));
}

/* Processes that run the same command are one row. @processes: pid to weight. */
function processTable(page, processes) {
	const commands = new Map(), nameOf = new Map(page.model.threads.map(t => [t.pid, page.model.commandOf(t)]));
	for (const [pid, weight] of processes) {
		const command = commands.get(nameOf.get(pid)) || { weight: 0, pids: [] };
		command.weight += weight;
		command.pids.push(pid);
		commands.set(nameOf.get(pid), command);
	}
	const rows = [...commands].map(([name, { weight, pids }]) => ({ weight, key: pids.length > 1 ? "command " + name : "process " + pids[0],
									name: pids.length > 1 ? `${name}, ${pids.length} processes` : `${name} ${pids[0]}` }));
	return sumTable(page, "Processes", rows.sort((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1)), row => ({ thread: row.key }));
}

/* The titles, the first lines of the tree, and how many more there are. */
function processLines({ processes, smallProcesses }) {
	const lines = processes.trimEnd().split("\n"), shown = lines.slice(0, MOST_PROCESSES + 1), more = lines.length - shown.length + smallProcesses;
	return shown.join("\n") + (more ? `\n  ${more} more` : "");
}

function summaryTables(page, box) {
	const { model, state, result } = page, event = model.events[state.event];
	if (!event || !result.samples) {
		box.append(nothing(page));
		return;
	}
	box.append(el("p", { id: "total" }, `Shown: ${amount(result.sum, page.unit())} of ${event.name} in ${amount(result.samples, "count")} samples, ` +
		      `${percent(result.sum, event.total)} of the recording.`));
	const threads = new Map(), processes = new Map(), dsos = new Map(), { sample } = model;
	for (const { thread, begin, end } of model.shownRuns(state)) {
		let sum = 0;
		for (let i = begin; i < end; i++)
			if ((state.cpu === null || sample.cpu[i] === state.cpu) && page.passes(sample.stack[i]))
				sum += sample.weight[i];
		if (!sum)
			continue;
		const { pid } = model.threads[thread];
		threads.set(thread, (threads.get(thread) || 0) + sum);
		processes.set(pid, (processes.get(pid) || 0) + sum);
	}
	for (let i = 0; i < result.g.length; i++)
		if (result.self[i]) {
			const dso = model.dsoName(result.g.keys[result.g.key[i]].fn);
			dsos.set(dso, (dsos.get(dso) || 0) + result.self[i]);
		}
	const columns = el("div", { className: "columns" });
	const functions = model.rows(result).sort((a, b) => b.self - a.self || a.key - b.key);
	columns.append(sumTable(page, "Functions, self", functions.filter(f => f.self).map(f => ({ name: result.g.keys[f.key].name, weight: f.self, key: f.key })),
				row => ({ view: "sandwich", of: row.name })));
	columns.append(totalTable(page, functions));
	const time = threadTime(page), waiting = waitTable(page, time);
	if (waiting)
		time && time.off > time.on ? columns.prepend(waiting) : columns.append(waiting);
	columns.append(processTable(page, processes));
	if (model.processes)
		columns.append(el("section", {}, el("h2", { title: "of all of the recording: CPU, with that of those they started, and how long they lived" }, "Who started whom"),
				  el("pre", { id: "processes" }, processLines(model))));
	columns.append(sumTable(page, "Libraries", sums(page, dsos, d => d)));
	columns.append(sumTable(page, "Threads", sums(page, threads, n => `${model.threads[n].name} ${model.threads[n].tid}`),
				row => ({ thread: String(model.threads[row.key].tid) })));
	waits(page, columns);
	if (time)
		box.append(el("p", { id: "thread-time" }, `Time of its threads: ${percent(time.on, time.all)} on a CPU, ${percent(time.runnable, time.all)} runnable without one, ` +
							  `${percent(time.off, time.all)} off the CPU.`));
	box.append(columns);
}

/* By key the weight of nodes that only lead nearly all of the samples to one callee, as main() often does. */
function leadingWeights({ g, self, total, sum }) {
	const most = new Float64Array(g.length), weights = new Float64Array(g.keys.length);
	for (let i = 0; i < g.length; i++)
		if (g.parent[i] >= 0)
			most[g.parent[i]] = Math.max(most[g.parent[i]], total[i]);
	for (let i = 0; i < g.length; i++)
		if (g.outermost[i] && total[i] > .9 * sum && self[i] < .02 * total[i] && most[i] > .9 * total[i])
			weights[g.key[i]] += total[i];
	return weights;
}

/* By all that they called, without those that only lead to another. */
function totalTable(page, functions) {
	const { result } = page, leading = leadingWeights(result);
	const rows = functions.filter(f => leading[f.key] < .9 * f.total).sort((a, b) => b.total - a.total || a.key - b.key);
	return sumTable(page, "Functions, with what they call", rows.slice(0, 10).map(f => ({ name: result.g.keys[f.key].name, weight: f.total, key: f.key })),
			row => ({ view: "sandwich", of: row.name }));
}

/* Calls @each(interval, ns) for the intervals of the threads, the CPU and the range of time that are shown. */
function forIntervals(page, each) {
	const { model, state } = page, { interval } = model, test = model.threadTest(state.thread);
	const from = state.from === null ? -Infinity : model.begin + state.from, to = state.to === null ? Infinity : model.begin + state.to;
	for (let i = 0; i < interval.begin.length; i++) {
		const ns = Math.min(to, interval.end[i]) - Math.max(from, interval.begin[i]);
		if (ns > 0 && (!test || test[interval.thread[i]]) && (state.cpu === null || interval.cpu[i] === state.cpu))
			each(i, ns);
	}
}

/* Of the threads' time what they ran, could have run, and waited: {on, runnable, off, all}; null: it is not known. */
function threadTime(page) {
	const { model } = page, sum = { on: 0, runnable: 0, off: 0, all: 0 };
	forIntervals(page, (i, ns) => {
		const kind = model.kindName(model.interval.kind[i]);
		sum[kind === "on CPU" ? "on" : /^runnable/.test(kind) ? "runnable" : "off"] += ns;
		sum.all += ns;
	});
	return sum.off && sum.on ? sum : null;
}

/* The stack with which the wait that begins as interval @i was recorded, -1: none. */
function stackOfWait(model, runs, i) {
	const { interval, sample, tick } = model, run = runs.get(interval.thread[i]);
	const at = run ? model.search(run, interval.begin[i] - tick, true) : -1;
	return run && at < run.end && Math.abs(sample.time[at] - interval.begin[i]) < tick ? sample.stack[at] - 1 : -1;
}

/*
 * Waits by what for, where and for whom, as prec summary has them: of all of the recording. Of a part of it without whom, from its
 * intervals, or from the samples of wall time.
 */
function waitRows(page) {
	const { model, state } = page;
	return model.waits.length && !activeFilters(state, model).length ? model.waits : partWaits(page);
}

function partWaits(page) {
	const { model, counted } = page, rows = new Map(), add = (what, stack, weight) => {
		const name = model.waiter(stack), text = what + (name === null ? "" : ", in " + name), row = rows.get(text) || { name: text, of: name, weight: 0 };
		row.weight += weight;
		rows.set(text, row);
	};
	const runs = new Map(model.runs.filter(r => model.events[r.event].name === "offcpu-time").map(r => [r.thread, r]));
	forIntervals(page, (i, ns) => {
		const kind = model.kindName(model.interval.kind[i]);
		if (kind !== "on CPU")
			add(kind.replace(/^off CPU: /, "waiting: "), stackOfWait(model, runs, i), ns);
	});
	if (!rows.size)
		for (let s = 0; s < model.stack.parent.length; s++)
			if (counted.weight[s + 1] && model.isWait(s) && page.passes(s + 1))
				add(model.functionName(model.frame.fn[model.stack.frame[s]]).slice(1, -1), s, counted.weight[s + 1]);
	return [...rows.values()].sort((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1));
}

function waitTable(page, time) {
	const rows = waitRows(page), whole = time ? time.all : page.result.sum, body = el("tbody");
	if (!rows.length)
		return null;
	for (const row of rows.slice(0, 6))
		body.append(el("tr", {}, el("td", { className: "num share", share: row.weight / whole }, percent(row.weight, whole)), el("td", { className: "num" }, amount(row.weight, "ns")),
			       el("td", { className: "name wait" }, el("button", { type: "button", title: row.name, onclick: () => row.of && page.set({ view: "sandwich", of: row.of }) }, fitName(row.name, MOST_OF_WAIT)))));
	return el("section", {}, el("h2", {}, "Waits, of all time"), el("table", { dataset: { name: "Waits" } }, body));
}

/* Off the CPU, where it is known: the sum of intervals by kind, of the threads, the CPU and the range of time that are shown. */
function waits(page, box) {
	const { model } = page, sum = new Map(), { kind } = model.interval;
	forIntervals(page, (i, ns) => {
		if (model.kindName(kind[i]) !== "on CPU")
			sum.set(kind[i], (sum.get(kind[i]) || 0) + ns);
	});
	if (!sum.size)
		return;
	const body = el("tbody");
	for (const [kind, ns] of [...sum].sort((a, b) => b[1] - a[1]))
		body.append(el("tr", {}, el("td", { className: "num" }, amount(ns, "ns")), el("td", {}, model.kindName(kind))));
	box.append(el("section", {}, el("h2", {}, "Not running"), el("table", { dataset: { name: "Not running" } }, body)));
}
