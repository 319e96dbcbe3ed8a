import { mount } from "svelte";
import { byId } from "../shared/page.js";
import Chat from "./chat.svelte";

mount(Chat, { target: byId("app") });
