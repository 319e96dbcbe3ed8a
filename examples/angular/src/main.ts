// Templates are compiled in the page, so that this example needs Vite alone. What `ng new` makes compiles them beforehand, without this line.
import "@angular/compiler";
import { Component, provideZonelessChangeDetection, signal } from "@angular/core";
import { bootstrapApplication } from "@angular/platform-browser";
import { agentResource, messageKey } from "ag-ui-wasm/angular";
import "./style.css";

@Component({
  selector: "app-root",
  template: `
    <main>
      <h1>Angular</h1>
      <ol aria-live="polite">
        @for (message of chat.messages(); track key(message)) {
          <li [class]="message.role">{{ message.content }}</li>
        }
      </ol>
      @if (chat.error(); as error) {
        <p role="alert">{{ error.message }} <button (click)="chat.retry()">Try again</button></p>
      }
      <form (submit)="send($event)">
        <input aria-label="Message" [value]="text()" (input)="text.set($any($event.target).value)" />
        @if (chat.isLoading()) {
          <button type="button" (click)="chat.stop()">Stop</button>
        } @else {
          <button>Send</button>
        }
      </form>
    </main>
  `,
})
class Chat {
  readonly chat = agentResource({ url: "/agent" });
  readonly text = signal("");
  readonly key = messageKey;

  send(event: Event) {
    event.preventDefault();
    if (!this.text().trim()) return;
    void this.chat.submit(this.text());
    this.text.set("");
  }
}

void bootstrapApplication(Chat, { providers: [provideZonelessChangeDetection()] });
