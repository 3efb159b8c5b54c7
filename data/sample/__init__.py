"""The built-in sample: seven data sets at their published sizes, generated, and labelled so."""

from data.sample.build import SAMPLE_VERSION, SIZES, build, ensure

__all__ = ["SAMPLE_VERSION", "SIZES", "build", "ensure"]
