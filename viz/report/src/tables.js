// SPDX-License-Identifier: MIT
// The tables that the report carries, one at a time.

import { CALL, IOCTL } from './data.js';
import { button, el, fill } from './dom.js';
import { makeTable } from './table.js';

export function makeTables(data, state) {
	const { tables } = data.raw;
	if (!tables?.length) {
		return { element: el('p', { class: 'empty' }, 'This report carries no tables.') };
	}
	const index = new Map();
	for (const k of [IOCTL, CALL]) {
		data.byKind[k].forEach((i) => index.set(data.name(i), { type: 'name', kind: k, name: data.nameIndex[i] }));
	}
	data.raw.channels.forEach((channel, id) => index.set(channel.name, { type: 'channel', id }));
	const holder = el('div', {});
	const made = [];
	const choices = tables.map((table, t) => button([table.side !== undefined && data.raw.sides ? `${data.raw.sides[table.side]}: ` : '', table.title, el('small', {}, ` ${table.rows.length}`)], () => open(t), { 'aria-pressed': 'false' }));
	function open(t) {
		choices.forEach((choice, i) => choice.setAttribute('aria-pressed', String(i === t)));
		const known = (row) => row.map((value) => (typeof value === 'string' ? index.get(value) : null)).find(Boolean);
		made[t] ??= makeTable(tables[t], { onrow: tables[t].rows.some(known) ? (row) => {
			const selection = known(row);
			if (selection) {
				state.set({ selection });
			}
		} : null });
		fill(holder, made[t].element);
	}
	open(0);
	return { element: el('div', { class: 'tables-view' }, el('div', { class: 'bar choices', role: 'group', 'aria-label': 'Tables' }, choices), holder) };
}
