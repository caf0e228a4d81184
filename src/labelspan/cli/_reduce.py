"""``labelspan reduce``."""


def command() -> None:
    """Placeholder."""
