import autocannon from 'autocannon';

/** @param {number[]} values */
export const median = (values) => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

/** What 99 of 100 stay below. @param {number[]} values */
export const p99 = (values) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN;

/** The median, and the least and the most. @param {number[]} values @param {number} digits */
export const spread = (values, digits) =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)})`;

/**
 * One round of load; every answer must be a 2xx.
 * @param {import('autocannon').Options} options
 * @returns {Promise<number>} requests a second
 */
const round = async (options) => {
  const result = await autocannon({ connections: 16, duration: 3, ...options });
  if (result.non2xx > 0 || result.errors > 0 || result.timeouts > 0) {
    throw new Error(`${options.url}: ${result.non2xx} answers were no 2xx, ${result.errors} errors`);
  }
  return result.requests.average;
};

/**
 * One round of load, as `round`, for what it takes.
 * @param {import('autocannon').Options} options
 * @returns {Promise<number>} p99 of all responses, milliseconds
 */
export const latency = async (options) => {
  const load = autocannon({ connections: 4, duration: 2, ...options });
  /** @type {number[]} */
  const times = [];
  load.on('response', (_client, _status, _bytes, time) => times.push(time));
  const result = await load;
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${options.url}: ${result.non2xx} answers were no 2xx, ${result.errors} errors`);
  }
  return p99(times);
};

/**
 * Puts the same load on two addresses in turn, A B A B …, so that a machine whose speed drifts treats both alike.
 * @param {string} name
 * @param {import('autocannon').Options} measured
 * @param {import('autocannon').Options} bare what it is compared with
 * @param {{ rounds?: number, goal?: number }} options
 */
export const compareRates = async (name, measured, bare, { rounds = 5, goal } = {}) => {
  await round({ ...measured, duration: 1 });
  await round({ ...bare, duration: 1 });
  const rates = [];
  const bareRates = [];
  for (let i = 0; i < rounds; i++) {
    rates.push(await round(measured));
    bareRates.push(await round(bare));
  }
  const ratios = rates.map((rate, i) => rate / (bareRates[i] ?? Number.NaN));
  const verdict = goal === undefined ? '' : `   goal at least ${goal}`;
  console.log(
    `${name.padEnd(36)} ratio ${spread(ratios, 2)}   ${spread(rates, 0)}/s against ${spread(bareRates, 0)}/s${verdict}`,
  );
};
