"""Parse decimal numbers from bytes: exactly in compiled code, or left to Python's parser."""

from __future__ import annotations

import numpy as np

from labelspan.jit import ZERO, inner_kernel

EXACT, HARD, INVALID = 0, 1, 2
# Powers of ten that float64 holds exactly: with a mantissa below 2**53 one product or one
# quotient then rounds correctly (Clinger 1990), so the value equals Python's float().
POWERS = 10.0 ** np.arange(23)
MAX_MANTISSA = 2**53
MAX_DIGITS = 18
# Dekker's constant splits a float64 into two halves whose products are exact.
SPLITTER = 2.0**27 + 1.0
# A quotient this close to a tie between two floats, in units in the last place, is not trusted.
TIE_MARGIN = 1e-6
NONE, ONE, TEN = np.uint64(0), np.uint64(1), np.uint64(10)
ZERO_BYTE = np.uint8(48)


@inner_kernel
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


@inner_kernel
def scan_exponent(text, pos, stop):  # type: ignore[no-untyped-def]
    """Read ``e-12`` up to the end of the token; position -1 when it is malformed."""
    pos += 1
    negative = False
    if pos < stop and (text[pos] == 43 or text[pos] == 45):
        negative = text[pos] == 45
        pos += 1
    end, exponent, _ = scan_digits(text, pos, stop, ZERO, ZERO)
    if end == pos or end != stop:
        return -1, np.int64(0)
    return end, -exponent if negative else exponent


@inner_kernel
def two_product(a, b):  # type: ignore[no-untyped-def]
    """Return a product and its rounding error, exactly (Dekker 1971)."""
    product = a * b
    scaled = SPLITTER * a
    a_high = scaled - (scaled - a)
    scaled = SPLITTER * b
    b_high = scaled - (scaled - b)
    a_low, b_low = a - a_high, b - b_high
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


@inner_kernel
def divide(mantissa, exponent):  # type: ignore[no-untyped-def]
    """Divide a mantissa of 54 to 60 bits by a power of ten, rounded once, or return HARD.

    The quotient is a sum of two floats, of 100 bits; it may be too near the middle of two floats.
    """
    if exponent > 0:
        return HARD, 0.0
    power = POWERS[-exponent]
    high = np.float64(mantissa)
    low = np.float64(mantissa - np.int64(high))
    quotient = high / power
    product, error = two_product(quotient, power)
    correction = (((high - product) - error) + low) / power
    value = quotient + correction
    rest = abs((quotient - value) + correction) / np.spacing(value)
    # Just below a power of two the spacing is half as large, which moves the tie.
    if abs(rest - 0.5) < TIE_MARGIN or abs(rest - 0.25) < TIE_MARGIN:
        return HARD, 0.0
    return EXACT, value


@inner_kernel
def scan_number(text, start, stop):  # type: ignore[no-untyped-def]
    """Parse ``text[start:stop]``; HARD asks the caller to use ``float`` on the same bytes."""
    pos = start
    negative = False
    if pos < stop and (text[pos] == 43 or text[pos] == 45):
        negative = text[pos] == 45
        pos += 1
    first = pos
    pos, mantissa, digits = scan_digits(text, pos, stop, ZERO, ZERO)
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
    if digits > MAX_DIGITS or exponent < -22 or exponent > 22:
        return HARD, 0.0
    if mantissa > MAX_MANTISSA:
        status, value = divide(mantissa, exponent)
        return status, -value if negative else value
    value = np.float64(mantissa)
    value = value * POWERS[exponent] if exponent > 0 else value / POWERS[-exponent]
    return EXACT, -value if negative else value


@inner_kernel
def quick_digits(text, pos, mantissa):  # type: ignore[no-untyped-def]
    """Read digits up to another byte; `pos` is unsigned, as numba tests signed ones for < 0."""
    digit = np.uint8(text[pos] - ZERO_BYTE)
    while digit <= 9:
        mantissa = mantissa * TEN + np.uint64(digit)
        pos += ONE
        digit = np.uint8(text[pos] - ZERO_BYTE)
    return pos, mantissa


@inner_kernel
def quick_quotient(mantissa, n_digits, n_decimals):  # type: ignore[no-untyped-def]
    """Value of a mantissa of at most 18 digits, rounded once; NaN if that is not certain.

    numba does not inline functions with a division, and calling one that takes arrays costs more.
    """
    if n_digits < ONE or n_digits > MAX_DIGITS:
        return np.nan
    if mantissa <= MAX_MANTISSA:
        return np.float64(np.int64(mantissa)) / POWERS[n_decimals]
    status, value = divide(np.int64(mantissa), -np.int64(n_decimals))
    return value if status == EXACT else np.nan


@inner_kernel
def quick_number(text, pos):  # type: ignore[no-untyped-def]
    """``-12.5`` up to the first other byte, such as a line end; NaN unless it is that simple."""
    negative = text[pos] == 45
    start = pos + ONE if negative else pos
    pos, mantissa = quick_digits(text, start, NONE)
    n_digits, n_decimals = pos - start, NONE
    if text[pos] == 46:
        start = pos + ONE
        pos, mantissa = quick_digits(text, start, mantissa)
        n_decimals = pos - start
        n_digits += n_decimals
    value = quick_quotient(mantissa, n_digits, n_decimals)
    return pos, -value if negative else value
