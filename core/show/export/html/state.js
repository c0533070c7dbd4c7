/* What is shown and which filters are in force. All of it stands in the address behind #, so that a view can be linked. */
"use strict";

const DEFAULTS = { view: "summary", event: 0, thread: "", cpu: null, from: null, to: null, transforms: "", search: "", whole: false,
		   group: "function", up: false, zoom: "", colour: "library", lanes: "groups", open: "", form: "lanes", sort: "self", of: null, code: "", mark: "", theme: "" };
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
	state.transforms = transformsOf(state.transforms).map(t => t.text).join("\n");
	if (!model.shownEvents().includes(state.event))
		state.event = model.shownEvents()[0];
	if (!["function", "line", "address"].includes(state.group))
		state.group = "function";
	if (!["both", "source", "assembly"].includes(state.code))
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

/* The filters in force, each as {text, undo, takes}: a change of the state that takes it away; whether samples are not shown for it. */
function activeFilters(state, model) {
	const list = [];
	if (state.thread)
		list.push({ text: /^(process|command) /.test(state.thread) ? state.thread : "thread " + state.thread, takes: true, undo: { thread: "", zoom: "" } });
	if (state.cpu !== null)
		list.push({ text: "CPU " + state.cpu, takes: true, undo: { cpu: null, zoom: "" } });
	if (state.from !== null || state.to !== null)
		list.push({ text: seconds(state.from || 0) + " to " + (state.to === null ? "the end" : seconds(state.to)), takes: true, undo: { from: null, to: null, zoom: "" } });
	const transforms = transformsOf(state.transforms);
	transforms.forEach((t, i) => list.push({ text: fitName(TRANSFORMS[t.kind].chip(t.of, model), 60), takes: TRANSFORMS[t.kind].takes,
						 undo: { transforms: transforms.filter((_, n) => n !== i).map(left => left.text).join("\n"), zoom: "" } }));
	return list;
}
