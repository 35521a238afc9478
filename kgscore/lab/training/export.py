"""Quantises the weights of a trained network to the small integers used by the reader."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from kgscore.reading.structure.network import GRID, TABLE_GRID
from kgscore.reading.structure.shapes import APART, LINK, MEMORY, PAIRS


def export_weights(net: Any) -> dict[str, np.ndarray]:
    """Return the weights of a network as small integers, in the reader's form."""
    real: dict[str, torch.Tensor] = {
        "norm.weight": net.norm.weight,
        "norm.bias": net.norm.bias,
        "project.weight": net.project.weight.T,
        "project.bias": net.project.bias,
        "item.weight": net.item.weight.T,
        "item.bias": net.item.bias,
    }
    # PyTorch orders the gates in, forget, cell, out; the reader needs the three sigmoid gates together.
    order = torch.cat([torch.arange(2 * MEMORY), torch.arange(3 * MEMORY, 4 * MEMORY), torch.arange(2 * MEMORY, 3 * MEMORY)])
    halved = torch.cat([torch.full((3 * MEMORY,), 0.5), torch.ones(MEMORY)])
    for name, part in (("input", "weight_ih_l0"), ("recurrent", "weight_hh_l0")):
        real[f"memory.{name}"] = torch.stack([(getattr(memory, part)[order] * halved[:, None]).T for memory in net.memory])
    biases = [(memory.bias_ih_l0 + memory.bias_hh_l0)[order] * halved for memory in net.memory]
    real["memory.bias"] = torch.stack(biases)
    for task in (*PAIRS, APART):
        real[f"{task.name}.distance"] = net.distance[task.name].weight
        real[f"{task.name}.counts"] = net.counts[task.name].weight.T
        real[f"{task.name}.weight"] = net.answer[task.name].weight.T
        real[f"{task.name}.bias"] = net.answer[task.name].bias
        if task in PAIRS:
            real[f"{task.name}.fit"] = net.fit[task.name].weight
    real[f"{LINK.name}.status one"], real[f"{LINK.name}.status other"] = net.status[0].weight, net.status[1].weight
    real[f"{LINK.name}.heads"] = net.heads.weight
    real[f"{APART.name}.distance one"], real[f"{APART.name}.distance other"] = net.toward[0].weight, net.toward[1].weight
    arrays = {name: _quantise(tensor, GRID, np.dtype("<i2")) for name, tensor in sorted(real.items())}
    arrays["table"] = _quantise(net.table.weight, TABLE_GRID, np.dtype("i1"))
    return arrays


def _quantise(tensor: torch.Tensor, grid: float, kind: np.dtype[Any]) -> np.ndarray:
    limit = np.iinfo(kind).max
    numbers: np.ndarray = np.clip(np.rint(tensor.detach().double().numpy() * grid), -limit, limit).astype(kind)
    return numbers
