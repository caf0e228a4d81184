"""Kernels: when they compile, for which types, where the code is stored, and what Python runs."""

from __future__ import annotations

import importlib
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from types import FunctionType, SimpleNamespace

import numba
import numpy as np
import pytest
from scipy import sparse

import labelspan
from labelspan import jit
from labelspan.classifiers import MLkNN
from labelspan.classifiers._select import _insert, select_dense
from labelspan.datasets import DataFileError
from labelspan.jit import _compile
from labelspan.metrics import average_precision, ranking_loss
from labelspan.model_selection import MultilabelStratifiedKFold
from labelspan.ranking import CLaRankSVM, LaRankSVM
from labelspan.selection import CMLFS
from tests.fuzz.cases import READERS
from tests.fuzz.seeds import SEEDS

PACKAGE = Path(labelspan.__file__).parent
TEXTS = ("arff", "arff rows", "xml", "libsvm", "xmc")


def run(script, *, source=PACKAGE.parent, **environment):
    """Run a script in a separate process with warnings as errors; return its output and errors."""
    kept = {k: v for k, v in os.environ.items() if k not in ("NUMBA_CACHE_DIR", "PYTHONPATH")}
    done = subprocess.run(
        [sys.executable, "-B", "-W", "error", "-c", script],
        env={**kept, "PYTHONPATH": str(source), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr.strip()


def data(n_samples=60):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_samples, 5))
    return X, (X @ rng.standard_normal((5, 4)) > 0.5).astype(np.int64)


def loaded_kernels():
    modules = [m for name, m in sys.modules.items() if name.startswith("labelspan.")]
    found = {value for m in modules for value in vars(m).values() if isinstance(value, jit.Kernel)}
    return [kernel for kernel in found if kernel.dispatcher is not None]


SMALL_FILE = """
import sys
from labelspan.datasets import read_arff
from labelspan.lab.cli import main
path = {path!r}
assert read_arff(path).X.shape == (150, 10)
sys.argv = ["labelspan", "describe", path]
try:
    main()
finally:
    assert "numba" not in sys.modules
"""


def test_a_file_of_eleven_kilobytes_compiles_nothing(tmp_path):
    rng = np.random.default_rng(0)
    header = ["@relation 't: -C 2'", *(f"@attribute y{i} {{0,1}}" for i in range(2))]
    header += [*(f"@attribute x{i} numeric" for i in range(10)), "@data"]
    rows = [
        f"{i % 2},{int(i % 6 in (0, 2, 3, 4))},"
        + ",".join(f"{x:.4f}" for x in rng.random(10) + i % 2)
        for i in range(150)
    ]
    path = tmp_path / "small.arff"
    path.write_text("\n".join([*header, *rows]) + "\n")
    assert 10_000 < path.stat().st_size < 12_000
    out, errors = run(SMALL_FILE.format(path=str(path)))
    assert "150" in out
    assert errors == ""


def test_the_import_of_the_package_leaves_numba_alone():
    names = sorted(p.name for p in PACKAGE.iterdir() if (p / "__init__.py").exists())
    script = "import sys\n" + "".join(f"import labelspan.{name}\n" for name in names)
    assert len(names) > 8
    assert run(f"{script}print('numba' in sys.modules)") == ("False", "")


def outcome(kind, content, folder):
    name, reader = READERS[kind]
    path = folder / name
    path.write_bytes(content)
    if kind == "xml":
        text = b"@relation t\n@attribute a {0,1}\n@attribute c {0,1}\n@data\n1,0\n"
        path.with_suffix(".arff").write_bytes(text)
    try:
        found = reader(path)
    except DataFileError as error:
        return str(error)
    dense = [m.toarray() if sparse.issparse(m) else m for m in (found.X, found.Y)]
    arrays = [(type(found.X), m.dtype.str, m.shape, m.tobytes()) for m in dense]
    return arrays, list(found.feature_names), list(found.label_names)


