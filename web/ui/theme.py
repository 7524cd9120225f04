"""The colours and type of the pages, as Streamlit's theme options; the component reads them too.

Roles are fixed on every page: blue is P, orange is RLD, green is MD, violet is the line, yellow
is more than 90 % used, red is lost or refused. The `Text` shades reach a contrast of 4.5 : 1 on
both backgrounds of their theme, the others 3 : 1.
"""

from __future__ import annotations

from typing import Any

LIGHT = {
    "primaryColor": "#4f52c9",
    "backgroundColor": "#ffffff",
    "secondaryBackgroundColor": "#f6f7f9",
    "textColor": "#1a1f2b",
    "borderColor": "#e2e5eb",
    "linkColor": "#4f52c9",
    "blueColor": "#2f6fe0",
    "orangeColor": "#dd4b24",
    "greenColor": "#178a52",
    "violetColor": "#6a6ce0",
    "yellowColor": "#c77700",
    "redColor": "#c2183c",
    "grayColor": "#868e9c",
    "blueTextColor": "#2159c4",
    "orangeTextColor": "#bd3a16",
    "greenTextColor": "#0f7042",
    "violetTextColor": "#4f52c9",
    "yellowTextColor": "#8f5600",
    "redTextColor": "#b01335",
    "grayTextColor": "#5c6473",
}
DARK = {
    "primaryColor": "#8f93ff",
    "backgroundColor": "#0e1117",
    "secondaryBackgroundColor": "#161a23",
    "textColor": "#e8eaf0",
    "borderColor": "#272d3a",
    "linkColor": "#a3a6ff",
    "blueColor": "#5b9bff",
    "orangeColor": "#ff7a55",
    "greenColor": "#3ec487",
    "violetColor": "#8a8dff",
    "yellowColor": "#f0b13c",
    "redColor": "#ff5c7a",
    "grayColor": "#7d8696",
    "blueTextColor": "#7db0ff",
    "orangeTextColor": "#ff936f",
    "greenTextColor": "#5bd39b",
    "violetTextColor": "#a9acff",
    "yellowTextColor": "#f3c063",
    "redTextColor": "#ff8098",
    "grayTextColor": "#9aa3b2",
}

THEME: dict[str, Any] = {
    "theme.baseRadius": "8px",
    "theme.font": "sans-serif",
    **{f"theme.light.{name}": value for name, value in LIGHT.items()},
    **{f"theme.dark.{name}": value for name, value in DARK.items()},
}
"""Options for `st.App.run(config=...)`."""
