/*
 * What the views count. Samples are summed up by stack, for the filters that are in force; stacks are nodes with a parent, and a
 * grouping makes nodes of equal keys (function, line or address) below an equal parent one. A tree that is shown (callees
 * down, or callers up) is made of items {key, total, self, count}, opened one level at a time.
 */
"use strict";

/* As map(), into the same array: there may be millions. */
function inPlace(array, change) {
	for (let i = 0; i < array.length; i++)
		array[i] = change(array[i], i);
	return array;
}

/* Nodes, each with the weight and the samples that come through there; of nothing at all none is kept. */
class Level {
	constructor(nr = 0) {
		this.nodes = new Array(nr);
		this.weights = new Array(nr);
		this.numbers = new Array(nr);
	}

	add(node, weight, number) {
		if (!number && !weight)
			return;
		this.nodes.push(node);
		this.weights.push(weight);
		this.numbers.push(number);
	}
}

/* The same numbers in as few bytes each as they need: of samples there may be millions. */
function narrow(numbers) {
	let low = 0, high = 0;
	for (let i = 0; i < numbers.length; i++) {
		low = Math.min(low, numbers[i]);
		high = Math.max(high, numbers[i]);
	}
	const type = low < 0 ? (low >= -128 && high < 128 ? Int8Array : low >= -32768 && high < 32768 ? Int16Array : null)
			     : high < 256 ? Uint8Array : high < 65536 ? Uint16Array : high < 2 ** 32 ? Uint32Array : null;
	return type && type.BYTES_PER_ELEMENT < numbers.BYTES_PER_ELEMENT ? new type(numbers) : numbers;
}

/* What a thread did in the time of a sample: it ran (or the sample counts something else), it had no CPU, it waited. */
const ON = 0, RUNNABLE = 1, OFF = 2;

/* Weight by bin of time, of each of ON, RUNNABLE and OFF. */
function newActivity(bins) { return [ON, RUNNABLE, OFF].map(() => new Float64Array(bins)); }

class Model {
	constructor(profile) {
		Object.assign(this, profile);
		const c = profile.columns;
		for (const name of ["sample.cpu", "sample.weight", "sample.count"])
			c[name] = narrow(c[name]);
		this.fn = { name: c["function.name"], dso: c["function.dso"], flags: c["function.flags"], address: c["function.address"] };
		const fn = c["frame.function"];
		this.frame = { fn, address: inPlace(c["frame.offset"], (offset, i) => this.fn.address[fn[i]] + offset), file: c["frame.file"], line: c["frame.line"] };
		this.stack = { parent: inPlace(c["stack.parent"], number => number - 1), frame: c["stack.frame"] };
		this.interval = { thread: c["interval.thread"], cpu: c["interval.cpu"], begin: c["interval.begin"], end: c["interval.end"],
				  stack: c["interval.stack"], kind: c["interval.kind"] };
		/* Of a trace: all calls, by thread and begin, who calls before whom it calls. .flags: 1 begin, 2 end inferred, 4 untraced. */
		this.call = { thread: c["call.thread"], begin: c["call.begin"], length: c["call.length"], stack: c["call.stack"], flags: c["call.flags"] };
		this.instant = { time: c["instant.time"], thread: c["instant.thread"], kind: c["instant.kind"], value: c["instant.value"] };
		/* One thread led to another: it woke it at .begin, and that ran at .end. */
		this.link = { from: c["link.from"], to: c["link.to"], begin: c["link.begin"], end: c["link.end"], kind: c["link.kind"] };
		/* .stack is a number + 1, 0 for none. */
		this.sample = { cpu: c["sample.cpu"], stack: c["sample.stack"], weight: c["sample.weight"],
				count: c["sample.count"], time: inPlace(c["sample.time"] || new Float64Array(c["sample.event"].length), t => t * this.tick) };
		this.timed = "sample.time" in c;
		this.findRuns(c["sample.event"], c["sample.thread"]);
		/* The runs say it. */
		delete c["sample.event"];
		delete c["sample.thread"];
		this.findWaits();
		this.findSpan();
		this.makeRoomForParts();
		this.grouped = null;
		this.arrays = new Map();
	}

