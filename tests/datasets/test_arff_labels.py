"""Label columns of an ARFF file: outdated or conflicting sources are not used."""

from __future__ import annotations

import re

import numpy as np
import pytest

from labelspan.datasets import DataFileError, list_datasets, load_dataset, read_arff

REMOVE = "weka.filters.unsupervised.attribute.Remove-R1-2"
COLUMNS = ("u", "v", "w", "a", "b")
STALE = f"toy: -C 2 -I 0-{REMOVE}"


def write(folder, relation, xml=(), name="toy.arff"):
    """Five binary columns, of which the last two are labels."""
    columns = "".join(f"@attribute {column} {{0,1}}\n" for column in COLUMNS)
    path = folder / name
    path.write_text(f"@relation '{relation}'\n{columns}@data\n0,1,1,0,1\n1,1,0,1,0\n")
    if xml:
        items = "".join(f'<label name="{label}"/>' for label in xml)
        (folder / "toy.xml").write_text(f"<labels>{items}</labels>")
    return path


def test_mulan_medical_has_the_labels_of_its_xml(data_folder):
    folder = data_folder / "mulan/medical"
    medical = read_arff(folder / "medical-train.arff", folder / "medical-test.arff")
    assert medical.Y.shape == (978, 45)
    assert all(name.startswith("Class-") for name in medical.label_names)
    assert not any(name.startswith("Class-") for name in medical.feature_names)
    assert medical.Y.sum() / 978 == pytest.approx(1.245, abs=5e-4)


@pytest.mark.parametrize(
    "relation",
    [
        STALE,
        f"toy: -C 2-{REMOVE}",
        "toy: -C -1 -split 5-weka.filters.unsupervised.attribute.Reorder-R3-last,1-2",
        "A: -C 2 -meka.filters.multilabel.SuperNodeFilter-x",
    ],
)
def test_an_option_before_a_filter_is_stale(relation, tmp_path):
    path = write(tmp_path, relation)
    with pytest.raises(DataFileError, match=r"-C -?\d in the relation name is not used, because"):
        read_arff(path)
    with pytest.raises(DataFileError, match=r"pass xml=, label_names= or label_count="):
        read_arff(path)
    # Each way to repair it that the message names.
    assert read_arff(path, label_count=-2).label_names == ("a", "b")
    assert read_arff(path, label_names=["a", "b"]).label_names == ("a", "b")
    write(tmp_path, relation, xml=("b", "a"))
    assert read_arff(path).label_names == ("a", "b")
    assert read_arff(path, xml=tmp_path / "toy.xml").label_names == ("a", "b")


@pytest.mark.parametrize("relation", ["toy: -C -2", "toy: -C -2 -split 7", "toy"])
def test_sources_that_agree(relation, tmp_path):
    path = write(tmp_path, relation, xml=("a", "b"))
    assert read_arff(path).label_names == ("a", "b")
    assert read_arff(path, label_count=-2).label_names == ("a", "b")


DISAGREE = {
    "option and file beside": (
        "toy: -C 2", ("a", "b"), {},
        "toy.xml means 2 columns ('a', 'b'), but -C 2 in the relation name means 2 columns "
        "('u', 'v'); correct one of the two, or name the labels by label_names= (--labels)",
    ),
    "option and count": (
        "toy: -C 2", (), {"label_count": -2},
        "label_count=-2 means 2 columns ('a', 'b'), but -C 2 in the relation name means",
    ),
    "count and file beside": (
        "toy", ("a", "b"), {"label_count": -4},
        "label_count=-4 means 4 columns ('v', 'w', 'a', ...), but toy.xml means 2 columns",
    ),
    "count, file and stale option": (
        STALE, ("b",), {"label_count": -2},
        "label_count=-2 means 2 columns ('a', 'b'), but toy.xml means 1 column ('b')",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", DISAGREE)
def test_sources_that_disagree_are_both_named(case, tmp_path):
    relation, xml, options, message = DISAGREE[case]
    path = write(tmp_path, relation, xml)
    with pytest.raises(DataFileError, match=re.escape(message)):
        read_arff(path, **options)
    # Names override everything else.
    assert read_arff(path, label_names=["w"], **options).label_names == ("w",)


def test_a_count_that_runs_into_other_text_is_not_used(tmp_path):
    path = write(tmp_path, "toy: -C 2@relation")
    with pytest.raises(DataFileError, match=r"-C 2 .* is not used, because no space follows"):
        read_arff(path)


def test_two_options_in_one_relation_name_are_none(tmp_path):
    path = write(tmp_path, "toy: -C 2 -C -1")
    with pytest.raises(DataFileError, match="-C 2 in the relation name is not used, because -C -1"):
        read_arff(path)


def test_meka_option_alone_still_counts(data_folder):
    music, emotions = read_arff(data_folder / "meka/Music.arff"), load_dataset("emotions")
    # The same songs but for one, and the labels first.
    assert (len(music.X), len(emotions.X)) == (592, 593)
    assert music.label_names[:2] == ("amazed-suprised", "happy-pleased")
    less = np.abs(np.sort(emotions.Y.sum(axis=0)) - np.sort(music.Y.sum(axis=0)))
    assert less.max() == 1


@pytest.mark.parametrize("name", ["corel5k/Corel5k-{}-sparse.arff", "genbase/genbase-{}.arff.gz"])
def test_filters_without_an_option_change_nothing(name, data_folder):
    # Relation names with filters and no -C: the XML file names the labels.
    paths = [data_folder / "mulan" / name.format(part) for part in ("train", "test")]
    dataset = read_arff(*paths, ignore=["protein"] if "genbase" in name else ())
    known = next(info for info in list_datasets() if name.startswith(f"{info.name}/"))
    assert dataset.Y.shape == (known.n_samples, known.n_labels)
    assert dataset.Y.sum() / known.n_samples == pytest.approx(known.cardinality, abs=5e-4)
