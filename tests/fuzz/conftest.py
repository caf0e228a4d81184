"""The fuzzers are programs: one turns numba's compiler off for its whole process."""

collect_ignore = ["fuzz_atheris.py", "fuzz_hypothesis.py"]
