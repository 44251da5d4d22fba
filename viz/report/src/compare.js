// SPDX-License-Identifier: MIT
// Two sides beside each other: a table of both, with the difference, and facts of traces in columns.

import { el, fill, field, select } from './dom.js';
import { makeTable } from './table.js';

// Pairs the tables of the two sides that have one title: [{ title, pair: [old, new] | undefined, table }].
export function pairTables(tables) {
	const list = [];
	for (const table of tables) {
		const other = table.side === 1 && list.find((one) => one.pair && !one.pair[1] && one.title === table.title);
		if (other) {
			other.pair[1] = table;
		} else {
			list.push({ title: table.title, table, pair: table.side === 0 ? [table, undefined] : undefined });
		}
	}
	return list;
}

const EMPTY = { columns: [], rows: [] };

// One row for each thing that either side has: what it is called by its texts and handles, and one
// measure of both. Things with equal names are paired in their order.
function rowsOf(sides, names, measure) {
	const rows = new Map();
	sides.forEach((table, s) => {
		const at = (key) => table.columns.findIndex((column) => column.key === key);
		const of = at(measure.key);
		const seen = new Map();
		table.rows.slice(0, table.total ? -1 : undefined).forEach((row) => {
			const texts = names.map((column) => row[at(column.key)] ?? '');
			const same = JSON.stringify(texts);
			seen.set(same, (seen.get(same) ?? 0) + 1);
			const key = `${same} ${seen.get(same)}`;
			if (!rows.has(key)) {
				rows.set(key, Object.assign([...texts, null, null, null, null], { sides: 0 }));
			}
			rows.get(key)[names.length + s] = of < 0 ? null : row[of];
			rows.get(key).sides |= 1 << s;
		});
	});
	for (const row of rows.values()) {
		const [before, after] = [row[names.length], row[names.length + 1]];
		row[names.length + 2] = (after ?? 0) - (before ?? 0);
		row[names.length + 3] = before ? 100 * ((after ?? 0) - before) / before : null;
	}
	return [...rows.values()];
}

// A table of both sides with a choice of the measure. onrow as for makeTable().
export function compareTables(title, pair, sides, onrow) {
	const both = [pair[0] ?? EMPTY, pair[1] ?? EMPTY];
	const columns = [...both[0].columns, ...both[1].columns.filter((column) => !both[0].columns.some((one) => one.key === column.key))];
	const isName = (column) => column.type === 'text' || column.type === 'handle';
	const names = columns.filter((column, c) => isName(column) && (c === 0 || column.rank <= 4));
	const measures = columns.filter((column) => !isName(column) && column.type !== 'share');
	const holder = el('div', {});
	const differing = (rows) => rows.filter((row) => row[names.length + 2] !== 0 || row.sides !== 3).length;
	const differ = measures.map((measure) => differing(rowsOf(both, names, measure)));
	// Times always differ: a count that does is of more interest.
	const [first] = [...measures.filter((measure, m) => measure.type === 'count' && differ[m]).sort((a, b) => a.rank - b.rank), ...measures];
	function draw(key) {
		const measure = measures.find((column) => column.key === key);
		const rows = rowsOf(both, names, measure);
		const size = { type: measure.type, rank: 0, scale: true };
		const table = makeTable({ title: `${title}: ${measure.name}`, rows, columns: [...names.map((column) => ({ ...column, rank: 0 })), { ...size, name: sides[0] },
			{ ...size, name: sides[1] }, { ...size, name: 'difference' }, { name: 'change', unit: '%', type: 'number', rank: 0 }] },
		{ onrow, sort: [names.length + 2, -1, 'size'], noun: 'row' });
		table.setRows(rows, `, ${differing(rows)} differ`);
		fill(holder, table.element);
	}
	if (!first) {
		return el('p', { class: 'empty' }, 'Nothing to compare.');
	}
	draw(first.key);
	return el('div', {}, el('div', { class: 'bar' }, field('Compare', select(measures.map((column, m) => [column.key, `${column.name} (${differ[m]} differ)`]),
		first.key, draw, { 'aria-label': `What is compared of ${title}` }))), holder);
}

// Facts of a few traces as a table with a column for each; those that differ are marked.
export function factsTable(traces, names) {
	const keys = [...new Set(traces.flatMap((trace) => trace.facts.map(([key]) => key)))];
	const value = (trace, key) => trace.facts.filter(([name]) => name === key).map(([, text]) => text).join(', ');
	return el('table', { class: 'fact-table' }, el('caption', { class: 'off-screen' }, 'What was recorded'),
		el('thead', {}, el('tr', {}, el('td', {}), names.map((name) => el('th', { scope: 'col' }, name)))),
		el('tbody', {}, keys.map((key) => {
			const values = traces.map((trace) => value(trace, key));
			const differs = values.some((text) => text !== values[0]);
			return el('tr', { class: differs ? 'differs' : null }, el('th', { scope: 'row' }, key, differs ? el('span', { class: 'off-screen' }, ' (differs)') : ''),
				values.map((text) => el('td', {}, text || '–')));
		})));
}