	/*
	 * An array of @length zeros; it is the one that was given for @name before, where that was as long: arrays of half a million
	 * numbers would wait to be collected, one for each filter that is tried.
	 */
	zeros(name, length) {
		const old = this.arrays.get(name);
		if (old && old.length === length)
			return old.fill(0);
		this.arrays.delete(name);
		const made = new Float64Array(length);
		this.arrays.set(name, made);
		return made;
	}

	/* Samples stand by thread and event, in order of time: .runs are {event, thread, begin, end}, numbers of samples. */
	findRuns(event, thread) {
		this.runs = [];
		for (let i = 0, begin = 0; i < event.length; i++)
			if (i + 1 === event.length || event[i + 1] !== event[i] || thread[i + 1] !== thread[i]) {
				this.runs.push({ event: event[i], thread: thread[i], begin, end: i + 1 });
				begin = i + 1;
			}
	}

	/*
	 * By stack (+ 1, 0: none) what its samples are: ON, or RUNNABLE or OFF where they end in a wait of wall time. Runs get .lasts, where
	 * all of their samples are waits, and .kinds, a bit for each of ON, RUNNABLE and OFF that they have.
	 */
	findWaits() {
		const { sample, stack } = this, waits = this.dsos.some(d => d.name === "[waits]");
		this.stackKind = new Uint8Array(stack.parent.length + 1);
		for (let s = 0; waits && s < stack.parent.length; s++)
			if (this.isWait(s))
				this.stackKind[s + 1] = this.functionName(this.frame.fn[stack.frame[s]]).startsWith("[runnable") ? RUNNABLE : OFF;
		for (const run of this.runs) {
			const name = this.events[run.event].name;
			run.lasts = name === "offcpu-time" && this.interval.begin.length > 0;
			run.kinds = 0;
			for (let i = run.begin; name !== "offcpu-time" && i < run.end; i++)
				run.kinds |= 1 << this.stackKind[sample.stack[i]];
		}
	}

	/* ON, RUNNABLE or OFF: what the thread of sample @i of @run did. */
	kindOf(run, i) {
		const kind = this.stackKind[this.sample.stack[i]];
		return run.lasts ? kind || OFF : run.kinds > 1 ? kind : ON;
	}

	/* Does sample @i of @run begin at its time and last as long as it weighs? A single wait does; sums of several are at one instant. */
	lasts(run, i) { return this.sample.count[i] === 1 && this.kindOf(run, i) !== ON; }

	/* What samples of @event are: a bit for each of ON, RUNNABLE and OFF, where some of them are waits; else 0. */
	kindsOf(event) {
		const kinds = this.runs.reduce((all, run) => run.event === event ? all | run.kinds : all, 0);
		return kinds > 1 ? kinds : 0;
	}

	/* The first sample of @run at or after @time, or after it (@after). */
	search(run, time, after) {
		let low = run.begin, high = run.end;
		while (low < high) {
			const mid = (low + high) >>> 1, t = this.sample.time[mid];
			if (t < time || (after && t === time))
				low = mid + 1;
			else
				high = mid;
		}
		return low;
	}

	/* The runs, or parts of them, that @state's event, thread and range of time leave; @from and @to as recorded, in place of its range. */
	shownRuns(state, from, to) {
		const ok = this.threadTest(state.thread), runs = this.runs.filter(r => r.event === state.event && (!ok || ok[r.thread]));
		if (from === undefined) {
			from = state.from === null ? -Infinity : this.begin + state.from;
			to = state.to === null ? Infinity : this.begin + state.to;
		}
		if (from === -Infinity && to === Infinity)
			return runs;
		const parts = r => r.parts === undefined ? this.within(r, from, to) : this.waitsWithin(r, from, to);
		return runs.flatMap(parts).filter(r => r.begin < r.end);
	}

	within(run, from, to) {
		return { ...run, begin: this.search(run, from, false), end: this.search(run, to, true) };
	}

