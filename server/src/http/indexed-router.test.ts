import Router from '@koa/router';
import { expect, it } from 'vitest';
import { testApp } from '../../test/app.ts';
import { createRouter } from '../app.ts';
import type { State } from './context.ts';
import { IndexedRouter } from './indexed-router.ts';

const app = testApp();

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'get'];

/** Paths that the routes have, and what is near to them. */
const near = (path: string): string[] => {
  const filled = path.replace(/:\w+/g, 'some-1');
  return [
    filled,
    `${filled}/`,
    `${filled}//`,
    `/${filled}`,
    filled.toUpperCase(),
    `${filled}/more`,
    `${filled}%20`,
    filled.slice(0, -1),
    filled.replace(/\/[^/]*$/, ''),
    filled.replace(/^\/[^/]*/, ''),
    path,
  ];
};

it('finds what a router finds that tries all of its routes', () => {
  const { router } = createRouter(app.services);
  expect(router).toBeInstanceOf(IndexedRouter);
  const plain = new Router<State>();
  plain.stack = router.stack;
  const paths = new Set(router.stack.flatMap(({ path }) => near(String(path))));
  let found = 0;
  for (const path of ['', '/', '//', '/api', '/api/', '/api/v1', ...paths]) {
    for (const method of METHODS) {
      const expected = plain.match(path, method);
      expect(router.match(path, method), `${method} ${path}`).toEqual(expected);
      if (expected.route) found++;
    }
  }
  expect(found).toBeGreaterThan(router.stack.length);
});

it('finds routes that are added later, and those whose path begins with a parameter', () => {
  const router = new IndexedRouter();
  router.get('/one/two/three', () => undefined);
  const pathsOf = (path: string) => router.match(path, 'GET').pathAndMethod.map((layer) => layer.path);
  expect(pathsOf('/one/two/three')).toEqual(['/one/two/three']);
  router.get('/:any/two/three', () => undefined);
  router.get('/one/two/three/:four', () => undefined);
  expect(pathsOf('/ONE/two/three/')).toEqual(['/one/two/three', '/:any/two/three']);
  expect(pathsOf('/other/two/three')).toEqual(['/:any/two/three']);
  expect(pathsOf('/one/two/three/4')).toEqual(['/one/two/three/:four']);
});
