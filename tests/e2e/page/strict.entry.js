// A chat that greets when it is mounted, in React's StrictMode, which mounts everything twice. The test bundles it.
import { useAgent } from "ag-ui-wasm/react";
import { createElement as h, StrictMode, useEffect } from "react";
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

createRoot(document.getElementById("root")).render(h(StrictMode, null, h(Chat)));
