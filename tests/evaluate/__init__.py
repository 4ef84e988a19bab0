"""Tests of the evaluation room; a package so that worker processes can import `learners`."""
