"""Download with a minimum rate, so that no server can stall forever."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Generator
from typing import Any

TIMEOUT_SECONDS = 30
# The rest may take as long as at this rate.
GRACE_SECONDS = 60.0
MIN_BYTES_PER_SECOND = 10_000
# Small, so that a slow server is detected early; a queue of pieces holds 4 MB.
PIECE_BYTES = 2**13
MAX_WAITING = 512


class TooSlowError(OSError):
    """A server sends less than the minimum rate."""


def pieces(requests: Any, url: str) -> Generator[tuple[bytes, int], None, None]:
    """Yield bytes and the announced total; by a thread, as a byte restarts a socket timeout."""
    received: queue.Queue[Any] = queue.Queue(MAX_WAITING)
    stopped = threading.Event()
    arguments = (requests, url, _sender(received, stopped))
    threading.Thread(target=_receive, args=arguments, daemon=True).start()
    done, start = 0, time.monotonic()
    try:
        while True:
            left = start + GRACE_SECONDS + done / MIN_BYTES_PER_SECOND - time.monotonic()
            try:
                item = received.get(timeout=max(left, 0.0))
            except queue.Empty:
                raise TooSlowError(
                    f"{done} bytes of {url} in {time.monotonic() - start:.0f} seconds, less than "
                    f"{MIN_BYTES_PER_SECOND} per second; try again later"
                ) from None
            if item is None:
                return
            if isinstance(item, BaseException):
                raise item
            done += len(item[0])
            yield item
    finally:
        stopped.set()


def _receive(requests: Any, url: str, send: Callable[[Any], bool]) -> None:
    try:
        with (
            requests.Session() as session,
            session.get(url, stream=True, timeout=TIMEOUT_SECONDS) as response,
        ):
            response.raise_for_status()
            total = int(response.headers.get("Content-Length", 0))
            for piece in response.iter_content(PIECE_BYTES):
                if not send((piece, total)):
                    return
        send(None)
    # The reader raises any error.
    except BaseException as error:
        send(error)


def _sender(received: queue.Queue[Any], stopped: threading.Event) -> Callable[[Any], bool]:
    def send(item: Any) -> bool:
        while not stopped.is_set():
            try:
                received.put(item, timeout=1.0)
            except queue.Full:
                continue
            return True
        return False

    return send
