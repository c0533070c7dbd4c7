/* The page: reads the profile and the address, shows the view, and takes keys. KEYS dispatches them and makes the help. */
"use strict";

const DARK = matchMedia("(prefers-color-scheme: dark)");

class Page {
	constructor(model) {
		this.model = model;
		this.code = new Code(model);
		this.state = readState(location.hash, model);
		this.key = "";
		this.overview = { key: "" };
	}

	unit() {
		const e = this.model.events[this.state.event];
		return e ? e.unit : "count";
	}

	/* Is a stack (index + 1) among those that transforms leave? */
	passes(stack) {
		const { g } = this.result;
		return stack ? g.nodeOf[stack - 1] !== LEFT : g.bare;
	}

	/* Changes the state, the address, and what is shown; the address before is a step back. */
	set(change) {
		/* A mark is of the function that was shown. */
		this.note("of" in change ? { mark: "", ...change } : change);
		this.show();
	}

	/* Changes the state and the address alone: what is shown has changed already. */
	note(change) {
		Object.assign(this.state, change);
		const text = writeState(this.state);
		if (text !== location.hash)
			history.pushState(null, "", text || "#");
	}

	/* Paper is white. */
	theme() {
		return this.printing ? "light" : this.state.theme || (DARK.matches ? "dark" : "light");
	}

	/* Sums are made again only where a filter has changed. */
	recount() {
		const { state } = this, key = JSON.stringify([state.event, state.thread, state.cpu, state.from, state.to, state.group, state.transforms]);
		if (key === this.key)
			return;
		this.key = key;
		/* What is no longer true is not kept beside what is made. */
		this.counted = this.result = this.top = null;
		this.counted = this.model.count(state);
		this.result = this.model.result(state, this.counted);
	}

	/* The items of the first level, callees down or callers up. */
	rootItems() {
		const { up } = this.state;
		if (!this.top || this.top.up !== up) {
			this.top = null;
			this.top = { up, items: this.model.roots(this.result, up) };
		}
		return this.top.items;
	}

	/* Of another view only what all share is kept: neither its tree nor its pictures. */
	leave(view, box) {
		const same = document.body.dataset.view === view.id;
		if (!same) {
			this.top = this.flame = null;
			for (const canvas of box.querySelectorAll("canvas"))
				canvas.width = canvas.height = 0;
		}
		if (!same || !view.keeps)
			box.replaceChildren();
	}

