"""What perturbing needs, made once, and reports to perturb."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer
from kgscore.lab.perturbing.inventions import Inserter
from kgscore.lab.perturbing.means import Means
from kgscore.lab.perturbing.sets import build_means

CHEST = (
    "There is a small left pleural effusion with adjacent left lower lobe atelectasis. The heart is mildly enlarged. "
    "6 mm nodule in the right upper lobe, unchanged. No pneumothorax. The right lung is hyperexpanded but clear."
)
HEAD = (
    "BRAIN: Acute left frontal subdural hematoma measuring 9 mm. 5 mm of rightward midline shift. No hydrocephalus.\n"
    "BONES: Nondisplaced left parietal skull fracture with overlying scalp swelling.\n"
    "SINUSES: Clear."
)
LIST = "1. Gallstones.\n2. Mild right hydronephrosis.\n3. Enlarged spleen.\n4. No ascites."
REPORTS = {"chest": CHEST, "head": HEAD, "list": LIST}


@pytest.fixture(scope="session")
def means(scorer: Scorer) -> Means:
    return build_means(scorer, ())


@pytest.fixture(scope="session")
def inserter(means: Means) -> Inserter:
    return Inserter(means)
