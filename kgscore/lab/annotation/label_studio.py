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
    return json.dumps(list(map(_task_json, sentences)), ensure_ascii=False, indent=1) + "\n"


def _task_json(marked: Marked) -> dict[str, Any]:
    regions, ties = to_regions(marked)
    result: list[dict[str, Any]] = []
    for one in regions:
        words = {"start": one.start, "end": one.end, "text": marked.text[one.start : one.end]}
        for name, type, said in (("kind", "labels", one.name), ("status", "choices", one.status)):
            if said:
                place = {"id": one.id, "to_name": "text", "from_name": name}
                result.append({**place, "type": type, "value": {**words, type: [said]}})
    for tie in ties:
        ends = {"from_id": tie.source, "to_id": tie.target, "direction": "right"}
        result.append({"type": "relation", **ends, "labels": [tie.name]})
    data = {"text": marked.text, "modality": marked.modality, "register": marked.register}
    return {"data": data, "predictions": [{"model_version": "kgscore", "result": result}]}


def read_label_studio(path: Path, modality: str, register: str) -> list[Marked]:
    """Return the marked sentences of tasks: the last annotation that was not cancelled, else the prediction."""
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
    status = {one["id"]: one["value"]["choices"][0] for one in _of_type("choices", result)}
    regions = [
        Region(one["id"], one["value"]["labels"][0], one["value"]["start"], one["value"]["end"], status.get(one["id"], ""))
        for one in _of_type("labels", result)
    ]
    ties = [Tie(one["from_id"], one["to_id"], one["labels"][0]) for one in _of_type("relation", result)]
    return from_regions(data["text"], data.get("modality", modality), data.get("register", register), regions, ties, where)


def _of_type(type: str, result: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [one for one in result if one["type"] == type]
