// Sockets and sources in the test's hands.

class Wire extends EventTarget {
  readyState = 0;
  /** The texts that were sent, as they were sent. */
  texts = [];
  constructor(url) {
    super();
    this.url = url;
    new.target.all.push(this);
  }
  get sent() {
    return this.texts.map((text) => JSON.parse(text));
  }
  open() {
    this.readyState = 1;
    this.onopen();
  }
}

export class Socket extends Wire {
  static all = [];
  send(text) {
    this.texts.push(text);
  }
  give(...events) {
    for (const event of events) this.onmessage({ data: JSON.stringify(event) });
  }
  /** The server, or the network, closes it. */
  lose(code = 1006) {
    this.readyState = 3;
    this.onclose({ code, reason: "" });
  }
  close() {
    this.readyState = 3;
  }
}

/** It is opened again by itself, as the platform's is. */
export class Source extends Wire {
  static all = [];
  give(...events) {
    for (const event of events)
      this.dispatchEvent(Object.assign(new Event("message"), { data: JSON.stringify(event), lastEventId: this.marks ? event.event_id : "" }));
  }
  lose(closed = false) {
    this.readyState = closed ? 2 : 0;
    this.onerror({});
  }
  close() {
    this.readyState = 2;
  }
}
