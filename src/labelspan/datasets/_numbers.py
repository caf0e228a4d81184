"""Decimal numbers in bytes: exact at machine speed, or left to Python's own parser."""

from __future__ import annotations

import numpy as np

from labelspan.datasets._jit import kernel

EXACT, HARD, INVALID = 0, 1, 2
# Powers of ten that float64 holds exactly: with a mantissa below 2**53 one product or one
# quotient then rounds correctly (Clinger 1990), so the value equals Python's float().
POWERS = 10.0 ** np.arange(23)
MAX_MANTISSA = 2**53
MAX_DIGITS = 18


@kernel
def scan_digits(text, pos, stop, mantissa, digits):  # type: ignore[no-untyped-def]
    """Read digits into a mantissa; digits past MAX_DIGITS are counted, not kept."""
    while pos < stop:
        digit = np.int64(text[pos]) - 48
        if digit < 0 or digit > 9:
            break
        if digits < MAX_DIGITS:
            mantissa = mantissa * 10 + digit
        if digits > 0 or digit > 0:
            digits += 1
        pos += 1
    return pos, mantissa, digits


@kernel
def scan_exponent(text, pos, stop):  # type: ignore[no-untyped-def]
    """Read ``e-12`` up to the end of the token; position -1 when it is malformed."""
    pos += 1
    negative = False
    if pos < stop and (text[pos] == 43 or text[pos] == 45):
        negative = text[pos] == 45
        pos += 1
    end, exponent, _ = scan_digits(text, pos, stop, np.int64(0), 0)
    if end == pos or end != stop:
        return -1, np.int64(0)
    return end, -exponent if negative else exponent


@kernel
def scan_number(text, start, stop):  # type: ignore[no-untyped-def]
    """Parse ``text[start:stop]``; HARD asks the caller to use ``float`` on the same bytes."""
    pos = start
    negative = False
    if pos < stop and (text[pos] == 43 or text[pos] == 45):
        negative = text[pos] == 45
        pos += 1
    first = pos
    pos, mantissa, digits = scan_digits(text, pos, stop, np.int64(0), 0)
    n_seen = pos - first
    exponent = np.int64(0)
    if pos < stop and text[pos] == 46:
        first = pos + 1
        pos, mantissa, digits = scan_digits(text, first, stop, mantissa, digits)
        n_seen += pos - first
        exponent = np.int64(first - pos)
    if n_seen == 0:
        return INVALID, 0.0
    if pos < stop:
        if text[pos] != 69 and text[pos] != 101:
            return INVALID, 0.0
        pos, shift = scan_exponent(text, pos, stop)
        if pos < 0:
            return INVALID, 0.0
        exponent += shift
    if digits > MAX_DIGITS or mantissa > MAX_MANTISSA or exponent < -22 or exponent > 22:
        return HARD, 0.0
    value = np.float64(mantissa)
    value = value * POWERS[exponent] if exponent > 0 else value / POWERS[-exponent]
    return EXACT, -value if negative else value
