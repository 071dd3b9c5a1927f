"""The C part; everything else is in pyproject.toml."""
from setuptools import Extension, setup

import headrace

setup(ext_modules=[Extension("headrace_garden", ["garden.c"], include_dirs=[headrace.get_include()])])
