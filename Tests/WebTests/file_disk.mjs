// In the place of IndexedDB, for drivers in Node that are killed and started again: all rows in one file, which is
// written anew with each change and takes the place of the old one at once.

import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

import { internals } from "../../Web/roost.js";

const { Memory, schema } = internals;

/** Opens the disk in a folder, as the client's own `Disk.open` does. */
export function fileDisk(folder) {
  const path = `${folder}/roost.json`;
  return async () => {
    const memory = new Memory();
    const kept = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
    for (const table in kept) for (const row of kept[table]) memory.put(table, row);
    return {
      read: (body) => memory.read(body),
      write: (body) => memory.write(async (rows) => {
        const result = await body(rows);
        const all = Object.fromEntries(Object.keys(schema).map((table) => [table, rows.find(table)]));
        writeFileSync(`${path}.new`, JSON.stringify(all));
        renameSync(`${path}.new`, path);
        return result;
      }),
      close: () => {},
    };
  };
}
