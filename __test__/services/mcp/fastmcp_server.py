"""FastMCP, with the tools of tools.py."""

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.tools import ToolResult
from mcp.types import TextContent

import serving
import tools

server = FastMCP("fastmcp")
for tool in tools.alike:
    server.tool(tool)


@server.tool
def failing() -> str:
    """Fails."""
    raise ToolError("the cellar is flooded")


@server.tool
async def chatty(context: Context) -> str:
    """Says something on the way."""
    await context.info("working")
    return "done"


@server.tool
def blocks() -> ToolResult:
    """Two blocks of text, and nothing structured."""
    return ToolResult(content=[TextContent(type="text", text=text) for text in ("one", "two")])


serving.serve(server.http_app(stateless_http=serving.options.stateless, json_response=serving.options.json))