	/*
	 * Waits last as long as they weigh: of those that cross the bounds the part between them is shown. Those that are sums, or
	 * merged, are whole. The nanosecond @to is among what is shown.
	 */
	waitsWithin(run, from, to) {
		const { time, weight } = this.sample, inside = this.within(run, from, to), list = [inside];
		const before = inside.begin - 1, last = inside.end - 1, after = to + 1;
		if (before >= run.begin && this.lasts(run, before) && time[before] + weight[before] > from)
			list.unshift(this.partOf(run, before, 0, from, after));
		if (last >= inside.begin && this.lasts(run, last) && time[last] + weight[last] > after) {
			inside.end = last;
			list.push(this.partOf(run, last, 1, from, after));
		}
		return list;
	}

	/* Of sample @i of @run what is from @from to @after, as a run of its own. */
	partOf(run, i, place, from, after) {
		const { sample } = this, at = run.parts + place, begin = Math.max(from, sample.time[i]);
		for (const column of Object.values(sample))
			column[at] = column[i];
		sample.time[at] = begin;
		sample.weight[at] = Math.min(after, sample.time[i] + sample.weight[i]) - begin;
		return { ...run, begin: at, end: at + 1 };
	}

	/* Behind the samples there is room for two parts of each run that has waits. */
	makeRoomForParts() {
		const waits = this.runs.filter(r => r.lasts || r.kinds > 1);
		let nr = this.sample.time.length;
		for (const run of waits) {
			run.parts = nr;
			nr += 2;
		}
		for (const name of waits.length ? Object.keys(this.sample) : []) {
			const longer = new this.sample[name].constructor(nr);
			longer.set(this.sample[name]);
			this.sample[name] = longer;
		}
	}

	/* The time that samples, intervals and instants take: .begin and .end, in ns as recorded. */
	findSpan() {
		let begin = Infinity, end = -Infinity;
		const look = times => {
			for (let i = 0; i < times.length; i++) {
				begin = Math.min(begin, times[i]);
				end = Math.max(end, times[i]);
			}
		};
		if (this.timed)
			look(this.sample.time);
		for (const run of this.timed ? this.runs.filter(r => r.kinds > 1) : [])
			for (let i = run.begin; i < run.end; i++)
				if (this.lasts(run, i))
					end = Math.max(end, this.sample.time[i] + this.sample.weight[i]);
		look(this.interval.begin);
		look(this.interval.end);
		look(this.instant.time);
		look(this.call.begin);
		for (let i = 0; i < this.call.begin.length; i++)
			end = Math.max(end, this.call.begin[i] + this.call.length[i]);
		this.begin = begin <= end ? begin : 0;
		this.end = begin <= end ? Math.max(end, begin + 1) : 1;
	}

	functionName(fn) { return this.isUnnamed(fn) ? "0x" + hexadecimal(this.fn.address[fn]) : this.strings[this.fn.name[fn]]; }
	/* Code without a symbol is called by its file. */
	shownFunction(fn) {
		const dso = this.dsoName(fn);
		return !this.isUnnamed(fn) ? this.functionName(fn) : dso.startsWith("[") ? dso : "[" + dso + "]";
	}
	dsoOf(fn) { return this.fn.dso[fn] < 0 ? null : this.dsos[this.fn.dso[fn]]; }
	dsoName(fn) { const d = this.dsoOf(fn); return d ? d.name : "[unknown]"; }
	isInlined(fn) { return (this.fn.flags[fn] & 1) !== 0; }
	isKernel(fn) { return (this.fn.flags[fn] & 2) !== 0; }
	isUnnamed(fn) { return (this.fn.flags[fn] & 4) !== 0; }
	isPython(fn) { return (this.fn.flags[fn] & 8) !== 0; }
	isJit(fn) { return (this.fn.flags[fn] & 16) !== 0; }

	/*
	 * Stacks grouped by "function", "line" or "address": .keys [{fn, name}], and nodes with .parent, .key, .first and .next
	 * (children), .outermost (no node above has its key); .nodeOf gives the node of a stack, ROOT, or LEFT. @transforms (transforms.js)
	 * say which stacks are left. Parents stand before children.
	 * Only the last is kept: there may be half a million stacks.
	 */
	grouping({ group: by, transforms }) {
		if (!this.grouped || this.grouped.by !== by || this.grouped.transforms !== transforms) {
			this.grouped = null;
			this.grouped = this.makeGrouping(by, transforms);
		}
		return this.grouped;
	}