	/* The width that @element has for what is in it. To ask in the middle of changes makes the browser lay out the page: it changes with the window. */
	widthOf(element) {
		if (!this.widths || this.widths.window !== innerWidth)
			this.widths = { window: innerWidth, of: new Map() };
		const { of } = this.widths;
		if (!of.has(element)) {
			const { paddingLeft, paddingRight } = getComputedStyle(element);
			of.set(element, element.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight));
		}
		return of.get(element);
	}

	findMatches() {
		const { search, whole } = this.state, { g } = this.result;
		if (this.found && this.found.search === search && this.found.whole === whole && this.found.g === g)
			return;
		this.found = { search, whole, g, of: "in names" };
		this.matches = null;
		$("search").title = "";
		if (!search)
			return;
		let regex;
		try {
			regex = new RegExp(search, "i");
		} catch (e) {
			$("search").title = "not a regular expression: " + e.message;
			return;
		}
		/* What is shown of a name first: the arguments of templates have "alloc" nearly everywhere. */
		const all = g.keys.map(k => regex.test(k.name) || regex.test(this.model.dsoName(k.fn)));
		const shown = g.keys.map(k => regex.test(k.shown === undefined ? k.shown = shownName(k.name) : k.shown));
		const first = !whole && shown.includes(true);
		this.matches = first ? shown : all;
		this.found.more = first ? all.filter((is, i) => is && !shown[i]).length : 0;
		this.found.of = first ? "in names" : "in names, their arguments and libraries";
	}

	/* What else a search could match, and the way there and back. */
	showFound(box) {
		const { search, more } = this.found, { whole } = this.state;
		if (this.matches && (more || whole))
			box.append(el("button", { type: "button", className: "chip", id: "whole", onclick: () => this.set({ whole: !whole }) },
				      whole ? `\u2018${search}\u2019 in names alone` : `\u2018${search}\u2019: ${more} more by arguments or library`));
	}

	show() {
		const began = performance.now(), { state } = this, theme = this.theme();
		if (document.documentElement.dataset.theme !== theme)
			document.documentElement.dataset.theme = theme;
		this.pointed = null;
		this.recount();
		this.findMatches();
		this.tip(null);
		this.showHeader();
		const view = VIEWS.find(v => v.id === state.view) || VIEWS[0], box = $("view");
		const focused = document.activeElement && box.contains(document.activeElement) ? document.activeElement.id : "";
		this.leave(view, box);
		view.show(this, box);
		/* Who drives the page by keys stays where they were. */
		if (focused && $(focused))
			$(focused).focus({ preventScroll: true });
		drawOverview(this);
		document.body.dataset.view = view.id;
		document.body.dataset.sum = this.result.sum;
		document.body.dataset.samples = this.result.samples;
		document.body.dataset.milliseconds = (performance.now() - began).toFixed(1);
	}

	/* Of a step in the same view nothing changes there. */
	showHeader() {
		const { state, model } = this, view = state.view || "summary", key = JSON.stringify([this.key, view, state.search, state.whole, innerWidth]);
		if (this.header === key)
			return;
		this.header = key;
		$("event").value = String(state.event);
		$("thread").value = state.thread;
		$("group").value = state.group;
		if (document.activeElement !== $("search"))
			$("search").value = state.search;
		this.showTabs(view);
		const filters = activeFilters(state, model), box = $("filters");
		box.replaceChildren(filters.some(f => f.takes) ? "Only " : el("span", { id: "all" }, "All samples"));
		for (const f of filters)
			box.append(el("button", { type: "button", className: "chip", title: "Remove", onclick: () => this.set(f.undo) }, f.text + " \u2715"));
		const event = model.events[state.event];
		if (event)
			box.append(el("span", { id: "shown" }, `${amount(this.result.sum, event.unit)}, ${amount(this.result.samples, "count")} samples, ${percent(this.result.sum, event.total)}`));
		this.showFound(box);
	}

	showTabs(view) {
		const shown = view + " " + innerWidth;
		if (this.tabs === shown)
			return;
		this.tabs = shown;
		$("tabs").replaceChildren(...VIEWS.map((v, i) => {
			const tab = el("button", { type: "button", role: "tab", title: String(i + 1), onclick: () => this.set({ view: v.id }) }, v.title);
			tab.setAttribute("aria-selected", String(v.id === view));
			return tab;
		}));
		/* Where there is no room for all of them, the chosen one is seen. */
		const chosen = $("tabs").querySelector("[aria-selected=true]");
		if (chosen && $("tabs").scrollWidth > $("tabs").clientWidth)
			$("tabs").scrollLeft = chosen.offsetLeft - $("tabs").offsetLeft - ($("tabs").clientWidth - chosen.offsetWidth) / 2;
	}

	tip(text, e) {
		const tip = $("tip");
		tip.hidden = !text;
		if (!text)
			return;
		tip.textContent = text;
		/* At the right edge it would be measured as narrow as the room there. */
		tip.style.left = "0";
		const x = Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 8), y = e.clientY + 18 + tip.offsetHeight > innerHeight ? e.clientY - tip.offsetHeight - 10 : e.clientY + 18;
		tip.style.left = Math.max(4, x) + "px";
		tip.style.top = Math.max(4, y) + "px";
	}

	undoFilter() {
		const filters = activeFilters(this.state, this.model);
		if (this.state.mark && this.state.view === "code")
			this.set({ mark: "" });
		else if (this.state.zoom)
			this.set({ zoom: this.state.zoom.split(".").slice(0, -1).join(".") });
		else if (filters.length)
			this.set(filters[filters.length - 1].undo);
	}

	/* The function that is pointed at, or the sandwich's. */
	target() {
		const { view, of } = this.state, { keys } = this.result.g, key = ["sandwich", "code"].includes(view) && of !== null ? keys.find(k => k.name === of) : null;
		return this.pointed || (key ? functionOf(key) : null);
	}

	/* Adds a transform of @target to those there are. */
	transform(kind, target = this.target()) {
		const { all, path } = TRANSFORMS[kind], { state, model } = this, before = transformsOf(state.transforms).map(t => t.text);
		if (!all && (!target || (path && !target.path)))
			return;
		const text = all ? kind : path ? (target.up ? "callers" : kind) + " " + target.path.join(".") : kind + " " + model.shownFunction(target.fn);
		if (before[before.length - 1] === text)
			return;
		/* A function that is no longer there has no sandwich. */
		const gone = state.view === "sandwich" && (kind === "drop" || kind === "merge") ? { view: "flame", of: null } : {};
		this.set({ ...gone, transforms: [...before, text].join("\n"), zoom: "" });
	}

	help() {
		const body = el("tbody"), dialog = $("help");
		for (const [key, what] of KEYS.map(k => [k.name || k.key, k.what]))
			body.append(el("tr", {}, el("td", {}, el("kbd", {}, key)), el("td", {}, what)));
		dialog.replaceChildren(el("h2", {}, "Keys"), el("table", {}, body), el("p", {}, "In the flame graph: arrows move, Enter zooms, s shows the sandwich, a the code; a click zooms, with Shift the sandwich. f, F, z, d, m and o are of the function that is pointed at, or of the sandwich's; the right button has them in a menu. In the timeline: up and down choose a lane, Enter shows only that; left, right, + and - are of the range of time."),
				       el("button", { type: "button", onclick: () => dialog.close() }, "Close"));
		dialog.showModal();
	}
}

