// A QR code for a link (ISO/IEC 18004): bytes, level L, versions 1 to 5, which have one block each. That is enough for
// 106 bytes; `encode` has none for more.

/** Bytes of data and of correction, by version. */
const SIZES = [[19, 7], [34, 10], [55, 15], [80, 20], [108, 26]];
/** Bits of a code's frame: 4 for the type (bytes), 8 for their number, and 4 for the end. */
const FRAME = 2;

const EXP = new Uint8Array(512);
const LOG = new Uint8Array(256);
for (let power = 0, value = 1; power < 255; power += 1) {
  EXP[power] = EXP[power + 255] = value;
  LOG[value] = power;
  value = value << 1 ^ (value & 128 ? 0x11d : 0);
}
const product = (one, other) => (one && other ? EXP[LOG[one] + LOG[other]] : 0);

/** The remainder of the data by the generator of so many bytes. */
function correction(data, count) {
  let generator = [1];
  for (let power = 0; power < count; power += 1) {
    const next = [...generator, 0];
    generator.forEach((value, place) => { next[place + 1] ^= product(value, EXP[power]); });
    generator = next;
  }
  const rest = new Array(count).fill(0);
  for (const byte of data) {
    const factor = byte ^ rest.shift();
    rest.push(0);
    generator.slice(1).forEach((value, place) => { rest[place] ^= product(value, factor); });
  }
  return rest;
}

/** The bytes of a text with their frame, filled up, and what corrects them. */
function codewords(bytes, version) {
  const [count, corrected] = SIZES[version - 1];
  const bits = [4, bytes.length, ...bytes, 0];
  // The first half byte shifts all others.
  const data = [bits[0] << 4 | bits[1] >> 4];
  for (let place = 1; place < bits.length - 1; place += 1) data.push((bits[place] & 15) << 4 | bits[place + 1] >> 4);
  for (let fill = 0xec; data.length < count; fill ^= 0xfd) data.push(fill);
  return [...data, ...correction(data, corrected)];
}

/** Two numbers that say which level and mask a code has, with their correction. */
function format(mask) {
  const data = 1 << 3 | mask;
  let rest = data << 10;
  for (let bit = 14; bit >= 10; bit -= 1) if (rest >> bit & 1) rest ^= 0x537 << (bit - 10);
  return (data << 10 | rest) ^ 0x5412;
}

const MASKS = [
  (x, y) => (x + y) % 2, (x, y) => y % 2, (x) => x % 3, (x, y) => (x + y) % 3, (x, y) => ((y >> 1) + Math.floor(x / 3)) % 2,
  (x, y) => x * y % 2 + x * y % 3, (x, y) => (x * y % 2 + x * y % 3) % 2, (x, y) => ((x + y) % 2 + x * y % 3) % 2,
];

/** The squares that every code of this size has. `undefined` is for data. */
function frame(version, size) {
  const rows = Array.from({ length: size }, () => new Array(size));
  const square = (x, y, reach, dark) => {
    for (let down = -reach; down <= reach; down += 1) {
      for (let right = -reach; right <= reach; right += 1) {
        const far = Math.max(Math.abs(down), Math.abs(right));
        if (rows[y + down] && x + right >= 0 && x + right < size) rows[y + down][x + right] = dark.includes(far) ? 1 : 0;
      }
    }
  };
  for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]]) square(x, y, 4, [0, 1, 3]);
  if (version > 1) square(size - 7, size - 7, 2, [0, 2]);
  for (let place = 8; place < size - 8; place += 1) rows[6][place] = rows[place][6] = 1 - place % 2;
  return rows;
}

/** Writes the format into both of its places. */
function writeFormat(rows, size, mask) {
  const bits = format(mask);
  for (let bit = 0; bit < 15; bit += 1) {
    const dark = bits >> bit & 1;
    rows[bit < 6 ? bit : bit < 8 ? bit + 1 : size - 15 + bit][8] = dark;
    rows[8][bit < 8 ? size - 1 - bit : bit < 9 ? 7 : 14 - bit] = dark;
  }
  rows[size - 8][8] = 1;
}

/** How hard it is to read: long runs, squares of one colour, and too much of one. */
function penalty(rows, size) {
  let sum = 0;
  let dark = 0;
  for (let y = 0; y < size; y += 1) {
    for (const line of [rows[y], rows.map((row) => row[y])]) {
      for (let place = 0, run = 0; place < size; place += 1) {
        run = place && line[place] === line[place - 1] ? run + 1 : 1;
        sum += run === 5 ? 3 : run > 5 ? 1 : 0;
      }
    }
    for (let x = 0; x < size; x += 1) {
      dark += rows[y][x];
      if (x && y && rows[y][x] === rows[y - 1][x] && rows[y][x] === rows[y][x - 1] && rows[y][x] === rows[y - 1][x - 1]) sum += 3;
    }
  }
  return sum + 10 * Math.floor(Math.abs(dark / size / size - 0.5) * 20);
}

/** The rows of a code, dark squares as 1; undefined if the text is too long for one. */
export function encode(words) {
  const bytes = new TextEncoder().encode(words);
  const version = SIZES.findIndex(([count]) => bytes.length + FRAME <= count) + 1;
  if (!version) return undefined;
  const size = 17 + 4 * version;
  const data = codewords(bytes, version);
  const codes = MASKS.map((isTurned, mask) => {
    const rows = frame(version, size);
    writeFormat(rows, size, mask);
    let place = 0;
    for (let right = size - 1, isUp = true; right > 0; right -= 2, isUp = !isUp) {
      if (right === 6) right = 5;
      for (let step = 0; step < size; step += 1) {
        const y = isUp ? size - 1 - step : step;
        for (const x of [right, right - 1]) {
          if (rows[y][x] !== undefined) continue;
          const dark = place < data.length * 8 ? data[place >> 3] >> (7 - place % 8) & 1 : 0;
          rows[y][x] = dark ^ (isTurned(x, y) === 0 ? 1 : 0);
          place += 1;
        }
      }
    }
    return { rows, cost: penalty(rows, size) };
  });
  return codes.reduce((best, one) => (one.cost < best.cost ? one : best)).rows;
}

const SVG = "http://www.w3.org/2000/svg";

/** A code that a phone reads, as a picture with this label; undefined if the text is too long for one. */
export function picture(words, label) {
  const rows = encode(words);
  if (!rows) return undefined;
  const svg = document.createElementNS(SVG, "svg");
  // Four squares of white around it, without which it isn't read.
  svg.setAttribute("viewBox", `-4 -4 ${rows.length + 8} ${rows.length + 8}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  svg.setAttribute("shape-rendering", "crispEdges");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ""))).join(""));
  svg.append(path);
  return svg;
}
