"""The command line as `python -m onkel.cli`."""

from onkel.cli import main

main()
