"""Nested values as models are called with, and odder ones."""
import collections
import dataclasses
import enum
import random
from typing import Any, Callable

import torch

Pair = collections.namedtuple("Pair", "first second")


@dataclasses.dataclass
class Record:
    left: Any
    right: Any = None


@dataclasses.dataclass(frozen=True)
class Frozen:
    left: Any
    right: Any


@dataclasses.dataclass(slots=True)
class Slotted:
    data: Any
    mask: Any


@dataclasses.dataclass
class More(Record):
    extra: Any = dataclasses.field(default=5, kw_only=True)


class OwnList(list):
    pass


class OwnDict(dict):
    pass


class Encoding(collections.UserDict):
    pass


class Registered:
    limit = 7
    _hidden = 3

    def __init__(self, x: Any, y: Any) -> None:
        self.x, self._y, self.z = x, y, [y]

    @property
    def never(self) -> Any:
        raise RuntimeError("not to be asked")


class TensorsOnly(Registered):
    pass


class Slots:
    __slots__ = ("u", "v", "_w")

    def __init__(self, u: Any, v: Any) -> None:
        self.u, self.v = u, v


class Ignored:
    def __init__(self, x: Any) -> None:
        self.x = x


class IgnoredList(list):
    pass


class Color(enum.Enum):
    RED = 1
    BLUE = "b"


class OwnTensor(torch.Tensor):
    pass


def register(locator: Any) -> None:
    """The same types on either side."""
    locator.register_user_type(Registered)
    locator.register_user_type(TensorsOnly, only_tensors=True)
    locator.register_user_type(Slots)
    locator.ignore_type(Ignored)
    locator.ignore_type(IgnoredList)


TEXTS = [
    "", "a", "abc", " x ", "1", "1.5", "-3", "1e5", "nan", "inf", "-inf", "True", "False", "None", "0x1f", "1_000",
    "1,000", "007", "a\nb", "\x1b[31mred\x1b[0m", "日本", "é", "+5", "1e999", "  12", "12  ", "_", "[1]", "1.", ".",
    " ", "\t", "٣", "½", "1e", "--", "1j",
]
KEYS = ["a", "b", "left", "right", "a-b", "", "x y", 'q"q', "[0]", "é", "class", "0", 0, 1, None, (1, 2), b"k", 2.5,
        Color.RED, "first", "日"]
OTHERS = [0, 1, -5, 12345678901234567890, 0.0, 1.5, -2.25, 1e20, 1234567.0, 0.123456789, float("inf"), True, False,
          None, b"ab", range(3), slice(1, 2), int, Color.RED, Color.BLUE, ..., frozenset({1}), 1 + 2j, torch.float32,
          torch.device("cpu"), {1}, collections.deque([1, 2])]


class Dice(random.Random):
    """Draws values; the same seed draws the same."""

    def tensor(self) -> torch.Tensor:
        shape = [self.choice([0, 1, 2, 3, 5, 8]) for _ in range(self.choice([0, 1, 1, 2, 2, 3, 4]))]
        dtypes = [torch.bool, torch.int8, torch.complex64, torch.bfloat16, torch.float64, torch.uint8]
        makers: list[Callable[[], torch.Tensor]] = [
            lambda: torch.nn.Parameter(torch.zeros(shape)),
            lambda: torch.zeros(shape, dtype=self.choice(dtypes)),
            lambda: torch.zeros(shape, device="meta"),
            lambda: torch.zeros(shape).as_subclass(OwnTensor),
            lambda: torch.zeros(shape).to_sparse() if shape else torch.zeros(shape),
        ]
        return self.choice(makers)() if self.random() < 0.4 else torch.zeros(shape)

    def value(self) -> Any:
        return self.choice(TEXTS) if self.random() < 0.4 else self.choice(OTHERS)

    def mapping(self, items: list[Any]) -> Any:
        kinds: list[Any] = [dict, collections.OrderedDict, OwnDict, Encoding,
                            lambda pairs: collections.defaultdict(int, pairs)]
        return self.choice(kinds)(dict(zip(self.sample(KEYS, len(items)), items)))

    def nested(self, depth: int) -> Any:
        chance = self.random()
        if depth == 0 or chance < 0.35:
            return self.tensor()
        if chance < 0.55:
            return self.value()
        items = [self.nested(depth - 1) for _ in range(self.choice([0, 1, 2, 2, 3]))]
        one, two, three = (self.nested(depth - 1) for _ in range(3))
        kinds: list[Callable[[], Any]] = [
            lambda: items, lambda: items, lambda: tuple(items), lambda: tuple(items), lambda: Pair(one, two),
            lambda: self.mapping(items), lambda: self.mapping(items), lambda: Record(one, two),
            lambda: Frozen(one, two), lambda: More(one, two, extra=three), lambda: Slotted(one, two),
            lambda: OwnList(items), lambda: Registered(one, two), lambda: TensorsOnly(one, two),
            lambda: Slots(one, two), lambda: Ignored(items), lambda: IgnoredList(items),
            lambda: collections.Counter("ab"), lambda: torch.Size([1, 2]),
        ]
        return self.choice(kinds)()
