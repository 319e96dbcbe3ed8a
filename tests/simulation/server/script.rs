//! The events of a run.

use super::*;

impl Server {
    /// The events of one request, in the order that AG-UI asks for.
    pub(super) fn events(&mut self, random: &mut Random, request: &Value, strict: bool, now: f64) -> Vec<Value> {
        let run = request["runId"].as_str().unwrap().to_owned();
        let mut history = request["messages"].as_array().unwrap().clone();
        self.calls = self.calls.map(|_| 0);
        let mut events = vec![event!("RUN_STARTED", "threadId": "t", "runId": run)];
        for _ in 0..random.below(5) {
            self.part(random, &mut events, &mut history);
        }
        if random.one_in(3) {
            let n = random.below(99);
            let model = json!([{"model": "m", "inputTokens": n}]);
            events.push(event!("CUSTOM", "name": "n", "value": n));
            events.push(event!("STEP_STARTED", "stepName": "s"));
            events.push(event!("STEP_FINISHED", "stepName": "s"));
            events.push(event!("CUSTOM", "name": "n", "value": n + 1));
            events.push(event!("RUN_FINISHED", "threadId": "t", "runId": run, "usage": model));
            events.push(event!("RUN_STARTED", "threadId": "t", "runId": run));
        }
        // A second run in the same stream.
        if random.one_in(12) {
            events.push(event!("RUN_FINISHED", "threadId": "t", "runId": run));
            events.push(event!("RUN_STARTED", "threadId": "t", "runId": run));
            self.part(random, &mut events, &mut history);
        }
        let mut open = Vec::new();
        let answers = |message: &&Value| message["role"] == "tool";
        // An agent that has its answers asks less and less.
        if random.one_in(2 + request["messages"].as_array().unwrap().iter().rev().take_while(answers).count()) {
            for _ in 0..1 + random.below(3) {
                let begin = events.len();
                open.push(self.page_call(random, &mut events));
                history.push(called(&events[begin..]));
                if random.one_in(5) {
                    self.twist(random, &mut events, &history);
                }
                // The server may know the answer itself.
                if random.one_in(6) {
                    let result = event!("TOOL_CALL_RESULT", "messageId": self.id("t"), "toolCallId": open.pop(),
                        "content": "known");
                    events.push(result);
                }
            }
        }
        // The server's own list of messages, which may differ from the events that it sent.
        while random.one_in(4) {
            self.twist(random, &mut events, &history);
        }
        let mut finished = event!("RUN_FINISHED", "threadId": "t", "runId": run);
        match random.below(10) {
            0 => finished = event!("RUN_ERROR", "message": "boom"),
            1 => {
                let interrupts: Vec<Value> = (0..1 + random.below(3))
                    .map(|at| {
                        let mut interrupt = json!({"id": self.id("i"), "reason": "ask"});
                        if random.one_in(3) {
                            let expires = now + [0.0, 300.0, 60_000.0][random.below(3)];
                            interrupt["expiresAt"] = json!(time(expires));
                            // The same for the model.
                            interrupt["metadata"] = json!({"expires": expires});
                        }
                        if let Some(call) = open.get(at) {
                            interrupt["toolCallId"] = json!(call);
                        }
                        interrupt
                    })
                    .collect();
                // One may stand there twice.
                let again = interrupts.first().cloned().filter(|_| random.one_in(5));
                let interrupts: Vec<Value> = interrupts.into_iter().chain(again).collect();
                finished["outcome"] = json!({"type": "interrupt", "interrupts": interrupts});
            }
            2 if !open.is_empty() => finished["outcome"] = json!({"type": "success", "pendingToolCallIds": open}),
            3 => finished["result"] = json!({"n": random.below(9)}),
            _ => {}
        }
        if random.one_in(2) {
            finished["usage"] = json!([{"model": "m", "inputTokens": 1 + random.below(9)}]);
        }
        let failed = finished["type"] == "RUN_ERROR";
        events.push(finished);
        if !strict && !failed && random.one_in(8) {
            self.text(random, &mut events);
        }
        events
    }

