// Loaded before the server in a test: `node --import fault-points.mjs dist/bundle/main.js` ends the process, as kill -9
// does, right before or after the write that DIE_AT names, or waits before each operation that SLOW_AT names. Nothing of it
// is in the server itself.
import { isMainThread } from 'node:worker_threads';

/** @type {{ collection: string, method: string, writes?: string, when: 'before' | 'after', nth: number }} */
const point = JSON.parse(process.env.DIE_AT ?? 'null');
let count = 0;

/** @type {{ collection: string, method: string, ms: number }} */
const slow = JSON.parse(process.env.SLOW_AT ?? 'null');

/** @param {any} collection @param {unknown[]} args */
const isThePoint = (collection, [first]) =>
  collection.collectionName === point.collection &&
  // Which kind of writes a bulk write holds.
  (point.writes === undefined || Object.keys(/** @type {object[]} */ (first)[0] ?? {})[0] === point.writes) &&
  ++count === point.nth;

// The embedded database's thread gets the same command line.
if (point && isMainThread) {
  const { default: mongoose } = await import('mongoose');
  /** @type {any} */
  const methods = mongoose.mongo.Collection.prototype;
  const write = methods[point.method];
  /** @this {any} @param {unknown[]} args */
  methods[point.method] = async function (...args) {
    const isHere = isThePoint(this, args);
    if (isHere && point.when === 'before') process.kill(process.pid, 'SIGKILL');
    const result = await write.apply(this, args);
    if (isHere) process.kill(process.pid, 'SIGKILL');
    return result;
  };
}

if (slow && isMainThread) {
  const { default: mongoose } = await import('mongoose');
  const { setTimeout } = await import('node:timers/promises');
  /** @type {any} */
  const methods = mongoose.mongo.Collection.prototype;
  const operation = methods[slow.method];
  /** @this {any} @param {unknown[]} args */
  methods[slow.method] = async function (...args) {
    if (this.collectionName === slow.collection) await setTimeout(slow.ms);
    return operation.apply(this, args);
  };
}
