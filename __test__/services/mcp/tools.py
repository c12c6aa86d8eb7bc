"""The tools that are the same for each of the servers."""

import asyncio


def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


def echo(text: str) -> str:
    """Says it again."""
    return text


def lines(count: int) -> str:
    """As many numbered lines."""
    return "".join(f"{at:07d}\n" for at in range(count))


waiting = 0


async def wait() -> str:
    """Waits for a minute, or until it is told not to."""
    global waiting
    waiting += 1
    try:
        await asyncio.sleep(60)
    finally:
        waiting -= 1
    return "done"


def waits() -> int:
    """How many calls wait."""
    return waiting


alike = [add, echo, lines, wait, waits]
