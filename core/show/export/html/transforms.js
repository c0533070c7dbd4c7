/*
 * Changes of the stacks before anything is summed up, as a list in the order in which they were made. Each takes frames away, or
 * samples, and knows nothing of views: these count what is left. It is written as "KIND FUNCTION"; a path is of functions' numbers.
 */
"use strict";

const ROOT = -1, LEFT = -2;	/* in place of a frame: none is left, or its samples are not shown */
const MOST_TRANSFORMS = 100;

/*
 * The stacks as they are now: by stack .parent, and .at, where its samples count: one of those that are .alive, ROOT or LEFT. .bare:
 * samples without a stack are shown.
 */
class Stacks {
	constructor(model) {
		const n = model.stack.parent.length;
		this.model = model;
		this.parent = model.stack.parent.slice();
		this.at = new Int32Array(n).map((_, s) => s);
		this.alive = new Uint8Array(n).fill(1);
		this.bare = true;
	}

	fn(s) { return this.model.frame.fn[this.model.stack.frame[s]]; }

	/* Code without a symbol is one function for each file. */
	same(s, fn) {
		const { model } = this, own = this.fn(s);
		return own === fn || (model.isUnnamed(own) && model.isUnnamed(fn) && model.fn.dso[own] === model.fn.dso[fn]);
	}

	/* A test of frames: are they of the function that is called @name? */
	named(name) {
		const is = new Uint8Array(this.model.fn.name.length).map((_, fn) => this.model.shownFunction(fn) === name ? 1 : 0);
		return s => is[this.fn(s)] === 1;
	}

	/* Puts frame s into @into(s, up): itself, one above it, ROOT or LEFT. Callers come first: @up is where the caller was put. */
	move(into) {
		const { parent, at, alive } = this, to = new Int32Array(parent.length);
		for (let s = 0; s < to.length; s++)
			if (alive[s]) {
				to[s] = into(s, parent[s] < 0 ? ROOT : to[parent[s]]);
				alive[s] = to[s] === s ? 1 : 0;
			}
		for (let s = 0; s < to.length; s++) {
			at[s] = at[s] < 0 ? at[s] : to[at[s]];
			parent[s] = parent[s] < 0 ? ROOT : Math.max(ROOT, to[parent[s]]);
		}
	}

	/* The samples of frame s count at @where(s). Those without a frame leave. */
	count(where) {
		const { at } = this;
		for (let s = 0; s < at.length; s++)
			at[s] = at[s] < 0 ? LEFT : where(at[s]);
		this.bare = false;
	}
}

function pathOfNumbers(text) { return text.split(".").map(Number); }

/* .takes: samples leave. .path: it is of a place in the tree, and not of a function. */
const TRANSFORMS = {
	only: {
		key: "f", title: "Only stacks that have it", chip: name => "has " + name, takes: true,
		apply(stacks, name) {
			const is = stacks.named(name), { parent } = stacks, has = new Uint8Array(parent.length);
			for (let s = 0; s < has.length; s++)
				has[s] = is(s) || (parent[s] >= 0 && has[parent[s]]) ? 1 : 0;
			stacks.count(s => has[s] ? s : LEFT);
		},
	},
	focus: {
		key: "F", title: "Focus: its calls alone, it is the root", chip: name => "focus on " + name, takes: true,
		apply(stacks, name) {
			const is = stacks.named(name);
			stacks.move((s, up) => up >= 0 || is(s) ? s : LEFT);
			stacks.count(s => s);
		},
	},
	subtree: {
		key: "z", title: "This subtree alone", chip: (name, model) => "subtree of " + lastOf(name, model), takes: true, path: true,
		apply(stacks, text) {
			const path = pathOfNumbers(text), { parent } = stacks, matched = new Int32Array(parent.length);	/* elements of the path; -1: not on it */
			stacks.move(s => {
				const before = parent[s] < 0 ? 0 : matched[parent[s]];
				matched[s] = before === path.length ? before : before >= 0 && stacks.same(s, path[before]) ? before + 1 : -1;
				return matched[s] === path.length ? s : LEFT;
			});
			stacks.count(s => s);
		},
	},
	callers: {	/* the subtree where callers stand below */
		chip: (name, model) => "called by " + lastOf(name, model), takes: true, path: true,
		apply(stacks, text) {
			const path = pathOfNumbers(text), { parent } = stacks;
			stacks.count(s => {
				let at = s, depth = 0;
				for (; at >= 0 && stacks.same(at, path[depth]); at = parent[at])
					if (++depth === path.length)
						return at;
				return LEFT;
			});
		},
	},
	drop: {
		key: "d", title: "Drop: its samples leave", chip: name => "without " + name, takes: true,
		apply(stacks, name) {
			const is = stacks.named(name);
			stacks.move((s, up) => up === LEFT || is(s) ? LEFT : s);
		},
	},
	merge: {
		key: "m", title: "Merge: its time is its callers'", chip: name => "merged: " + name,
		apply(stacks, name) {
			const is = stacks.named(name);
			stacks.move((s, up) => is(s) ? up : s);
		},
	},
	fold: {
		key: "o", title: "Fold: all that it calls is its own time", chip: name => "folded: " + name,
		apply(stacks, name) {
			const is = stacks.named(name);
			stacks.move((s, up) => up >= 0 && is(up) ? up : s);
		},
	},
	recursion: {
		key: "R", title: "Merge functions that call themselves", chip: () => "recursion merged", all: true,
		apply(stacks) { stacks.move((s, up) => up >= 0 && stacks.same(s, stacks.fn(up)) ? up : s); },
	},
};

function lastOf(text, model) {
	const fn = pathOfNumbers(text).pop();
	return fn < model.fn.name.length ? model.shownFunction(fn) : "?";
}

/* Those that @text has, a line each: {kind, of, text}. */
function transformsOf(text) {
	return text.split("\n").slice(0, MOST_TRANSFORMS).map(line => ({ kind: line.split(" ", 1)[0], of: line.slice(line.indexOf(" ") + 1), text: line }))
		.filter(t => Object.hasOwn(TRANSFORMS, t.kind));
}

function transformed(model, text) {
	const stacks = new Stacks(model);
	for (const { kind, of } of transformsOf(text))
		TRANSFORMS[kind].apply(stacks, of);
	return stacks;
}