def mutations(seed):
    """The text, its beginnings, and the text with one byte replaced."""
    yield seed
    rng = np.random.default_rng(len(seed))
    for byte in b",{}' \n%?9.e-\\\xc3\t":
        place = int(rng.integers(len(seed)))
        yield seed[:place] + bytes([byte]) + seed[place + 1 :]
        yield seed[:place]


@pytest.fixture
def run_kernels(monkeypatch):
    """Run all kernels compiled, or all as Python, however many steps they take."""

    def run(*, compiled):
        choice = (lambda self, n: self) if compiled else (lambda self, n: self.interpreted)
        monkeypatch.setattr(jit.Kernel, "for_steps", choice)

    return run


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_python_and_compiled_code_read_the_same(kind, tmp_path, run_kernels):
    """Values to the last bit, names, and the text of errors."""
    texts = [text for seed in SEEDS[kind] for text in mutations(seed)]
    run_kernels(compiled=True)
    compiled = [outcome(kind, text, tmp_path) for text in texts]
    run_kernels(compiled=False)
    assert [outcome(kind, text, tmp_path) for text in texts] == compiled


def test_python_and_compiled_code_read_the_same_numbers(tmp_path, run_kernels):
    """Decimals of all lengths, signs and exponents, and categories."""
    rng = np.random.default_rng(1)
    values = [
        repr(x) for x in (rng.standard_normal(200) * 10.0 ** rng.integers(-25, 25, 200)).tolist()
    ]
    values += ["1" * n for n in range(1, 30)] + [f".{'9' * n}" for n in range(1, 30)]
    rows = "".join(f"{i % 2},{value},{'u' if i % 3 else chr(39) + 'v w' + chr(39)}\n"
                   for i, value in enumerate(values))  # fmt: skip
    text = rows.encode()
    name, reader = READERS["arff rows"]
    head = "@relation 't: -C 1'\n@attribute a {0,1}\n@attribute x real\n@attribute c {u,'v w'}\n"
    path = tmp_path / name
    path.write_bytes(head.encode() + b"@data\n" + text)
    run_kernels(compiled=False)
    interpreted = reader(path)
    run_kernels(compiled=True)
    np.testing.assert_array_equal(interpreted.X, reader(path).X)
    assert interpreted.X[:, 0].tolist() == [float(value) for value in values]


def test_python_and_compiled_code_rank_and_split_the_same(run_kernels):
    rng = np.random.default_rng(2)
    Y, S = rng.random((30, 6)) < 0.4, rng.integers(4, size=(30, 6)) / 4
    results = []
    for compiled in (True, False):
        run_kernels(compiled=compiled)
        scores = (S, sparse.csr_array(S))
        losses = [m(Y, s) for m in (ranking_loss, average_precision) for s in scores]
        splits = list(MultilabelStratifiedKFold(3).split(S, Y))
        results.append((losses, [test.tolist() for _, test in splits]))
    assert results[0] == results[1]


def variants(X):
    """The same values, or nearly, in all dtypes and layouts that a caller may have."""
    yield X
    frozen = X.copy()
    frozen.flags.writeable = False
    yield frozen
    yield X.astype(np.float32)
    yield np.asfortranarray(X)
    yield np.repeat(X, 2, axis=1)[:, ::2]
    yield sparse.csr_array(X)
    wide = sparse.csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    yield wide
    yield sparse.csc_array(X.astype(np.float32))


def test_no_dtype_or_layout_compiles_a_kernel_again():
    def use(X, distances):
        MLkNN(3).fit(X, Y).predict(X)
        LaRankSVM(max_iter=50, tol=0.1).fit(X, Y)
        CLaRankSVM(max_iter=50, tol=0.5).fit(X, Y)
        CMLFS(n_features=3, max_iter=50, tol=0.5).fit(X, Y)
        MLkNN(3, metric="precomputed").fit(distances, Y).predict(distances)

    X, Y = data()
    distances = np.abs(X[:, :1] - X[:, 0])
    # Dense and sparse X have separate kernels.
    use(X, distances)
    use(sparse.csr_array(X), sparse.csr_array(distances))
    compiled = {kernel: len(kernel.dispatcher.signatures) for kernel in loaded_kernels()}
    assert {"select_dense", "select_sparse", "sweep"} <= {kernel.__name__ for kernel in compiled}
    for other, others in zip(variants(X), variants(distances), strict=True):
        use(other, others)
    again = [k.__name__ for k, n in compiled.items() if len(k.dispatcher.signatures) > n]
    assert again == []
    assert len(loaded_kernels()) == len(compiled)


