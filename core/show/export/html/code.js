/*
 * The view of code: the functions whose instructions and source lines are in the page, with what was sampled at each. A sample's
 * address is that of its innermost frame, or where that was inlined of the function around it; so all filters hold here, too.
 */
"use strict";

class Code {
	constructor(model) {
		const c = model.columns;
		this.model = model;
		this.insn = { fn: c["insn.function"], address: c["insn.address"], size: c["insn.size"], text: c["insn.text"],
			      jump: c["insn.jump"], file: c["insn.file"], line: c["insn.line"], inlined: c["insn.inlined"] };
		this.ranges = new Map();	/* of a function: its first instruction, and the one after its last */
		for (let i = 0; i < this.insn.fn.length; i++) {
			const range = this.ranges.get(this.insn.fn[i]);
			if (range)
				range[1] = i + 1;
			else
				this.ranges.set(this.insn.fn[i], [i, i + 1]);
		}
		this.source = new Map();
		c["source.file"].forEach((file, i) => this.source.set(file + ":" + c["source.line"][i], c["source.text"][i]));
	}

	text(file, line) {
		const string = this.source.get(file + ":" + line);
		return string === undefined ? null : this.model.strings[string];
	}

	/* The instruction of @range that holds @address, -1: none does. */
	insnAt([low, high], address) {
		const { insn } = this, first = low;
		while (low < high) {
			const mid = (low + high) >> 1;
			if (insn.address[mid] <= address)
				low = mid + 1;
			else
				high = mid;
		}
		const i = low - 1;
		return i >= first && address < insn.address[i] + Math.max(1, insn.size[i]) ? i : -1;
	}

	/* By stack its node of the function's own code: the nearest that was not inlined. */
	homes() {
		const { stack, frame } = this.model, home = new Int32Array(stack.parent.length);
		for (let s = 0; s < home.length; s++)
			home[s] = this.model.isInlined(frame.fn[stack.frame[s]]) && stack.parent[s] >= 0 ? home[stack.parent[s]] : s;
		return home;
	}

	/*
	 * Sums for the function @fn over @counted, weights by stack: by what @keyOf says of an instruction .self and .total, each
	 * sample once for a key; and of the function as a whole .all.
	 */
	sums(fn, counted, passes, keyOf, keys) {
		const { stack, frame } = this.model, n = stack.parent.length, range = this.ranges.get(fn), home = this.home = this.home || this.homes();
		const self = new Float64Array(keys), total = new Float64Array(keys), below = new Float64Array(n), all = { self: 0, total: 0, samples: 0 };
		for (let s = n - 1; s >= 0; s--) {
			if (passes(s + 1))
				below[s] += counted.weight[s + 1];
			if (stack.parent[s] >= 0)
				below[stack.parent[s]] += below[s];
		}
		const keyAt = (s, back) => {
			const i = this.insnAt(range, frame.address[stack.frame[s]] - back);
			return i < 0 ? -1 : keyOf(i);
		};
		/* Does @s itself, or one above it that called on from the same place, hold @key? */
		const above = (s, key) => {
			for (let up = stack.parent[s]; up >= 0; up = stack.parent[up])
				if (frame.fn[stack.frame[up]] === fn && (key === null || keyAt(up, 1) === key))
					return true;
			return false;
		};
		for (let s = 0; s < n; s++) {
			if (passes(s + 1) && counted.number[s + 1] && frame.fn[stack.frame[home[s]]] === fn) {
				const key = keyAt(home[s], 0);
				all.self += counted.weight[s + 1];
				all.samples += counted.number[s + 1];
				if (key >= 0) {
					self[key] += counted.weight[s + 1];
					if (!above(home[s], key))
						total[key] += counted.weight[s + 1];
				}
			}
			if (frame.fn[stack.frame[s]] === fn && below[s] && !above(s, null))
				all.total += below[s];
		}
		this.addCalls(fn, counted, passes, below, keyAt, above, total);
		return { self, total, all };
	}

