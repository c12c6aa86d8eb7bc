"""One document read by FastMCP's `from_openapi`, in a process of its own.

Prints a line of JSON with what it measured, and writes the tools, a line of JSON each, to the file named second.
"""

import asyncio
import gc
import json
import logging
import sys
import time

import httpx2
from fastmcp import FastMCP

logging.disable(logging.CRITICAL)


def kilobytes(name: str) -> int:
    """A line of this process's status: VmRSS is what it holds, VmHWM its peak."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(f"{name}:"))


path, out = sys.argv[1:3]
with open(path, "rb") as file:
    data = file.read()
client = httpx2.AsyncClient(base_url="https://api.example.com")
places: dict[str, tuple[str, str]] = {}


def remember(route, tool) -> None:
    places[tool.name] = (route.method, route.path)


gc.collect()
with open("/proc/self/clear_refs", "w") as peak:
    peak.write("5")
before = kilobytes("VmRSS")
start = time.perf_counter()
server = FastMCP.from_openapi(json.loads(data), client=client, mcp_component_fn=remember)
tools = asyncio.run(server.list_tools())
took = (time.perf_counter() - start) * 1000
measured = {"listed": took, "made": took, "peak": kilobytes("VmHWM") - before, "tools": len(tools), "skipped": None}
print(json.dumps(measured), flush=True)

with open(out, "w") as lines:
    for tool in tools:
        method, place = places[tool.name]
        line = {"name": tool.name, "description": tool.description, "method": method, "path": place, "inputSchema": tool.parameters}
        lines.write(json.dumps(line) + "\n")
