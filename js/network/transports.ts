// Ways to an agent other than one request with fetch. Each gives what fetch would give, so the core reads one kind of
// body. Only entries import this file: a page that uses none of them loads none.

export { custom } from "./custom.js";
export { eventSource } from "./event-source.js";
export { fetchTransport } from "./request.js";
export { webSocket } from "./web-socket.js";
