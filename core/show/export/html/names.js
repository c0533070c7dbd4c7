/*
 * Names by the room that there is, as fit_name() of core/ui/fit.c has them: where one is too long, its return type goes first, then
 * template arguments, the longest before others, then arguments, then the outer scopes, then all arguments of the class, then the
 * class, at last the end of the name itself, or the middle of one without scopes. The first template argument of the class stays as
 * long as there is room, as it tells the name from others.
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
	["std::__cxx11::", "std::"], ["std::__1::", "std::"], ["(anonymous namespace)::", ""],
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

/* Folds lists of @text other than that at @kept, the longest first, until it has @width characters or none is left. */
function foldLists(text, open, close, width, kept) {
	const folded = [];
	let length = text.length;
	for (const list of listsOf(text, open, close).filter(l => l[0] !== kept).sort((a, b) => b[1] - b[0] - (a[1] - a[0]))) {
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

/* Without the return type of a function template, as in "bool std::operator==<...>(...)". */
function withoutType(text) {
	const operators = operatorsOf(text);
	let at = 0, depth = 0;
	for (let i = 0; i < text.length; i++) {
		const c = text[i];
		if (inOperator(operators, i))
			continue;
		if (!depth && c === "(" && i && ">]".includes(text[i - 1]))
			return text.slice(at);
		if ("<({".includes(c))
			depth++;
		else if (">)}".includes(c) && text[i - 1] !== "-")
			depth = Math.max(0, depth - 1);
		else if (!depth && c === " " && text[i + 1] !== "<" && !text.startsWith("const", i + 1) && !text.slice(0, i).endsWith("operator"))
			at = i + 1;
	}
	return text;
}

/* Without as many outer scopes as must go; the class of a member stays. */
function withoutScopes(text, width) {
	const operators = operatorsOf(text);
	let next = nextScope(text, operators, 0), at = 0;
	while (next < text.length && text.length - at > width) {
		const after = nextScope(text, operators, next + 2);
		if (after === text.length)
			break;
		at = next + 2;
		next = after;
	}
	return text.slice(at);
}

/* The positions of the class and of the function after it: those of "b" and "f" in "a::b::f(...)"; 0, 0: the name has no scope. */
function scopesOf(text) {
	const operators = operatorsOf(text);
	let at = 0, scope = 0;
	for (let next; (next = nextScope(text, operators, at)) < text.length;)
		[scope, at] = [at, next + 2];
	return [scope, at];
}

/* The end of the name at @at, which is before its arguments: that of "map" in "std::map<...>::find". */
function nameEnd(text, at) {
	const operators = operatorsOf(text);
	let end = at;
	while (end < text.length && (!"<(".includes(text[end]) || end === at || inOperator(operators, end)))
		end++;
	return end;
}

/* The template arguments that tell the instances of a function apart: those of its class, or its own if the class has none. */
function tellingList(text) {
	const [scope, at] = scopesOf(text), lists = listsOf(text, "<", ">");
	const ends = [at ? nameEnd(text.slice(0, at - 2), scope) : text.length, nameEnd(text, at)];
	return ends.map(end => lists.find(list => list[0] === end + 1)).find(list => list);
}

/* The end of the template argument at @at. */
function argumentEnd(list, at) {
	for (let depth = 0; at < list.length && (depth || list[at] !== ","); at++)
		depth += "<({".includes(list[at]) ? 1 : ">)}".includes(list[at]) && depth ? -1 : 0;
	return at;
}

/* @text up to @end of template arguments that are @length long, and dots for the others. */
function leading(text, end, length) { return text + (end < length ? ", " + DOTS : ""); }

/* @text, shortened, with as many of the template arguments @list as there is room for in the place of the first. */
function refilled(text, width, list) {
	const now = tellingList(text);
	let best = "";
	for (let n = argumentEnd(list, 0); now; n = argumentEnd(list, n + 1)) {
		const some = leading(list.slice(0, n), n, list.length);
		if (some.length <= width - text.length + now[1] - now[0])
			best = n ? some : "";
		if (n >= list.length || n > width - text.length + now[1] - now[0])
			break;
	}
	return best ? text.slice(0, now[0]) + best + text.slice(now[1]) : text;
}

/* The middle left out: the end of a name says more than its beginning. */
function cutMiddle(text, width) {
	if (width <= DOTS.length + 2)
		return text.slice(0, Math.max(0, width));
	const head = Math.floor((width - DOTS.length) / 3), tail = width - DOTS.length - head;
	return text.slice(0, head) + DOTS + text.slice(text.length - tail).replace(/^\.+/, "");
}

/* The beginning and dots. */
function cutEnd(text, width) {
	if (text.length <= width)
		return text;
	return width > DOTS.length + 2 ? text.slice(0, width - DOTS.length) + DOTS : text.slice(0, Math.max(0, width));
}

/* Without the lists of arguments: "{lambda#1}" for "{lambda(...)#1}". */
function bareClass(text) {
	let bare = "", depth = 0;
	for (const c of text) {
		depth += "<(".includes(c);
		bare += depth ? "" : c;
		depth -= depth && ">)".includes(c);
	}
	return bare;
}

/* The class without arguments and the function, or the function alone; before a short one the beginning of the class stays. */
function cutName(text, width) {
	const [scope, at] = scopesOf(text), end = nameEnd(text, at);
	if (!at || at === text.length) {
		if (end && end < text.length && !" .".includes(text[end - 1]) && end <= width)
			return text.slice(0, end);
		return width < LEAST_MIDDLE ? text.slice(0, Math.max(0, width)) : cutMiddle(text, width);
	}
	const bare = bareClass(text.slice(scope, at - 2)), base = text.slice(at, end).replace(/ $/, "");
	const before = bare && (bare.length + 2 + base.length <= width || (width >= LEAST_WITH_CLASS && 3 * base.length < width));
	return (before ? cutEnd(bare, width - 2 - base.length) + "::" : "") + cutEnd(base, width);
}

/* Without lists other than that at @kept, the function's arguments and outer scopes, as many of them as must go. */
function squeezed(text, width, kept) {
	text = foldLists(foldLists(text, "<", ">", width, kept), "(", ")", width);
	const call = text.indexOf("(" + DOTS + ")", scopesOf(text)[1]);
	if (text.length > width && call > 0)
		text = text.slice(0, call);
	return withoutScopes(text, width);
}

/* As much as there is room for of the template arguments that tell a name from others: the first, that without its own, or none. */
function shortened(name, width) {
	const telling = tellingList(name), list = telling && name.slice(...telling);
	let forms = [DOTS], text = name;
	if (telling) {
		const end = argumentEnd(list, 0), first = list.slice(0, end);
		forms = [...[first, foldLists(first, "<", ">", 0)].map(form => leading(form, end, list.length)), DOTS];
	}
	for (const [i, form] of forms.entries()) {
		text = telling ? name.slice(0, telling[0]) + form + name.slice(telling[1]) : name;
		text = squeezed(text, width, i + 1 < forms.length ? telling[0] : undefined);
		if (text.length <= width)
			return telling ? refilled(text, width, list) : text;
	}
	return cutName(text, width);
}

function fitName(name, width) {
	if (name.length <= width)
		return name;
	if (name.endsWith(INLINED)) {
		const kept = width >= LEAST_BESIDE + INLINED.length ? INLINED : "";
		return fitName(name.slice(0, -INLINED.length), width - kept.length) + kept;
	}
	let text = name.includes("::") ? ALIASES.reduce((t, [from, to]) => t.replaceAll(from, to), name) : name;
	if (text.length > width)
		text = withoutType(text);
	return text.length > width ? shortened(text, width) : text;
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
