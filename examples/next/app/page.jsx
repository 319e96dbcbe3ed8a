import { Chat } from "./chat";

export default function Page() {
  return <main><h1>Next</h1><Chat /></main>;
}
