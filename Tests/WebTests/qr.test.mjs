// The QR codes of links, read back by other means than they are made.

import assert from "node:assert/strict";
import { test } from "node:test";

import { encode } from "../../Web/qr.js";

/** Data and correction bytes of versions 1 to 5 at level L (ISO/IEC 18004, table 9). */
const SIZES = { 21: [19, 7], 25: [34, 10], 29: [55, 15], 33: [80, 20], 37: [108, 26] };

const MASKS = [
  (r, c) => (r + c) % 2 === 0, (r) => r % 2 === 0, (r, c) => c % 3 === 0, (r, c) => (r + c) % 3 === 0,
  (r, c) => (Math.floor(r / 2) + Math.floor(c / 3)) % 2 === 0, (r, c) => ((r * c) % 2) + ((r * c) % 3) === 0,
  (r, c) => (((r * c) % 2) + ((r * c) % 3)) % 2 === 0, (r, c) => (((r + c) % 2) + ((r * c) % 3)) % 2 === 0,
];

function multiply(one, other) {
  let sum = 0;
  for (let a = one, b = other; b; b >>= 1) {
    if (b & 1) sum ^= a;
    a <<= 1;
    if (a & 256) a ^= 0x11d;
  }
  return sum;
}

/** Whether a square isn't for data. */
function isFixed(size, r, c) {
  const finder = (r < 9 && c < 9) || (r < 9 && c >= size - 8) || (r >= size - 8 && c < 9);
  const at = size - 7;
  return finder || r === 6 || c === 6 || (size > 21 && Math.abs(r - at) <= 2 && Math.abs(c - at) <= 2);
}

function decode(rows) {
  const size = rows.length;
  // The format beside the upper left corner, most significant bit first.
  const places = [[8, 0], [8, 1], [8, 2], [8, 3], [8, 4], [8, 5], [8, 7], [8, 8], [7, 8], [5, 8], [4, 8], [3, 8], [2, 8], [1, 8], [0, 8]];
  const other = [...Array(7).keys()].map((step) => [size - 1 - step, 8]).concat([...Array(8).keys()].map((step) => [8, size - 8 + step]));
  const [format, again] = [places, other].map((list) => list.reduce((sum, [r, c]) => sum * 2 + rows[r][c], 0) ^ 0b101010000010010);
  assert.equal(format, again, "both formats are the same");
  assert.equal(format >> 13, 1, "level L");
  assert.equal(rows[size - 8][8], 1, "the dark square");
  const mask = MASKS[(format >> 10) & 7];
  const bits = [];
  let isUp = true;
  for (let right = size - 1; right > 0; right -= 2, isUp = !isUp) {
    if (right === 6) right -= 1;
    for (let step = 0; step < size; step += 1) {
      const r = isUp ? size - 1 - step : step;
      for (const c of [right, right - 1]) if (!isFixed(size, r, c)) bits.push(rows[r][c] ^ (mask(r, c) ? 1 : 0));
    }
  }
  const [data, corrected] = SIZES[size];
  const words = Array.from({ length: data + corrected }, (_, place) => bits.slice(place * 8, place * 8 + 8).reduce((sum, bit) => sum * 2 + bit, 0));
  for (let power = 0, root = 1; power < corrected; power += 1, root = multiply(root, 2)) {
    assert.equal(words.reduce((sum, word) => multiply(sum, root) ^ word, 0), 0, `syndrome ${power}`);
  }
  const flat = words.slice(0, data).flatMap((word) => [...word.toString(2).padStart(8, "0")]).join("");
  assert.equal(flat.slice(0, 4), "0100", "bytes");
  const length = parseInt(flat.slice(4, 12), 2);
  return new TextDecoder().decode(Uint8Array.from({ length }, (_, place) => parseInt(flat.slice(12 + place * 8, 20 + place * 8), 2)));
}

test("a code says the link that it was made of", () => {
  for (let length = 1; length <= 106; length += 1) {
    const words = `https://chat.example.org/#invite=${"abcdefghij".repeat(8)}`.slice(0, length);
    assert.equal(decode(encode(words)), words);
  }
  assert.equal(decode(encode("grüße 👋")), "grüße 👋");
});

test("a longer text has none", () => {
  assert.equal(encode("x".repeat(107)), undefined);
});
