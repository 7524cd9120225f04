"""Colours keep the contrast that their roles promise, and the options are ones Streamlit knows."""

from __future__ import annotations

import pytest

from web.ui.theme import DARK, LIGHT, THEME

TEXT, GRAPHIC = 4.5, 3.0


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb (WCAG 2.2)."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_computed_as_the_standard_has_it():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["backgroundColor", "secondaryBackgroundColor"])
def test_texts_and_shapes_can_be_seen(theme, ground):
    for name, colour in theme.items():
        if (
            name == "textColor"
            or name.endswith("TextColor")
            or name in ("primaryColor", "linkColor")
        ):
            assert contrast(colour, theme[ground]) >= TEXT, name
        elif name.endswith("Color") and "ackground" not in name and name != "borderColor":
            assert contrast(colour, theme[ground]) >= GRAPHIC, name


def test_both_themes_say_the_same_things():
    assert set(LIGHT) == set(DARK)


def test_streamlit_knows_each_option():
    from streamlit import config

    assert [name for name in THEME if name not in config._config_options_template] == []
