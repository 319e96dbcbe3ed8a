"""An agent of pydantic-ai, served over AG-UI. The model is a function, so no key is needed: put yours in its place."""

import asyncio
import socket
from collections.abc import AsyncIterator

import uvicorn
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelRequest, ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.ui.ag_ui import AGUIAdapter
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


async def model(messages: list[ModelMessage], _info: AgentInfo) -> AsyncIterator:
    parts = [part for message in messages if isinstance(message, ModelRequest) for part in message.parts]
    last = parts[-1]
    if isinstance(last, ToolReturnPart):
        yield f"The weather there: {last.model_response_str()}."
        return
    question = str(next(part.content for part in reversed(parts) if isinstance(part, UserPromptPart)))
    if "weather" in question:
        yield {0: DeltaToolCall(name="weather", json_args='{"city": "Rome"}', tool_call_id=f"weather-{len(messages)}")}
        return
    for word in f"You said: {question}".split():
        yield f"{word} "
        await asyncio.sleep(0.04)


agent = Agent(FunctionModel(stream_function=model))  # Agent("openai:…") for a real one


@agent.tool_plain
def weather(city: str) -> str:
    """The weather in a city."""
    return f"21 °C in {city}"


async def run(request: Request) -> Response:
    return await AGUIAdapter.dispatch_request(request, agent=agent)


if __name__ == "__main__":
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    app = Starlette(routes=[Route("/", run, methods=["POST"])])
    asyncio.run(uvicorn.Server(uvicorn.Config(app, log_level="warning")).serve(sockets=[listener]))
