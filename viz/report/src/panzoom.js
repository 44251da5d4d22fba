// SPDX-License-Identifier: MIT
// Pan and zoom of a group of an SVG drawing: drag, wheel, pinch, keys.

import { eachFrame } from './dom.js';

const LARGEST = 8;

// size: [width, height] of the drawing. Returns { fit, zoom, centre, scale }. onchange(scale) is
// called after each change.
export function makePanZoom(view, group, onchange) {
	let x = 0, y = 0, scale = 1, size = [1, 1];
	const pointers = new Map();
	let moved = 0;
	const apply = eachFrame(() => {
		group.setAttribute('transform', `translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(${scale.toPrecision(6)})`);
		onchange?.(scale);
	});
	const box = () => view.getBoundingClientRect();
	const smallest = () => {
		const { width, height } = box();
		return Math.min(width / size[0], height / size[1], 1) * 0.5;
	};
	function zoomAt(factor, px, py) {
		const next = Math.min(LARGEST, Math.max(smallest(), scale * factor));
		x = px - (px - x) * next / scale;
		y = py - (py - y) * next / scale;
		scale = next;
		apply();
	}
	view.addEventListener('wheel', (event) => {
		event.preventDefault();
		const { left, top } = box();
		if (event.shiftKey) {
			x -= event.deltaY + event.deltaX;
			apply();
		} else {
			zoomAt(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0018)), event.clientX - left, event.clientY - top);
		}
	}, { passive: false });
	view.addEventListener('pointerdown', (event) => {
		if (event.button === 0) {
			pointers.set(event.pointerId, [event.clientX, event.clientY]);
			moved = 0;
		}
	});
	view.addEventListener('pointermove', (event) => {
		const before = pointers.get(event.pointerId);
		if (!before) {
			return;
		}
		const dx = event.clientX - before[0], dy = event.clientY - before[1];
		moved += Math.abs(dx) + Math.abs(dy);
		if (moved > 4 && !view.hasPointerCapture(event.pointerId)) {
			view.setPointerCapture(event.pointerId);
			view.classList.add('dragging');
		}
		if (pointers.size === 2) {
			const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
			const { left, top } = box();
			const distance = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
			zoomAt(distance([event.clientX, event.clientY]) / distance(before), other[0] - left, other[1] - top);
		} else {
			x += dx;
			y += dy;
			apply();
		}
		pointers.set(event.pointerId, [event.clientX, event.clientY]);
	});
	for (const name of ['pointerup', 'pointercancel']) {
		view.addEventListener(name, (event) => {
			pointers.delete(event.pointerId);
			view.classList.remove('dragging');
		});
	}
	// A click at the end of a drag selects nothing.
	view.addEventListener('click', (event) => {
		if (moved > 4) {
			event.stopPropagation();
		}
		moved = 0;
	}, true);

	const panzoom = {
		scale: () => scale,
		fit(width, height, { most = 1 } = {}) {
			size = [width, height];
			const room = box();
			scale = Math.min(room.width / width, room.height / height, most) * 0.96;
			x = (room.width - width * scale) / 2;
			y = (room.height - height * scale) / 2;
			apply();
		},
		size(width, height) {
			size = [width, height];
		},
		// About the place of a pointer's event, or about the middle.
		zoom(factor, event) {
			const { left, top, width, height } = box();
			zoomAt(factor, event ? event.clientX - left : width / 2, event ? event.clientY - top : height / 2);
		},
		pan(dx, dy) {
			x += dx;
			y += dy;
			apply();
		},
		// Brings a point of the drawing into the middle, at least at the given scale.
		centre(px, py, least = 0.6) {
			const { width, height } = box();
			scale = Math.max(scale, least);
			x = width / 2 - px * scale;
			y = height / 2 - py * scale;
			apply();
		},
		// Centres only if the point is outside the view.
		reveal(px, py) {
			const { width, height } = box();
			const sx = x + px * scale, sy = y + py * scale;
			if (sx < 40 || sy < 40 || sx > width - 40 || sy > height - 40) {
				panzoom.centre(px, py, scale);
			}
		},
	};
	view.addEventListener('keydown', (event) => {
		if (event.target !== view || event.ctrlKey || event.metaKey || event.altKey) {
			return;
		}
		const step = event.shiftKey ? 240 : 60;
		const action = { ArrowLeft: () => panzoom.pan(step, 0), ArrowRight: () => panzoom.pan(-step, 0),
			ArrowUp: () => panzoom.pan(0, step), ArrowDown: () => panzoom.pan(0, -step),
			'+': () => panzoom.zoom(1.3), '=': () => panzoom.zoom(1.3), '-': () => panzoom.zoom(1 / 1.3),
			0: () => panzoom.fit(...size) }[event.key];
		if (action) {
			event.preventDefault();
			action();
		}
	});
	return panzoom;
}
