"""`python -m hinge` is the command `hinge` of this installation."""

from hinge_command import main

main()
