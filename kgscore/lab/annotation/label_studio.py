"""Marked sentences as Label Studio tasks: proposed marks are exported as predictions, and imported as annotations."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kgscore.errors import InputError
from kgscore.lab.annotation.marks import Marked
from kgscore.lab.annotation.regions import Region, Tie, from_regions, to_regions


def write_label_studio(sentences: Sequence[Marked]) -> str:
    """Return the tasks as JSON, one per sentence."""
    return json.dumps([_task_json(marked) for marked in sentences], ensure_ascii=False, indent=1) + "\n"


def _task_json(marked: Marked) -> dict[str, Any]:
    regions, ties = to_regions(marked)
    result: list[dict[str, Any]] = []
    for one in regions:
        words = {"start": one.start, "end": one.end, "text": marked.text[one.start : one.end]}
        base = {"id": one.id, "to_name": "text"}
        result.append({**base, "from_name": "kind", "type": "labels", "value": {**words, "labels": [one.name]}})
        if one.status:
            result.append({**base, "from_name": "status", "type": "choices", "value": {**words, "choices": [one.status]}})
    for tie in ties:
        ends = {"from_id": tie.source, "to_id": tie.target, "direction": "right"}
        result.append({"type": "relation", **ends, "labels": [tie.name]})
    data = {"text": marked.text, "modality": marked.modality, "register": marked.register}
    return {"data": data, "predictions": [{"model_version": "kgscore", "result": result}]}


def read_label_studio(path: Path, modality: str, register: str) -> list[Marked]:
    """Return the marked sentences of tasks: the last annotation that was not cancelled, or without one the prediction.
    Tasks without modality and register have the given ones.

    Raises:
        InputError: the file is not an export of tasks, or a sentence is not marked as in the guide.
    """
    try:
        tasks = json.loads(path.read_text(encoding="utf-8"))
        return [_marked_sentence(task, modality, register, f"{path.name}:{number}") for number, task in enumerate(tasks, 1)]
    except (OSError, json.JSONDecodeError) as error:
        raise InputError(f"{path}: cannot be read as JSON ({type(error).__name__}); export the project as JSON") from None
    except (KeyError, TypeError, IndexError, AttributeError):
        raise InputError(f"{path}: has no Label Studio tasks with data.text; export the project as JSON") from None


def _marked_sentence(task: Mapping[str, Any], modality: str, register: str, where: str) -> Marked:
    data = task["data"]
    done = [one for one in task.get("annotations", ()) if not one.get("was_cancelled")]
    result = (done or task.get("predictions") or [{"result": []}])[-1]["result"]
    status = {one["id"]: one["value"]["choices"][0] for one in result if one["type"] == "choices"}
    regions = [
        Region(one["id"], one["value"]["labels"][0], one["value"]["start"], one["value"]["end"], status.get(one["id"], ""))
        for one in result
        if one["type"] == "labels"
    ]
    ties = [Tie(one["from_id"], one["to_id"], one["labels"][0]) for one in result if one["type"] == "relation"]
    try:
        return from_regions(data["text"], data.get("modality", modality), data.get("register", register), regions, ties, where)
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None
