"""Data sets of OpenML: real requests and files from a local server."""

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from labelspan.datasets import DataFileError, from_openml

ARFF = """@relation toy
@attribute size numeric
@attribute colour {red,blue,green}
@attribute id numeric
@attribute ripe {FALSE,TRUE}
@attribute sweet {FALSE,TRUE}
@data
1.5,red,1,TRUE,FALSE
2.5,blue,2,FALSE,TRUE
3.5,green,3,TRUE,TRUE
"""
FEATURES = (("size", 0), ("colour", 0), ("id", 0), ("ripe", 1), ("sweet", 1))


def answers(base, targets):
    """What the API answers, by the beginning of the path."""
    features = [
        {
            "index": str(i),
            "name": name,
            "data_type": "nominal" if name in ("colour", "ripe", "sweet") else "numeric",
            "is_target": str(name in targets).lower(),
            "is_ignore": "false",
            "is_row_identifier": "false",
            "number_of_missing_values": "0",
        }
        for i, (name, _) in enumerate(FEATURES)
    ]
    description = {
        "id": "7",
        "name": "toy",
        "version": "4",
        "format": "ARFF",
        "description": "A toy.",
        "status": "active",
        "file_id": "1",
        "url": f"{base}/data/v1/download/1/toy.arff",
        "default_target_attribute": ",".join(targets),
        "md5_checksum": hashlib.md5(ARFF.encode(), usedforsecurity=False).hexdigest(),
    }
    return {
        "/api/v1/json/data/list/data_name/toy": {
            "data": {"dataset": [{"did": 7, "name": "toy", "version": 4, "status": "active"}]}
        },
        "/api/v1/json/data/features/7": {"data_features": {"feature": features}},
        "/api/v1/json/data/qualities/7": {
            "data_qualities": {"quality": [{"name": "NumberOfInstances", "value": "3"}]}
        },
        "/api/v1/json/data/7": {"data_set_description": description},
    }


@pytest.fixture
def openml(monkeypatch, tmp_path):
    """Serve the toy set with some targets; gives the options of `from_openml`."""
    servers = []

    def start(targets=("ripe", "sweet")):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                base = f"http://127.0.0.1:{self.server.server_port}"
                known = answers(base, targets)
                found = [known[path] for path in known if self.path.startswith(path)]
                body = ARFF if self.path.startswith("/data/") else json.dumps(found[0])
                self.send_response(200)
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *ignored):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for name, path in (
            ("_SEARCH_NAME", "data/list/data_name/{}/limit/2"),
            ("_DATA_INFO", "data/{}"),
            ("_DATA_FEATURES", "data/features/{}"),
            ("_DATA_QUALITIES", "data/qualities/{}"),
        ):
            url = f"http://127.0.0.1:{server.server_port}/api/v1/json/{path}"
            monkeypatch.setattr(f"sklearn.datasets._openml.{name}", url)
        return {"data_home": tmp_path, "n_retries": 1}

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("which", [{"name": "toy"}, {"data_id": 7}])
def test_targets_become_labels(openml, which):
    toy = from_openml(**which, ignore=["id"], **openml())
    assert toy.name == "toy"
    assert toy.label_names == ("ripe", "sweet")
    np.testing.assert_array_equal(toy.Y, [[1, 0], [0, 1], [1, 1]])
    assert toy.feature_names == ("size", "colour=blue", "colour=green", "colour=red")
    np.testing.assert_array_equal(toy.X, [[1.5, 0, 0, 1], [2.5, 1, 0, 0], [3.5, 0, 1, 0]])


def test_labels_may_be_named(openml):
    options = openml(targets=("colour",))
    toy = from_openml(data_id=7, labels=["sweet", "ripe"], ignore=["colour"], **options)
    assert (toy.label_names, toy.feature_names) == (("sweet", "ripe"), ("size", "id"))
    np.testing.assert_array_equal(toy.Y, [[0, 1], [1, 0], [1, 1]])


def test_one_target_is_refused_with_the_repair(openml):
    with pytest.raises(DataFileError, match="only 'colour' as a target; name the columns by lab"):
        from_openml(data_id=7, **openml(targets=("colour",)))
