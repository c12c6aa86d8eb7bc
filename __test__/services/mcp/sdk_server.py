"""The official Python SDK's own server, with the tools of tools.py."""

import asyncio

from fastmcp.server.event_store import EventStore
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError

import serving
import tools

server = MCPServer("sdk")
for tool in tools.alike:
    server.tool()(tool)


@server.tool()
def failing() -> str:
    """Fails."""
    raise ToolError("the cellar is flooded")


@server.tool()
async def chatty(context: Context) -> str:
    """Says something on the way."""
    await context.info("working")
    return "done"


@server.tool(structured_output=False)
def blocks() -> list[str]:
    """Two blocks of text, and nothing structured."""
    return ["one", "two"]


@server.tool()
async def parted(context: Context) -> str:
    """Ends the stream of its answer twice on the way."""
    for _ in range(2):
        await context.close_sse_stream()
        await asyncio.sleep(0.5)
    return "done"


options = serving.options
events = {"event_store": EventStore(), "retry_interval": 100} if options.resumable else {}
serving.serve(server.streamable_http_app(stateless_http=options.stateless, json_response=options.json, **events))
