/** Scenarios over WebSockets: a frame an event, as `play` writes them into a response. */
import { WebSocketServer } from "ws";
import { play, wayOf } from "./play.mjs";
import { find } from "./systems.mjs";

/** Takes the upgrades of a server that are an agent's, and leaves all others. The answer closes the sockets. */
export function acceptSockets(server, runs) {
  const sockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, connection, head) => {
    const [path, query] = request.url.split("?");
    const { system, name } = find(path) ?? {};
    const scenario = system?.socket === true && system.scenarios.find((one) => one.name === name);
    if (!scenario) return;
    sockets.handleUpgrade(request, connection, head, (socket) => void converse(socket, system, scenario, request, new URLSearchParams(query), runs));
  });
  return () => {
    for (const socket of sockets.clients) socket.terminate();
  };
}

function converse(socket, system, scenario, request, query, runs) {
  const input = system.read("", request, query);
  const run = runs.open(system.name, scenario.name, input, input, query.get("hold") ?? undefined);
  socket.on("message", (frame) => {
    try {
      system.take(input, String(frame));
    } catch {
      socket.close(1007); // no JSON
    }
  });
  socket.on("error", () => {}); // it is followed by "close"
  return play(scenario.run(input), wayOf(system, scenario, input, query), responseOf(socket), run, runs).catch(() => socket.terminate());
}

/** As much of `node:http`'s response as `play` uses. */
const responseOf = (socket) => ({
  on: (event, listener) => socket.on(event, listener),
  writeHead() {},
  flushHeaders() {},
  write(frame) {
    socket.send(frame);
    return true;
  },
  end: () => socket.close(1000),
  destroy: () => socket.terminate(),
});
