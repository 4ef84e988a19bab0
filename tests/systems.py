"""What not every system has."""

import os

import pytest

#: For tests with forks, named pipes, terminals, or signals to other threads and processes.
posix = pytest.mark.skipif(os.name != "posix", reason="needs a system of POSIX")
