// An opened source and the requests about it.

import { physics } from "./state.js";

export class Session {
  constructor(engine, source, info) {
    Object.assign(this, { engine, source, info });
    // Files are sent once; later requests name them by their key.
    this.short = info.key ? { key: info.key } : source;
  }

  static async open(engine, source) {
    const info = await engine.ask({ request: "open", source });
    return info.error ? { error: info.error } : new Session(engine, source, info);
  }

  // The answer; null if a newer request on the channel has replaced this one.
  async ask(request, state, channel, extra = {}) {
    const question = { request, ...physics(state), ...extra };
    const answer = await this.engine.ask({ ...question, source: this.short }, channel);
    if (answer?.error?.kind !== "unknown_source" || this.short === this.source) return answer;
    return this.engine.ask({ ...question, source: this.source }, channel);
  }
}
