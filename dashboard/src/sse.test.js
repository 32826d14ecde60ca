import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventParser } from './sse.js';

const STREAM = ': hello\n\nevent: eviction\nid: 7\ndata: {"a":1}\n\ndata: one\ndata:two\r\n\r\nid: 9\n\n';
const EVENTS = [
  { event: 'eviction', id: '7', data: '{"a":1}' },
  { event: 'message', data: 'one\ntwo' },
];

test('events come out whole however the stream is cut', () => {
  for (let size = 1; size <= STREAM.length; size += 1) {
    const parser = new EventParser();
    const events = [];
    for (let at = 0; at < STREAM.length; at += size) events.push(...parser.push(STREAM.slice(at, at + size)));
    assert.deepEqual(events, EVENTS, `in pieces of ${size}`);
  }
});

test('comments and events without data are nothing', () => {
  assert.deepEqual(new EventParser().push(': ping\n\nevent: x\n\nnonsense\n\n'), []);
});
