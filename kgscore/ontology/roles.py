"""The roles that reading and matching ask the ontology for, so that no id of a concept stands in code.

A table gives a concept a role by `role: NAME; NAME` (`ontologies/tables/FORMAT.md`); `Index.flagged` and `Index.role` find it.
A role holds for the concept that has it: what asks decides whether it also holds for those below. No role has the name of a
concept.
"""

from __future__ import annotations

from collections.abc import Mapping

# One concept has it, whatever modules are in use.
SINGLE: Mapping[str, str] = {
    # classes
    "any_finding": "the class of all findings",
    "any_abnormality": "the class of all that is abnormal",
    "all_acute": "all that is acute: what is urgent and not said to be old falls under it",
    "any_malignancy": "the class of all that is malignant",
    "any_fluid": "the class of all fluid",
    "any_lesion": "the class of what is called a lesion",
    "any_signal": "the class of abnormal signals",
    "any_disc_abnormality": "the class of what a disc has, and not the canal beside it",
    "any_descriptor": "the class of all descriptors: those right below it are their categories",
    "ages": "the category of descriptors that say how old a finding is",
    # structures
    "whole_body": "the body as a whole; its word also names the body of a bone or organ",
    "any_bone": "the class of bones",
    "any_joint": "the class of joints",
    "any_muscle": "the class of muscles",
    "any_artery": "the class of arteries",
    "any_disc": "the class of intervertebral discs",
    "any_facet": "the class of facet joints: what a joint at a level of the spine is",
    "any_lymph_node": "the class of lymph nodes, named by what they lie beside",
    # findings that words of other kinds amount to
    "grown": "larger than it should be",
    "shrunken": "smaller than it should be",
    "effaced": "no longer to be seen as what it is",
    "lowered": "lower than it should be",
    "raised": "higher than it should be",
    "thickened": "thicker than it should be",
    "wall_thickened": "thickening of the wall of what it is said of",
    "broken": "what '#' stands for",
    "enhancing": "enhancement, whatever its kind",
    "removed": "what an operation has taken away",
    "altered": "a change since before, whatever it is: what a structure that is stable has not",
    # descriptors, normal words and qualities
    "acutely": "the descriptor 'acute': 'nothing acute' denies all that is",
    "localizing": "the descriptor of what is in one place: 'nothing focal' denies everything",
    "beside": "the descriptor of what surrounds a finding",
    "plain_normal": "the normal word that says only that",
    "at_midline": "the normal word of what is in the middle",
    "overall_size": "the quality of size: of a size in two directions the larger counts for it",
    "saying_change": "the category of words for change",
    "saying_more": "the descriptor of an increase",
    "saying_less": "the descriptor of a decrease",
    "saying_doubt": "the category of words for certainty",
}
# Any number of concepts have it, those of a user's module too.
SHARED: Mapping[str, str] = {
    # structures
    "roots": "has no parent",
    "no_organ": "a wall that is no wall of an organ",
    "unpaired_space": "what lies in it and has no sides does not get those of a statement about both",
    "limbs": "a limb: its side is that of the examination",
    "organs": "an organ: what is said of the next one does not speak of it",
    "tissues": "a tissue of a whole region",
    "left_halves": "in the left half of an organ that has two and is not paired",
    "right_halves": "in the right half of an organ that has two and is not paired",
    "substances": "what an organ consists of or encloses: a finding of the organ is one of it",
    "depths": "how deep something lies in the structure said before",
    "between_vertebrae": "lies between two vertebrae, at the level of their disc",
    "kinds_of_place": "names a kind of structure and no place",
    # findings
    "lesions": "a circumscribed thing: two of one size at one place are one, under whatever names",
    "leading_lesions": "a finding that the sentences after it go on about",
    "lumps": "a lump, whatever it is made of",
    "showing": "only shows something: what is 'likely' added to it is a detail, no second finding",
    "appearances": "an appearance on images, named after the disease that it shows",
    "attributes": "is said of a lesion spoken of before: its signal or enhancement",
    "marks": "of a lesion and this, said of one place, this is the finding",
    "absences": "the structure itself is not there and can show nothing",
    "shifts": "a movement as a whole: an unpaired structure cannot have moved to both sides",
    "local_shifts": "a movement of a part, of which there may be one on either side",
    "moving": "has moved to a side: the side before it is where to, and not where it is",
    "invading": "grows into another structure, and is where it comes from",
    "of_joints": "a finding of a whole joint, not of a part of it",
    "of_stretches": "a finding of a stretch of the spine, not of one of its parts",
    "spreading": "may be on both sides at once",
    "size_verdicts": "says itself that a size is none of the usual",
    "lines": "a line or tube: where it ends is told of its tip",
    "heads_nothing": "a heading that names a kind of finding without stating one",
    "holders": "a heading that names devices or operations of many kinds",
    "whole_denied": "what 'unremarkable', 'clear' and 'normal contours' deny: all of a structure",
    # normal words
    "bare_normals": "a normal word that a quality after it refines ('normal in size')",
    "sound": "a normal word of a device that is whole",
    "describing": "a normal word that describes the lesion that it stands before",
    # descriptors
    "recent": "an age that makes a finding acute",
    "old": "an age that makes a finding no news",
    "little": "the lowest degree, said as a size or as a severity",
    "middling": "a middle degree, said as a size or as a severity",
    "great": "a high degree, said as a size or as a severity",
    "marked_degree": "the highest degree; 'no significant …' denies all of it",
    "suspected": "a descriptor that suspects malignancy",
    "size_values": "a size that may be said after its structure ('ventricles small')",
    "says_nothing": "a descriptor that only names what another one is a value of",
    "reads_midline": "a descriptor of a finding that, said of a structure, puts it in the middle",
    "predicated": "a finding that the descriptor it has names where that is said of a structure ('the liver is heterogeneous')",
    "everywhere": "a descriptor of what is in no place in particular",
    "to_the_left": "a direction to the left",
    "to_the_right": "a direction to the right",
    "restricting": "a category of descriptors that narrows a denial ('no large effusion')",
    "placing": "a category of descriptors that only places a finding and is not compared",
    "excluding": "a category of descriptors of which opposite values contradict each other",
}
ROLES: Mapping[str, str] = {**SINGLE, **SHARED}
