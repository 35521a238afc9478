"""Levels, nodes and their sizes, shared sides, places between two structures, and names of what is not the finding itself."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer


def told(scorer: Scorer, text: str) -> set[str]:
    """Return each finding as "status concept sites side"."""
    found = scorer.read(text).findings
    return {" ".join((f.status, f.concept or "?", "+".join(f.sites), f.side or "")).strip() for f in found}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # two neighbouring levels before vertebrae are the vertebrae, and elsewhere the disc between them
        (
            "Compression of the L2-3 vertebral bodies.",
            {f"present vertebral_compression_deformity vertebral_body_l{n}" for n in (2, 3)},
        ),
        ("The C4-5 vertebrae are fused.", {f"present spinal_ankylosis vertebra_c{n}" for n in (4, 5)}),
        ("Osteophytes of the T7-8 vertebral bodies.", {f"present vertebral_osteophyte vertebral_body_t{n}" for n in (7, 8)}),
        ("Disc bulge at L2-3.", {"present disc_bulge disc_l2_l3"}),
        # what is at the corresponding levels is at each of those listed
        (
            "The L2-3 and L3-4 discs bulge, with compression of the corresponding dural sac.",
            {f"present disc_bulge disc_{n}" for n in ("l2_l3", "l3_l4")}
            | {f"present thecal_sac_compression thecal_sac_{n}" for n in ("l2_l3", "l3_l4")},
        ),
        (
            "C3-4 and C4-5 disc bulges, narrowing the spinal canal at these levels.",
            {f"present disc_bulge disc_{n}" for n in ("c3_c4", "c4_c5")}
            | {f"present spinal_stenosis spinal_canal_{n}" for n in ("c3_c4", "c4_c5")},
        ),
        (
            "The L2-3 and L3-4 discs bulge, with dural sac compression at L3-4.",
            {f"present disc_bulge disc_{n}" for n in ("l2_l3", "l3_l4")} | {"present thecal_sac_compression thecal_sac_l3_l4"},
        ),
        # the largest of several nodes says how large they are
        ("Mesenteric lymph nodes measure up to 14 mm.", {"present mesenteric_lymphadenopathy mesenteric_lymph_node"}),
        ("Mesenteric lymph nodes measure up to 6 mm.", {"present subcentimeter_lymph_node mesenteric_lymph_node"}),
        (
            "Some lymph nodes show in the mediastinum, the largest measuring 18 mm across.",
            {"present mediastinal_lymphadenopathy mediastinal_lymph_node"},
        ),
        (
            "Scattered lymph nodes are seen in the mesentery, some of which are enlarged.",
            {f"present {name} mesenteric_lymph_node" for name in ("visible_lymph_node", "mesenteric_lymphadenopathy")},
        ),
        # the side of a list is that of its last member too, and not of what comes after
        (
            "Hypodensity in the left parietal, temporal and occipital lobes, and in the pons.",
            {f"present hypodensity {name}_lobe left" for name in ("parietal", "temporal", "occipital")}
            | {"present hypodensity pons"},
        ),
        ("Cysts in the left kidney and spleen.", {"present renal_cyst kidney left", "present splenic_cyst spleen"}),
        # between two structures is a place beside one that is said, and the place where none is
        (
            "A mass in the mediastinum between the trachea and the left pulmonary artery.",
            {"present mediastinal_mass mediastinum"},
        ),
        (
            "A nodule lies between the trachea and the esophagus.",
            {"present tracheal_mass trachea", "present esophageal_mass esophagus"},
        ),
        # what herniates is where it goes to where that names it, and stays where it comes from elsewhere
        ("Bowel loops herniate into the right inguinal canal.", {"present inguinal_hernia inguinal_canal right"}),
        ("Omental fat herniates into the umbilicus.", {"present umbilical_hernia umbilicus"}),
        ("The colon is herniated into the left hemithorax.", {"present herniation colon"}),
        ("A mass of the maxillary sinus extending into the left orbit.", {"present sinonasal_mass maxillary_sinus"}),
        # what a place lies near is no place of what is seen in it
        ("The spleen adjacent to the pancreas shows a hypodense focus.", {"present hypodensity spleen"}),
        ("The liver next to the gallbladder shows a cyst.", {"present hepatic_cyst liver"}),
        ("The liver and the gallbladder show a mass.", {"present mass liver", "present mass gallbladder"}),
        # numbers of images say nothing, and sizes in parentheses do
        (
            "Cysts are seen in the left kidney (series 2, image 31) and right kidney (images 40, 44), the largest 2 cm.",
            {"present renal_cyst kidney left", "present renal_cyst kidney right"},
        ),
        ("A cyst of the liver (img 12) and the spleen (img 14).", {"present hepatic_cyst liver", "present splenic_cyst spleen"}),
        # a place that opens a sentence is in no list with the adjectives of the finding
        ("In the left parietal lobe, linear and patchy hypodense foci are seen.", {"present hypodensity parietal_lobe left"}),
        (
            "No cord or nerve root compression.",
            {"absent cord_compression spinal_cord", "absent nerve_root_compression nerve_root"},
        ),
        # a lost quality that stands in a list of findings is one of them
        (
            "The left cerebral hemisphere shows swelling, with blurred gray-white matter differentiation, and shallow sulci.",
            {
                f"present {name} cerebral_hemisphere left"
                for name in ("cerebral_edema", "loss_of_gray_white_differentiation", "sulcal_effacement")
            },
        ),
        (
            "The pancreas shows enlargement, with indistinct margins, and peripancreatic stranding.",
            {"present pancreatic_enlargement pancreas", "present peripancreatic_stranding peripancreatic_region"},
        ),
        # an empty noun after a signal is that signal
        ("Nodular high-signal foci are seen in the liver.", {"present hyperintensity liver"}),
        ("Nodular foci are seen in the liver.", {"present nodule liver"}),
        ("A small T1 unchanged bright focus lies on the uterine fundus.", {"present t1_hyperintensity uterine_fundus"}),
        (
            "There is a tiny DWI-bright dot in the pons, ADC not low, T2 shine-through considered.",
            {"present dwi_hyperintensity pons", "normal abnormality pons"},
        ),
        # what was seen then is not past
        ("An old splenic infarct was reported formerly.", {"present splenic_infarct spleen"}),
        (
            "Several lymph nodes are seen in the left groin, all of them less than 9 mm in short axis.",
            {f"present {name} inguinal_lymph_node left" for name in ("visible_lymph_node", "subcentimeter_lymph_node")},
        ),
        # what was operated on is not there any more
        (
            "After surgery for renal cancer, a cyst is seen in the liver.",
            {"present postsurgical_change kidney", "present hepatic_cyst liver"},
        ),
        ("Status post surgery for a right tibial fracture.", {"present postsurgical_change tibia right"}),
        ("Postoperative seroma of the right breast.", {"present breast_seroma breast right"}),
        # a title that begins with "follow-up" is no advice
        (
            "Follow-up after treatment of lung cancer (history of right lung surgery): a cyst is seen in the spleen.",
            {"present splenic_cyst spleen"},
        ),
        ("Follow-up of the nodule in 6 months.", set()),
    ],
)
def test_each_finding_is_where_it_is_said_to_be(scorer: Scorer, text: str, expected: set[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Indistinct gray-white matter differentiation.", "Loss of gray-white matter differentiation."),
        ("Swelling of the left frontal-parietal scalp.", "Swelling of the left frontoparietal scalp."),
        ("The hepatic parenchyma is coarsely granular.", "The hepatic parenchyma is coarse."),
        ("Coarsely textured liver parenchyma.", "Coarse liver parenchyma."),
        ("A radiolucent line in the left zygoma.", "A lucent line in the left zygoma."),
        ("Reduced SMA angle.", "The angle between aorta and superior mesenteric artery is reduced."),
        ("The right ureteral wall is thickened.", "Thickening of the right ureteral wall."),
        ("Agatston calcium score of 0 in the circumflex artery.", "Calcium score of 0 in the circumflex artery."),
        ("Effusion density shadows on both sides of the pleural space.", "Pleural effusion on both sides."),
        ("Thickened vascular markings in the left lung.", "Increased vascular markings in the left lung."),
        ("Expansion of the uterine cavity.", "Dilatation of the uterine cavity."),
        ("A hyperdense cast in the third ventricle.", "Intraventricular hemorrhage in the third ventricle."),
        ("Nodal densities in the mediastinum.", "Visible lymph nodes in the mediastinum."),
        ("Hyper- or hypodense nodules in the spleen.", "Hyper- and hypodense nodules in the spleen."),
    ],
)
def test_words_of_one_meaning(scorer: Scorer, one: str, other: str) -> None:
    assert told(scorer, one) == told(scorer, other) != set()


def test_numbers_of_images_are_no_sizes(scorer: Scorer) -> None:
    texts = ("A nodule (image 12) in the left lung.", "A nodule (5 mm) in the left lung.")
    sizes = [[detail.value for f in scorer.read(text).findings for detail in f.details] for text in texts]
    assert sizes == [[], ["5 mm"]]


def test_fluid_signal_is_no_fluid(scorer: Scorer) -> None:
    assert not any("effusion" in one or "fluid" in one for one in told(scorer, "Some lesions are close to fluid signal."))
    assert told(scorer, "The left forearm is in a plaster cast.") == {"present cast forearm left"}