	makeGrouping(by, transforms) {
		const left = transforms ? transformed(this, transforms) : null, parents = left ? left.parent : this.stack.parent;
		const { frame, stack } = this, keyOfFrame = new Int32Array(frame.fn.length), keys = [], numbers = new Map();
		for (let f = 0; f < frame.fn.length; f++) {
			const fn = frame.fn[f];
			/* What has no symbol is one for each file, unless addresses are asked for. */
			const text = by !== "address" && this.isUnnamed(fn) ? "dso " + this.fn.dso[fn] : by === "function" ? fn : by === "line" ? fn + ":" + frame.file[f] + ":" + frame.line[f]
							: fn + "@" + frame.address[f];
			let number = numbers.get(text);
			if (number === undefined) {
				number = keys.length;
				numbers.set(text, number);
				keys.push({ fn, name: this.keyName(by, f), number });
			}
			keyOfFrame[f] = number;
		}
		const n = stack.parent.length, nodeOf = new Int32Array(n), parent = new Int32Array(n), key = new Int32Array(n);
		/* Nodes by parent and key: a hash table, at most half full. */
		const size = 2 ** Math.ceil(Math.log2(2 * n + 2)), slots = new Int32Array(size).fill(-1);
		let nodes = 0;
		for (let s = 0; s < n; s++) {
			if (left && !left.alive[s])
				continue;
			const up = parents[s] < 0 ? -1 : nodeOf[parents[s]], k = keyOfFrame[stack.frame[s]];
			let at = Math.imul(Math.imul(up + 1, 0x9e3779b1) ^ k, 0x85ebca6b);
			at = (at ^ at >>> 15) & size - 1;
			while (slots[at] >= 0 && (parent[slots[at]] !== up || key[slots[at]] !== k))
				at = at + 1 & size - 1;
			if (slots[at] < 0) {
				slots[at] = nodes;
				parent[nodes] = up;
				key[nodes++] = k;
			}
			nodeOf[s] = slots[at];
		}
		if (left)
			inPlace(left.at, s => s < 0 ? s : nodeOf[s]);
		return this.linkNodes({ by, transforms, keys, nodeOf: left ? left.at : nodeOf, bare: !left || left.bare, keyOfFrame, length: nodes, parent: parent.slice(0, nodes), key: key.slice(0, nodes) });
	}

	linkNodes(g) {
		g.first = new Int32Array(g.length).fill(-1);
		g.next = new Int32Array(g.length).fill(-1);
		g.roots = [];
		g.outermost = new Uint8Array(g.length);
		for (let i = g.length - 1; i >= 0; i--) {
			const p = g.parent[i];
			if (p < 0)
				g.roots.push(i);
			else {
				g.next[i] = g.first[p];
				g.first[p] = i;
			}
		}
		g.roots.reverse();
		this.findOutermost(g);
		return g;
	}

	/* Down and up through the tree, with how often each key is in the path. */
	findOutermost(g) {
		const within = new Int32Array(g.keys.length);
		for (const root of g.roots)
			for (let n = root; n >= 0;) {
				g.outermost[n] = within[g.key[n]]++ ? 0 : 1;
				if (g.first[n] >= 0) {
					n = g.first[n];
					continue;
				}
				for (; n >= 0; n = g.parent[n]) {
					within[g.key[n]]--;
					if (g.next[n] >= 0)
						break;
				}
				n = n >= 0 ? g.next[n] : -1;
			}
	}

