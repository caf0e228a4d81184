"""The process that runs cells: it can be killed without harm to the run.

It reads one JSON message per line from its standard input and answers on its standard output: first
"loaded" when the data of a task are in memory, which starts its clock, then the answer.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import sys
import threading
import time
from dataclasses import asdict
from typing import Any, TextIO

from labelspan.lab.plan import Cell, Source, cell_from_dict
from labelspan.lab.runner._cell import explained, prepare, run_cell
from labelspan.lab.runner._environment import environment
from labelspan.lab.runner._facts import facts_of
from labelspan.lab.store import METHOD, Result
from labelspan.system import escaped


def main() -> None:
    """Answer messages until the standard input ends."""
    # Ctrl-C reaches the whole process group; the run decides what ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    # Output that a method prints must not mix with the answers.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    messages: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(messages,), daemon=True).start()
    _send(answers, {"kind": "ready"})
    while True:
        message = json.loads(messages.get())
        if message["kind"] == "path":
            sys.path[:] = message["path"]
        else:
            _answer(message, answers)


def _listen(messages: queue.SimpleQueue[str]) -> None:
    for line in sys.stdin:
        messages.put(line)
    # The run has ended, perhaps killed, and no longer waits for this cell.
    os._exit(0)


def _answer(message: dict[str, Any], answers: TextIO) -> None:
    if message["kind"] == "facts":
        source = Source(**message["source"])
        _send(answers, {"kind": "loaded"})
        _send(answers, {"kind": "answer", "content": facts_of(source)})
        return
    cell = cell_from_dict(message["cell"])
    # run_cell meets the same error and reports it.
    with contextlib.suppress(Exception):
        prepare(cell)
    _send(answers, {"kind": "loaded"})
    _send(answers, {"kind": "answer", "content": asdict(_result(cell))})


def _result(cell: Cell) -> Result:
    try:
        return run_cell(cell)
    except KeyboardInterrupt as error:
        # Raised by the method, because keyboard interrupts are ignored here.
        return Result(
            cell=cell.id,
            status="failed",
            error=escaped(explained(error)),
            environment=environment(),
            finished=time.time(),
            cause=METHOD,
        )


def _send(answers: TextIO, message: dict[str, Any]) -> None:
    answers.write(json.dumps(message) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
