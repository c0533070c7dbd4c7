/* What is shown and which filters are in force. All of it stands in the address behind #, so that a view can be linked. */
"use strict";

const DEFAULTS = { view: "summary", event: 0, thread: "", cpu: null, from: null, to: null, function: null, search: "", whole: false, merge: false, drop: "",
		   group: "function", up: false, zoom: "", colour: "library", lanes: "threads", form: "lanes", sort: "self", of: null, code: "", theme: "" };
const NUMBERS = ["event", "cpu"], TIMES = ["from", "to"];

/* The state that an address says; what is not in it, or makes no sense, is the default. */
function readState(hashText, model) {
	const state = { ...DEFAULTS };
	for (const [name, value] of new URLSearchParams(hashText.replace(/^#/, ""))) {
		if (!(name in DEFAULTS))
			continue;
		if (NUMBERS.includes(name))
			state[name] = Number.isInteger(+value) ? +value : DEFAULTS[name];
		else if (TIMES.includes(name))
			state[name] = Number.isFinite(+value) && value !== "" ? Math.round(+value * 1e9) : null;
		else if (typeof DEFAULTS[name] === "boolean")
			state[name] = value === "1";
		else
			state[name] = value;
	}
	if (!model.shownEvents().includes(state.event))
		state.event = model.shownEvents()[0];
	if (!["function", "line", "address"].includes(state.group))
		state.group = "function";
	if (!["source", "assembly"].includes(state.code))
		state.code = "";
	return state;
}

function writeState(state) {
	const out = new URLSearchParams();
	for (const [name, fallback] of Object.entries(DEFAULTS)) {
		const value = state[name];
		if (value === fallback || value === null || value === "")
			continue;
		out.set(name, TIMES.includes(name) ? (value / 1e9).toFixed(9).replace(/0+$/, "").replace(/\.$/, "") : value === true ? "1" : String(value));
	}
	return "#" + out.toString();
}

/* The filters in force, each as {text, undo}: a change of the state that takes it away. */
function activeFilters(state) {
	const list = [];
	if (state.thread)
		list.push({ text: /^(process|command) /.test(state.thread) ? state.thread : "thread " + state.thread, undo: { thread: "", zoom: "" } });
	if (state.cpu !== null)
		list.push({ text: "CPU " + state.cpu, undo: { cpu: null, zoom: "" } });
	if (state.from !== null || state.to !== null)
		list.push({ text: seconds(state.from || 0) + " to " + (state.to === null ? "the end" : seconds(state.to)), undo: { from: null, to: null, zoom: "" } });
	if (state.function !== null)
		list.push({ text: "has " + fitName(state.function, 50), undo: { function: null, zoom: "" } });
	/* Names of functions, one a line: names have anything else. */
	if (state.drop) {
		const names = state.drop.split("\n");
		names.forEach((name, i) => list.push({ text: "without " + fitName(name, 50), undo: { drop: names.filter((_, n) => n !== i).join("\n"), zoom: "" } }));
	}
	if (state.merge)
		list.push({ text: "recursion merged", undo: { merge: false, zoom: "" } });
	return list;
}