    fn part(&mut self, random: &mut Random, events: &mut Vec<Value>, history: &mut Vec<Value>) {
        match random.below(12) {
            0..3 => history.push(self.text(random, events)),
            3 | 4 => history.extend(self.own_call(random, events)),
            8 | 9 => history.push(self.reasoning(random, events)),
            10 => {
                let id = self.id("s");
                events.push(event!("SUBAGENT_STARTED", "subagentRunId": id, "name": "helper"));
                let begin = events.len();
                let mut message = self.text(random, events);
                for event in &mut events[begin..] {
                    event["subagentRunId"] = json!(id);
                }
                message["subagentRunId"] = json!(id);
                history.push(message);
                events.push(event!("SUBAGENT_FINISHED", "subagentRunId": id));
            }
            11 => history.push(self.chunks(random, events)),
            5 => {
                let n = random.below(99);
                events.push(event!("STATE_SNAPSHOT", "snapshot": {"n": n, "list": [n]}));
            }
            6 => {
                let n = random.below(99);
                events.push(event!("STATE_DELTA", "delta": [{"op": "add", "path": "/n", "value": n}]));
            }
            _ => events.push(event!("MESSAGES_SNAPSHOT", "messages": history)),
        }
    }

    /// A list of messages that makes others of those that call, or a call that is started again as another one.
    fn twist(&mut self, random: &mut Random, events: &mut Vec<Value>, history: &[Value]) {
        let mut list: Vec<Value> = Vec::new();
        let calls = |message: &Value| message["toolCalls"].as_array().map_or(0, Vec::len);
        if random.one_in(3)
            && let Some(call) = history.last().filter(|last| calls(last) > 0).map(|last| &last["toolCalls"][0])
        {
            let id = &call["id"];
            let name = random.pick(&["now", "pay", "pick", "log", "search"]);
            events.push(event!("TOOL_CALL_START", "toolCallId": id, "toolCallName": name));
            if random.one_in(2) {
                events.push(event!("TOOL_CALL_ARGS", "toolCallId": id, "delta": " "));
            }
            events.push(event!("TOOL_CALL_END", "toolCallId": id));
            return;
        }
        for message in history {
            let mut message = message.clone();
            let (assistant, tool) = (calls(&message) > 0, message["role"] == "tool");
            match random.below(10) {
                // With calls named anew and their messages renamed, nothing would be left to tell them apart by.
                0 if self.calls.is_none() && assistant => message["id"] = json!(self.id("n")),
                1 if assistant => {
                    message["toolCalls"][0]["function"]["name"] =
                        json!(random.pick(&["now", "pay", "pick", "log", "it"]));
                }
                2 if assistant => {
                    message["toolCalls"][0]["function"]["arguments"] = json!(format!("{{\"x\":{}}}", random.below(9)))
                }
                3 if self.calls.is_none() && (assistant || tool) => continue,
                // The same arguments, written with other spaces.
                6 if assistant => {
                    let args = &mut message["toolCalls"][0]["function"]["arguments"];
                    *args = json!(args.as_str().unwrap().replace(':', ": "));
                }
                // Two of them become one.
                4 if self.calls.is_none() && assistant && list.last().is_some_and(|last| calls(last) > 0) => {
                    let more = message["toolCalls"].as_array().unwrap().clone();
                    list.last_mut().unwrap()["toolCalls"].as_array_mut().unwrap().extend(more);
                    continue;
                }
                5 if self.calls.is_none() && assistant => {
                    message["id"] = json!(self.id("n"));
                    list.insert(random.below(list.len() + 1), message);
                    continue;
                }
                _ => {}
            }
            list.push(message);
        }
        events.push(event!("MESSAGES_SNAPSHOT", "messages": list));
    }

    fn text(&mut self, random: &mut Random, events: &mut Vec<Value>) -> Value {
        let id = self.id("m");
        events.push(event!("TEXT_MESSAGE_START", "messageId": id));
        let mut content = String::new();
        for at in 0..1 + random.below(4) {
            let delta = random.pick(&["Hello", " ", "world\n", "\u{1F600}", "\"x\""]);
            let delta = format!("{delta}{at}");
            content += &delta;
            events.push(event!("TEXT_MESSAGE_CONTENT", "messageId": id, "delta": delta));
        }
        events.push(event!("TEXT_MESSAGE_END", "messageId": id));
        json!({"id": id, "role": "assistant", "content": content})
    }

