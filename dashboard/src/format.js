// Figures as people read them. Absent ones (undefined, null) are a dash, never a zero.

export const ABSENT = '–';

const BINARY = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

// Three digits that matter: 97 becomes "97", 9.7 "9.7", 0.97 "0.97".
function rounded(value) {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return String(Number(value.toFixed(digits)));
}

export function bytes(value) {
  if (value == null) return ABSENT;
  let scaled = value;
  let unit = 0;
  while (Math.abs(scaled) >= 1024 && unit < BINARY.length - 1) {
    scaled /= 1024;
    unit += 1;
  }
  return `${rounded(scaled)} ${BINARY[unit]}`;
}

export function count(value) {
  if (value == null) return ABSENT;
  return Math.round(value).toLocaleString('en-US').replaceAll(',', '\u202f');
}

export function percent(value) {
  return value == null ? ABSENT : `${rounded(value)} %`;
}

// An amount in the unit of a signal: "bytes", "count" or "percent".
export function amount(unit, value) {
  return { bytes, count, percent }[unit](value);
}

// The same, short enough for an axis: "20k", "5M".
export function onAxis(unit, value) {
  if (unit !== 'count') return amount(unit, value);
  const step = value >= 1e6 ? [1e6, 'M'] : value >= 1e4 ? [1e3, 'k'] : [1, ''];
  return `${rounded(value / step[0])}${step[1]}`;
}

// A length of time in milliseconds: "0.3 s", "12 s", "3 min 20 s", "2 h 5 min", "4 d 3 h".
export function duration(ms) {
  if (ms == null) return ABSENT;
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 10) return `${rounded(Math.round(seconds * 10) / 10)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const steps = [
    ['d', 86400],
    ['h', 3600],
    ['min', 60],
    ['s', 1],
  ];
  const whole = Math.round(seconds);
  const first = steps.findIndex(([, size]) => whole >= size);
  const [name, size] = steps[first];
  const text = `${Math.floor(whole / size)} ${name}`;
  const [nextName, nextSize] = steps[first + 1];
  const rest = Math.floor((whole % size) / nextSize);
  return rest > 0 ? `${text} ${rest} ${nextName}` : text;
}

// A moment, milliseconds since 1970, on the clock of whoever looks: "14:03:27".
export function clock(ms) {
  return ms == null ? ABSENT : new Date(ms).toLocaleTimeString('en-GB');
}

// The same with the day, where it is not the day of `now`.
export function moment(ms, now) {
  if (ms == null) return ABSENT;
  const date = new Date(ms);
  const sameDay = date.toDateString() === new Date(now).toDateString();
  if (sameDay) return clock(ms);
  return `${date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })} ${clock(ms)}`;
}

export function ago(ms, now) {
  return ms == null ? ABSENT : `${duration(now - ms)} ago`;
}

// "1 pod", "2 pods".
export function plural(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}
