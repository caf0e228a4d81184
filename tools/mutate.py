"""Change single operators of the numerical core at random, and see whether a test notices.

``make mutation`` draws a seeded sample of mutants of linalg, moments and _labels. Each runs in a
process of its own, against the tests that execute the changed statement. A mutant is killed when a
test fails, or when the tests take out of all proportion longer than without the change: an endless
loop. Those of equivalent.py change no result, so no test can notice them; they are counted apart.
"""

import argparse
import ast
import hashlib
import json
import os
import random
import resource
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

import coverage
import pytest
from equivalent import EQUIVALENT

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "labelspan"
TARGETS = ("linalg", "moments", "_labels.py")
# Their own, and those of the methods that are little more than a call of them.
TESTS = ("tests/linalg", "tests/moments", "tests/test_labels.py", "tests/test_gate.py",
         "tests/test_soft_labels.py", "tests/test_checkpoint.py", "tests/test_chunks.py",
         "tests/test_extreme_scales.py", "tests/test_far_from_origin.py", "tests/test_dask_gate.py",
         "tests/test_splits.py", "tests/classifiers/test_ridge.py",
         "tests/classifiers/test_missing.py", "tests/labelspace/test_missing.py",
         "tests/subspace/test_pls.py")  # fmt: skip
# Which tests reach which lines, per file of tests; made anew where these or the sources change.
MAPS = ROOT / "build" / "mutation"
# Without what other packages plug in: they would be imported anew in each child.
os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
QUIET = ("-q", "-x", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:unraisableexception",
         "--no-header", "-m", "not device and not reproduce")  # fmt: skip
SWAPS: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn,
    ast.NotIn: ast.In, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.And: ast.Or, ast.Or: ast.And, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """The n-th place of a file where something can be changed, and the lines that lead there."""

    file: Path
    place: int
    lines: range
    change: str

    def __str__(self) -> str:
        return f"{self.file.relative_to(PACKAGE)}:{self.lines[-1]}: {self.change}: {self.text}"

    @property
    def text(self) -> str:
        """The line that is changed."""
        return source(self.file)[self.lines[-1] - 1].strip()

    @property
    def equivalent(self) -> str:
        """Why it changes nothing, or nothing."""
        fits = (
            reason
            for reason, lines in EQUIVALENT.items()
            if any(text in self.text and change in ("", self.change) for text, change in lines)
        )
        return next(fits, "")


@cache
def source(file: Path) -> list[str]:
    """The lines of a file."""
    return file.read_text().splitlines()


class Mutate(ast.NodeTransformer):
    """Number the places of a tree, and change one of them."""

    def __init__(self, chosen: int = -1):
        self.chosen, self.places, self.statement = chosen, list[tuple[range, str]](), 0

    def visit(self, node: ast.AST) -> Any:
        """Know in which statement a place is: a tracer may name another line of it."""
        if isinstance(node, ast.stmt):
            self.statement = node.lineno
        return super().visit(node)

    def here(self, line: int, change: str) -> bool:
        """Count a place; whether it is the one to change."""
        self.places.append((range(self.statement, line + 1), change))
        return len(self.places) - 1 == self.chosen

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Leave annotations, defaults and compiled loops alone: no tracer sees the latter."""
        if "kernel" not in ast.unparse(ast.Module(node.decorator_list, [])):
            node.body = [self.visit(part) for part in node.body]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Leave bases and decorators alone."""
        node.body = [self.visit(part) for part in node.body]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Leave the annotation alone."""
        node.value = node.value and self.visit(node.value)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Change comparisons."""
        for i, operator in enumerate(node.ops):
            node.ops[i] = self.swapped(operator, node.lineno)
        return self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """Change arithmetic."""
        node.op = self.swapped(node.op, node.lineno)
        return self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """Change and, or."""
        node.op = self.swapped(node.op, node.lineno)
        return self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """Drop not and minus."""
        node.operand = self.visit(node.operand)
        if isinstance(node.op, ast.Not | ast.USub):
            return (
                node.operand if self.here(node.lineno, "drop " + type(node.op).__name__) else node
            )
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """Change booleans and numbers."""
        if isinstance(node.value, bool) and self.here(node.lineno, f"not {node.value}"):
            return ast.copy_location(ast.Constant(not node.value), node)
        if type(node.value) in (int, float) and self.here(node.lineno, f"{node.value} + 1"):
            return ast.copy_location(ast.Constant(node.value + 1), node)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        """Leave messages alone."""
        return node

    def swapped(self, operator: ast.AST, line: int) -> ast.AST:
        """Return the operator, or what is put in its place."""
        other = SWAPS.get(type(operator))
        change = f"{type(operator).__name__} -> {other.__name__}" if other else ""
        return other() if other and self.here(line, change) else operator