	/* To .total what was called from an instruction: all below its node, but for what ended in the function itself. */
	addCalls(fn, counted, passes, below, keyAt, above, total) {
		const { stack, frame } = this.model, n = stack.parent.length, ended = new Float64Array(n);
		for (let s = 0; s < n; s++)
			if (passes(s + 1))
				ended[this.home[s]] += counted.weight[s + 1];
		for (let s = 0; s < n; s++) {
			if (frame.fn[stack.frame[s]] !== fn || below[s] <= ended[s])
				continue;
			const key = keyAt(s, 1);
			if (key >= 0 && !above(s, key))
				total[key] += below[s] - ended[s];
		}
	}

	/*
	 * The functions with code that @name may mean, those with most samples first; an inlined one means where it was inlined. Of frames
	 * by line or address the line follows behind two blanks.
	 */
	named(wanted, weightOf) {
		const { model } = this, name = wanted === null ? null : wanted.split("  ")[0], has = [...this.ranges.keys()].sort((a, b) => weightOf(b) - weightOf(a) || a - b);
		const same = has.filter(fn => model.functionName(fn) === name || this.label(fn) === wanted);
		if (same.length || name === null)
			return same.length ? same : has;
		const string = model.strings.indexOf(name);
		return has.filter(fn => {
			const [first, end] = this.ranges.get(fn);
			return this.insn.inlined.subarray(first, end).includes(string);
		});
	}

	/* A name that no other function here has. */
	label(fn) {
		const { model } = this, name = model.functionName(fn);
		for (const other of this.ranges.keys())
			if (other !== fn && model.functionName(other) === name)
				return name + " in " + model.dsoName(fn) + " at 0x" + hexadecimal(model.fn.address[fn]);
		return name;
	}
}

/* Own weight by function, those inlined counted where they are. */
function ownWeights(page) {
	const { code, counted, model } = page, home = code.home = code.home || code.homes(), sum = new Map();
	for (let s = 0; s < home.length; s++) {
		const weight = page.passes(s + 1) ? counted.weight[s + 1] : 0, fn = model.frame.fn[model.stack.frame[home[s]]];
		if (weight)
			sum.set(fn, (sum.get(fn) || 0) + weight);
	}
	return fn => sum.get(fn) || 0;
}

/* A cell with its part of @whole, the function's; where nothing was sampled it is empty. */
function partCell(page, part, whole) {
	return part ? el("td", { className: "num share", share: whole ? part / whole : 0, title: `${amount(part, page.unit())}, ${percent(part, page.result.sum)} of all that is shown` },
			 (100 * part / (whole || 1)).toFixed(2)) : el("td", { className: "num" });
}

function codeRow(page, sums, key, where, text, props) {
	const row = el("tr", props || {}, key === null ? el("td", { className: "num" }) : partCell(page, sums.self[key], sums.all.self),
		       key === null ? el("td", { className: "num" }) : partCell(page, sums.total[key], sums.all.total),
		       el("td", { className: "num place" }, where), el("td", { className: "code" }, text));
	if (key !== null) {
		row.dataset.self = sums.self[key];
		row.dataset.total = sums.total[key];
	}
	return row;
}

