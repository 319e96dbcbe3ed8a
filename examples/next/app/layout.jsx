import { AgentProvider } from "ag-ui-wasm/react";
import "./style.css";

export const metadata = { title: "Next" };

// A server component: one agent for all pages, made in the browser.
export default function Layout({ children }) {
  return (
    <html lang="en">
      <head><link rel="icon" href="data:," /></head>
      <body><AgentProvider agent={{ url: "/agent" }}>{children}</AgentProvider></body>
    </html>
  );
}