	keyName(by, f) {
		const { frame } = this, fn = frame.fn[f], name = this.functionName(fn);
		if (by !== "address" && this.isUnnamed(fn))
			return this.shownFunction(fn);
		if (by === "line" && frame.line[f])
			return name + "  " + this.strings[frame.file[f]].replace(/^.*\//, "") + ":" + frame.line[f];
		if (by === "address" && frame.address[f])
			return name + "  0x" + hexadecimal(frame.address[f]);
		return name;
	}

	kindName(kind) { return this.strings[kind]; }

	/* The numbers of events that have samples; the first, where none has. */
	shownEvents() {
		const shown = this.events.map((_, i) => i).filter(i => this.events[i].samples);
		return shown.length ? shown : [0];
	}

	/* Is the function that stack @s ended in a wait of wall time (core/profile/wait_frames.h)? */
	isWait(s) { return this.dsoName(this.frame.fn[this.stack.frame[s]]) === "[waits]"; }

	/* The name of the innermost function of the program itself from stack @s on, or else of any file; null: none. As in prec summary. */
	waiter(s) {
		let first = null;
		for (; s >= 0; s = this.stack.parent[s]) {
			const fn = this.frame.fn[this.stack.frame[s]], dso = this.dsoOf(fn);
			if (this.isKernel(fn) || this.isWait(s))
				continue;
			const made = this.isJit(fn) || this.isPython(fn);
			if (made ? !this.isUnnamed(fn) : dso && dso.kind === "user" && !dso.name.includes(".so"))
				return this.shownFunction(fn);
			first = first === null ? this.shownFunction(fn) : first;
		}
		return first;
	}

	commandOf(thread) { return thread.process || thread.name; }

	/* A test of threads for the filter "", "TID", "process PID" or "command NAME". */
	threadTest(wanted) {
		if (!wanted)
			return null;
		const ok = new Uint8Array(this.threads.length);
		this.threads.forEach((t, i) => {
			ok[i] = wanted === String(t.tid) || wanted === "process " + t.pid || wanted === "command " + this.commandOf(t) ? 1 : 0;
		});
		return ok;
	}

	/* Weights and numbers of samples by stack (index + 1; 0: samples without one) for @state; what it gave before is no more. */
	count(state) {
		const { sample } = this, n = this.stack.parent.length + 1;
		const weight = this.zeros("weight", n), number = this.zeros("number", n);
		for (const { begin, end } of this.shownRuns(state))
			for (let i = begin; i < end; i++) {
				if (state.cpu !== null && sample.cpu[i] !== state.cpu)
					continue;
				weight[sample.stack[i]] += sample.weight[i];
				number[sample.stack[i]] += sample.count[i];
			}
		return { weight, number };
	}

	/*
	 * What the views show: by node of the grouping .self, .total and the samples .selfCount, .totalCount; .sum and .samples of all.
	 * @counted: what count() gave. What it gave before is no more.
	 */
	result(state, counted) {
		const g = this.grouping(state);
		const r = { g, self: this.zeros("self", g.length), total: this.zeros("total", g.length), selfCount: this.zeros("selfCount", g.length),
			    totalCount: this.zeros("totalCount", g.length), sum: 0, samples: 0 };
		if (g.bare) {
			r.sum += counted.weight[0];
			r.samples += counted.number[0];
		}
		for (let s = 0; s < g.nodeOf.length; s++) {
			const node = g.nodeOf[s];
			if (node === LEFT)
				continue;
			if (node >= 0) {
				r.self[node] += counted.weight[s + 1];
				r.selfCount[node] += counted.number[s + 1];
			}
			r.sum += counted.weight[s + 1];
			r.samples += counted.number[s + 1];
		}
		for (let i = g.length - 1; i >= 0; i--) {
			r.total[i] += r.self[i];
			r.totalCount[i] += r.selfCount[i];
			if (g.parent[i] >= 0) {
				r.total[g.parent[i]] += r.total[i];
				r.totalCount[g.parent[i]] += r.totalCount[i];
			}
		}
		return r;
	}

	/* By key: {key, self, total, selfCount, totalCount}, with no weight counted twice where a function calls itself. */
	rows(r) {
		const rows = r.g.keys.map((_, key) => ({ key, self: 0, total: 0, selfCount: 0, totalCount: 0 }));
		for (let i = 0; i < r.g.length; i++) {
			const row = rows[r.g.key[i]];
			row.self += r.self[i];
			row.selfCount += r.selfCount[i];
			if (r.g.outermost[i]) {
				row.total += r.total[i];
				row.totalCount += r.totalCount[i];
			}
		}
		return rows.filter(row => row.totalCount > 0 || row.total > 0);
	}

	/* ---- trees ---- */

	/* The items of the first level: callees down from the roots, or (@up) from the functions that ran, callers up. */
	roots(r, up) {
		const level = new Level();
		if (!up) {
			for (const n of r.g.roots)
				level.add(n, r.total[n], r.totalCount[n]);
			return this.gather(level, r, false);
		}
		for (let i = 0; i < r.g.length; i++)
			if (r.selfCount[i])
				level.add(i, r.self[i], r.selfCount[i]);
		return this.gather(level, r, true);
	}

	/* Of the key @key: the item whose children are its callees, or (@up) its callers. */
	itemOf(r, key, up) {
		const level = new Level();
		for (let i = 0; i < r.g.length; i++)
			if (r.g.key[i] === key && r.g.outermost[i] && r.totalCount[i])
				level.add(i, r.total[i], r.totalCount[i]);
		return this.gather(level, r, up)[0] || null;
	}

	/* The nodes of @level as items, largest first. Those of an item are at .begin to .end of its .level. */
	gather(level, r, up) {
		const nr = level.nodes.length, made = new Map(), of = new Int32Array(nr), items = [];
		for (let i = 0; i < nr; i++) {
			const node = level.nodes[i], key = r.g.key[node];
			let at = made.get(key);
			if (at === undefined) {
				made.set(key, at = items.length);
				items.push({ key, total: 0, count: 0, self: 0, up, children: null, level: null, begin: 0, end: 0 });
			}
			const item = items[of[i] = at];
			item.total += level.weights[i];
			item.count += level.numbers[i];
			item.end++;
			if (!up)
				item.self += r.self[node];
		}
		const grouped = new Level(nr);
		let begin = 0;
		for (const item of items) {
			const next = begin + item.end;
			item.level = grouped;
			item.begin = item.end = begin;
			begin = next;
		}
		for (let i = 0; i < nr; i++) {
			const at = items[of[i]].end++;
			grouped.nodes[at] = level.nodes[i];
			grouped.weights[at] = level.weights[i];
			grouped.numbers[at] = level.numbers[i];
		}
		return items.sort((a, b) => b.total - a.total || b.count - a.count || a.key - b.key);
	}

	/* Once they are there, what they were made of is not kept. */
	children(r, item) {
		if (item.children)
			return item.children;
		const { nodes, weights, numbers } = item.level, below = new Level();
		for (let i = item.begin; i < item.end; i++) {
			const node = nodes[i];
			if (!item.up) {
				for (let c = r.g.first[node]; c >= 0; c = r.g.next[c])
					below.add(c, r.total[c], r.totalCount[c]);
			} else if (r.g.parent[node] >= 0) {
				below.add(r.g.parent[node], weights[i], numbers[i]);
			} else {
				item.self += weights[i];
			}
		}
		item.level = null;
		return item.children = this.gather(below, r, item.up);
	}

	/* ---- time ---- */

	/* Activity (newActivity()) of the samples of @state's event, thread and CPU, in @bins over all of the time. */
	activity(state, bins) {
		const out = newActivity(bins), { sample, begin: from } = this, scale = bins / Math.max(1, this.end - from);
		for (const run of this.shownRuns(state, -Infinity, Infinity))
			for (let i = run.begin; i < run.end; i++)
				if (state.cpu === null || sample.cpu[i] === state.cpu)
					this.addToBins(out[this.kindOf(run, i)], run, i, from, scale);
		return out;
	}

	/* Sample @i of @run to the bins, @scale of them a ns from @from on: of a single wait, which lasts as long as it weighs, its part to each. */
	addToBins(out, run, i, from, scale) {
		const { time, weight } = this.sample, begin = (time[i] - from) * scale, end = begin + weight[i] * scale;
		if (!this.lasts(run, i)) {
			out[Math.min(out.length - 1, Math.floor(begin))] += weight[i];
			return;
		}
		for (let bin = Math.max(0, Math.floor(begin)); bin < Math.min(out.length, end); bin++)
			out[bin] += (Math.min(end, bin + 1) - Math.max(begin, bin)) / scale;
	}
}
