// SPDX-License-Identifier: MIT
// The tables that the report carries, one at a time.

import { CALL, IOCTL } from './data.js';
import { button, el, field, fill, select } from './dom.js';
import { compareTables, pairTables } from './compare.js';
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
	const { sides } = data.raw;
	const size = (table) => table.rows.length - (table.total ? 1 : 0);
	const list = sides ? pairTables(tables) : tables.map((table) => ({ title: table.title, table }));
	const choices = list.map(({ title, table, pair }, t) => button([title, pair ? null : el('small', {}, ` ${size(table)}`)], () => open(t), { 'aria-pressed': 'false' }));
	// With two sides: both beside each other, or one alone.
	function both(title, pair, onrow) {
		const shown = el('div', {});
		const show = (side) => fill(shown, side === 'both' ? compareTables(title, pair, sides, onrow)
			: makeTable({ ...pair[side], title: `${title}, ${sides[side]}` }, { onrow }).element);
		show('both');
		return el('div', {}, el('div', { class: 'bar' }, field('Sides', select([['both', sides.join(' and ')], ...sides.flatMap((side, s) => (pair[s] ? [[s, `only ${side}`]] : []))],
			'both', show, { 'aria-label': `Sides of ${title}` }))), shown);
	}
	function open(t) {
		choices.forEach((choice, i) => choice.setAttribute('aria-pressed', String(i === t)));
		const known = (row) => row.map((value) => (typeof value === 'string' ? index.get(value) : null)).find(Boolean);
		const choose = (row) => {
			const selection = known(row);
			if (selection) {
				state.set({ selection });
			}
		};
		const { title, table, pair } = list[t];
		const onrow = table.rows.some(known) ? choose : null;
		made[t] ??= pair ? both(title, pair, onrow) : makeTable(table, { onrow }).element;
		fill(holder, made[t]);
	}
	open(0);
	return { element: el('div', { class: 'tables-view' }, el('div', { class: 'bar choices', role: 'group', 'aria-label': 'Tables' }, choices), holder) };
}