ONE_KERNEL = """
import numpy as np
from labelspan.ranking import as_rows
from labelspan.ranking._sweep import weighted_squares
squares = np.empty(2)
weighted_squares(as_rows(np.eye(2)), np.ones(3), squares)
stats = weighted_squares.dispatcher.stats
print(squares.tolist(), len(stats.cache_hits), len(stats.cache_misses), stats.cache_path)
"""


@pytest.fixture
def read_only_package(tmp_path):
    """A copy of the package in which numba can write no cache, even as root."""
    copy = tmp_path / "site" / "labelspan"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in [copy, *(p for p in copy.rglob("*") if p.is_dir())]:
        (folder / "__pycache__").write_text("not a folder")
        folder.chmod(0o555)
    yield copy.parent
    for folder in [copy, *(p for p in copy.rglob("*") if p.is_dir())]:
        folder.chmod(0o755)


@pytest.mark.parametrize("has_home", [True, False])
def test_a_read_only_installation_compiles_once(read_only_package, tmp_path, has_home):
    """In the folder of the user, or among the temporary files if that cannot be written."""
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    home, temporary = tmp_path / "home", tmp_path / "temporary"
    home.mkdir()
    temporary.mkdir()
    folders = {"HOME": str(home if has_home else blocked), "TMPDIR": str(temporary)}
    folders["XDG_CACHE_HOME"] = str((home if has_home else blocked) / ".cache")
    first, second = (run(ONE_KERNEL, source=read_only_package, **folders)[0] for _ in range(2))
    assert first.startswith("[2.0, 2.0] 0 1 ")
    assert second.startswith("[2.0, 2.0] 1 0 ")
    place = home if has_home else temporary / f"labelspan-{os.getuid()}"
    assert Path(second.split()[-1]).is_relative_to(place)


def test_a_temporary_folder_that_others_can_write_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = _compile.temporary_folder()
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o777)
    with pytest.raises(PermissionError, match="can be written by others"):
        _compile.temporary_folder()


NOWHERE = """
import warnings
import numpy as np
from labelspan.ranking import LaRankSVM
X = np.array([[0.0, 1.0], [1.0, 0.0]])
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model = LaRankSVM().fit(X, X.astype(int))
    LaRankSVM().fit(X, X.astype(int))
print(len(caught), *(str(w.message) for w in caught))
assert (model.predict(X) == X).all()
"""


def test_no_cache_folder_is_no_obstacle(read_only_package, tmp_path):
    """No writable folder: it works, with one warning."""
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    (tmp_path / f"labelspan-{os.getuid()}").write_text("not a folder")
    folders = {"HOME": str(blocked), "XDG_CACHE_HOME": str(blocked), "TMPDIR": str(tmp_path)}
    out, _ = run(NOWHERE, source=read_only_package, NUMBA_CACHE_DIR="", **folders)
    assert out.startswith("1 numba found no folder it can write")
    assert "Set NUMBA_CACHE_DIR to a folder that can be written" in out


