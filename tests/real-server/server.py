"""AG-UI agents of pydantic-ai, with models that are functions.

The first word of the last user message says what the model does. Prints its port, then serves until it is ended.
"""

import asyncio
import socket
from collections.abc import AsyncIterator

import uvicorn
from ag_ui.core import CustomEvent, EventType, StateDeltaEvent, StateSnapshotEvent
from pydantic import BaseModel
from pydantic_ai import Agent, DeferredToolRequests, RunContext, ToolReturn
from pydantic_ai.messages import ModelMessage, ModelRequest, ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, DeltaThinkingPart, DeltaToolCall, FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.ui import StateDeps
from pydantic_ai.ui.ag_ui import AGUIAdapter
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route


class Recipe(BaseModel):
    title: str = ""
    steps: list[str] = []


abandoned = asyncio.Event()


async def model(messages: list[ModelMessage], _info: AgentInfo) -> AsyncIterator:
    parts = [part for message in messages if isinstance(message, ModelRequest) for part in message.parts]
    prompts = [part.content for part in parts if isinstance(part, UserPromptPart)]
    last = parts[-1]
    if isinstance(last, ToolReturnPart):
        yield "It said: "
        yield last.model_response_str()
        return
    match str(prompts[-1]).split()[0]:
        case "hello":
            for word in ["Hello", ", ", "wörld ", "👋🏽", " שלום", ", 42."]:
                yield word
        case "count":
            yield f"That was message {len(prompts)}; the first was {prompts[0]!r}."
        case "think":
            yield {0: DeltaThinkingPart(content="Let me ")}
            yield {0: DeltaThinkingPart(content="see.")}
            yield "Done."
        case "weather":
            yield {0: DeltaToolCall(name="weather", tool_call_id="call-weather")}
            for piece in ['{"ci', 'ty": "Zür', 'ich"}']:
                yield {0: DeltaToolCall(json_args=piece)}
        case "both":
            yield {0: DeltaToolCall(name="weather", json_args='{"city": "Rome"}', tool_call_id="call-rome")}
            yield {1: DeltaToolCall(name="weather", json_args='{"city": "Kyiv"}', tool_call_id="call-kyiv")}
        case "cook":
            yield {0: DeltaToolCall(name="cook", json_args='{"title": "Soup"}', tool_call_id="call-cook")}
        case "delete":
            yield {0: DeltaToolCall(name="delete", json_args='{"path": "/tmp/a"}', tool_call_id="call-delete")}
        case "page":
            # The page declares these tools; the run ends with the calls open, and the next one brings their results.
            yield {0: DeltaToolCall(name="page_title", json_args="{}", tool_call_id="call-title")}
            yield {1: DeltaToolCall(name="send", json_args='{"to": "everybody"}', tool_call_id="call-send")}
        case "wait":
            yield "One moment"
            yield " …"
            try:
                await asyncio.Event().wait()
            finally:
                abandoned.set()
        case "fail":
            yield "This will not"
            raise RuntimeError("the model has failed")
        case other:
            yield f"Unknown: {other}"


agent = Agent(FunctionModel(stream_function=model), deps_type=StateDeps[Recipe], output_type=[str, DeferredToolRequests])


@agent.tool_plain
def weather(city: str) -> dict[str, object]:
    """The weather in a city."""
    return {"city": city, "celsius": 21}


@agent.tool
def cook(context: RunContext[StateDeps[Recipe]], title: str) -> ToolReturn:
    """Begins a recipe, then adds to it."""
    context.deps.state = Recipe(title=title, steps=[*context.deps.state.steps, "boil"])
    return ToolReturn(
        return_value="cooked",
        metadata=[
            StateSnapshotEvent(type=EventType.STATE_SNAPSHOT, snapshot=context.deps.state),
            StateDeltaEvent(
                type=EventType.STATE_DELTA,
                delta=[
                    {"op": "test", "path": "/title", "value": title},
                    {"op": "add", "path": "/steps/-", "value": "season"},
                ],
            ),
            CustomEvent(type=EventType.CUSTOM, name="progress", value={"percent": 50}),
        ],
    )


@agent.tool_plain(requires_approval=True)
def delete(path: str) -> str:
    """Deletes a file, when somebody approves of it."""
    return f"deleted {path}"


tester = Agent(TestModel(), tools=[weather])


async def run(request: Request) -> Response:
    return await AGUIAdapter.dispatch_request(request, agent=agent, deps=StateDeps(Recipe()))


async def test(request: Request) -> Response:
    return await AGUIAdapter.dispatch_request(request, agent=tester)


async def when_abandoned(_request: Request) -> Response:
    """Answers once the client has gone from a run that waits."""
    await abandoned.wait()
    return PlainTextResponse("abandoned")


app = Starlette(
    routes=[
        Route("/", run, methods=["POST"]),
        Route("/test-model", test, methods=["POST"]),
        Route("/abandoned", when_abandoned),
    ]
)

if __name__ == "__main__":
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    asyncio.run(uvicorn.Server(uvicorn.Config(app, log_level="warning")).serve(sockets=[listener]))
