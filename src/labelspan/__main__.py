"""``python -m labelspan`` is the command ``labelspan``."""

from labelspan.lab.cli import main

if __name__ == "__main__":
    main()