/* The one after @value, the first after the last. */
function nextOf(list, value) {
	return list[(list.indexOf(value) + 1) % list.length];
}

const KEYS = [
	...VIEWS.map((v, i) => ({ key: String(i + 1), what: v.title, run: page => page.set({ view: v.id }) })),
	{ key: "/", what: "Search", run: () => $("search").focus() },
	{ key: "i", what: "Callers up or callees down", run: page => page.set({ up: !page.state.up, zoom: "" }) },
	{ key: "g", what: "Frames by function, line, address", run: page => page.set({ group: nextOf(["function", "line", "address"], page.state.group), zoom: "" }) },
	{ key: "c", what: "Colours by library, kind, heat", run: page => page.set({ colour: nextOf(["library", "kind", "heat"], page.state.colour) }) },
	{ key: "e", what: "Next event", run: page => page.set({ event: nextOf(page.model.shownEvents(), page.state.event), zoom: "" }) },
	{ key: "l", what: "Lanes of groups of processes, threads or CPUs", run: page => page.set({ lanes: nextOf(LANES, page.state.lanes) }) },
	{ key: "r", what: "To the range of time: arrows move it, with Shift its end, + and - halve and double it", run: () => $("overview").focus() },
	...Object.entries(TRANSFORMS).filter(([, t]) => t.key).map(([kind, t]) => ({ key: t.key, what: t.title, run: page => page.transform(kind) })),
	{ key: "a", what: "The code of the sandwich's function, or of the hottest", run: page => page.set({ view: "code" }) },
	{ key: "t", what: "Light or dark", run: page => page.set({ theme: document.documentElement.dataset.theme === "dark" ? "light" : "dark" }) },
	{ key: "Backspace", what: "Undo the mark of a line, the zoom, the last change of the stacks, or the last filter", run: page => page.undoFilter() },
	{ key: "Escape", name: "Esc", what: "Zoom out, end the search", run: page => page.set({ zoom: "", search: "", whole: false }) },
	{ key: "?", what: "This help", run: page => page.help() },
];

