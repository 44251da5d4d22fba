// SPDX-License-Identifier: MIT
// Elements of HTML and SVG. Strings become text nodes and attribute values, never markup.

function build(element, attributes, children) {
	for (const [name, value] of Object.entries(attributes ?? {})) {
		if (value === undefined || value === null || value === false) {
			continue;
		}
		if (typeof value === 'function') {
			element.addEventListener(name.slice(2), value);
		} else {
			element.setAttribute(name, value === true ? '' : value);
		}
	}
	append(element, children);
	return element;
}

export function append(element, children) {
	for (const child of children.flat(Infinity)) {
		if (child !== undefined && child !== null && child !== false) {
			element.append(child);
		}
	}
	return element;
}

export const el = (name, attributes, ...children) =>
	build(document.createElement(name), attributes, children);

export const svg = (name, attributes, ...children) =>
	build(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);

export function fill(element, ...children) {
	element.replaceChildren();
	return append(element, children);
}

export const button = (label, onclick, attributes) =>
	el('button', { type: 'button', onclick, ...attributes }, label);

// A labelled control. The label element contains the control, so no id is needed.
export const field = (label, control, ...after) =>
	el('label', { class: 'field' }, el('span', {}, label), control, after);

export function select(options, value, onchange, attributes) {
	const control = el('select', { onchange: () => onchange(control.value), ...attributes },
		options.map(([key, text]) => el('option', { value: key }, text)));
	control.value = value;
	return control;
}

export function announce(text) {
	document.getElementById('status').textContent = text;
}

// The colour that a custom property of the style sheet has now, light or dark, for a canvas.
export function colour(name) {
	const probe = document.getElementById('status');
	probe.style.color = `var(--${name})`;
	const value = getComputedStyle(probe).color;
	probe.style.color = '';
	return value;
}

// Calls draw() once before the next frame, however often the returned function was called.
export function eachFrame(draw) {
	let waiting = false;
	return () => {
		if (!waiting) {
			waiting = true;
			requestAnimationFrame(() => {
				waiting = false;
				draw();
			});
		}
	};
}
