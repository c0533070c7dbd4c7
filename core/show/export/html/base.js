/* Small helpers of the page: making elements, writing numbers. Text from a profile is only ever set as text, never as markup. */
"use strict";

const $ = id => document.getElementById(id);

/* An element with properties and children; a string child becomes a text node. */
function el(tag, props, ...children) {
	const e = document.createElement(tag);
	for (const [key, value] of Object.entries(props || {})) {
		if (key === "dataset")
			Object.assign(e.dataset, value);
		else if (key === "share")
			e.style.setProperty("--share", (100 * value).toFixed(2) + "%");
		else if (key.startsWith("aria") || key === "role" || key === "colspan")
			e.setAttribute(key.replace(/^aria(?=[A-Z])/, "aria-").toLowerCase(), value);
		else
			e[key] = value;
	}
	e.append(...children.filter(c => c !== null && c !== undefined));
	return e;
}

function percent(part, whole) {
	return (whole > 0 ? 100 * part / whole : 0).toFixed(2) + " %";
}

/* 3 to 4 digits and a unit from @steps, [[factor, name], ...] from the smallest up. */
function scaled(value, steps) {
	let [factor, name] = steps[0];
	for (const [f, n] of steps)
		if (Math.abs(value) >= f)
			[factor, name] = [f, n];
	const v = value / factor;
	const digits = Number.isInteger(v) && factor === 1 ? 0 : Math.abs(v) >= 100 ? 1 : Math.abs(v) >= 10 ? 2 : 3;
	return v.toFixed(digits) + (name ? " " + name : "");
}

const UNITS = {
	ns: [[1, "ns"], [1e3, "\u00b5s"], [1e6, "ms"], [1e9, "s"]],
	bytes: [[1, "B"], [1024, "KiB"], [1048576, "MiB"], [1073741824, "GiB"]],
	count: [[1, ""]],
};

function amount(value, unit) {
	if (unit === "ns" || unit === "bytes")
		return scaled(value, UNITS[unit]);
	return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

function seconds(ns) {
	return (ns / 1e9).toFixed(ns < 1e10 ? 4 : 3) + " s";
}

/* An address in hexadecimal. Of the kernel's the page has the low 52 bits; those above are ones (html.c). */
function hexadecimal(address) {
	return (address >= 2 ** 51 ? "fff" : "") + address.toString(16);
}

/* A small hash of a string, for colours that stay the same from page to page. */
function hash(text) {
	let h = 2166136261;
	for (let i = 0; i < text.length; i++)
		h = Math.imul(h ^ text.charCodeAt(i), 16777619);
	return h >>> 0;
}

/*
 * A canvas that is shown in this size, empty, with its context in CSS pixels. What it has is kept where it is high enough, as new
 * memory costs more than the picture: the style sheet shows the upper part.
 */
function sized(canvas, width, height) {
	const ratio = window.devicePixelRatio || 1, c = canvas.getContext("2d");
	const w = Math.max(1, Math.round(width * ratio)), h = Math.max(1, Math.round(height * ratio));
	if (canvas.width !== w || canvas.height < h) {
		canvas.width = w;
		canvas.height = h;
	} else {
		c.setTransform(1, 0, 0, 1, 0, 0);
		c.clearRect(0, 0, w, canvas.height);
	}
	canvas.style.aspectRatio = w + " / " + h;
	c.setTransform(ratio, 0, 0, ratio, 0, 0);
	return c;
}

/* What the style sheet says of a colour. Asking the browser makes it calculate styles, so it is asked once for each theme. */
const colourOf = new Map();

function style(name) {
	const root = document.documentElement, key = root.dataset.theme + name;
	if (!colourOf.has(key))
		colourOf.set(key, getComputedStyle(root).getPropertyValue(name).trim());
	return colourOf.get(key);
}