function fillControls(page) {
	const { model } = page;
	document.title = model.title + " - prec profile";
	$("title").textContent = model.title.replace(/^\S*\//, "");
	$("title").title = model.title;
	$("event").replaceChildren(...model.shownEvents().map(i => el("option", { value: String(i) }, model.events[i].name)));
	$("event-label").hidden = model.shownEvents().length < 2;
	const processes = new Map();
	for (const t of model.threads)
		processes.set(t.pid, (processes.get(t.pid) || []).concat(t));
	const options = [el("option", { value: "" }, "all")], commands = new Map();
	for (const [first] of processes.values())
		commands.set(model.commandOf(first), (commands.get(model.commandOf(first)) || 0) + 1);
	for (const [name, nr] of commands)
		if (nr > 1 && commands.size > 1)
			options.push(el("option", { value: "command " + name }, `${nr} processes ${name}`));
	for (const [pid, threads] of processes) {
		if (processes.size > 1)
			options.push(el("option", { value: "process " + pid }, `process ${model.commandOf(threads[0])} ${pid}`));
		for (const t of threads)
			if (options.length < 3000)
				options.push(el("option", { value: String(t.tid) }, `${t.name} ${t.tid}`));
	}
	$("thread").replaceChildren(...options);
	$("event").onchange = e => page.set({ event: +e.target.value, zoom: "" });
	$("thread").onchange = e => page.set({ thread: e.target.value, zoom: "" });
	$("group").onchange = e => page.set({ group: e.target.value, zoom: "" });
	$("search").oninput = e => page.set({ search: e.target.value, whole: false });
	$("theme").onclick = () => KEYS.find(k => k.key === "t").run(page);
	$("help-button").onclick = () => page.help();
	selectByDrag(page, $("overview"), x => x / $("overview").clientWidth * (model.end - model.begin), () => page.set({ from: null, to: null, zoom: "" }));
	$("overview").onkeydown = e => rangeKey(page, e);
}

/*
 * Pictures of a page are taken when it is loaded (firefox --screenshot), before the profile is unpacked, were it not for a document
 * in the page that is still open. Returns the function that closes it.
 */
function holdLoad() {
	const frame = el("iframe", { hidden: true });
	document.body.append(frame);
	frame.contentDocument?.open();
	return () => {
		frame.contentDocument?.close();
		frame.remove();
	};
}

async function start() {
	let model;
	try {
		model = new Model(await loadProfile($("profile")));
	} catch (e) {
		$("view").textContent = "The profile in this page cannot be read (" + e.message + "). It needs a browser that knows DecompressionStream, of 2023 or later.";
		document.body.dataset.error = e.message;
		return;
	}
	$("profile").remove();
	const page = new Page(model);
	fillControls(page);
	page.show();
	document.addEventListener("keydown", e => {
		if (e.ctrlKey || e.altKey || e.metaKey || $("help").open || $("menu").open)
			return;
		if (/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) {
			if (e.key === "Escape")
				e.target.blur();
			return;
		}
		const key = KEYS.find(k => k.key === e.key);
		if (key) {
			e.preventDefault();
			key.run(page);
		}
	});
	const again = () => {
		page.state = readState(location.hash, model);
		page.show();
	};
	addEventListener("popstate", again);
	addEventListener("hashchange", again);
	for (const [event, printing] of [["beforeprint", true], ["afterprint", false]])
		addEventListener(event, () => {
			page.printing = printing;
			if (document.documentElement.dataset.theme !== page.theme())
				page.show();
		});
	let waiting = 0;
	addEventListener("resize", () => {
		cancelAnimationFrame(waiting);
		waiting = requestAnimationFrame(() => page.show());
	});
	document.body.dataset.ready = performance.now().toFixed(0);
}

addEventListener("error", e => { document.body.dataset.error = e.message; });

start().finally(holdLoad());