def mutants() -> Iterator[Mutant]:
    """Every place of every target."""
    for file in targets():
        places = Mutate()
        places.visit(ast.parse(file.read_text()))
        yield from (Mutant(file, i, *found) for i, found in enumerate(places.places))


def targets() -> list[Path]:
    """The files that are changed."""
    return [f for t in TARGETS for f in sorted(PACKAGE.glob(t if "." in t else f"{t}/**/*.py"))]


class Watch:
    """Which tests run which lines, and how many seconds of a processor they take."""

    def __init__(self) -> None:
        files = [str(f) for f in targets()]
        self.coverage = coverage.Coverage(data_file=None, include=files, config_file=False)
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Note a test."""
        self.coverage.switch_context(item.nodeid)
        start = time.process_time()
        yield
        self.seconds[item.nodeid] = time.process_time() - start

    def run(self, tests: str, into: Path) -> int:
        """Run the tests of a file; write their times and, per file and line, who runs it."""
        self.coverage.start()
        failed = pytest.main([*QUIET, tests], plugins=[self])
        # Nothing is collected where a package of an extra is absent.
        if failed not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            return int(failed)
        self.coverage.stop()
        data = self.coverage.get_data()
        lines = {f: data.contexts_by_lineno(f) for f in data.measured_files()}
        into.write_text(json.dumps([self.seconds, lines]))
        return 0


class Reached:
    """The tests of every line of the targets, from a map per file of tests."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.tests: dict[tuple[str, int], set[str]] = defaultdict(set)
        MAPS.mkdir(parents=True, exist_ok=True)
        shared = [*targets(), *(f for f in ROOT.glob("tests/**/*.py") if "test_" not in f.name)]
        files = [f for t in TESTS for f in sorted((ROOT / t).rglob("test_*.py")) or [ROOT / t]]
        for file in files:
            digest = hashlib.sha256(b"".join(f.read_bytes() for f in (*sorted(shared), file)))
            into = MAPS / f"{file.stem}-{digest.hexdigest()[:16]}.json"
            if not into.exists() and in_child(partial(Watch().run, str(file), into)) != "0":
                sys.exit(f"{file.relative_to(ROOT)} fails without any change")
            seconds, lines = json.loads(into.read_text())
            self.seconds |= seconds
            for name, found in lines.items():
                for line, contexts in found.items():
                    self.tests[name, int(line)] |= set(contexts)

    def of(self, mutant: Mutant, budget: float) -> tuple[list[str], float]:
        """Tests that run the mutant, and their seconds: at most `budget` and a test more.

        The quickest case of each test comes first, then the second of each.
        """
        found = self.at(mutant.file, mutant.lines)
        if "" in found:
            found = {t for line in users(mutant) for t in self.at(*line)} | found
        cases, order = Counter[str](), []
        for test in sorted(found - {""}, key=self.seconds.__getitem__):
            name = test.partition("[")[0]
            order.append((cases[name], self.seconds[test], test))
            cases[name] += 1
        chosen, total = [], 0.0
        for _, seconds, test in sorted(order):
            if total < budget:
                chosen.append(test)
                total += seconds
        return chosen, total

    def at(self, file: Path, lines: range) -> set[str]:
        """The tests of any of the lines; "" for the import."""
        return set[str]().union(*(self.tests.get((str(file), i), ()) for i in lines))


