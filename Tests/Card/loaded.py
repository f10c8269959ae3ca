"""Imports scripts/make-card as a module for the card tests, because its file name has no `.py` suffix."""

import importlib.machinery
import importlib.util
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
_loader = importlib.machinery.SourceFileLoader("make_card", str(REPOSITORY / "scripts/make-card"))
make_card = importlib.util.module_from_spec(importlib.util.spec_from_loader("make_card", _loader))
_loader.exec_module(make_card)
