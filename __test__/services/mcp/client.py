"""The official Python SDK's client: does what standard input says, and prints what came of it.

Standard input is JSON: `server`, an address or a command with its arguments; `mode`, as the client has it; `calls`, which are made
all at once, each a name and an input; `give_up`, the name of a tool whose call is given up once `give_up_when` says that it runs.
A person who is asked says yes to what has the word in it.
"""

import asyncio
import json
import sys

from mcp import Client, MCPError, StdioServerParameters
from mcp.types import ElicitResult

asked: list[str] = []


async def person(context, params):
    asked.append(params.message)
    return ElicitResult(action="accept", content={"approve": "yes" in params.message})


def plain(value):
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


async def main(told):
    server = told["server"]
    if not isinstance(server, str):
        server = StdioServerParameters(command=server[0], args=server[1:])
    async with Client(server, mode=told["mode"], elicitation_callback=person) as client:

        async def call(name, arguments):
            try:
                return plain(await client.call_tool(name, arguments))
            except MCPError as error:
                return {"error": str(error)}

        tools = [plain(tool) for tool in (await client.list_tools()).tools]
        results = await asyncio.gather(*(call(name, arguments) for name, arguments in told["calls"]))
        given_up = None
        if "give_up" in told:
            waiting = asyncio.create_task(client.call_tool(told["give_up"], {}))
            while (await call(told["give_up_when"], {}))["content"][0]["text"] == "0":
                await asyncio.sleep(0.02)
            waiting.cancel()
            await asyncio.wait([waiting])
            given_up = waiting.cancelled()
            while (await call(told["give_up_when"], {}))["content"][0]["text"] != "0":
                await asyncio.sleep(0.02)
        found = {"version": client.protocol_version, "tools": tools, "results": results, "asked": asked, "given_up": given_up}
        print(json.dumps(found))


asyncio.run(main(json.load(sys.stdin)))
