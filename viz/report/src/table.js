// SPDX-License-Identifier: MIT
// A table that is sorted, filtered, paged and copied as CSV.

import { announce, button, el, fill } from './dom.js';
import { count, group, timeUnit } from './format.js';

const PAGE = 100;
const NARROW_RANK = 4;

const numeric = (column) => column.type !== 'text' && column.type !== 'handle';

function cell(column, value, unit) {
	if (value === null || value === undefined || value === '') {
		return numeric(column) ? '–' : '';
	}
	if (column.type === 'handle' && typeof value === 'number') {
		return `0x${value.toString(16)}`;
	}
	if (!numeric(column)) {
		return String(value);
	}
	if (column.type === 'share') {
		return (value / 100).toFixed(2);
	}
	if (unit) {
		return group(value / unit[1], Math.round(Math.log10(unit[1])) > 0 ? 3 : 0);
	}
	return group(value, Number.isInteger(value) ? 0 : 2);
}

// Times are shown in one unit for a column, so that their digits line up, and in one for all columns
// with `scale`, which are compared.
function units(columns, rows) {
	const largest = columns.map((_, c) => rows.reduce((max, row) => Math.max(max, Math.abs(row[c] ?? 0)), 0));
	const common = columns.reduce((max, column, c) => (column.scale ? Math.max(max, largest[c]) : max), 0);
	return columns.map((column, c) => (column.unit === 'ns' || column.type === 'time' ? timeUnit((column.scale ? common : largest[c]) / 10) : null));
}

function csv(columns, rows) {
	const quote = (value) => {
		const text = String(value ?? '');
		// A spreadsheet would take such a text for a formula.
		const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
		return /[",\n\r]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
	};
	const head = columns.map((column) => (column.unit || column.type === 'time' ? `${column.name} [${column.unit || 'ns'}]` : column.name));
	return [head, ...rows].map((row) => row.slice(0, columns.length).map(quote).join(',')).join('\n') + '\n';
}

export async function copyText(text) {
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		const area = el('textarea', { class: 'off-screen', 'aria-hidden': 'true' });
		area.value = text;
		document.body.append(area);
		area.select();
		document.execCommand('copy');
		area.remove();
	}
}

