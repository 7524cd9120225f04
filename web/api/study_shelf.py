"""Finds the studies: every module of `studies/` holds one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from . import studies
from .study import Study


@cache
def shelf() -> Mapping[str, Study[Any]]:
    """All studies by name."""
    modules = sorted(module.name for module in iter_modules(studies.__path__))
    found = [import_module(f"{studies.__name__}.{name}").STUDY for name in modules]
    return {study.name: study for study in found}


def find(name: str) -> Study[Any]:
    """The study of a name; KeyError when there is none."""
    return shelf()[name]
