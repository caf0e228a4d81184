"""Downloads from a real local server: success and each kind of failure."""

from __future__ import annotations

import gzip
import hashlib
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from labelspan.datasets import DataFileError, list_datasets, load_dataset
from labelspan.datasets.catalogue import _catalogue, files_of

pytest.importorskip("pooch", reason="downloads need the data extra")

FILES = {
    "tiny.xml": b'<labels><label name="a"/></labels>',
    "tiny-train.arff": b"@relation t\n@attribute x real\n@attribute a {0,1}\n@data\n1.5,1\n2,0\n",
    "tiny-test.arff": b"@relation t\n@attribute x real\n@attribute a {0,1}\n@data\n3,1\n",
}
FOLDER = "owner/repository/0123456789abcdef/data"


class Handler(BaseHTTPRequestHandler):
    """Serves FILES below the pinned path, with the requested faults."""

    def do_GET(self):
        server = self.server
        server.requested.append(self.path)
        content = FILES.get(self.path.removeprefix(f"/{FOLDER}/"))
        fault = server.faults.get(self.path.rpartition("/")[2])
        if content is None or fault == "404":
            self.send_error(404)
            return
        if fault == "slow header":
            self.trickle(b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 1000)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if fault == "cut":
            self.wfile.write(content[: len(content) // 2])
            self.wfile.flush()
            self.close_connection = True
        elif fault == "slow body":
            self.trickle(content)
        elif fault == "changed":
            self.wfile.write(content[:-1] + b"!")
        else:
            self.wfile.write(content)

    def trickle(self, content):
        """Send one byte at a time until the client or the test stops."""
        for byte in content:
            if self.server.ended.wait(0.05):
                break
            try:
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
            except OSError:
                break
        self.close_connection = True

    def log_message(self, *args):
        pass


@pytest.fixture
def server(monkeypatch):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.requested, server.faults, server.ended = [], {}, threading.Event()
    # A proxy of the environment must not see these requests.
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.ended.set()
    server.shutdown()
    server.server_close()
    thread.join(timeout=10)


@pytest.fixture
def tiny(monkeypatch, no_network_folders):
    """A catalogue entry whose files the server has; returns the cache folder."""
    files = tuple(
        _catalogue.DataFile(name, f"{FOLDER}/{name}", hashlib.sha256(content).hexdigest())
        for name, content in FILES.items()
    )
    entry = _catalogue.Entry("tiny", "arff", files, 3, 1, 1, 2 / 3, 2, citation="nobody")
    monkeypatch.setitem(_catalogue.CATALOGUE, "tiny", entry)
    return no_network_folders


def test_download_then_cache(server, tiny):
    first = load_dataset("tiny", base_url=server.url)
    np.testing.assert_array_equal(first.X.ravel(), [1.5, 2, 3])
    np.testing.assert_array_equal(first.Y.ravel(), [1, 0, 1])
    np.testing.assert_array_equal(first.test, [2])
    assert first.source == "nobody"
    assert sorted(path.name for path in (tiny / "tiny").iterdir()) == sorted(FILES)
    assert len(server.requested) == 3
    again = load_dataset("tiny", base_url=server.url)
    assert len(server.requested) == 3
    np.testing.assert_array_equal(again.X, first.X)
    assert load_dataset("tiny", download=False).X.shape == (3, 1)


def test_wrong_hash_is_refused_and_leaves_nothing(server, tiny):
    server.faults["tiny-train.arff"] = "changed"
    with pytest.raises(DataFileError, match=r"tiny-train\.arff.*not the pinned one"):
        load_dataset("tiny", base_url=server.url)
    assert [path.name for path in (tiny / "tiny").iterdir()] == ["tiny.xml"]


def test_cut_connection_then_resumed(server, tiny):
    server.faults["tiny-test.arff"] = "cut"
    with pytest.raises(FileNotFoundError, match="the download failed"):
        load_dataset("tiny", base_url=server.url)
    assert not (tiny / "tiny/tiny-test.arff").exists()
    assert len(list((tiny / "tiny").iterdir())) == 2
    server.faults.clear()
    server.requested.clear()
    assert load_dataset("tiny", base_url=server.url).X.shape == (3, 1)
    assert server.requested == [f"/{FOLDER}/tiny-test.arff"]


def test_endless_download_is_stopped(server, tiny, limit):
    limit("download bytes", 50)
    with pytest.raises(DataFileError, match="more than 50 bytes"):
        load_dataset("tiny", base_url=server.url)


def test_404_lists_what_to_put_where(server, tiny):
    server.faults["tiny.xml"] = "404"
    with pytest.raises(FileNotFoundError) as caught:
        load_dataset("tiny", base_url=server.url)
    message = str(caught.value)
    assert "404" in message
    assert str(tiny / "tiny") in message
    for name in FILES:
        assert f"{name} from {server.url}/{FOLDER}/{name} (SHA-256 " in message


def test_no_server_lists_what_to_put_where(server, tiny):
    url = server.url
    server.shutdown()
    server.server_close()
    with pytest.raises(FileNotFoundError, match="the download failed"):
        load_dataset("tiny", base_url=url)


def test_damaged_cache_is_fetched_again(server, tiny):
    load_dataset("tiny", base_url=server.url)
    (tiny / "tiny/tiny-train.arff").write_bytes(b"damaged")
    server.requested.clear()
    assert load_dataset("tiny", base_url=server.url).X.shape == (3, 1)
    assert server.requested == [f"/{FOLDER}/tiny-train.arff"]


def test_files_put_there_by_hand_are_found(tiny, monkeypatch, tmp_path):
    folder = tmp_path / "by-hand/tiny"
    folder.mkdir(parents=True)
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    monkeypatch.setenv("LABELSPAN_DATA", str(tmp_path / "by-hand"))
    found = load_dataset("tiny", download=False)
    np.testing.assert_array_equal(found.X.ravel(), [1.5, 2, 3])
    np.testing.assert_array_equal(found.Y.ravel(), [1, 0, 1])


@pytest.fixture
def long_file(monkeypatch):
    """A training part of 2 MB, most of it a comment."""
    content = FILES["tiny-train.arff"] + b"%"
    monkeypatch.setitem(FILES, "tiny-train.arff", content + b"x" * (2_000_000 - len(content)))


def test_progress_bar(long_file, server, tiny, capsys):
    load_dataset("tiny", base_url=server.url, progress=True)
    shown = capsys.readouterr().err
    assert f"\rtiny-test.arff [{'#' * 30}] 0.0 MB\n" in shown
    assert f"\rtiny-train.arff [{'#' * 15}{' ' * 15}] 1.0 MB\r" in shown
    assert f"\rtiny-train.arff [{'#' * 30}] 2.0 MB\n" in shown


def test_list_says_where_each_set_is(no_network_folders):
    listed = {info.name: info for info in list_datasets()}
    assert listed["yeast"].where == "package"
    assert listed["scene"].where == "download"
    assert listed["slashdot"].where == "missing"
    assert listed["scene"].density == pytest.approx(1.074 / 6)
    table = repr(list_datasets()).splitlines()
    assert len(table) == len(listed) + 1
    assert table[2].split() == ["scene", "2407", "294", "6", "1.074", "0.179", "1211", "download"]


def test_list_finds_the_data_folder(data_folder):
    assert {info.name: info.where for info in list_datasets()}["scene"] == "data folder"


def test_catalogue_addresses_are_pinned():
    for entry in _catalogue.CATALOGUE.values():
        for file in entry.files:
            if not file.address:
                continue
            commit = file.address.split("/")[2]
            assert len(commit) == 40
            assert set(commit) <= set("0123456789abcdef")
            assert len(file.sha256) == 64


def test_catalogue_hashes_are_those_of_the_files(data_folder):
    checked = 0
    for entry in _catalogue.CATALOGUE.values():
        for file, path in zip(entry.files, files_of(entry.name), strict=False):
            content = path.read_bytes()
            content = gzip.decompress(content) if path.suffix == ".gz" else content
            if file.sha256:
                assert hashlib.sha256(content).hexdigest() == file.sha256, file.name
                checked += 1
    assert checked >= 44


@pytest.mark.parametrize("fault", ["slow header", "slow body"])
def test_a_server_that_sends_a_byte_at_a_time_is_left(fault, server, tiny, limit):
    # Each byte arrives within the timeout of the connection; one second in total is too long here.
    limit("grace seconds", 1.0)
    server.faults["tiny-train.arff"] = fault
    started = time.monotonic()
    with pytest.raises(FileNotFoundError, match=r"in 1 seconds, less than 10000 per second"):
        load_dataset("tiny", base_url=server.url)
    assert time.monotonic() - started < 3
    assert not (tiny / "tiny" / "tiny-train.arff").exists()
    server.faults.clear()
    assert load_dataset("tiny", base_url=server.url).X.shape == (3, 1)
