"""The tags state what fit accepts: scikit-learn reads its part, validation enforces ours."""

from dataclasses import asdict

import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

import labelspan as ls
from labelspan.gate import with_label_tags
from labelspan.registry import ALL_LABELS, ON_HOST
from tests.laws.law import law, plain


@law()
def test_tags_agree_with_the_registry(entry):
    for model in (entry.estimator, clone(entry.estimator), plain(entry.name)):
        tags = get_tags(model).label_tags
        assert tags.takes("dask") == (entry.dask == "fit")
        assert all(tags.refused.values())


def test_scikit_learns_own_tags_are_untouched():
    class Plain(BaseEstimator):
        pass

    tags = get_tags(Plain())
    ours = asdict(with_label_tags(tags))
    refused = {"missing_labels": ALL_LABELS, "device": ON_HOST, "device_holes": ON_HOST}
    assert ours.pop("label_tags") == {"refused": refused}
    assert ours == asdict(tags)


def test_tags_pass_through_pipelines():
    tags = get_tags(make_pipeline(StandardScaler(), ls.MDDM(), ls.MultiOutputRidge()))
    assert tags.estimator_type == "classifier"
    assert tags.classifier_tags.multi_label


def test_one_estimator_does_not_change_the_tags_of_another():
    assert not get_tags(ls.PLST(regressor=Ridge(), ridge=0.0)).label_tags.takes("dask")
    assert get_tags(ls.PLST(ridge=0.0)).label_tags.takes("dask")
    get_tags(ls.MDDM()).label_tags.refuse(dask="for a test")
    assert get_tags(ls.MDDM()).label_tags.takes("dask")


@pytest.mark.parametrize("name", ["dask"])
def test_a_reason_ends_a_sentence(name):
    """Reasons follow the name of the class, or a colon, and a full stop follows them."""
    for model in (ls.LPP(), ls.KernelMDDM(), ls.LaRankSVM(), ls.PLST(regressor=Ridge(), ridge=0.0)):
        assert not get_tags(model).label_tags.refused[name].endswith(".")
