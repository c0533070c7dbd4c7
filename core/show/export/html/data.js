/*
 * The profile inside the page. Its bytes, in base64 and as a rule deflated, are: the length of a JSON text in four bytes, little
 * endian; that text; the columns that it lists, one after the other. A column is a list of numbers below 2^53 as LEB128:
 * kind "u" as they are, "z" with a sign in the lowest bit, "d" as such a difference to the one before.
 */
"use strict";

async function inflate(bytes, encoding) {
	if (encoding === "none")
		return bytes;
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(encoding));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

function fromBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const raw = atob(text), bytes = new Uint8Array(raw.length);
	for (let i = 0; i < raw.length; i++)
		bytes[i] = raw.charCodeAt(i);
	return bytes;
}

/* Fills and returns @out with @out.length numbers that begin at @at. */
function decodeColumn(bytes, at, out, kind) {
	let last = 0;
	for (let i = 0; i < out.length; i++) {
		let b = bytes[at++], low = b & 0x7f, shift = 7, high = 0;
		while (b & 0x80) {
			b = bytes[at++];
			if (shift < 28)
				low |= (b & 0x7f) << shift;
			else
				high += (b & 0x7f) * 2 ** (shift - 28);
			shift += 7;
		}
		let v = (low >>> 0) + high * 2 ** 28;
		if (kind !== "u")
			v = v % 2 ? -(v + 1) / 2 : v / 2;
		if (kind === "d")
			v = last += v;
		out[i] = v;
	}
	return out;
}

/* The JSON object, with .columns replaced by {name: typed array}. */
async function loadProfile(script) {
	const bytes = await inflate(fromBase64(script.textContent.trim()), script.dataset.encoding);
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const size = view.getUint32(0, true);
	const profile = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + size)));
	let at = 4 + size;
	const columns = {};
	for (const [name, kind, width, count, length] of profile.columns) {
		const out = width === 8 ? new Float64Array(count) : new Int32Array(count);
		columns[name] = decodeColumn(bytes, at, out, kind);
		at += length;
	}
	profile.columns = columns;
	return profile;
}
