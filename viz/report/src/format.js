// SPDX-License-Identifier: MIT
// Numbers, times and sizes as text.

const NARROW = '\u202f';
const TIME_UNITS = [['s', 1e9], ['ms', 1e6], ['µs', 1e3], ['ns', 1]];

// Digits in groups of three: 1 234 567.
export function group(value, digits = 0) {
	const [whole, part] = Math.abs(value).toFixed(digits).split('.');
	const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, NARROW) : whole;
	return (value < 0 ? '\u2212' : '') + grouped + (part ? `.${part}` : '');
}

export function timeUnit(largest) {
	return TIME_UNITS.find(([, size]) => largest >= size) ?? TIME_UNITS[3];
}

// A time in the unit that suits it, with four significant digits: 12.35 ms.
export function time(ns) {
	const [unit, size] = timeUnit(Math.abs(ns));
	const value = ns / size;
	const digits = unit === 'ns' ? 0 : Math.max(0, 3 - Math.floor(Math.log10(Math.abs(value) || 1)));
	return `${group(value, digits)}${NARROW}${unit}`;
}

// A moment since the first event, to the nanosecond: 0.183 291 116 s.
export function moment(ns) {
	const whole = Math.round(ns);
	const part = String(Math.abs(whole) % 1e9).padStart(9, '0').replace(/\B(?=(\d{3})+$)/g, NARROW);
	return `${whole < 0 ? '\u2212' : ''}${Math.floor(Math.abs(whole) / 1e9)}.${part}${NARROW}s`;
}

export function bytes(count) {
	if (count < 10240) {
		return `${group(count)}${NARROW}B`;
	}
	return count < 10485760 ? `${group(count / 1024, 1)}${NARROW}KiB`
		: `${group(count / 1048576, 1)}${NARROW}MiB`;
}

export const share = (part, whole) => `${whole > 0 ? (100 * part / whole).toFixed(1) : '0.0'}${NARROW}%`;

export const count = (n, one, many = `${one}s`) => `${group(n)} ${n === 1 ? one : many}`;

export const cut = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);
