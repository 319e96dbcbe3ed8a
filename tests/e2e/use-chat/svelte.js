import { mount } from "svelte";
import { chatOptions } from "./chat.js";
import Page from "./Page.svelte";

mount(Page, { target: document.querySelector("#page"), props: { options: await chatOptions() } });
