// An account of the bench's own.

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** @param {string} url @param {object} body @param {Record<string, string>} headers @returns {Promise<any>} */
export const post = async (url, body, headers = {}) => {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
};

let count = 0;

/**
 * Registers an account.
 * @param {string} url of the server
 * @returns its credentials, and the headers of its requests
 */
export const register = async (url) => {
  const username = `bench-${Date.now()}-${count++}`;
  const credentials = { username, password: 'a long enough secret' };
  await post(`${url}/api/v1/auth/register`, {
    ...credentials,
    email: `${username}@example.com`,
    password2: credentials.password,
  });
  const { token } = await post(`${url}/api/v1/auth/api-token`, credentials);
  return { credentials, headers: { ...JSON_TYPE, Authorization: `Token ${token}` } };
};
