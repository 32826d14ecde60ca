// Streams of Arrow as Apache Arrow's own reader sees them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import test from 'node:test';

const require = createRequire(process.env.ARROW_PACKAGES + '/');
const { tableFromIPC, RecordBatchReader, Type } = require('apache-arrow');

const THEN = 1767225600123456789n;
const LARGEST = 9223372036854775807n;

const bytesOf = (name) =>
  execFileSync(process.env.ARROW_TABLES, [name], { maxBuffer: 1 << 28 });
const tableOf = (name) => tableFromIPC(bytesOf(name));
const typesOf = (table) =>
  Object.fromEntries(table.schema.fields.map((field) => [field.name, String(field.type)]));
// All 64-bit values of a column as they are stored.
const raw = (table, name) => table.getChild(name).data.flatMap((data) => [...data.values]);
// Four words, the lowest first, as one signed number.
const wide = (words) =>
  BigInt.asIntN(128, words.reduceRight((sum, word) => (sum << 32n) | BigInt(word >>> 0), 0n));

test('every type is read as it was written, over several batches', () => {
  const table = tableOf('types');
  assert.equal(table.numRows, 40000);
  assert.equal(table.batches.length, 3);
  assert.equal(table.schema.metadata.get('made'), 'for\na "test"');
  assert.deepEqual(typesOf(table), {
    text: 'Utf8', number: 'Int64', flag: 'Bool', at: 'Timestamp<NANOSECOND, UTC>',
    time: 'Duration<NANOSECOND>', sum: 'Decimal[38e0]',
  });
  const columns = Object.fromEntries(
    table.schema.fields.map((field) => [field.name, table.getChild(field.name)]));
  const at = raw(table, 'at');
  for (const i of [0, 1, 16383, 16384, 16385, 32767, 39999].filter((i) => i % 3 !== 2)) {
    const n = BigInt(i);
    assert.equal(columns.text.get(i), `"${i}",\n\uFFFD é`);
    assert.equal(columns.number.get(i), i % 2 === 0 ? LARGEST - n : -LARGEST - 1n + n);
    assert.equal(columns.flag.get(i), i % 2 === 0);
    assert.equal(at[i], THEN + n);
    assert.equal(BigInt(columns.time.get(i)), -n);
    const sum = wide([...new Uint32Array(new Uint8Array(columns.sum.get(i).buffer,
      columns.sum.get(i).byteOffset, 16).slice().buffer)]);
    assert.equal(sum, (i % 2 === 0 ? 1n : -1n) * LARGEST * (n + 1n));
  }
  for (const column of Object.values(columns)) {
    assert.equal(column.nullCount, 13333);
    for (const i of [2, 5, 16385 - (16385 % 3) + 2, 39998]) assert.equal(column.get(i), null);
  }
});

test('a table without rows has its columns', () => {
  const table = tableOf('empty');
  assert.equal(table.numRows, 0);
  assert.equal(table.schema.fields.length, 6);
});

test('a stream ends by itself, and what is cut off is noticed', () => {
  const bytes = bytesOf('types');
  assert.deepEqual([...bytes.subarray(-8)], [255, 255, 255, 255, 0, 0, 0, 0]);
  const reader = RecordBatchReader.from(bytes).open();
  assert.equal([...reader].length, 3);
  assert.throws(() => tableFromIPC(bytes.subarray(0, bytes.length / 2)).getChild('text').toArray());
});

test('evictions have times of UTC in nanoseconds and amounts of 64 bits', () => {
  const table = tableOf('evictions');
  assert.deepEqual(typesOf(table), {
    node: 'Utf8', at: 'Timestamp<NANOSECOND, UTC>', earliest: 'Timestamp<NANOSECOND, UTC>',
    latest: 'Timestamp<NANOSECOND, UTC>', policy: 'Utf8', pod: 'Utf8', uid: 'Utf8',
    signal: 'Utf8', limit: 'Utf8', kind: 'Utf8', available: 'Int64', line: 'Int64', held: 'Int64',
    as_recorded: 'Bool', from_record: 'Bool',
  });
  assert.deepEqual(raw(table, 'latest'), [THEN + 1n, THEN + 1n]);
  const [first, second] = table.toArray().map((row) => row.toJSON());
  assert.equal(first.node, 'no,de\n');
  assert.equal(first.policy, 'p');
  assert.equal(first.signal, 'memory.available');
  assert.equal(first.kind, 'soft');
  assert.equal(first.available, LARGEST);
  assert.equal(first.line, -1n);
  assert.equal(first.as_recorded, true);
  assert.equal(first.limit, null);
  assert.equal(second.limit, 'emptyDir');
  assert.equal(second.signal, null);
  assert.equal(second.kind, null);
  assert.equal(table.schema.metadata.get('jettison.option.evicted'), 'auto');
});

test('nodes and policies have their sums', () => {
  const nodes = tableOf('nodes');
  assert.equal(nodes.numRows, 2);
  assert.equal(typesOf(nodes).memory_pressure, 'Duration<NANOSECOND>');
  assert.equal(nodes.getChild('to').get(0), null);
  assert.equal(nodes.getChild('kept_free_byte_seconds').get(1), LARGEST);
  const policies = tableOf('policies');
  assert.equal(policies.schema.fields.find((f) => f.name === 'pod_nanoseconds_lost').type.typeId,
    Type.Decimal);
  assert.equal(policies.getChild('evictions').get(0), 4n);
  assert.equal(policies.getChild('nodes_with_evictions').get(1), 2n);
});
