"""Which classes of a data set a word means: the vocabulary's answer."""

from data.vocabulary.classes import class_ids

__all__ = ["class_ids"]
