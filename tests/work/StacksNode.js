/*
 * StacksNode.js MS [waits]: spins at the end of several kinds of stacks for so long (CPU time), or waits there, once for each 5 of MS,
 * and prints them: the names of this file's functions, the innermost first, with ";". Left out are functions that wait for another
 * (async).
 */
'use strict';
Error.stackTraceLimit = Infinity;
const seen = new Set();
let noting = true;

function is_here(site) { return site.getFileName() === __filename && !site.isAsync() && site.getFunctionName(); }
function note() {
	Error.prepareStackTrace = (_, sites) => sites;
	const line = new Error().stack.slice(1).filter(is_here).map(site => site.getFunctionName()).join(';');
	Error.prepareStackTrace = undefined;
	if (!seen.has(line)) {
		seen.add(line);
		console.log(line);
	}
}

const waits = process.argv[3] === 'waits';
const never = new Int32Array(new SharedArrayBuffer(4));
let nrWaits = 0;

function spin(n) {
	let x = 0;
	if (waits) {
		nrWaits++;
		Atomics.wait(never, 0, 0, 2);
	}
	for (let i = 0; i < n; i++) {
		x = (x * 31 + i) % 1000003;
		x ^= x >> 3;
	}
	return x;
}
function work() {
	if (noting) note();
	return spin(30000);
}

function recurse(d) { return d ? recurse(d - 1) + 1 : work(); }
function adder(k) { return function closure(x) { return work() + x + k; }; }
const added = adder(3);
class Shape {
	constructor(n) { this.n = n; }
	area() { return work() + this.n; }
	static make() { return new Shape(2).area(); }
	get size() { return work(); }
}
class Square extends Shape {
	area() { return super.area() * 2; }
}
function json() { return JSON.parse('{"a":[1,2]}', function revive(k, v) { if (k === 'a') work(); return v; }); }
function written() { return JSON.stringify({ toJSON() { work(); return 1; } }); }
function mapped() { return [1].map(function each(x) { return work() + x; }); }
function sorted() { return [2, 1].sort(function compare(a, b) { work(); return a - b; }); }
function* steps() { yield work(); }
function generated() { for (const x of steps()) return x; }
function thrown() { try { throw new Error('x'); } catch (e) { return work(); } }
async function inner() { await null; return work(); }
async function outer() { return await inner() + work(); }

async function all() {
	recurse(20);
	added(1);
	Shape.make();
	new Square(1).area();
	new Square(1).size;
	json();
	written();
	mapped();
	sorted();
	generated();
	thrown();
	await outer();
}

function spent() { return waits ? 5 * nrWaits : process.cpuUsage().user / 1000; }

async function main(end) {
	for (let i = 0; spent() < end; i++) {
		noting = i % 50 === 0;
		await all();
	}
}
main(spent() + Number(process.argv[2]));
