"""HSL by its authors (MLDR), and the weights of MLDA and DMLDA by the author of MVMD (ML-FE)."""

import pytest

import labelspan as ls
from tests.oracles import SETS, assert_equal, assert_equal_columns, run


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("expansion", ["clique", "star", "zhou"])
def test_hsl_equals_the_program_of_its_authors(expansion, name):
    sample = run(f"mldr_directions_{name}")
    model = ls.HSL(None, expansion=expansion).fit(sample.X, sample.Y)
    values = sample[f"hsl_{expansion}_values"]
    directions = sample[f"hsl_{expansion}_directions"]
    kept = min(model.n_components_, directions.shape[1])
    assert_equal(model.eigenvalues_, values[: len(model.eigenvalues_)])
    assert values[len(model.eigenvalues_) :].max(initial=0) <= 1e-12 * values[0]
    assert_equal_columns(model.components_[:kept].T, directions[:, :kept])