    fn reasoning(&mut self, random: &mut Random, events: &mut Vec<Value>) -> Value {
        let id = self.id("r");
        events.push(event!("REASONING_START", "messageId": id));
        events.push(event!("REASONING_MESSAGE_START", "messageId": id, "role": "reasoning"));
        let mut content = String::new();
        for at in 0..1 + random.below(3) {
            let delta = format!("hm{at}");
            content += &delta;
            events.push(event!("REASONING_MESSAGE_CONTENT", "messageId": id, "delta": delta));
        }
        events.push(event!("REASONING_MESSAGE_END", "messageId": id));
        events.push(event!("REASONING_END", "messageId": id));
        json!({"id": id, "role": "reasoning", "content": content})
    }

    /// A string in chunks. That it is over is said by what follows.
    fn chunks(&mut self, random: &mut Random, events: &mut Vec<Value>) -> Value {
        let id = self.id("m");
        let mut content = String::new();
        for at in 0..1 + random.below(4) {
            let delta = format!("bit{at}");
            content += &delta;
            let mut chunk = event!("TEXT_MESSAGE_CHUNK", "messageId": id, "delta": delta);
            // A page that joins must know where it belongs.
            if at > 0 && self.dialect.is_none() {
                chunk.as_object_mut().unwrap().remove("messageId");
            }
            events.push(chunk);
        }
        // A client that joins in the middle cannot know which message the next event ends.
        if self.dialect.is_some_and(Dialect::stands) {
            events.push(event!("STATE_DELTA", "delta": [{"op": "add", "path": "/n", "value": random.below(99)}]));
        }
        json!({"id": id, "role": "assistant", "content": content})
    }

    fn call(&mut self, random: &mut Random, name: &str, events: &mut Vec<Value>) -> (String, String) {
        let mut start = event!("TOOL_CALL_START", "toolCallName": name);
        let id = match &mut self.calls {
            Some(calls) => {
                *calls += 1;
                let id = format!("call_{calls}");
                start["parentMessageId"] = json!(self.id("c"));
                id
            }
            None => self.id("c"),
        };
        start["toolCallId"] = json!(id);
        events.push(start);
        let args = format!("{{\"n\":{}}}", random.below(99));
        let cut = random.below(args.len());
        let (begin, rest) = args.split_at(cut);
        for delta in [begin, rest] {
            events.push(event!("TOOL_CALL_ARGS", "toolCallId": id, "delta": delta));
        }
        events.push(event!("TOOL_CALL_END", "toolCallId": id));
        (id, args)
    }

    /// A call that the server answers itself, once or twice.
    fn own_call(&mut self, random: &mut Random, events: &mut Vec<Value>) -> [Value; 2] {
        let begin = events.len();
        let (id, _) = self.call(random, "search", events);
        let caller = called(&events[begin..]);
        let message = self.id("t");
        let result = event!("TOOL_CALL_RESULT", "messageId": message, "toolCallId": id, "content": "found");
        events.push(result.clone());
        if random.one_in(4) {
            events.push(result);
        }
        [caller, json!({"id": message, "role": "tool", "toolCallId": id, "content": "found"})]
    }

    /// A call that it leaves to the page.
    fn page_call(&mut self, random: &mut Random, events: &mut Vec<Value>) -> String {
        let name = random.pick(&["now", "now", "pay", "pick", "log", "nobody's"]);
        self.call(random, name, events).0
    }
}

/// The message that these events call in.
fn called(events: &[Value]) -> Value {
    let id = &events[0]["toolCallId"];
    let args: String = events.iter().filter_map(|event| event["delta"].as_str()).collect();
    let function = json!({"name": events[0]["toolCallName"], "arguments": args});
    let message = events[0].get("parentMessageId").unwrap_or(id);
    json!({"id": message, "role": "assistant", "toolCalls": [{"id": id, "type": "function", "function": function}]})
}

/// As ISO 8601 has it; of the first month of 1970.
fn time(at: f64) -> String {
    let ms = at as u64;
    let (day, hour) = (1 + ms / 86_400_000, ms / 3_600_000 % 24);
    let (minute, second, rest) = (ms / 60_000 % 60, ms / 1000 % 60, ms % 1000);
    format!("1970-01-{day:02}T{hour:02}:{minute:02}:{second:02}.{rest:03}Z")
}
