// SPDX-License-Identifier: MIT
// Makes a PNG of a screenshot small: at most 256 colours, each pixel an index (PNG 1.2, colour type 3).
import { deflateSync, inflateSync } from 'node:zlib';

function* chunks(png) {
	for (let at = 8; at < png.length;) {
		const size = png.readUInt32BE(at);
		yield [png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, at + 8 + size)];
		at += 12 + size;
	}
}

// The pixels of a PNG as Chromium writes it: 8 bits a channel, RGB or RGBA, not interlaced.
function decode(png) {
	const parts = [...chunks(png)];
	const header = parts.find(([type]) => type === 'IHDR')[1];
	const [width, height, channels] = [header.readUInt32BE(0), header.readUInt32BE(4), { 2: 3, 6: 4 }[header[9]]];
	if (header[8] !== 8 || !channels || header[12] !== 0) {
		throw new Error('make picture small: it is not RGB or RGBA with 8 bits a channel');
	}
	const raw = inflateSync(Buffer.concat(parts.filter(([type]) => type === 'IDAT').map(([, data]) => data)));
	const line = width * channels;
	const pixels = Buffer.alloc(line * height);
	for (let y = 0; y < height; y++) {
		const filter = raw[y * (line + 1)];
		for (let i = 0; i < line; i++) {
			const at = y * line + i;
			const a = i >= channels ? pixels[at - channels] : 0;
			const b = y ? pixels[at - line] : 0;
			const c = y && i >= channels ? pixels[at - line - channels] : 0;
			const p = a + b - c;
			const near = Math.abs(p - a) <= Math.abs(p - b) && Math.abs(p - a) <= Math.abs(p - c) ? a : Math.abs(p - b) <= Math.abs(p - c) ? b : c;
			pixels[at] = raw[y * (line + 1) + 1 + i] + [0, a, b, (a + b) >> 1, near][filter];
		}
	}
	return { width, height, channels, pixels };
}

const table = Array.from({ length: 256 }, (_, n) => {
	let c = n;
	for (let k = 0; k < 8; k++) {
		c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
	}
	return c >>> 0;
});

function chunk(type, data) {
	const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
	const all = Buffer.alloc(body.length + 8);
	all.writeUInt32BE(data.length, 0);
	body.copy(all, 4);
	let crc = 0xffffffff;
	for (const byte of body) {
		crc = table[(crc ^ byte) & 255] ^ (crc >>> 8);
	}
	all.writeUInt32BE((crc ^ 0xffffffff) >>> 0, body.length + 4);
	return all;
}

export function smallPng(png) {
	const { width, height, channels, pixels } = decode(png);
	const counts = new Map();
	const colourAt = (i) => pixels[i * channels] << 16 | pixels[i * channels + 1] << 8 | pixels[i * channels + 2];
	for (let i = 0; i < width * height; i++) {
		const colour = colourAt(i);
		counts.set(colour, (counts.get(colour) ?? 0) + 1);
	}
	// Colours that agree in the upper 4 bits of each channel are alike: the most frequent of them stays, so
	// that rare colours are kept. Each other one, mostly an edge of a letter, becomes the nearest one.
	const alike = new Map();
	for (const [colour, n] of counts) {
		const group = alike.get(colour & 0xf0f0f0) ?? { colour, most: 0, n: 0 };
		alike.set(colour & 0xf0f0f0, { colour: n > group.most ? colour : group.colour, most: Math.max(n, group.most), n: group.n + n });
	}
	const palette = [...alike.values()].sort((a, b) => b.n - a.n || a.colour - b.colour).slice(0, 256).map(({ colour }) => colour);
	const distance = (a, b) => [16, 8, 0].reduce((sum, shift) => sum + ((a >> shift & 255) - (b >> shift & 255)) ** 2, 0);
	const index = new Map(palette.map((colour, i) => [colour, i]));
	const lines = Buffer.alloc((width + 1) * height);
	for (let i = 0; i < width * height; i++) {
		const colour = colourAt(i);
		if (!index.has(colour)) {
			index.set(colour, palette.reduce((best, other, p) => (distance(colour, other) < distance(colour, palette[best]) ? p : best), 0));
		}
		lines[Math.floor(i / width) * (width + 1) + 1 + i % width] = index.get(colour);
	}
	const header = Buffer.alloc(13);
	header.writeUInt32BE(width, 0);
	header.writeUInt32BE(height, 4);
	header.set([8, 3, 0, 0, 0], 8);
	return Buffer.concat([png.subarray(0, 8), chunk('IHDR', header), chunk('PLTE', Buffer.from(palette.flatMap((c) => [c >> 16, c >> 8 & 255, c & 255]))),
		chunk('IDAT', deflateSync(lines, { level: 9 })), chunk('IEND', Buffer.alloc(0))]);
}
