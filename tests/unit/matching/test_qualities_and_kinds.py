"""Qualities that normal values deny, failures of things that are whole, kinds that a word or a detail names, and places that a
finding implies: head, face, neck, spine, limbs and vessels."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer

CONTRADICTIONS = [
    # a normal value denies a deviation in either direction
    ("The tibial nerve is of normal calibre.", "The tibial nerve is enlarged."),
    ("Hyaline cartilage of normal thickness.", "The cartilage is thinned."),
    ("The thoracic spinal canal is of normal width.", "Narrowing of the spinal canal at T11/12."),
    ("The lumbar foramina are of normal width.", "Foraminal stenosis at L3/4 on the right."),
    # what a disease alters
    ("Thyroid parenchyma of normal echotexture.", "Subacute thyroiditis."),
    ("The elbow joint is normally aligned.", "Posterior dislocation of the elbow."),
    ("Joint space of the wrist of normal width.", "Ankylosis of the wrist."),
    ("The cord shows normal signal.", "Transverse myelitis."),
    ("The globe is of normal shape.", "Phthisis bulbi."),
    ("The femoral head has a regular contour.", "Collapse of the right femoral head."),
    # opposite findings of one structure
    ("Swelling of the left lacrimal gland.", "Atrophy of the left lacrimal gland."),
    ("Delayed union of the ulna.", "The ulnar fracture has healed."),
    # both of a pair are its members
    ("Both cruciate ligaments are intact.", "Rupture of the posterior cruciate ligament."),
    ("Both hip joints are free of effusion.", "Fluid collection in the hip joint."),
    # a thing that is whole, and its failure
    ("The axillofemoral bypass is patent.", "The axillofemoral bypass is occluded."),
    ("Iliac stent, patent.", "In-stent occlusion of the iliac artery."),
    ("The aneurysm is patent.", "The aneurysm is thrombosed."),
    ("The pedicle screws are intact.", "Fractured pedicle screw."),
    # change, variants and details that are denied
    ("The cerebral ventricles are unchanged.", "The cerebral ventricles have become larger."),
    ("No intracranial calcification.", "Calcification of the globus pallidus."),
]
EQUIVALENT = [
    # words that differ in their endings, or only from those of the class
    ("Prosthetic loosening.", "Loosening of the prosthesis."),
    ("Fracture of the plate.", "Broken plate."),
    ("Carcinoma of the larynx.", "Laryngeal carcinoma."),
    ("Transverse myelitis at T4.", "Myelitis transversa at T4."),
    # places that the finding implies, and halves of a structure
    ("Annular tear C5/6.", "The annulus fibrosus of the disc C5/6 is torn."),
    ("Haemorrhage in the right cerebellar hemisphere.", "Bleeding in the right cerebellum."),
    # words of place that a wording hid
    ("Varicose small saphenous vein.", "Varicosis of the small saphenous vein."),
    ("Rightward deviation of the septum of the nose.", "The nasal septum deviates to the right."),
    ("Displacement of the trachea to the left.", "Leftward tracheal displacement."),
    ("Acute tonsillitis.", "Tonsillitis, acute."),
    # a plural that names no side
    ("Swollen middle turbinates.", "Swelling of the middle turbinate."),
    ("Enlarged lacrimal glands.", "Lacrimal gland enlargement."),
    ("Status post left parotidectomy.", "The left parotid gland has been completely removed."),
]
PART_WHOLE = [
    ("Burst fracture of C1.", "Fracture of the atlas."),
    ("Sequestrated disc herniation at L2/3.", "Herniated disc L2/3."),
    ("Bursitis of the shoulder.", "Inflamed subcoracoid bursa."),
    ("Tendinopathy of the knee.", "Tendinosis of the quadriceps tendon."),
    ("Torus mandibularis.", "Oral torus."),
    ("Both lacrimal glands are enlarged.", "Lacrimal gland enlargement."),
]
UNRELATED = [
    ("Psoriatic arthritis of the knee.", "Osteoarthritis of the knee."),
    ("Septic arthritis of the shoulder.", "Omarthrosis."),
    ("Dermoid cyst of the middle cranial fossa.", "Arachnoid cyst of the middle cranial fossa."),
    ("Haemangioma at the carotid bifurcation.", "Carotid body tumour."),
    ("The bypass is patent.", "The femoral artery is occluded."),
    ("The rods are intact.", "Broken screw at L5."),
    ("The ureter is of normal calibre.", "Ureteral stone."),
]
CASES = [
    (relation, *pair)
    for relation, pairs in (
        ("contradiction", CONTRADICTIONS), ("equivalent", EQUIVALENT), ("part_whole", PART_WHOLE), ("unrelated", UNRELATED),
    )
    for pair in pairs
]  # fmt: skip


@pytest.mark.parametrize(("expected", "a", "b"), CASES)
def test_relation_either_way_round(scorer: Scorer, expected: str, a: str, b: str) -> None:
    assert (scorer.relate(a, b).relation, scorer.relate(b, a).relation) == (expected, expected)


def test_a_normal_value_that_names_no_quality_denies_one_direction(scorer: Scorer) -> None:
    assert scorer.relate("The popliteal artery is not dilated.", "Stenosis of the popliteal artery.").relation == "unrelated"


def test_joining_words_are_no_residue(scorer: Scorer) -> None:
    relation = scorer.relate("Osteophytes from C4 to C6.", "Osteophytes C4-C6.")
    assert not any(proof.startswith("said of one only") for proof in relation.proof)
