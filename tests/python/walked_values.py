"""Values as the walk sees them."""
import collections
import dataclasses

from headrace.graphs import Locator, SampleMetadata


def leaves(value, **options):
    return [(str(loc), leaf) for loc, leaf in Locator.find_leaves(value, **options)]


def meta(value, strict=True):
    return SampleMetadata.from_inputs({"v": value}, strict=strict)


@dataclasses.dataclass
class Pair:
    left: object
    right: object = None


Point = collections.namedtuple("Point", "x y")
