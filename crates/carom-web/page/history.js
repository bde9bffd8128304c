// Undo and redo of whole states. States are never changed in place, so that keeping them costs little.

const MOST = 300;

export class History {
  constructor() {
    this.past = [];
    this.future = [];
    this.now = null;
  }

  begin(state) {
    this.now = state;
  }

  push(state) {
    if (state === this.now) return;
    if (this.now) this.past.push(this.now);
    if (this.past.length > MOST) this.past.shift();
    this.future = [];
    this.now = state;
  }

  // Changes that are not a step of their own: of the view, of the time.
  replace(state) {
    this.now = state;
  }

  undo() {
    if (!this.past.length) return null;
    this.future.push(this.now);
    return (this.now = this.past.pop());
  }

  redo() {
    if (!this.future.length) return null;
    this.past.push(this.now);
    return (this.now = this.future.pop());
  }
}
