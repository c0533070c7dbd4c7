/*
 * What the views count. Samples are summed up by stack, for the filters that are in force; stacks are nodes with a parent, and a
 * grouping makes nodes of equal keys (function, line or address) below an equal parent one. A tree that is shown (callees
 * down, or callers up) is made of items {key, total, self, nodes, weights}, opened one level at a time.
 */
"use strict";

/* As map(), into the same array: there may be millions. */
function inPlace(array, change) {
	for (let i = 0; i < array.length; i++)
		array[i] = change(array[i], i);
	return array;
}

class Model {
	constructor(profile) {
		Object.assign(this, profile);
		const c = profile.columns;
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
		this.sample = { event: c["sample.event"], thread: c["sample.thread"], cpu: c["sample.cpu"], stack: c["sample.stack"],
				weight: c["sample.weight"], count: c["sample.count"], time: inPlace(c["sample.time"] || new Float64Array(c["sample.event"].length), t => t * this.tick) };
		this.timed = "sample.time" in c;
		this.findRuns();
		this.findSpan();
		this.groupings = new Map();
	}

	/* Samples stand by thread and event, in order of time: .runs are {event, thread, begin, end}, numbers of samples. */
	findRuns() {
		const { event, thread } = this.sample;
		this.runs = [];
		for (let i = 0, begin = 0; i < event.length; i++)
			if (i + 1 === event.length || event[i + 1] !== event[i] || thread[i + 1] !== thread[i]) {
				this.runs.push({ event: event[i], thread: thread[i], begin, end: i + 1 });
				begin = i + 1;
			}
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
		return runs.map(r => ({ ...r, begin: this.search(r, from, false), end: this.search(r, to, true) })).filter(r => r.begin < r.end);
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
		look(this.interval.begin);
		look(this.interval.end);
		look(this.instant.time);
		look(this.call.begin);
		look(this.call.begin.map((begin, i) => begin + this.call.length[i]));
		this.begin = begin <= end ? begin : 0;
		this.end = begin <= end ? Math.max(end, begin + 1) : 1;
	}

	functionName(fn) { return this.isUnnamed(fn) ? "0x" + hexadecimal(this.fn.address[fn]) : this.strings[this.fn.name[fn]]; }
	dsoOf(fn) { return this.fn.dso[fn] < 0 ? null : this.dsos[this.fn.dso[fn]]; }
	dsoName(fn) { const d = this.dsoOf(fn); return d ? d.name : "[unknown]"; }
	isInlined(fn) { return (this.fn.flags[fn] & 1) !== 0; }
	isKernel(fn) { return (this.fn.flags[fn] & 2) !== 0; }
	isUnnamed(fn) { return (this.fn.flags[fn] & 4) !== 0; }

	/*
	 * Stacks grouped by "function", "line" or "address": .keys [{fn, name}], and nodes with .parent, .key, .first and .next
	 * (children), .outermost (no node above has its key); .nodeOf gives the node of a stack. Parents stand before children.
	 */
	grouping(by) {
		if (!this.groupings.has(by))
			this.groupings.set(by, this.makeGrouping(by));
		return this.groupings.get(by);
	}