// table: { title, columns: [{name, unit, type}], rows }. onrow(row, index) is called when a row is
// chosen; compact tables have no filter; sort: [column, direction, 'size' to ignore signs]. Returns { element, setRows(rows, note), setFilter(text) }.
export function makeTable(table, { onrow, compact, noun = 'row', sort: sortBy, copy = true } = {}) {
	// The last row may be the sum of the others: it stays last.
	let rows = table.total ? table.rows.slice(0, -1) : table.rows;
	const last = table.total ? table.rows.at(-1) : null;
	// Columns of a higher rank are shown on demand, and always copied.
	const { columns } = table;
	let wide = !columns.some((column) => column.rank > NARROW_RANK);
	const shows = (column) => wide || !(column.rank > NARROW_RANK);
	let note = '', page = 0, sort = sortBy ?? null, shown = [], unit = units(columns, rows);
	const filter = el('input', { type: 'search', 'aria-label': `Filter ${table.title}`, placeholder: 'Filter',
		oninput: () => { page = 0; draw(); } });
	const total = el('span', { class: 'total' });
	const head = el('tr');
	const body = el('tbody');
	const foot = el('tfoot', {});
	const pager = el('span', { class: 'pager' });
	const bar = el('div', { class: 'table-bar' }, compact ? null : filter, total, pager,
		wide ? null : button('All columns', (event) => {
			wide = !wide;
			event.currentTarget.setAttribute('aria-pressed', String(wide));
			draw();
			if (last) {
				drawFoot();
			}
		}, { 'aria-pressed': 'false' }),
		copy ? button('Copy as CSV', async () => {
			await copyText(csv(columns, shown));
			announce(`Copied ${count(shown.length, noun)} of ${table.title} as CSV`);
		}, { class: 'quiet' }) : null);

	function order(c) {
		const direction = sort && sort[0] === c ? -sort[1] : numeric(columns[c]) ? -1 : 1;
		sort = [c, direction];
		page = 0;
		draw();
		head.children[columns.slice(0, c).filter(shows).length].firstChild.focus();
	}

	function drawHead() {
		fill(head, columns.map((column, c) => {
			if (!shows(column)) {
				return null;
			}
			const way = sort && sort[0] === c ? sort[1] : 0;
			const shownUnit = unit[c]?.[0] ?? column.unit ?? (column.type === 'share' ? '%' : '');
			return el('th', { scope: 'col', class: numeric(column) ? 'number' : null,
				'aria-sort': way > 0 ? 'ascending' : way < 0 ? 'descending' : 'none' },
			button([column.name, shownUnit ? el('span', { class: 'unit' }, ` ${shownUnit}`) : '',
				el('span', { class: 'arrow', 'aria-hidden': 'true' }, way > 0 ? '▲' : way < 0 ? '▼' : '')],
			() => order(c)));
		}));
	}

	function draw() {
		const wanted = filter.value.trim().toLowerCase();
		shown = wanted ? rows.filter((row) => columns.some((column, c) =>
			String(row[c] ?? '').toLowerCase().includes(wanted))) : rows.slice();
		if (sort) {
			const [c, direction, by] = sort;
			const value = by === 'size' ? (row) => Math.abs(row[c] ?? 0) : numeric(columns[c]) ? (row) => row[c] ?? -Infinity : (row) => String(row[c] ?? '');
			shown.sort((a, b) => {
				const x = value(a), y = value(b);
				return direction * (typeof x === 'number' ? x - y : x.localeCompare(y, 'en', { numeric: true }));
			});
		}
		const pages = Math.max(1, Math.ceil(shown.length / PAGE));
		page = Math.min(page, pages - 1);
		drawHead();
		fill(body, shown.slice(page * PAGE, (page + 1) * PAGE).map((row) => el('tr', {
			class: onrow ? 'choosable' : null, onclick: onrow ? () => onrow(row) : null },
		columns.map((column, c) => {
			if (!shows(column)) {
				return null;
			}
			const text = cell(column, row[c], unit[c]);
			return el('td', { class: numeric(column) ? 'number' : null },
				onrow && c === 0 ? button(text, (event) => { event.stopPropagation(); onrow(row); }, { class: 'link' }) : text);
		}))));
		total.textContent = (shown.length === rows.length ? count(rows.length, noun)
			: `${group(shown.length)} of ${count(rows.length, noun)}`) + note;
		const turn = (by) => {
			page += by;
			draw();
			// The buttons are new; the focus stays on the one that was pressed, or goes to the other.
			const [back, on] = pager.querySelectorAll('button');
			((by < 0 && !back.disabled) || on.disabled ? back : on).focus();
		};
		fill(pager, pages > 1 ? [
			button('‹', () => turn(-1), { disabled: page === 0, 'aria-label': 'Previous page' }),
			el('span', { role: 'status' }, `page ${page + 1} of ${pages}`),
			button('›', () => turn(1), { disabled: page === pages - 1, 'aria-label': 'Next page' }),
		] : null);
	}
	draw();
	function drawFoot() {
		fill(foot, el('tr', {}, columns.map((column, c) => shows(column) && el(c ? 'td' : 'th', { scope: c ? null : 'row', class: numeric(column) ? 'number' : null },
			cell(column, last[c], unit[c]) || (c ? '' : 'total')))));
	}
	if (last) {
		drawFoot();
	}
	return {
		element: el('div', { class: 'table' }, bar, el('div', { class: 'table-scroll', tabindex: 0, role: 'region',
			'aria-label': table.title }, el('table', {}, el('caption', { class: 'off-screen' }, table.title),
			el('thead', {}, head), body, foot))),
		setRows(next, text = '') {
			rows = next;
			note = text;
			unit = units(columns, rows);
			draw();
		},
		setFilter(text) {
			filter.value = text;
			page = 0;
			draw();
		},
	};
}

