import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { byId } from "../shared/page.js";
import { Chat } from "./chat.js";

createRoot(byId("app")).render(
  <StrictMode>
    <Chat />
  </StrictMode>,
);
