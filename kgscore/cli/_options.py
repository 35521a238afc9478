"""Options shared by several commands, each declared once; related options form groups, which a command takes as one value."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

from kgscore.config import PLAIN, RECORD_TIMEOUT

if TYPE_CHECKING:
    from kgscore.engine import Scorer
    from kgscore.knowledge import Knowledge
    from kgscore.results.statistics import Sampling
    from kgscore.runs.batch import Settings


def output_to(metavar: str, help: str) -> Any:
    """Return the output option, with a help text specific to the command."""
    return typer.Option("--output", "-o", metavar=metavar, help=help)


Pairs = Annotated[
    str | None,
    typer.Argument(metavar="PAIRS", help="JSONL, CSV or Parquet with id, reference, candidate; '-': JSON lines."),
]
Reference = Annotated[str | None, typer.Option("--reference", metavar="FILE", help="One reference report, or a file of them.")]
Candidate = Annotated[str | None, typer.Option("--candidate", metavar="FILE", help="One candidate report, or a file of them.")]
Peers = Annotated[
    str, typer.Option("--peers", metavar="P,…", help="Also compute third-party metrics: bleu, rouge … (`metrics --peers`).")
]
Profile = Annotated[str, typer.Option("--profile", metavar="P", help="Profile: the name of a shipped one, or a .yaml file.")]
Metrics = Annotated[str, typer.Option("--metrics", metavar="M,…", help="Metrics, separated by commas, or all.")]
Modules = Annotated[
    list[str] | None, typer.Option("--module", metavar="PATH", help="An ontology module of your own: folder or .ttl; repeatable.")
]
ReaderName = Annotated[str, typer.Option("--reader", metavar="R", help="Reader: default, the path of a model file, llm, hybrid.")]
Reports = Annotated[
    list[str], typer.Argument(metavar="FILE…", help="Text files, or lines with id, report (or reference, candidate); '-': JSON.")
]
Jobs = Annotated[int, typer.Option("--jobs", metavar="N", min=1, help="Worker processes; the output is the same for any N.")]
EmptyCandidate = Annotated[
    str,
    typer.Option("--empty-candidate", metavar="W", help="Candidate without findings: score as all missed, or skip."),
]
RecordTimeout = Annotated[
    float,
    typer.Option("--record-timeout", metavar="S", min=0, help="Seconds after which a record fails; 0: no limit."),
]
Output = Annotated[Path | None, output_to("FILE", "Output file; default: standard output.")]
ColumnNames = Annotated[
    list[str] | None,
    typer.Option("--columns", metavar="OURS=THEIRS,…", help="Names of columns: reference=gt,candidate=pred,id=study."),
]
Form = Literal["table", "json", "jsonl", "csv", "markdown", "latex", "arrow"]
Format = Annotated[Form, typer.Option("--format", help="table to read; markdown, latex for papers; others unrounded.")]
LinesOrTable = Annotated[Literal["table", "jsonl"], typer.Option("--format", help="table to read; jsonl unrounded.")]
NAMED_RUN = "A run folder (its last run), or FOLDER@N for run N of it."
NamedRun = Annotated[str, typer.Argument(metavar="RUN", help=NAMED_RUN)]
NoBaselines = Annotated[bool, typer.Option("--no-baselines", help="Omit the baselines: a normal report, another patient's.")]
NamedRuns = Annotated[list[str], typer.Argument(metavar="RUN…", help=NAMED_RUN)]
RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")]
RunNumber = Annotated[int | None, typer.Option("--run", metavar="N", help="Run number in the folder; default: the last.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="llm, hybrid: only estimate calls and tokens.")]
Cluster = Annotated[str | None, typer.Option("--cluster", metavar="COLUMN", help="Resample equal values together (patient).")]
Scale = Annotated[str, typer.Option("--scale", metavar="A:B", help="Preferences: the values meaning 'A clearly better' and 'B'.")]


@dataclass(frozen=True, slots=True)
class Engine:
    """Options for reading, matching and scoring."""

    profile: Profile = "default"
    module: Modules = None
    reader: ReaderName = "default"

    def settings(self, metrics: Iterable[Any] = (PLAIN,), timeout: float = RECORD_TIMEOUT, **more: Any) -> Settings:
        """Return the scoring settings; a `timeout` of 0 means none."""
        from kgscore.runs.batch import Settings

        modules = tuple(self.module or ())
        return Settings(self.profile, tuple(metrics), modules, reader=self.reader, timeout=timeout or None, **more)

    def scorer(self, metrics: Iterable[Any] = (PLAIN,)) -> Scorer:
        """Return a scorer; the engine is imported here."""
        from kgscore.runs.batch import scorer_for

        return scorer_for(self.settings(metrics))


@dataclass(frozen=True, slots=True)
class Resampling:
    """Options for intervals and tests."""

    level: Annotated[float, typer.Option(metavar="L", min=0.5, max=0.999, help="Level of the intervals.")] = 0.95
    resamples: Annotated[int, typer.Option(metavar="N", min=100, help="Number of resamples.")] = 10_000
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of the resampling.")] = 0

    def sampling(self, cluster: str | None = None) -> Sampling:
        """Return the sampling, with the input column whose equal values are resampled together."""
        from kgscore.results.statistics import Sampling

        return Sampling(self.level, self.resamples, self.seed, cluster)


@dataclass(frozen=True, slots=True)
class Work:
    """Options for reading records one by one."""

    profile: Profile = "default"
    module: Modules = None
    reader: ReaderName = "default"
    jobs: Jobs = 1
    record_timeout: RecordTimeout = RECORD_TIMEOUT

    @property
    def engine(self) -> Engine:
        """The options for reading, matching and scoring."""
        return Engine(self.profile, self.module, self.reader)

    def settings(self, metrics: Iterable[Any] = (PLAIN,)) -> Settings:
        """Return the scoring settings."""
        return self.engine.settings(metrics, self.record_timeout)


# The defaults of the option groups.
ENGINE, WORK, MANY, FEW = Engine(), Work(), Resampling(), Resampling(resamples=2_000)


def knowledge_of(module: list[str] | None) -> Knowledge:
    """Load and return the ontologies with the user's modules."""
    from kgscore.knowledge import load_knowledge

    return load_knowledge(tuple(module or ()))


def check_known(what: str, name: str, known: Iterable[str], option: str) -> str:
    """Return a name after checking that it is known. Raises typer.BadParameter if it is unknown."""
    if name not in (there := list(known)):
        raise typer.BadParameter(f"no {what} '{name}'; there are: {', '.join(there)}", param_hint=option)
    return name


def split_names(text: str) -> tuple[str, ...]:
    """Return the distinct names in a comma-separated list."""
    return tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def flatten_groups(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command that takes each option of its groups separately. A group's default supplies the option defaults."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if is_dataclass(parameter.default):
            groups[name] = parameter.default
            parameters += options_of(parameter.default)
        else:
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[name]))

    @wraps(command)
    def wrapper(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = replace(group, **{one.name: given.pop(one.name) for one in fields(group)})
        command(**given)

    return with_signature(wrapper, parameters)


def options_of(group: Any) -> list[inspect.Parameter]:
    """Return the options of a group, with its values as their defaults."""
    hints = get_type_hints(type(group), include_extras=True)
    return [
        inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=getattr(group, one.name), annotation=hints[one.name])
        for one in fields(group)
    ]


def with_signature(command: Callable[..., Any], parameters: list[inspect.Parameter]) -> Callable[..., Any]:
    """Return a function whose signature, as seen by Typer, has these parameters."""
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    return command
