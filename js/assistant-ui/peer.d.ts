// As much of @assistant-ui/react as the entry uses: its packages name versions of each other that npm cannot resolve together, so
// they are installed for one suite alone (tests/ag-ui-client/pages), which compares this with them.

declare module "@assistant-ui/react" {
  export type AssistantRuntime = { readonly thread: unknown; readonly threads: unknown };
  export function useExternalStoreRuntime(adapter: never): AssistantRuntime;
  export class SimpleImageAttachmentAdapter {}
  /** A part of the page. */
  export const AssistantRuntimeProvider: (props: { readonly runtime: AssistantRuntime; readonly children?: unknown }) => null;
}
