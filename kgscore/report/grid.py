"""Tables of figures for a terminal (where numbers are never truncated), Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

_LEAST = 8  # minimum width of a wrapped text column
_BETTER, _WORSE = "green", "red"
_LATEX = str.maketrans({
    "&": r"\&", "%": r"\%", "_": r"\_", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}", "–": "--", "−": "$-$", "→": r"$\to$",
    "<": "$<$", ">": "$>$", "≤": r"$\le$", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}",
    "↓": r"$\downarrow$", "τ": r"$\tau$",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, and whether its cells are words, which may be wrapped, or figures, which may not."""

    name: str
    words: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: title, columns, rows of cells, and notes. `better` tells for a row (by number) whether its figure is
    better (True) or worse (False) than the one compared; `verdict` is the column coloured accordingly."""

    title: str
    columns: tuple[Column, ...]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    better: Sequence[bool | None] = ()
    verdict: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.title:
            yield Text(self.title, "bold")
        gap = next((gap for gap in (2, 1) if self._minimum_width(gap) <= options.max_width), None)
        yield Group(*self._stacked_rows(options.max_width)) if gap is None else self._table(gap)
        yield from (Text(f"  {note}", "dim") for note in self.notes)
        yield Text()

    def _minimum_width(self, gap: int) -> int:
        """Return the width below which a figure would be truncated."""
        widths = [max(map(cell_len, (column.name, *(row[at] for row in self.rows)))) for at, column in enumerate(self.columns)]
        least = sum(min(_LEAST, w) if c.words else w for c, w in zip(self.columns, widths, strict=True))
        return least + gap * (len(widths) - 1)

    def _style(self, row: int, column: Column) -> str:
        found = self.better[row] if column.name == self.verdict and row < len(self.better) else None
        return "" if found is None else _BETTER if found else _WORSE

    def _table(self, gap: int) -> RenderableType:
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, gap - 1, 0, 0))  # the box adds 1
        for column in self.columns:
            table.add_column(column.name, justify="left" if column.words else "right", overflow="fold", no_wrap=not column.words)
        for at, row in enumerate(self.rows):
            table.add_row(*(Text(cell, self._style(at, column)) for column, cell in zip(self.columns, row, strict=True)))
        return table

    def _stacked_rows(self, width: int) -> Iterator[RenderableType]:
        """Return the rows one after the other, for a table wider than the terminal."""
        for at, row in enumerate(self.rows):
            cells = [(column, cell) for column, cell in zip(self.columns, row, strict=True) if cell]
            yield Text(" · ".join(cell for column, cell in cells if column.words), "bold")
            line = Text()
            for column, cell in cells:
                if not column.words:
                    figure = Text.assemble("  ", (f"{column.name} ", "dim"), (cell, self._style(at, column)))
                    if line and line.cell_len + figure.cell_len > width:
                        yield line
                        line = Text()
                    line.append_text(figure)
            yield line

    def markdown(self) -> str:
        """Return it as a Markdown table, with title and notes."""
        rule = (":--" if column.words else "--:" for column in self.columns)
        lines = [[column.name for column in self.columns], [*rule], *self.rows]
        table = "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)
        notes = "".join(f"\n{note}\n" for note in self.notes)
        return f"{f'**{self.title}**{chr(10)}{chr(10)}' if self.title else ''}{table}{notes}"

    def latex(self) -> str:
        """Return it as a LaTeX table (booktabs)."""
        lines = [[column.name for column in self.columns], *self.rows]
        cells = [f"{' & '.join(cell.translate(_LATEX) for cell in line)} \\\\\n" for line in lines]
        layout = "".join("l" if column.words else "r" for column in self.columns)
        notes = "".join(f"% {note}\n" for note in self.notes)
        head = f"% {self.title}\n" if self.title else ""
        body = f"\\toprule\n{cells[0]}\\midrule\n{''.join(cells[1:])}\\bottomrule\n"
        return f"{head}\\begin{{tabular}}{{{layout}}}\n{body}\\end{{tabular}}\n{notes}"
