/*
 * Names by the room that there is, as fit_name() of core/ui/fit.c has them: where one is too long, template arguments go first, the
 * longest before others, then arguments, then the outer scopes, then the
 * class, at last the end of the name itself, or the middle of one without scopes.
 */
"use strict";

const DOTS = "...", LEAST_MIDDLE = 10, LEAST_BESIDE = 20, LEAST_WITH_CLASS = 16, MOST_LISTS = 32, INLINED = " (inlined)";
const OPERATOR = /operator(<=>|<<=|>>=|->\*|->|<<|>>|<=|>=|<|>|\(\))/g;
const ALIASES = [
	["std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string"],
	["std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>>", "std::string"],
	["std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char>>", "std::string"],
	["std::__cxx11::basic_string<char>", "std::string"],
	["std::basic_string_view<char, std::char_traits<char> >", "std::string_view"],
	["std::basic_string_view<char, std::char_traits<char>>", "std::string_view"],
	["std::__cxx11::", "std::"], ["std::__1::", "std::"],
];

/* Which characters are of an operator's name, as in operator<<, operator-> or operator(): [begin, end) each. */
function operatorsOf(text) { return text.includes("operator") ? [...text.matchAll(OPERATOR)].map(m => [m.index + 8, m.index + m[0].length]) : []; }
function inOperator(operators, at) { return operators.some(([begin, end]) => at >= begin && at < end); }

/* The lists between @open and @close that lie in no other such, [begin, end) of what they enclose. */
function listsOf(text, open, close) {
	const operators = operatorsOf(text), lists = [];
	let depth = 0, from = 0;
	for (let i = 0; i < text.length; i++) {
		const c = text[i];
		if ((c !== open && c !== close) || (c === ">" && text[i - 1] === "-") || (!depth && inOperator(operators, i)))
			continue;
		if (c === open && !depth++)
			from = i + 1;
		if (c === close && depth && !--depth && i - from > DOTS.length && lists.length < MOST_LISTS)
			lists.push([from, i]);
	}
	return lists;
}

/* Folds lists of @text, the longest first, until it has @width characters or none is left. */
function foldLists(text, open, close, width) {
	const folded = [];
	let length = text.length;
	for (const list of listsOf(text, open, close).sort((a, b) => b[1] - b[0] - (a[1] - a[0]))) {
		if (length <= width)
			break;
		folded.push(list);
		length -= list[1] - list[0] - DOTS.length;
	}
	for (const [begin, end] of folded.sort((a, b) => b[0] - a[0]))
		text = text.slice(0, begin) + DOTS + text.slice(end);
	return text;
}

/* The next "::" at or after @from that is in no list and before no operator's name; the text's length: there is none. */
function nextScope(text, operators, from) {
	let depth = 0;
	for (let i = from; i + 1 < text.length && !inOperator(operators, i); i++)
		if ("<({".includes(text[i]))
			depth++;
		else if (">)}".includes(text[i]))
			depth = Math.max(0, depth - 1);
		else if (!depth && text[i] === ":" && text[i + 1] === ":")
			return i;
	return text.length;
}

/* Without as many outer scopes as must go, and without the return type of a template; the class of a member stays. */
function withoutScopes(text, width) {
	const operators = operatorsOf(text);
	let next = nextScope(text, operators, 1), at = 0, depth = 0;
	if (next < text.length && text.length > width)
		for (let i = 0; i < next; i++) {
			depth += "<({".includes(text[i]) ? 1 : ">)}".includes(text[i]) && depth ? -1 : 0;
			if (!depth && text[i] === " ")
				at = i + 1;
		}
	while (next < text.length && text.length - at > width) {
		const after = nextScope(text, operators, next + 2);
		if (after === text.length)
			break;
		at = next;
		next = after;
	}
	return text.slice(at);
}

/* The position after the last scope: that of "f" in "a::(...)::f(...)". */
function afterScopes(text) {
	const operators = operatorsOf(text);
	let at = 0;
	for (let next; (next = nextScope(text, operators, at)) < text.length;)
		at = next + 2;
	return at;
}

/* "compare" of "std::basic_string<...>::compare(...)". */
function baseName(text) {
	text = text.slice(afterScopes(text));
	const operators = operatorsOf(text);
	let end = 0;
	while (end < text.length && (!"<(".includes(text[end]) || !end || inOperator(operators, end)))
		end++;
	return text.slice(0, end);
}

/* The middle left out: the end of a name says more than its beginning. */
function cutMiddle(text, width) {
	if (width <= DOTS.length + 2)
		return text.slice(0, Math.max(0, width));
	const head = Math.floor((width - DOTS.length) / 3), tail = width - DOTS.length - head;
	return text.slice(0, head) + DOTS + text.slice(text.length - tail).replace(/^\.+/, "");
}

/* The last component, which says more than the class, unless it is short beside @width: its beginning, if it has no room. */
function cutName(text, width) {
	const base = baseName(text), scoped = nextScope(text, operatorsOf(text), 0) < text.length;
	if (base && scoped && (width < LEAST_WITH_CLASS || 3 * base.length >= width))
		return base.length <= width ? base : width > DOTS.length + 2 ? base.slice(0, width - DOTS.length) + DOTS : base.slice(0, Math.max(0, width));
	text = width < LEAST_WITH_CLASS ? base : text;
	return text.length <= width ? text : width < LEAST_MIDDLE ? text.slice(0, Math.max(0, width)) : cutMiddle(text, width);
}

function fitName(name, width) {
	if (name.length <= width)
		return name;
	if (name.endsWith(INLINED)) {
		const kept = width >= LEAST_BESIDE + INLINED.length ? INLINED : "";
		return fitName(name.slice(0, -INLINED.length), width - kept.length) + kept;
	}
	let text = name.includes("std::") ? ALIASES.reduce((t, [from, to]) => t.replaceAll(from, to), name) : name;
	for (const [open, close] of ["<>", "()"])
		text = foldLists(text, open, close, width);
	const call = text.indexOf("(" + DOTS + ")", afterScopes(text));
	if (text.length > width && call > 0)
		text = text.slice(0, call);
	text = withoutScopes(text, width);
	return text.length > width ? cutName(text, width) : text;
}

/* What people call the function: without what its lists of arguments enclose. */
function shownName(name) {
	return /[<(]/.test(name) ? foldLists(foldLists(name, "<", ">", 0), "(", ")", 0) : name;
}

/* As fitName(); what @key, {name}, gave is kept, as a picture is drawn again at each step. */
function fittedName(key, width) {
	const fitted = key.fitted || (key.fitted = new Map());
	if (!fitted.has(width))
		fitted.set(width, fitName(key.name, width));
	return fitted.get(width);
}

/* The name of @key at @x within @room pixels, as much of it as there is room for. A width is measured once. */
function drawName(c, key, x, y, room) {
	if (key.width === undefined)
		key.width = c.measureText(key.name).width;
	if (key.width <= room)
		c.fillText(key.name, x, y);
	else
		c.fillText(fittedName(key, Math.floor(key.name.length * room / key.width)), x, y, room);
}