	makeGrouping(by) {
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
		const found = new Map();
		let nodes = 0;
		for (let s = 0; s < n; s++) {
			const up = stack.parent[s] < 0 ? -1 : nodeOf[stack.parent[s]], k = keyOfFrame[stack.frame[s]];
			const at = (up + 1) * keys.length + k;
			let node = found.get(at);
			if (node === undefined) {
				node = nodes++;
				found.set(at, node);
				parent[node] = up;
				key[node] = k;
			}
			nodeOf[s] = node;
		}
		return this.linkNodes({ by, keys, nodeOf, keyOfFrame, length: nodes, parent: parent.slice(0, nodes), key: key.slice(0, nodes) });
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
			let up = p;
			while (up >= 0 && g.key[up] !== g.key[i])
				up = g.parent[up];
			g.outermost[i] = up < 0 ? 1 : 0;
		}
		g.roots.reverse();
		return g;
	}

	keyName(by, f) {
		const { frame } = this, fn = frame.fn[f], name = this.functionName(fn), dso = this.dsoName(fn);
		if (by !== "address" && this.isUnnamed(fn))
			return dso.startsWith("[") ? dso : "[" + dso + "]";
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

	/* A test of threads for the filter "", "TID" or "process PID". */
	threadTest(wanted) {
		if (!wanted)
			return null;
		const ok = new Uint8Array(this.threads.length);
		this.threads.forEach((t, i) => {
			ok[i] = wanted === String(t.tid) || wanted === "process " + t.pid ? 1 : 0;
		});
		return ok;
	}

	/* Weights and numbers of samples by stack (index + 1; 0: samples without one) for @state. */
	count(state) {
		const { sample } = this, n = this.stack.parent.length + 1;
		const weight = new Float64Array(n), number = new Float64Array(n);
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
	 * With state.function only stacks that have that function count. @counted: what count() gave.
	 */
	result(state, counted) {
		const g = this.grouping(state.group), { parent } = this.stack;
		const r = { g, self: new Float64Array(g.length), total: new Float64Array(g.length), selfCount: new Float64Array(g.length),
			    totalCount: new Float64Array(g.length), sum: 0, samples: 0, bare: 0, roots: [] };
		const has = state.function === null ? null : new Uint8Array(parent.length + 1);
		if (!has) {
			r.sum += counted.weight[0];
			r.samples += counted.number[0];
			r.bare = counted.weight[0];
		}
		for (let s = 0; s < parent.length; s++) {
			if (has) {
				has[s + 1] = has[parent[s] + 1] || this.functionName(this.frame.fn[this.stack.frame[s]]) === state.function ? 1 : 0;
				if (!has[s + 1])
					continue;
			}
			const node = g.nodeOf[s];
			r.self[node] += counted.weight[s + 1];
			r.selfCount[node] += counted.number[s + 1];
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
		const made = new Map();
		if (!up)
			return this.gather(r.g.roots.map(n => [n, r.total[n], r.totalCount[n]]), r, made, false);
		const leaves = [];
		for (let i = 0; i < r.g.length; i++)
			if (r.selfCount[i])
				leaves.push([i, r.self[i], r.selfCount[i]]);
		return this.gather(leaves, r, made, true);
	}

	/* Of the key @key: the item whose children are its callees, or (@up) its callers. */
	itemOf(r, key, up) {
		const list = [];
		for (let i = 0; i < r.g.length; i++)
			if (r.g.key[i] === key && r.g.outermost[i] && r.totalCount[i])
				list.push([i, r.total[i], r.totalCount[i]]);
		return this.gather(list, r, new Map(), up)[0] || null;
	}

	/* Entries [node, weight, samples] as items, largest first. */
	gather(entries, r, made, up) {
		for (const [node, weight, number] of entries) {
			if (!number && !weight)
				continue;
			let item = made.get(r.g.key[node]);
			if (!item) {
				item = { key: r.g.key[node], total: 0, count: 0, self: 0, entries: [], up, children: null };
				made.set(item.key, item);
			}
			item.total += weight;
			item.count += number;
			item.entries.push([node, weight, number]);
			if (!up)
				item.self += r.self[node];
		}
		return [...made.values()].sort((a, b) => b.total - a.total || b.count - a.count || a.key - b.key);
	}

	children(r, item) {
		if (item.children)
			return item.children;
		const entries = [];
		for (const [node, weight, number] of item.entries) {
			if (item.up) {
				if (r.g.parent[node] >= 0)
					entries.push([r.g.parent[node], weight, number]);
				else
					item.self += weight;
			} else {
				for (let c = r.g.first[node]; c >= 0; c = r.g.next[c])
					entries.push([c, r.total[c], r.totalCount[c]]);
			}
		}
		return item.children = this.gather(entries, r, new Map(), item.up);
	}

	/* ---- time ---- */

	/* Weight by bin of time of the samples of @state's event, thread and CPU, in @bins over all of the time. */
	activity(state, bins) {
		const out = new Float64Array(bins), { sample, begin: from } = this, scale = bins / Math.max(1, this.end - from);
		for (const { begin, end } of this.shownRuns(state, -Infinity, Infinity))
			for (let i = begin; i < end; i++)
				if (state.cpu === null || sample.cpu[i] === state.cpu)
					out[Math.min(bins - 1, Math.floor((sample.time[i] - from) * scale))] += sample.weight[i];
		return out;
	}
}
