// A table whose columns sort it. A column has a title, a value to sort by, and what a cell shows.
import { h } from '../dom.js';
import { sorted } from './figures.js';

// `columns`: {title, value(row), cell(row), number, first: 'descending'}; `rowOf(row)` has attributes.
export class SortedTable {
  #table;
  #columns;
  #rowAttributes;
  #rows = [];
  #by = null;
  #descending = false;
  #body = h('tbody');
  #heads;

  constructor(table, columns, rowAttributes = () => ({})) {
    this.#table = table;
    this.#columns = columns;
    this.#rowAttributes = rowAttributes;
    this.#heads = columns.map((column) => this.#headOf(column));
    table.replaceChildren(h('thead', {}, h('tr', {}, this.#heads)), this.#body);
  }

  show(rows) {
    this.#rows = rows;
    this.#fill();
  }

  #headOf(column) {
    const arrow = h('span', { 'aria-hidden': true, class: 'arrow' });
    return h(
      'th',
      { scope: 'col', class: column.number ? 'number' : null, 'aria-sort': 'none' },
      h('button', { type: 'button', class: 'sort', onclick: () => this.#sortBy(column) }, column.title, arrow),
    );
  }

  #sortBy(column) {
    this.#descending = this.#by === column ? !this.#descending : (column.number ?? false);
    this.#by = column;
    this.#fill();
  }

  #fill() {
    this.#heads.forEach((head, index) => {
      const here = this.#columns[index] === this.#by;
      const way = this.#descending ? 'descending' : 'ascending';
      head.setAttribute('aria-sort', here ? way : 'none');
      head.querySelector('.arrow').textContent = here ? (this.#descending ? ' ↓' : ' ↑') : '';
    });
    const rows = this.#by ? sorted(this.#rows, this.#by.value, this.#descending) : this.#rows;
    this.#body.replaceChildren(
      ...rows.map((row) =>
        h(
          'tr',
          this.#rowAttributes(row),
          this.#columns.map((column) =>
            h('td', { class: column.number ? 'number' : (column.class ?? null) }, column.cell(row)),
          ),
        ),
      ),
    );
  }
}
