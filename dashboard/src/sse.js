// Server-sent events out of a stream of text: what EventSource does, for events of any name and with
// the end of the stream told at once.

// Feeds on pieces of the stream; returns the events that they completed: {event, data, id}.
export class EventParser {
  #rest = '';
  #event = {};
  #data = [];

  push(text) {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop();
    const events = [];
    for (const line of lines) {
      if (line === '') this.#finish(events);
      else this.#field(line);
    }
    return events;
  }

  #field(line) {
    if (line.startsWith(':')) return;
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') this.#data.push(value);
    else if (name === 'event' || name === 'id') this.#event[name] = value;
  }

  #finish(events) {
    if (this.#data.length > 0) {
      events.push({ event: 'message', ...this.#event, data: this.#data.join('\n') });
    }
    this.#event = {};
    this.#data = [];
  }
}
