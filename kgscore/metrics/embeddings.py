"""Embeddings of names by a sentence-transformers model, cached on disk: each name is embedded once per model.

Nothing is imported or loaded before the first name that is not in the cache.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kgscore.errors import MissingExtraError, ProfileError
from kgscore.metrics.ratescore_entities import RateEntity
from kgscore.metrics.ratescore_similarity import Both
from kgscore.private_files import OWNER_ONLY, add_checksum, remove_checksum
from kgscore.reading.tokens import phrase_key
from kgscore.resources import cache_folder

POOLINGS = ("cls", "mean")
_BATCH = 64


class Embedder:
    """Embeds names as unit vectors, with the model of a name or path.

    `pooling`: the vector of the first token ("cls") or the mean of all ("mean"); names are truncated to `tokens` tokens.
    Vectors are cached in `embeddings/` of kgscore's cache folder, one file per model, pooling and length.

    Raises:
        ProfileError: the pooling is unknown, sentence-transformers is not installed, or (when the first name is embedded) the
            model cannot be loaded; `where` says in which profile.
    """

    def __init__(self, model: str, pooling: str = "cls", tokens: int = 30, where: str = "embeddings") -> None:
        if pooling not in POOLINGS:
            raise ProfileError(f"{where}: 'pooling' is one of {', '.join(POOLINGS)}")
        if tokens < 3:
            raise ProfileError(f"{where}: 'tokens' must be 3 or more")
        if find_spec("sentence_transformers") is None:
            raise MissingExtraError(
                f"{where}: similarity: embedding needs sentence-transformers (pip install 'kgscore[embeddings]');"
                " similarity: ontology needs nothing"
            )
        self.model, self.pooling, self.tokens, self.where = model, pooling, tokens, where
        self._known: dict[str, Any] = {}
        self._loaded: Any = None

    @property
    def cache(self) -> Path:
        """The file that caches the vectors of this model. A model folder with changed files counts as another model."""
        said = f"sealed\n{self.model}\n{self.pooling}\n{self.tokens}\n"
        folder = Path(self.model)
        if folder.is_dir():
            files = sorted(p for p in folder.rglob("*") if p.is_file())
            said += "\n".join(f"{p.relative_to(folder)} {p.stat().st_size} {p.stat().st_mtime_ns}" for p in files)
        return cache_folder() / "embeddings" / f"{hashlib.sha256(said.encode()).hexdigest()[:16]}.sqlite"

    def vectors(self, names: Iterable[str]) -> Mapping[str, Any]:
        """Return the vector of each name, as numpy arrays of 32-bit floats; all names not cached are embedded at once.

        Raises:
            ProfileError: the model cannot be loaded.
        """
        import numpy as np

        wanted = list(dict.fromkeys(names))
        if missing := [name for name in wanted if name not in self._known]:
            stored = _read(self.cache, missing)
            self._known |= {name: np.frombuffer(blob, dtype="<f4") for name, blob in stored.items()}
            if fresh := [name for name in missing if name not in stored]:
                made = dict(zip(fresh, self._embed(fresh), strict=True))
                self._known |= made
                _write(self.cache, {name: vector.tobytes() for name, vector in made.items()})
        return {name: self._known[name] for name in wanted}

    def token_vectors(self, texts: Sequence[str]) -> list[Any]:
        """Return for each text the unit vectors of its tokens, one per row, without the start and end tokens. Nothing is cached
        on disk.

        Raises:
            ProfileError: the model cannot be loaded.
        """
        import numpy as np

        tables = [table[1:-1] for table in self._tokens(texts)]
        return [table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-12) for table in tables]

    def _embed(self, names: Sequence[str]) -> list[Any]:
        """Return unit vectors, pooled here from the token vectors, whatever the pooling of the model."""
        import numpy as np

        pooled = [table[0] if self.pooling == "cls" else table.mean(axis=0) for table in self._tokens(names)]
        return [(vector / max(float(np.linalg.norm(vector)), 1e-12)).astype("<f4") for vector in pooled]

    def _tokens(self, texts: Sequence[str]) -> list[Any]:
        """Return the token vectors of each text, as output by the last layer."""
        tables = self._load_model().encode(
            list(texts), batch_size=_BATCH, output_value="token_embeddings", show_progress_bar=False, convert_to_numpy=False
        )
        return [table.detach().cpu().numpy() for table in tables]

    def _load_model(self) -> Any:
        if self._loaded is None:
            from sentence_transformers import SentenceTransformer

            try:
                self._loaded = SentenceTransformer(self.model, device="cpu")
            except Exception as error:  # the libraries raise many kinds of exceptions; all are reported in one line
                said = " ".join(str(error).split())[:200]
                hint = "name one that can be had, or the folder of one"
                raise ProfileError(f"{self.where}: the model '{self.model}' cannot be loaded ({said}); {hint}") from error
            self._loaded.max_seq_length = self.tokens
        return self._loaded


class ShippedVectors:
    """Embeds names by the vectors of wordings that kgscore ships: without an extra, and identical on every machine. `hash` is the
    hash of their file.

    Raises:
        InputError: the file cannot be read.
    """

    def __init__(self) -> None:
        from kgscore.linking.vectors import Vectors

        self._shipped = Vectors.load()
        self.hash = self._shipped.hash

    def vectors(self, names: Iterable[str]) -> Mapping[str, Any]:
        """Return the vector of each name, as numpy arrays of 32-bit floats."""
        from kgscore.linking.vectors import LENGTH

        wanted = list(dict.fromkeys(names))
        return dict(zip(wanted, self._shipped.of([phrase_key(name) for name in wanted]) / LENGTH, strict=True))


class EmbeddingSimilarity:
    """Similarity of entities by the cosine of the embeddings of their names; negative values count as 0."""

    def __init__(self, embedder: Embedder | ShippedVectors) -> None:
        self.embedder = embedder

    def table(self, left: Sequence[RateEntity], right: Sequence[RateEntity], findings: Both) -> list[list[float]]:
        """Return the cosine of each entity of the left to each of the right, 0 to 1."""
        import numpy as np

        known = self.embedder.vectors(entity.name for entity in (*left, *right))
        one, other = (np.stack([known[entity.name] for entity in side]) for side in (left, right))
        cosines = np.clip(one @ other.T, 0.0, 1.0)
        # Equal names have similarity 1 by definition: rounding must not make one of them the nearer.
        equal = [[a.name == b.name for b in right] for a in left]
        return np.where(equal, 1.0, cosines.astype(float)).tolist()  # type: ignore[no-any-return]


def _open_store(path: Path) -> sqlite3.Connection:
    with OWNER_ONLY:
        path.parent.mkdir(parents=True, exist_ok=True)
        store = sqlite3.connect(path, timeout=30)
        store.execute("CREATE TABLE IF NOT EXISTS vector (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID")
    return store


def _read(path: Path, names: Sequence[str]) -> dict[str, bytes]:
    """Return the undamaged stored vectors of these names; an unreadable cache only costs time."""
    found: dict[str, bytes] = {}
    with suppress(OSError, sqlite3.Error), closing(_open_store(path)) as store:
        query = "SELECT name, value FROM vector WHERE name IN (SELECT value FROM json_each(?))"
        rows = store.execute(query, (json.dumps(names),))
        found.update((name, vector) for name, value in rows if (vector := remove_checksum(value)) is not None)
    return found


def _write(path: Path, rows: Mapping[str, bytes]) -> None:
    with suppress(OSError, sqlite3.Error), closing(_open_store(path)) as store, store:
        checked = ((name, add_checksum(vector)) for name, vector in rows.items())
        store.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?)", checked)
