/* What can be done with a function where it stands, as a menu at the pointer. */
"use strict";

/* What keys and the menu are of: {fn, name, path: numbers of the functions that lead there, or null, up: callers stand below}. */
function functionOf(key, up = false) { return { fn: key.fn, name: key.name, path: null, up }; }

function targetOf(page, items, up) {
	const keys = items.map(item => page.result.g.keys[item.key]);
	return { ...functionOf(keys[keys.length - 1], up), path: keys.map(key => key.fn) };
}

function openMenu(page, e, target) {
	const menu = $("menu"), { name } = target, items = [];
	e.preventDefault();
	for (const [kind, t] of Object.entries(TRANSFORMS))
		if (t.key && (!t.path || target.path))
			items.push({ key: t.key, title: t.title, run: () => page.transform(kind, target) });
	items.push({ key: "s", title: "Callers and callees", run: () => page.set({ view: "sandwich", of: name }) },
		   { key: "a", title: "Its code", run: () => page.set({ view: "code", of: name }) });
	const run = item => {
		menu.close();
		item.run();
	};
	menu.replaceChildren(el("div", { className: "of-menu" }, fitName(name, 48)),
			     ...items.map(item => el("button", { type: "button", role: "menuitem", onclick: () => run(item) }, el("kbd", {}, item.key), " " + item.title)));
	menu.onclick = click => click.target === menu && menu.close();
	menu.onkeydown = press => {
		const item = items.find(i => i.key === press.key), { activeElement: at } = document;
		if (item)
			run(item);
		else if (press.key === "ArrowDown" || press.key === "ArrowUp")
			(press.key === "ArrowDown" ? at.nextElementSibling : at.previousElementSibling)?.focus();
		else
			return;
		press.preventDefault();
		press.stopPropagation();
	};
	page.tip(null);
	menu.showModal();
	menu.style.left = Math.max(4, Math.min(e.clientX, innerWidth - menu.offsetWidth - 4)) + "px";
	menu.style.top = Math.max(4, Math.min(e.clientY, innerHeight - menu.offsetHeight - 4)) + "px";
	menu.querySelector("button").focus();
}

/* Keys and the menu are of @row's function while it is pointed at. */
function pointRow(page, row, target) {
	row.onmouseenter = row.onfocus = () => { page.pointed = target; };
	row.oncontextmenu = e => openMenu(page, e, target);
}
