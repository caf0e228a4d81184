"""``labelspan reproduce``."""


def command() -> None:
    """Placeholder."""
