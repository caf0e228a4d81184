"""The fuzzers are separate programs; one disables numba's compiler for its whole process."""

collect_ignore = ["fuzz_atheris.py", "fuzz_hypothesis.py"]
