"""Serves an MCP server on loopback until standard input ends, and prints the port.

--port       a port of the caller's choice, else a free one
--before     speaks as a server of before 2026-07-28: the header by which these servers know a later client does not reach them
--stateless  keeps no sessions
--json       answers with JSON, never with a stream
--resumable  keeps what it sent, so that a stream can be taken up again
"""

import argparse
import asyncio
import os
import socket
import sys
import threading

import uvicorn

parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--before", action="store_true")
parser.add_argument("--stateless", action="store_true")
parser.add_argument("--json", action="store_true")
parser.add_argument("--resumable", action="store_true")
options = parser.parse_args()


def without_version(app):
    async def served(scope, receive, send):
        if scope["type"] == "http":
            headers = [pair for pair in scope["headers"] if pair != (b"mcp-protocol-version", b"2026-07-28")]
            scope = {**scope, "headers": headers}
        await app(scope, receive, send)

    return served


def end_with_input():
    sys.stdin.read()
    os._exit(0)


def serve(app):
    threading.Thread(target=end_with_input, daemon=True).start()
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", options.port))
    listening.listen(256)
    print(listening.getsockname()[1], flush=True)
    config = uvicorn.Config(without_version(app) if options.before else app, log_level="warning")
    asyncio.run(uvicorn.Server(config).serve(sockets=[listening]))
