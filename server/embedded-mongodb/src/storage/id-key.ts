/** What the keys of a collection's records, or of an index's entries, begin with. */
export function idPrefix(id: number): Buffer {
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32BE(id);
  return prefix;
}

/** The key in `meta` of what `kind` says about the collection or index of this number. */
export function idKey(kind: string, id: number): Buffer {
  const key = Buffer.alloc(5);
  key.write(kind, 0);
  key.writeUInt32BE(id, 1);
  return key;
}
