"""Colours and fonts of the plots, SVG and PNG. Outcome colours are those of the pages, distinguishable in greyscale; heat maps
use cividis, which is safe for colour-blind readers."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from html import escape
from typing import TYPE_CHECKING, Any, Literal, ParamSpec

from kgscore.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

P = ParamSpec("P")
ThemeName = Literal["light", "dark"]
Table = Any  # rows as mappings, or an Arrow table of them
_LINES = "stroke-linejoin: round; stroke-linecap: butt"
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours of one theme. Those of `missed` and `invented` get stronger with severity, 1 to 4; `scale` colours a heat
    map; `body` is a region without an error."""

    ink: str
    muted: str
    faint: str
    ground: str
    accent: str
    missed: tuple[str, ...]
    invented: tuple[str, ...]
    scale: str
    body: str


THEMES: dict[str, Theme] = {
    "light": Theme(
        ink="#1d2733", muted="#5b6774", faint="#dfe4ea", ground="#ffffff", accent="#0072b2",
        missed=("#dcd2ec", "#ab96d0", "#6d48ab", "#2e1a57"),
        invented=("#c6e0ef", "#84bcdd", "#2b83ba", "#0c4266"), scale="cividis", body="#f4f0fa",
    ),
    "dark": Theme(
        ink="#e8ecf1", muted="#a3aebb", faint="#333d49", ground="#151b22", accent="#56b4e9",
        missed=("#3d2f57", "#67489a", "#a873e5", "#e0ccff"),
        invented=("#1b4058", "#24699a", "#4ba3dc", "#b4ddf8"), scale="cividis", body="#2a2433",
    ),
}  # fmt: skip


@contextmanager
def configured_theme(theme: ThemeName) -> Iterator[Theme]:
    """Yield the theme, with matplotlib configured for it only inside the block.

    Raises:
        MissingExtraError: matplotlib is not installed.
        ValueError: the theme is unknown.
    """
    if theme not in THEMES:
        raise ValueError(f"theme '{theme}': unknown; known themes: {', '.join(THEMES)}")
    found = THEMES[theme]
    try:
        from matplotlib import rc_context
    except ImportError:
        raise MissingExtraError("plots need matplotlib; install it with: pip install 'kgscore[plots]'") from None
    settings: dict[str, Any] = {
        "font.family": ["DejaVu Sans"], "font.size": 10, "text.color": found.ink, "axes.labelcolor": found.muted,
        "axes.edgecolor": found.faint, "axes.facecolor": "none", "figure.facecolor": found.ground, "xtick.color": found.muted,
        "ytick.color": found.ink, "axes.grid": False, "grid.color": found.faint, "axes.titlesize": 12, "axes.titleweight": "bold",
        "axes.titlelocation": "left", "axes.spines.top": False, "axes.spines.right": False,
        "figure.constrained_layout.h_pad": 0.08, "figure.constrained_layout.w_pad": 0.08, "legend.frameon": False,
        "legend.labelcolor": found.ink,
    }  # fmt: skip
    with rc_context(settings):  # type: ignore[arg-type]
        yield found


@contextmanager
def canvas(theme: ThemeName, width: float, height: float) -> Iterator[tuple[Figure, Any, Theme]]:
    """Yield a figure of this size in inches, its axes and the theme to draw with inside the block."""
    with configured_theme(theme) as look:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure, figure.subplots(), look


def table_rows(table: Table) -> list[Any]:
    """Return the rows of a table as mappings."""
    return list(table.to_pylist() if hasattr(table, "to_pylist") else table)


def label_rows(ax: Any, names: Sequence[str]) -> None:
    """Label the rows of a plot, the first at the top."""
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(max(1, len(names)) - 0.4, -0.6)
    ax.tick_params(left=False)
    ax.spines["left"].set_visible(False)


def format_as_shares(ax: Any) -> None:
    """Format the axis as shares in percent, with grid lines."""
    ax.xaxis.set_major_formatter(lambda value, _: f"{value * 100:.0f} %")
    ax.grid(axis="x")
    ax.set_axisbelow(True)


def draw_empty(ax: Any, words: str, look: Theme) -> None:
    """Write a message instead of an empty plot."""
    ax.set_axis_off()
    ax.text(0.5, 0.5, words, ha="center", transform=ax.transAxes, color=look.muted)


def as_svg(draw: Callable[P, Figure]) -> Callable[P, str]:
    """Return a function that renders the figure of another as SVG."""

    @wraps(draw)
    def draw_svg(*given: P.args, **named: P.kwargs) -> str:
        return svg(draw(*given, **named))

    return draw_svg


def svg(figure: Figure, *, background: bool = False) -> str:
    """Return a figure as SVG text to embed in a page: text stays text, with a name for screen readers, byte-reproducible.
    `background` fills the background (for a separate file)."""
    from matplotlib import rc_context

    buffer = io.StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "kgscore"}):
        figure.savefig(buffer, format="svg", transparent=not background, metadata={"Date": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    # In a page, a style sheet would affect every other plot; presentation attributes do not.
    text = re.sub(r"<style.*?</style>", "", text, flags=re.DOTALL)
    text = re.sub(r'<g id="[^"]*"', "<g", text)
    # Readers may use fonts of their own: the widths were computed with DejaVu Sans, which is wide.
    text = re.sub(r"font: ([^;\"]*?)'DejaVu Sans'[^;\"]*", lambda found: f"font: {found[1]}{_FONT}", text)
    name = escape(str(figure.get_label() or "plot"), quote=True)
    return text.replace("<svg ", f'<svg role="img" aria-label="{name}" style="{_LINES}" ', 1)


def png(figure: Figure, *, dpi: int = 160) -> bytes:
    """Return a figure as a PNG image with a filled background."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi, metadata={"Software": None})
    return buffer.getvalue()
