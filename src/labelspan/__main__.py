"""``python -m labelspan`` is the command ``labelspan``."""

from labelspan.cli import main

if __name__ == "__main__":
    main()