def users(mutant: Mutant) -> list[tuple[Path, range]]:
    """Lines that use what an import defines: those with the name of a constant, or the file's."""
    name = mutant.text.partition(":")[0].partition(" ")[0]
    constant = name.isupper()
    return [
        (file, range(i, i + 1))
        for file in (targets() if constant else [mutant.file])
        for i, text in enumerate(source(file), 1)
        if name in text or not constant
    ]


def in_child(work: Callable[[], int], seconds: float = 0.0, wait: float = 0.0) -> str:
    """Do the work in a process of its own; its exit status, or "timeout".

    The limit of `seconds` is of processor time, which a busy machine does not use up; that of
    `wait`, for a process that waits for ever, is of the clock.
    """
    child = os.fork()
    if child == 0:
        os.setsid()
        status = 70
        try:
            if seconds:
                resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))
                sink = os.open(os.devnull, os.O_WRONLY)
                os.dup2(sink, 1), os.dup2(sink, 2)
            for name in [n for n in sys.modules if n.split(".")[0] in ("labelspan", "tests")]:
                del sys.modules[name]
            status = work()
        finally:
            os._exit(status)
    deadline = time.monotonic() + (wait or 1e9)
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            over = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU
            return "timeout" if over else str(status)
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "timeout"


def run_changed(mutant: Mutant, tests: list[str]) -> int:
    """Run tests on the package with one file changed as it is imported."""
    tree = Mutate(mutant.place).visit(ast.parse(mutant.file.read_text()))
    changed = compile(ast.fix_missing_locations(tree), str(mutant.file), "exec")
    as_it_is = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, name: str) -> CodeType | None:
        return changed if Path(loader.path) == mutant.file else as_it_is(loader, name)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign, assignment]
    files = defaultdict[str, list[str]](list)
    for test in tests:
        files[test.partition("::")[0]].append(test)
    # One file after the other, those of the quickest tests first: most mutants need no other.
    return int(any(pytest.main([*QUIET, *some]) != 0 for some in files.values()))


def main() -> None:
    """Draw mutants, run them, print survivors and the share that was killed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=120, help="mutants")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--budget", type=float, default=10.0, help="seconds of tests per mutant")
    asked = parser.parse_args()
    os.chdir(ROOT)
    sys.path[:0] = [str(ROOT / "src"), str(ROOT)]
    # What the package needs is in memory before each child starts.
    __import__("tests.registry")
    reached = Reached()
    everything = list(mutants())
    print(f"{len(everything)} places, {len(reached.seconds)} tests, seed {asked.seed}", flush=True)
    counts = Counter[str]()
    for number, mutant in enumerate(random.Random(asked.seed).sample(everything, asked.n), 1):
        tests, total = reached.of(mutant, asked.budget)
        if mutant.equivalent:
            found = "equivalent"
        elif not tests:
            found = "not reached"
        else:
            limit = 20 + 4 * total
            status = in_child(partial(run_changed, mutant, tests), limit, 10 * limit)
            found = {"0": "survived", "timeout": "timeout"}.get(status, "killed")
        counts[found] += 1
        if found != "killed":
            why = mutant.equivalent or f"{len(tests)} tests"
            print(f"{number}. {found}: {mutant} ({why})", flush=True)
    killed, others = counts["killed"] + counts["timeout"], asked.n - counts["equivalent"]
    print(
        f"{dict(counts)}: killed are {killed / others:.0%} of the {others} mutants that differ, "
        f"{killed / asked.n:.0%} of all {asked.n}"
    )


if __name__ == "__main__":
    main()