function sourceRow(page, file, line, inlined) {
	const text = page.code.text(file, line), name = page.model.strings[file].replace(/^.*\//, "");
	return el("tr", { className: "source" }, el("td"), el("td"), el("td", { className: "num place", title: page.model.strings[file] }, name + ":" + line),
		  el("td", { className: "code" }, inlined ? el("span", { className: "inlined" }, `[${page.model.strings[inlined]}] `) : null, text === null ? "" : text));
}

/* The instructions, with the lines that they are of between them (@lines); .jumps from row to row. */
function assemblyRows(page, fn, lines) {
	const { code, model } = page, { insn } = code, [first, end] = code.ranges.get(fn), rows = [], jumps = [], last = { file: 0, line: 0 };
	const sums = code.sums(fn, page.counted, s => page.passes(s), i => i - first, end - first), targets = new Map();
	for (let i = first; i < end; i++)
		if (insn.jump[i])
			targets.set(insn.address[i] + insn.jump[i], null);
	for (let i = first; i < end; i++) {
		if (i > first && insn.address[i - 1] + insn.size[i - 1] < insn.address[i])
			rows.push(codeRow(page, sums, null, "", "\u22ee"));
		if (lines && insn.file[i] && (insn.file[i] !== last.file || insn.line[i] !== last.line)) {
			/* Of a file whose text is not here the first line stands for it. */
			if (insn.file[i] !== last.file || code.text(insn.file[i], insn.line[i]) !== null)
				rows.push(sourceRow(page, insn.file[i], insn.line[i], insn.inlined[i]));
			[last.file, last.line] = [insn.file[i], insn.line[i]];
		}
		const text = model.strings[insn.text[i]] || "(no code is known here)", to = insn.address[i] + insn.jump[i];
		const row = codeRow(page, sums, i - first, (targets.has(insn.address[i]) ? "\u25b8" : "") + hexadecimal(insn.address[i]),
				    insn.jump[i] ? el("button", { type: "button", className: "jump", onclick: () => flash(targets.get(to)) }, (insn.jump[i] < 0 ? "\u2191 " : "\u2193 ") + text) : text,
				    { dataset: { address: hexadecimal(insn.address[i]), place: insn.file[i] + ":" + insn.line[i] },
				      title: insn.file[i] ? model.strings[insn.file[i]] + ":" + insn.line[i] : "" });
		if (insn.jump[i])
			jumps.push({ row, to });
		if (targets.has(insn.address[i]))
			targets.set(insn.address[i], row);
		rows.push(row);
	}
	return { rows, sums, jumps: jumps.map(({ row, to }) => ({ row, to: targets.get(to) })).filter(jump => jump.to) };
}

function flash(row) {
	if (!row)
		return;
	for (const other of row.parentNode.querySelectorAll(".chosen"))
		other.classList.remove("chosen");
	row.classList.add("chosen");
	row.scrollIntoView({ block: "center" });
}

/* The lines of source: the function's own, with those between; then what was inlined from elsewhere. */
function sourceRows(page, fn) {
	const { code, model } = page, { insn } = code, [first, end] = code.ranges.get(fn), lines = new Map(), list = [], keyOf = new Int32Array(end - first);
	for (let i = first; i < end; i++) {
		const place = insn.file[i] + ":" + insn.line[i];
		if (!lines.has(place)) {
			lines.set(place, list.length);
			list.push({ file: insn.file[i], line: insn.line[i], inlined: insn.inlined[i], key: list.length });
		}
		const line = list[keyOf[i - first] = lines.get(place)];
		if (!insn.inlined[i])
			line.inlined = 0;
	}
	const sums = code.sums(fn, page.counted, s => page.passes(s), i => keyOf[i - first], list.length), rows = [];
	const rank = line => line.file === 0 ? 2 : line.inlined ? 1 : 0;
	list.sort((a, b) => rank(a) - rank(b) || (model.strings[a.file] < model.strings[b.file] ? -1 : a.file === b.file ? a.line - b.line : 1));
	let last = null;
	for (const line of list) {
		if (!last || last.file !== line.file || rank(last) !== rank(line))
			rows.push(el("tr", { className: "source" }, el("td", { colspan: 4 }, !line.file ? "No line is known of" : model.strings[line.file] + (line.inlined ? ", inlined here" : ""))));
		else if (!line.inlined)
			for (let between = last.line + 1; between < line.line && code.text(line.file, between) !== null; between++)
				rows.push(codeRow(page, sums, null, String(between), code.text(line.file, between)));
		const text = code.text(line.file, line.line);
		rows.push(codeRow(page, sums, line.key, line.line ? String(line.line) : "",
				  !line.file ? "instructions" : text === null ? "(its text is not in this page)" : text, { dataset: { line: line.line, place: line.file + ":" + line.line } }));
		last = line;
	}
	return { rows, sums };
}

function noCode(page) {
	const { code, state } = page;
	if (!code.ranges.size)
		return "No code is in this page: it was made with --annotate=0, of a recording whose programs are not here, or of something without addresses.";
	return `The code of ${state.of} is not in this page. It holds the ${code.ranges.size} hottest functions; prec export --annotate=N puts in more.`;
}

function listing(rows, id, place, code) {
	return el("div", { className: "pane" }, el("table", { className: "wide listing", id }, el("thead", {}, el("tr", {},
		el("th", { className: "num", title: "percent of the function's own samples" }, "Self %"),
		el("th", { className: "num", title: "percent of the function and all that it called" }, "Total %"),
		el("th", { className: "num place" }, place), el("th", {}, code))), el("tbody", {}, ...rows)));
}

function viewCode(page, box) {
	const { model, state, result, code } = page, known = code.ranges.size > 0;
	const weightOf = known ? ownWeights(page) : null, all = known ? code.named(null, weightOf) : [], found = known ? code.named(state.of, weightOf) : [];
	const fn = found.length ? found[0] : null, tools = el("div", { className: "bar-tools over-listing" });
	if (known) {
		const labels = all.map(f => code.label(f)), chosen = fn === null ? "" : code.label(fn);
		const choose = el("select", { id: "function", onchange: e => e.target.value && page.set({ of: e.target.value }) },
			fn === null ? el("option", { value: "" }, "") : null,
			...all.map((f, i) => el("option", { value: labels[i] }, `${fitName(labels[i], 60)}  ${percent(weightOf(f), result.sum)}`)));
		choose.value = chosen;
		tools.append(el("label", {}, "Function ", choose), el("label", {}, "Show ", select(["both", "source", "assembly"], formOf(page, fn), form => page.set({ code: form }))));
	}
	box.append(tools);
	if (fn === null)
		return box.append(el("p", { className: "empty" }, noCode(page)));
	const form = formOf(page, fn), source = form === "assembly" ? null : sourceRows(page, fn), assembly = form === "source" ? null : assemblyRows(page, fn, !source);
	const { rows, sums } = source || assembly;
	const hottest = rows.reduce((most, row) => +row.dataset.self > (most ? +most.dataset.self : 0) ? row : most, null);
	tools.append(el("span", { id: "of" }, `self ${percent(sums.all.self, result.sum)} (${amount(sums.all.self, page.unit())}, ${amount(sums.all.samples, "count")} samples), ` +
			`total ${percent(sums.all.total, result.sum)} (${amount(sums.all.total, page.unit())}), ${model.dsoName(fn)}`));
	if (hottest)
		tools.append(el("button", { type: "button", id: "hottest", onclick: () => source && assembly ? hottest.click() : flash(hottest) }, "Hottest line"));
	tools.append(el("button", { type: "button", onclick: () => page.set({ view: "sandwich", of: model.functionName(fn) }) }, "Callers and callees"));
	const panes = [source && listing(source.rows, "code", "Line", "Code"),
		       assembly && listing(assembly.rows, source ? "assembly" : "code", "Address", source ? "Instructions" : "Code")].filter(pane => pane);
	const both = el("div", { className: panes.length > 1 ? "beside" : "" }, ...panes);
	box.append(both);
	/* It stays above the table, whose head stays below it. */
	box.style.setProperty("--tools", tools.offsetHeight + "px");
	if (assembly)
		drawJumps(panes[panes.length - 1], assembly.jumps);
	if (panes.length > 1)
		linkPlaces(page, both, panes, hottest);
	else if (hottest && rows.indexOf(hottest) > 20)
		flash(hottest);
}

/* Where no source is known of the function, its assembly. */
function formOf(page, fn) {
	if (page.state.code || fn === null)
		return page.state.code || "source";
	const { insn, ranges } = page.code, [first, end] = ranges.get(fn);
	for (let i = first; i < end; i++)
		if (insn.file[i] && page.code.text(insn.file[i], insn.line[i]) !== null)
			return innerWidth >= 1100 ? "both" : "source";
	return "assembly";
}
