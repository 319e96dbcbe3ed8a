// A chat that greets when it is mounted, in React's StrictMode, which mounts everything twice. With `?away` a chat that can
// be taken away, and whose agent is the page's. The test bundles it.
import { useAgent } from "ag-ui-wasm/react";
import { createAgent } from "ag-ui-wasm";
import { createElement as h, Fragment, StrictMode, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";

window.mounted = 0;

function Chat() {
  const { messages, status, submit } = useAgent({ url: "/agent/echo?speed=0" });
  useEffect(() => {
    window.mounted += 1;
    void submit({ message: "Hello", ifBusy: "drop" });
  }, [submit]);
  return h(
    "div",
    { id: "chat", "data-status": status },
    h("button", { id: "send", onClick: () => void submit("And again") }, "Send"),
    h("ol", null, messages.map(({ id, role, content }) => h("li", { key: id, "data-role": role }, content))),
  );
}

function Shown({ agent }) {
  const { messages, status } = useAgent(agent);
  return h("ol", { id: "chat", "data-status": status }, messages.map(({ id, content }) => h("li", { key: id }, content)));
}

function Away({ agent }) {
  const [shown, setShown] = useState(true);
  const toggle = h("button", { id: "toggle", onClick: () => setShown(!shown) }, "Show or hide");
  return h(Fragment, null, toggle, shown && h(Shown, { agent }));
}

const away = location.search === "?away";
if (away) window.agent = createAgent({ url: "/agent/echo?speed=0" });
createRoot(document.getElementById("root")).render(h(StrictMode, null, away ? h(Away, { agent: window.agent }) : h(Chat)));
