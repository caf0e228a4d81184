"""What the tests of the statistics share."""

from contextlib import ExitStack

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture
def use_threads(monkeypatch):
    """Set the number of threads, as a user does by the environment and threadpoolctl."""
    with ExitStack() as stack:

        def use(n):
            monkeypatch.setenv("OMP_NUM_THREADS", str(n))
            stack.enter_context(threadpool_limits(n, user_api="openmp"))

        yield use
