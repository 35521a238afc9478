"""The relation table of DESIGN section 1, each row from text."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer


def related(scorer: Scorer, a: str, b: str) -> str:
    """Return the kind of relation, after checking that it is the same the other way round and has its proof."""
    one, other = scorer.relate(a, b), scorer.relate(b, a)
    assert one.relation == other.relation
    assert bool(one.proof) == (one.relation != "unrelated")
    assert (one.weight > 0) == (one.relation in ("equivalent", "part_whole"))
    return one.relation


ASSERTED = [
    ("equivalent", "The heart is enlarged.", "Cardiomegaly."),
    ("equivalent", "Blood in the left subdural space.", "Left subdural haematoma."),
    ("part_whole", "Left apical pneumothorax.", "Left pneumothorax."),
    ("part_whole", "Nodule in the left upper lobe.", "Nodule in the left lung."),
    ("part_whole", "Subdural haematoma.", "Intracranial haemorrhage."),
    ("part_whole", "Pneumonia in the left lower lobe.", "Opacity in the left lower lobe."),
    ("part_whole", "Left pleural effusion.", "Pleural effusion."),
    ("part_whole", "Left subdural haematoma.", "Left subdural haematoma over the frontal convexity."),
    ("equivalent", "Consolidation in the right lower lobe.", "Consolidation at the right lung base."),
    ("equivalent", "Left perihilar mass.", "Left hilar mass."),
    ("equivalent", "Endometrial polyp.", "Polyp in the endometrial cavity."),
    ("part_whole", "Pneumonia in the left lower lobe.", "Consolidation in the left lower lobe."),
    ("part_whole", "Exudation around the left kidney.", "Fluid around the left kidney."),
    ("unrelated", "Exudation around the left kidney.", "Fluid in the right pleural space."),
    ("unrelated", "Nodule in the left lower lobe.", "Patchy opacity in the left lower lobe."),
    ("unrelated", "Linear opacity in the left lower lobe.", "Patchy opacity in the left lower lobe."),
    ("unrelated", "Left pleural effusion.", "Right pleural effusion."),
    ("unrelated", "Left pleural effusion.", "Left pneumothorax."),
    ("unrelated", "Nodule in the left upper lobe.", "Nodule in the left lower lobe."),
    ("unrelated", "Fracture of L1.", "Fracture of L2."),
    ("unrelated", "Displacement of the left kidney.", "Displacement of the right kidney."),
]
# One thing by two names: what follows from a class, what a definition makes of it, words that carry nothing.
FOLLOWING = [
    ("part_whole", "Dense shadow in the thyroid gland.", "Thyroid calcification."),
    ("part_whole", "High-density focus in the left thalamus.", "Calcification of the left thalamus."),
    ("unrelated", "Low-density focus in the spleen.", "Splenic calcification."),
    ("unrelated", "Hyperdense right middle cerebral artery.", "Calcification of the left middle cerebral artery."),
    ("part_whole", "Fluid in the perianal space.", "Perianal collection."),
    ("unrelated", "Gas in the neck.", "Collection in the neck."),
    ("part_whole", "Osteosclerosis of T12.", "Blastic lesion of T12."),
    ("unrelated", "Osteopenia of T12.", "Blastic lesion of T12."),
    ("part_whole", "Increased lung markings bilaterally.", "Coarsened interstitial markings bilaterally."),
    ("part_whole", "Protrusion of the basilar artery.", "Bulge of the basilar artery."),
    ("part_whole", "Cystic nodule in the thyroid.", "Thyroid cyst."),
    ("part_whole", "Cystic T2 hyperintensity in the femoral head.", "Cyst in the femoral head."),
    ("unrelated", "Solid nodule in the pancreas.", "Pancreatic cyst."),
    ("part_whole", "Displaced bone fragment at the distal radius.", "Displacement at the distal radius."),
    ("unrelated", "Bone fragment at the distal radius.", "Displacement at the distal radius."),
    ("equivalent", "Fluid-density area in the left thalamus.", "Fluid-attenuation focus in the left thalamus."),
    ("unrelated", "A focus in the liver.", "An area in the liver."),
    ("unrelated", "Round area in the liver.", "Round cyst in the liver."),
    ("unrelated", "Partial absence of the left lobe of the liver.", "Cyst in the left lobe of the liver."),
    ("contradiction", "The gallbladder is surgically absent.", "Gallstone in the gallbladder."),
]
OPPOSED = [
    ("contradiction", "The left pleural effusion has increased.", "The left pleural effusion has decreased."),
    ("contradiction", "New left pleural effusion.", "The left pleural effusion has resolved."),
    ("contradiction", "The renal cyst is unchanged.", "The renal cyst has grown."),
    ("contradiction", "Well-defined mass in the spleen.", "Ill-defined mass in the spleen."),
    ("contradiction", "Cerebellar atrophy appropriate for age.", "Cerebellar atrophy advanced for age."),
    ("contradiction", "Feeding tube in the stomach.", "Feeding tube coiled in the esophagus."),
    ("contradiction", "The left nephroureteral stent is well positioned.", "The left nephroureteral stent has migrated."),
    ("contradiction", "Hyperdense lesion in the liver.", "Hypodense lesion in the liver."),
    ("contradiction", "The left carotid artery is patent.", "The left carotid artery is occluded."),
    ("contradiction", "Endotracheal tube tip in the trachea.", "Endotracheal tube tip in the right main bronchus."),
    ("contradiction", "Midline shift to the left.", "Midline shift to the right."),
    ("contradiction", "The left kidney is enlarged.", "The left kidney is small."),
]
DENIED = [
    ("equivalent", "No pleural effusion.", "There is no effusion in the pleural space."),
    ("equivalent", "The heart is normal in size.", "The heart is not enlarged."),
    ("equivalent", "The lungs are clear.", "Both lungs are clear."),
    ("part_whole", "No intracranial haemorrhage.", "No subdural haematoma."),
    ("part_whole", "No small bowel obstruction.", "The small bowel is not dilated."),
    ("part_whole", "No appendicitis.", "The appendix is of normal calibre."),
    ("unrelated", "No small bowel obstruction.", "The colon is not dilated."),
    ("part_whole", "No pleural effusion.", "No left pleural effusion."),
    ("part_whole", "No bilateral pleural effusions.", "No right pleural effusion."),
    ("unrelated", "No pneumothorax.", "No pleural effusion."),
    ("unrelated", "No left pleural effusion.", "No right pleural effusion."),
]
CROSSED = [
    ("contradiction", "Left pleural effusion.", "No pleural effusion."),
    ("contradiction", "Left pleural effusion.", "No left pleural effusion."),
    ("contradiction", "Subdural haematoma.", "No intracranial haemorrhage."),
    ("contradiction", "Cardiomegaly.", "The heart is normal in size."),
    ("contradiction", "Cardiomegaly.", "The heart is unremarkable."),
    ("contradiction", "Consolidation in the left lower lobe.", "The lungs are clear."),
    ("contradiction", "Hydrocephalus.", "The ventricles are normal in size."),
    ("contradiction", "Fracture of the left clavicle.", "The bones are intact."),
    ("contradiction", "Large pleural effusion.", "No large pleural effusion."),
    ("contradiction", "Chronic infarct in the left cerebellum.", "No chronic infarct in the left cerebellum."),
    ("contradiction", "Large patchy opacity in the left lung.", "No large nodular or patchy opacity in the left lung."),
    ("contradiction", "Spiculated nodule in the left lung.", "No spiculated focus in the left lung."),
    ("unrelated", "Acute infarct in the left cerebellum.", "No chronic infarct in the left cerebellum."),
    ("unrelated", "Chronic infarct in the left cerebellum.", "No acute infarct in the left cerebellum."),
    ("unrelated", "Fracture of the left fourth rib.", "No old rib fracture."),
    ("unrelated", "Small pleural effusion.", "No large pleural effusion."),
    ("unrelated", "Spiculated opacity in the left lung.", "No spiculated mass in the left lung."),
    ("unrelated", "Calcified hemangioma of the liver.", "No calcified cyst of the liver."),
    ("unrelated", "Left pleural effusion.", "No right pleural effusion."),
    ("unrelated", "Intracranial haemorrhage.", "No subdural haematoma."),
    ("unrelated", "Cardiomegaly.", "No pleural effusion."),
    ("unrelated", "Pneumonia in the left lung.", "No fracture."),
]
UNLINKED = [
    ("equivalent", "Wobbly blotch in the left lung.", "Wobbly blotch in the left lung."),
    ("unrelated", "Wobbly blotch in the left lung.", "Wobbly blotch in the right lung."),
    ("unrelated", "Wobbly blotch in the left lung.", "No wobbly blotch in the left lung."),
    ("unrelated", "Wobbly blotch in the left lung.", "Left lung nodule."),
]


@pytest.mark.parametrize(("expected", "a", "b"), ASSERTED + FOLLOWING + OPPOSED + DENIED + CROSSED + UNLINKED)
def test_relation(scorer: Scorer, expected: str, a: str, b: str) -> None:
    assert related(scorer, a, b) == expected


@pytest.mark.parametrize("kind", ["Pneumothorax.", "Subdural haematoma.", "Cardiomegaly.", "Ascites."])
def test_absence_is_the_reverse_of_presence(scorer: Scorer, kind: str) -> None:
    assert related(scorer, kind, f"No {kind.lower()}") == "contradiction"


@pytest.mark.parametrize(
    ("a", "b", "anatomy", "finding"),
    [
        ("Nodule in the left upper lobe.", "Nodule in the left lung.", "part_whole", "equivalent"),
        ("Pneumonia in the left lower lobe.", "Opacity in the left lower lobe.", "equivalent", "part_whole"),
        ("Pneumonia in the left lower lobe.", "Opacity in the left lung.", "part_whole", "part_whole"),
        ("Cardiomegaly.", "The heart is enlarged.", "equivalent", "equivalent"),
    ],
)
def test_each_axis_has_its_flag(scorer: Scorer, a: str, b: str, anatomy: str, finding: str) -> None:
    relation = scorer.relate(a, b)
    assert (relation.anatomy, relation.finding) == (anatomy, finding)


def test_an_alternative_counts_for_credit_and_for_contradiction(scorer: Scorer) -> None:
    text = "Opacity in the left lower lobe, likely pneumonia."
    assert related(scorer, text, "Pneumonia in the left lower lobe.") == "part_whole"
    assert related(scorer, text, "No pneumonia.") == "contradiction"


def test_a_lobe_is_nearer_to_its_lung_than_to_the_thorax(scorer: Scorer, published: Scorer) -> None:
    texts = [f"Mass in the {place}." for place in ("left upper lobe", "left lung", "thorax")]
    near, far = (scorer.relate(texts[0], other).weight for other in texts[1:])
    assert 1 > near > far > 1 / 9  # a mass in the thorax need not be one of the lung: two axes differ
    assert published.relate(texts[0], texts[1]).weight == pytest.approx(1 / 3)


def test_the_proof_names_the_path(scorer: Scorer) -> None:
    proof = " ".join(scorer.relate("Subdural haematoma.", "No intracranial haemorrhage.").proof)
    assert "subdural hematoma" in proof
    assert "intracranial hemorrhage" in proof
