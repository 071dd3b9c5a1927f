"""Parity suite: Headrace against the peer's dynamic mode, live where it is installed and from
recorded expectations where it is not. See tests/parity/README.md."""
