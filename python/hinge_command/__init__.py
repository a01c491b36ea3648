"""Runs the program `hinge` that is installed beside this file.

It is not in the package `hinge`, so starting the program does not import that and NumPy.
"""

import os
import sys
from typing import NoReturn

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hinge")


def main() -> NoReturn:
    os.execv(PROGRAM, ["hinge", *sys.argv[1:]])
