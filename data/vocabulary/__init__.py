"""The words for what images show: published class lists, groups over all of them, a thesaurus."""

from data.vocabulary.classes import class_ids, classes_of
from data.vocabulary.datasets import (
    DATASET_WORDS,
    DATASETS,
    MODALITY_WORDS,
    SENSOR_WORDS,
    DatasetWords,
    NameSpan,
    dataset_mentions,
    modality_mentions,
    sensor_mentions,
)
from data.vocabulary.groups import GROUPS, group_of, groups_for
from data.vocabulary.published import CLASS_NAMES, XVIEW_TYPE_IDS
from data.vocabulary.thesaurus import Span, Term, find, mentions

__all__ = [
    "CLASS_NAMES",
    "DATASETS",
    "DATASET_WORDS",
    "GROUPS",
    "MODALITY_WORDS",
    "SENSOR_WORDS",
    "XVIEW_TYPE_IDS",
    "DatasetWords",
    "NameSpan",
    "Span",
    "Term",
    "class_ids",
    "classes_of",
    "dataset_mentions",
    "find",
    "group_of",
    "groups_for",
    "mentions",
    "modality_mentions",
    "sensor_mentions",
]
