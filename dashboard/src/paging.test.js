import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matches, pageOf } from './paging.js';

test('every word of the filter must be there, in any case and order', () => {
  assert.ok(matches('shop/Worker-42 Burstable running', 'burst work'));
  assert.ok(matches('anything', ''));
  assert.ok(!matches('shop/worker', 'shop mail'));
  assert.ok(matches('a.b*c', '.b*')); // no pattern, just text
});

test('a page beyond the end is the last one', () => {
  const items = Array.from({ length: 45 }, (_, index) => index);
  assert.deepEqual(pageOf(items, 9, 20), {
    page: 2,
    pages: 3,
    first: 40,
    rows: [40, 41, 42, 43, 44],
    total: 45,
  });
  assert.equal(pageOf(items, -1, 20).page, 0);
  assert.deepEqual(pageOf([], 3, 20), { page: 0, pages: 1, first: 0, rows: [], total: 0 });
});
