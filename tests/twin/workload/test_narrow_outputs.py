"""Output lengths that hardly vary: they stay near their mean, however little that is."""

from __future__ import annotations

import numpy as np
import pytest

from twin.workload.sessions import NEARLY_NORMAL, gamma_quantiles

U = np.linspace(1e-4, 1 - 1e-4, 41)


@pytest.mark.parametrize("cv", [1e-3, 1e-6, 1e-9, 1e-30])
def test_near_the_mean(cv: float) -> None:
    shape = cv**-2
    drawn = gamma_quantiles(U, shape) / shape
    assert np.allclose(drawn, 1.0, atol=4.5 * cv)
    assert (np.diff(drawn) >= 0).all()


def test_both_forms_agree_where_they_meet() -> None:
    below, above = (
        (gamma_quantiles(U, shape) / shape - 1) * shape**0.5
        for shape in (NEARLY_NORMAL, NEARLY_NORMAL * 1.0001)
    )
    assert np.allclose(below, above, atol=1e-3)