def test_one_line_explains_the_wait_for_the_compiler(tmp_path):
    """Not for code from the cache, nor for a short delay; --json output is not affected."""
    impatient = "import labelspan.jit._compile as c\nc.PATIENCE = {}\n" + ONE_KERNEL
    several = impatient + "from labelspan.ranking._sweep import accumulate, pair_loss\n"
    several += (
        "from labelspan.ranking import LaRankSVM\nLaRankSVM().fit(np.eye(4), np.eye(4, dtype=int))"
    )
    folder = {"NUMBA_CACHE_DIR": str(tmp_path / "first")}
    out, errors = run(several.format(0.0), **folder)
    assert errors == "labelspan: compiling, once"
    assert out.startswith("[2.0, 2.0] 0 1")
    assert run(several.format(0.0), **folder)[1] == ""
    assert run(impatient.format(60.0), NUMBA_CACHE_DIR=str(tmp_path / "second"))[1] == ""


@pytest.mark.parametrize(
    "types", [b"clabelspan.ranking\nFormerClass\n.", b"cformer\nClass\n.", b""]
)
def test_code_stored_by_another_version_is_compiled_anew(tmp_path, monkeypatch, types):
    """An upgrade leaves it in place, with types that are no longer there."""
    source = tmp_path / "loops.py"
    source.write_text("def twice(value):\n    return 2 * value\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(_compile._config, "CACHE_DIR", str(tmp_path / "stored"))
    function = importlib.import_module("loops").twice
    assert _compile.dispatcher(function, is_inner=False)(3) == 6
    (index,) = (tmp_path / "stored").rglob("*.nbi")
    index.write_bytes(pickle.dumps(numba.__version__) + types)
    for stored in ("cache_misses", "cache_hits"):
        again = _compile.dispatcher(function, is_inner=False)
        assert again(3) == 6
        assert sum(getattr(again.stats, stored).values()) == 1


def test_threads_compile_a_kernel_once(tmp_path):
    script = """
from concurrent.futures import ThreadPoolExecutor
import numpy as np
from labelspan.ranking import LaRankSVM
from labelspan.ranking import _sweep
X, Y = np.eye(6), np.eye(6, dtype=int)
with ThreadPoolExecutor(4) as pool:
    fits = [pool.submit(LaRankSVM(random_state=0).fit, X, Y) for _ in range(4)]
    coefficients = [fit.result().coef_ for fit in fits]
assert all((other == coefficients[0]).all() for other in coefficients)
for kernel in (_sweep.sweep, _sweep.pair_loss, _sweep.weighted_squares):
    assert list(kernel.dispatcher.stats.cache_misses.values()) == [1]
"""
    run(script, NUMBA_CACHE_DIR=str(tmp_path))


def test_short_loops_in_python_add_up_to_a_reason_to_compile():
    @jit.kernel
    def loop(values):
        return values

    assert loop.for_steps(jit.INTERPRETED_STEPS // 2) is loop.interpreted
    assert loop.for_steps(jit.INTERPRETED_STEPS // 2) is loop.interpreted
    assert loop.for_steps(1) is loop
    assert loop.dispatcher is None


def test_python_does_not_call_an_inner_kernel():
    with pytest.raises(TypeError, match="_insert is an inner kernel, which only kernels can call"):
        _insert(np.zeros(2), np.zeros(2, np.int64), 0, 1.0, 3)
    best, chosen = np.zeros(2), np.zeros(2, np.int64)
    assert _insert.interpreted(best, chosen, 0, 1.0, 3) == 1
    assert (best[0], chosen[0]) == (1.0, 3)


def test_a_kernel_is_pickled_by_name():
    assert pickle.loads(pickle.dumps(select_dense)) is select_dense


def test_input_of_kernels_is_viewed_not_copied():
    X = np.zeros((3, 2))
    view = jit.read_only(X, np.float64)
    assert np.shares_memory(view, X)
    assert X.flags.writeable
    assert not view.flags.writeable
    assert jit.read_only(X.T, np.float64).flags.c_contiguous


def test_compiled_classes_of_other_packages_are_not_disturbed():
    """The constructor of a jitclass has no module."""
    constructor = FunctionType((lambda: None).__code__, {})
    assert constructor.__module__ is None
    event = SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=constructor)})
    listener = _compile._Notice()
    listener.on_start(event)
    assert listener.depth == 0
