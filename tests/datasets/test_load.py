"""Every benchmark file loads with the recorded statistics; formats agree value for value."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
import scipy.sparse as sp

from labelspan.datasets import list_datasets, load_dataset, load_goemotions, load_yeast, read_arff

# n, features, labels, cardinality, training rows, copied by hand from the README of the data.
RECORD = {
    "emotions": (593, 72, 6, 1.868, 391),
    "scene": (2407, 294, 6, 1.074, 1211),
    "yeast": (2417, 103, 14, 4.237, 1500),
    "enron": (1702, 1001, 53, 3.378, 1123),
    "delicious": (16105, 500, 983, 19.020, 12920),
    "medical": (978, 1449, 45, 1.245, 333),
    "genbase": (662, 1185, 27, 1.252, 463),
    "bibtex": (7395, 1836, 159, 2.402, 4880),
    "corel5k": (5000, 499, 374, 3.522, 4500),
    "human-go": (3106, 9844, 14, 1.185, 2053),
    "gnegative-go": (1392, 1717, 8, 1.046, 931),
    "image": (2000, 294, 5, 1.236, 1501),
    "yahoo-mlknn-arts": (5000, 462, 26, None, 2000),
    "yahoo-mlknn-business": (5000, 438, 30, None, 2000),
    "yahoo-mlknn-computers": (5000, 681, 33, None, 2000),
    "yahoo-mlknn-education": (5000, 550, 33, None, 2000),
    "yahoo-mlknn-entertainment": (5000, 640, 21, None, 2000),
    "yahoo-mlknn-health": (5000, 612, 32, None, 2000),
    "yahoo-mlknn-recreation": (5000, 606, 22, None, 2000),
    "yahoo-mlknn-reference": (5000, 793, 33, None, 2000),
    "yahoo-mlknn-science": (5000, 743, 40, None, 2000),
    "yahoo-mlknn-social": (5000, 1047, 39, None, 2000),
    "yahoo-mlknn-society": (5000, 636, 27, None, 2000),
    "yahoo-mulan-arts": (7484, 23146, 26, None, None),
    "yahoo-mulan-business": (11214, 21924, 30, None, None),
    "yahoo-mulan-education": (12030, 27534, 33, None, None),
    "yahoo-mulan-health": (9205, 30605, 32, None, None),
    "yahoo-mulan-reference": (8027, 39679, 33, None, None),
    "yahoo-mulan-science": (6428, 37187, 40, None, None),
    "eukaryote-go": (7766, 12689, 22, 1.146, 5179),
    "slashdot": (3782, 1079, 22, 1.181, None),
    "rcv1subset1": (6000, 47236, 101, 2.895, 3000),
    "rcv1subset2": (6000, 47236, 101, 2.890, 3000),
    "rcv1subset3": (6000, 47236, 101, 2.905, 3000),
    "rcv1subset4": (6000, 47229, 101, 2.908, 3000),
    "rcv1subset5": (6000, 47235, 101, 2.905, 3000),
    "rcv1subset1-asdistributed": (6000, 47236, 101, 2.880, None),
    "rcv1subset4-asdistributed": (6000, 47229, 101, 2.484, None),
    "rcv1subset5-asdistributed": (6000, 47235, 101, 2.642, None),
    "goemotions": (3000, 256, 27, 1.204, 2000),
}
DENSE = {"emotions", "scene", "yeast", "genbase", "image", "goemotions"}


def test_the_record_is_whole():
    assert {info.name for info in list_datasets()} == set(RECORD)


@pytest.mark.parametrize("name", RECORD)
def test_statistics_are_those_on_record(name, data_folder):
    n, n_features, n_labels, cardinality, n_train = RECORD[name]
    dataset = load_dataset(name, download=False)
    assert dataset.name == name
    assert dataset.X.shape == (n, n_features)
    assert dataset.Y.shape == (n, n_labels)
    assert dataset.Y.dtype == np.int64
    assert dataset.X.dtype == np.float64
    assert len(dataset.feature_names) == n_features
    assert len(set(dataset.label_names)) == n_labels
    listed = next(info for info in list_datasets() if info.name == name)
    assert (listed.n_samples, listed.n_features, listed.n_labels) == (n, n_features, n_labels)
    assert listed.n_train == n_train
    for value in {listed.cardinality, cardinality} - {None}:
        assert dataset.Y.sum() / n == pytest.approx(value, abs=6e-4)
    if n_train is None:
        assert dataset.train is None
    else:
        np.testing.assert_array_equal(dataset.train, np.arange(n_train))
        np.testing.assert_array_equal(dataset.test, np.arange(n_train, n))
    if sp.issparse(dataset.X):
        assert dataset.X.has_canonical_format
        assert dataset.X.data.all()
    assert sp.issparse(dataset.X) != (name in DENSE or "mlknn" in name)


def test_yeast_file_equals_the_bundle(data_folder):
    built_in, from_file = load_yeast(), load_dataset("yeast")
    np.testing.assert_array_equal(from_file.X, built_in.X)
    np.testing.assert_array_equal(from_file.Y, built_in.Y)
    assert from_file.label_names == built_in.label_names


def test_yeast_needs_no_files(no_network_folders):
    found, bundled = load_dataset("yeast", download=False), load_yeast()
    np.testing.assert_array_equal(found.X, bundled.X)
    np.testing.assert_array_equal(found.Y, bundled.Y)
    assert found.X.shape == (2417, 103)


def test_goemotions_needs_no_files(no_network_folders):
    found, bundled = load_dataset("goemotions", download=False), load_goemotions()
    np.testing.assert_array_equal(found.X, bundled.X)
    np.testing.assert_array_equal(found.Y, bundled.Y)
    assert {info.name: info.where for info in list_datasets()}["goemotions"] == "package"
    # Unit vectors, one byte per dimension; every text has an emotion.
    np.testing.assert_allclose(np.linalg.norm(found.X, axis=1), 1, atol=4e-3)
    assert len(np.unique(found.X)) < 256
    assert found.Y.sum(axis=1).min() == 1


def test_goemotions_are_texts_of_the_files(data_folder):
    # Names and, for every label, about as many rows as in the file it was drawn from.
    names = (data_folder / "text/goemotions-labels.txt").read_text().split()
    with gzip.open(data_folder / "text/goemotions-train.tsv.gz", "rt", encoding="utf-8") as file:
        sets = [set(map(int, line.split("\t")[1].split(","))) for line in file]
    texts, neutral = load_goemotions(), names.index("neutral")
    assert texts.label_names == tuple(name for name in names if name != "neutral")
    kept = [labels for labels in sets if labels != {neutral}]
    for place, name in enumerate(texts.label_names):
        share = np.mean([names.index(name) in labels for labels in kept])
        off = abs(texts.Y[:, place].mean() - share)
        assert off < 4 * np.sqrt(share * (1 - share) / 3000)


def test_labels_follow_the_arff_not_the_xml(data_folder):
    names = load_dataset("yeast").label_names
    xml = (data_folder / "mulan/yeast/yeast.xml").read_text()
    assert names == tuple(f"Class{i}" for i in range(1, 15))
    assert [xml.index(f'"{name}"') for name in names] != sorted(
        xml.index(f'"{name}"') for name in names
    )


def test_delicious_has_empty_rows_and_the_escaped_name(data_folder):
    delicious = load_dataset("delicious")
    assert "TAG_dise\\~no" in delicious.label_names
    assert (delicious.Y.sum(axis=1) == 0).any()


def test_meka_file(data_folder):
    music = read_arff(data_folder / "meka/Music.arff")
    assert music.X.shape == (592, 71)
    assert music.label_names[0] == "amazed-suprised"
    assert music.Y.shape == (592, 6)
    np.testing.assert_array_equal(music.Y[0], [0, 1, 1, 0, 0, 0])
    assert music.X[0, 0] == 0.132498


def test_unknown_name_suggests():
    with pytest.raises(ValueError, match="did you mean emotions"):
        load_dataset("emotion")


def test_offline_message_says_what_to_put_where(no_network_folders):
    with pytest.raises(FileNotFoundError) as caught:
        load_dataset("scene", download=False)
    message = str(caught.value)
    assert str(no_network_folders / "scene") in message
    assert "scene-train.arff from https://raw.githubusercontent.com/tsoumakas/mulan/" in message
    assert "b53ba93bdf412de922e3960389bcee24744fa3e872ce610511fc1d750888b64d" in message


def test_set_without_address_says_so(no_network_folders):
    with pytest.raises(FileNotFoundError, match="no public pinned address"):
        load_dataset("slashdot")
