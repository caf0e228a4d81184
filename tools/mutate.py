"""Mutation test: change single operators of the numerical core at random and run the tests.

``make mutation`` draws a seeded sample of mutants of linalg, moments and _labels. Each runs in its
own process with the tests that execute the changed line, fastest first.
"""

import argparse
import ast
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import coverage
import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
TARGETS = ("linalg", "moments", "_labels.py")
# Their own tests, and those of methods that are thin wrappers around them.
TESTS = ("tests/linalg", "tests/moments", "tests/test_gate.py", "tests/test_soft_labels.py",
         "tests/test_checkpoint.py", "tests/test_chunks.py",
         "tests/classifiers/test_ridge.py", "tests/extraction/test_transcriptions.py",
         "tests/labelspace/test_transcriptions.py", "tests/subspace/test_pls.py")  # fmt: skip
QUIET = (
    "-q",
    "-x",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:xdist",
    "--no-header",
    "-W",
    "ignore",
    "-m",
    "not device and not reproduce",
)
SWAPS: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn,
    ast.NotIn: ast.In, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.And: ast.Or, ast.Or: ast.And, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """The n-th place of a file that can be mutated."""

    file: Path
    place: int
    line: int
    change: str


class Mutate(ast.NodeTransformer):
    """Number the places of a tree, and change one of them."""

    def __init__(self, chosen: int = -1):
        self.chosen, self.places = chosen, list[tuple[int, str]]()

    def here(self, line: int, change: str) -> bool:
        """Count a place; whether it is the one to change."""
        self.places.append((line, change))
        return len(self.places) - 1 == self.chosen

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Skip annotations, defaults and compiled loops, which no tracer sees."""
        if "kernel" not in ast.unparse(ast.Module(node.decorator_list, [])):
            node.body = [self.visit(part) for part in node.body]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Skip the annotation."""
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
        """Skip messages."""
        return node

    def swapped(self, operator: ast.AST, line: int) -> ast.AST:
        """Return the operator or its replacement."""
        other = SWAPS.get(type(operator))
        change = f"{type(operator).__name__} -> {other.__name__}" if other else ""
        return other() if other and self.here(line, change) else operator


def mutants() -> Iterator[Mutant]:
    """Every place of every target."""
    for target in TARGETS:
        path = SOURCE / "labelspan" / target
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            if "device" in file.name:
                continue  # Its tests need an accelerator.
            places = Mutate()
            places.visit(ast.parse(file.read_text()))
            yield from (Mutant(file, i, *found) for i, found in enumerate(places.places))


class Watch:
    """Records which tests run which lines, and how long they take."""

    def __init__(self) -> None:
        include = [f"{SOURCE}/labelspan/{t}{'' if '.' in t else '/*'}" for t in TARGETS]
        self.coverage = coverage.Coverage(data_file=None, include=include, config_file=False)
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Note a test."""
        self.coverage.switch_context(item.nodeid)
        start = time.monotonic()
        yield
        self.seconds[item.nodeid] = time.monotonic() - start

    def run(self, tests: list[str]) -> dict[Path, dict[int, list[str]]]:
        """Run the tests; return for each file the tests of each line."""
        self.coverage.start()
        if pytest.main([*QUIET, *tests], plugins=[self]):
            sys.exit("the tests fail without any change")
        self.coverage.stop()
        data = self.coverage.get_data()
        return {Path(f): data.contexts_by_lineno(f) for f in data.measured_files()}


def verdict(mutant: Mutant, tests: list[str], limit: float) -> str:
    """Run tests on a changed copy of the package, in a process of their own."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(SOURCE, folder, dirs_exist_ok=True)
        changed = Path(folder) / mutant.file.relative_to(SOURCE)
        tree = Mutate(mutant.place).visit(ast.parse(changed.read_text()))
        changed.write_text(ast.unparse(ast.fix_missing_locations(tree)))
        child = os.fork()
        if child == 0:
            os.setsid()
            sink = os.open(os.devnull, os.O_WRONLY)
            os.dup2(sink, 1), os.dup2(sink, 2)
            for name in [name for name in sys.modules if name.startswith(("labelspan", "tests"))]:
                del sys.modules[name]
            sys.path[:] = [folder, *(p for p in sys.path if Path(p).resolve() != SOURCE)]
            os._exit(int(pytest.main([*QUIET, *tests]) != 0))
        deadline = time.monotonic() + limit
        while time.monotonic() < deadline:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return "killed" if status else "survived"
            time.sleep(0.05)
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return "timeout"


def main() -> None:
    """Draw mutants, run them, print survivors and the share that was killed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=120, help="mutants")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--budget", type=float, default=20.0, help="seconds of tests per mutant")
    asked = parser.parse_args()
    os.chdir(ROOT)
    everything = list(mutants())
    drawn = random.Random(asked.seed).sample(everything, asked.n)
    watch = Watch()
    lines = watch.run(list(TESTS))
    print(f"{len(everything)} places, {len(watch.seconds)} tests", flush=True)
    counts = dict.fromkeys(("killed", "timeout", "survived", "not run"), 0)
    for number, mutant in enumerate(drawn, 1):
        seen = lines.get(mutant.file, {}).get(mutant.line, [])
        # A line that runs at import belongs to no test in particular.
        tests = [t for t in seen if t] or (list(watch.seconds) if seen else [])
        chosen, total = [], 0.0
        for test in sorted(tests, key=watch.seconds.__getitem__):
            if total < asked.budget:
                chosen.append(test)
                total += watch.seconds[test]
        found = verdict(mutant, chosen, 30 + 4 * total) if chosen else "not run"
        counts[found] += 1
        if found != "killed":
            where = f"{mutant.file.relative_to(SOURCE)}:{mutant.line}"
            print(f"{number}. {found}: {where}: {mutant.change} ({len(chosen)} tests)", flush=True)
    # On a busy computer a timeout means nothing, so it is not counted as killed.
    share = counts["killed"] / asked.n
    print(f"{counts}: {share:.0%} of {asked.n} mutants killed")


if __name__ == "__main__":
    main()
