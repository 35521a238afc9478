"""Which texts are English: sentences of other languages, however short, are not; telegrams, abbreviations and Latin are."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer
from kgscore.reading.language import english_test

FOREIGN = {
    "German": (
        "Kein Pneumothorax.", "Kein Erguss.", "Herz normal groß.", "Lunge frei.", "Pleuraerguss links.", "Unauffälliger Befund.",
        "Zustand nach Operation.", "Die Aorta ist sklerosiert.",
    ),
    "French": (
        "Pas de pneumothorax.", "Épanchement pleural gauche.", "Poumons clairs.", "Aucune lésion osseuse.", "Examen normal.",
        "Le foie est homogène.", "Nodule du lobe supérieur.",
    ),
    "Spanish": (
        "No hay derrame pleural.", "Sin neumotórax.", "Campos pulmonares claros.", "No se observan fracturas.",
        "Riñones normales.", "Infarto cerebral agudo.", "Se observa nódulo.",
    ),
    "Italian": (
        "Non versamento pleurico.", "Cuore nei limiti.", "Non fratture.", "Nessuna lesione ossea.", "Reni regolari.",
        "Cardiomegalia lieve.",
    ),
    "Portuguese": (
        "Sem derrame pleural.", "Não há pneumotórax.", "Coração normal.", "Pulmões livres.", "Rins normais.",
        "Consolidação no lobo médio.",
    ),
    "Dutch": (
        "Geen pneumothorax.", "Hart niet vergroot.", "Longen helder.", "Geen tekenen van stuwing.", "Nieren normaal.",
        "Atelectase links basaal.",
    ),
    "Polish": (
        "Bez odmy.", "Nie widać płynu.", "Serce niepowiększone.", "Brak złamania.", "Zmiany zapalne.", "Torbiel wątroby.",
    ),
    "Chinese": ("未见气胸。", "左侧胸腔积液。", "双肺清晰。", "CT平扫未见异常。", "心影增大。"),
}  # fmt: skip
TELEGRAMS = """
Situs solitus. | Status post CABG. | Pneumothorax. | Cor pulmonale. | NAD. | ET tube 4 cm above carina. | LES normal.
Criteria met. | NGT in situ. | S/p CABG, PPM in situ. | No PTX. | Lungs clear. | Heart size nl. | RLL PNA. | Sm L eff, unch.
Pes planus. | Hallux valgus. | Os acetabuli. | Os odontoideum. | Patent foramen ovale. | Vena cava filter. | De novo lesion.
MET negative. | PAs normal. | PAS NORMAL. | MIT scan. | History of hay fever. | AVM. | Corpus luteum cyst. | Placenta previa.
Genu varum. | Cauda equina compressed. | Ductus arteriosus patent. | Pectus excavatum. | Spina bifida occulta.
Cisterna magna enlarged. | WNL. | Cavum septum pellucidum. | Ascites. | Neg. | CT A/P w/ con. | CXR: neg. | EST. 5 mm stone.
Dr. van der Berg: stable. | Los Angeles Medical Center. No pneumothorax. | Dr. de la Cruz. | Sjögren disease.
Ménière disease. | Boutonnière deformity. | Nodule of 5 µm. | Lewy body dementia. | Leber optic neuropathy. | DES in LAD.
SIN 3. | Carcinoma in situ. | Per os contrast. | Arteria lusoria. | Vs. prior: unch. | SOB, r/o PE. | Hx Ca prostate, mets.
Hx of MI, s/p PCI. | Free air -ve. | R > L. | Patientâ€™s heart enlarged. | Café au lait spots. | Müllerian duct anomaly.
Situs inversus totalis. | COM: chronic otitis media. | Libre sensor in left arm. | Petite patient. | Stratum basale intact.
Kleine-Levin syndrome. | Vein of Labbé patent.
"""


@pytest.mark.parametrize("language", FOREIGN)
def test_short_sentences_of_other_languages_are_told(language: str) -> None:
    test = english_test()
    assert [text for text in FOREIGN[language] if test(text).possible] == []


def test_telegrams_abbreviations_and_latin_are_never_another_language() -> None:
    test, texts = english_test(), [text.strip() for line in TELEGRAMS.split("\n") for text in line.split("|") if text.strip()]
    assert len(texts) >= 60
    assert [text for text in texts if not test(text).possible] == []


def test_no_term_of_the_ontologies_is_another_language(scorer: Scorer) -> None:
    test, names = english_test(), map(scorer.label, scorer.index.concepts)
    assert [name for name in names if not (test(name).possible and test(f"{name[:1].upper()}{name[1:]}.").possible)] == []


def test_a_foreign_name_in_an_english_report_changes_nothing() -> None:
    text = "The heart is enlarged. There is no pleural effusion, and the lungs are clear. Reported to Dr. Lunge."
    assert english_test()(text) == (True, True)
