"""The peer's enumerations, by the peer's names and numbers."""

from enum import IntEnum

__all__ = ["DALIDataType", "DALIImageType", "DALIInterpType"]


class DALIDataType(IntEnum):
    """Element types. BFLOAT16 has no number at the peer."""

    NO_TYPE = -1
    UINT8 = 0
    UINT16 = 1
    UINT32 = 2
    UINT64 = 3
    INT8 = 4
    INT16 = 5
    INT32 = 6
    INT64 = 7
    FLOAT16 = 8
    FLOAT = 9
    FLOAT64 = 10
    BOOL = 11
    STRING = 12
    IMAGE_TYPE = 20
    DATA_TYPE = 21
    INTERP_TYPE = 22
    BFLOAT16 = 32

    __str__ = lambda self: f"DALIDataType.{self.name}"  # noqa: E731


class DALIImageType(IntEnum):
    """Colour models of pictures."""

    RGB = 0
    BGR = 1
    GRAY = 2
    YCbCr = 3
    ANY_DATA = 4

    __str__ = lambda self: f"DALIImageType.{self.name}"  # noqa: E731


class DALIInterpType(IntEnum):
    """Interpolation filters."""

    INTERP_NN = 0
    INTERP_LINEAR = 1
    INTERP_CUBIC = 2
    INTERP_LANCZOS3 = 3
    INTERP_TRIANGULAR = 4
    INTERP_GAUSSIAN = 5

    __str__ = lambda self: f"DALIInterpType.{self.name}"  # noqa: E731


for _enum in (DALIDataType, DALIImageType, DALIInterpType):
    globals().update(_enum.__members__)
    __all__ += list(_enum.__members__)
del _enum
